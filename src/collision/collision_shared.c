/* Resolves pairs of bodies that ranks share, in the order of one domain.
 *
 * A pair waits for those before it in the lists of its two bodies. The list of a body is whole in
 * its own rank alone, so that a pair of two ranks is held until both have said that its turn has
 * come, each with the row that its body then has; then both resolve it, and what waits for it. Of
 * all pairs that are left the first one waits for nobody: some are resolved in each round. */
#include <stdlib.h>
#include <string.h>

#include "collision/meeting.h"

/* How all ranks call a pair: the places of its bodies, and the image. */
typedef struct pair_name {
    uint32_t first, second, image, spare;
} pair_name;

/* A pair of this rank and another. */
typedef struct held_pair {
    pair_name name;
    uint32_t number;     /* in the list */
    uint32_t own, guest; /* rows */
    bool said, heard, gone;
} held_pair;

typedef struct rounds {
    oct_meeting *m;
    oct_comm *comm;
    uint32_t n;
    held_pair *pairs; /* in the order of their names */
    uint8_t *ready;
    uint64_t *n_out;
    uint32_t *rows;
    pair_name *tags;
} rounds;

static int by_name(const void *a, const void *b)
{
    const pair_name *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->second != y->second)
        return x->second < y->second ? -1 : 1;
    return (x->image > y->image) - (x->image < y->image);
}

static void rounds_end(rounds *r)
{
    free(r->pairs);
    free(r->ready);
    free(r->n_out);
    free(r->rows);
    free(r->tags);
}

static uint32_t place_of(const rounds *r, const oct_domain *domain, uint32_t row)
{
    return row < r->m->n_own ? domain->sim->owners.places[row] : r->m->place[row - r->m->n_own];
}

/* The pairs that are held, off the device. */
static oct_status list_held(rounds *r, const oct_domain *domain)
{
    oct_collider *c = r->m->collider;
    uint32_t(*entries)[4];
    if (r->n == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&entries, r->n, sizeof *entries, "pairs"));
    oct_status status = oct_buffer_read(entries, c->pairs, 0, r->n);
    for (uint32_t h = 0; status == OCT_STATUS_OK && h < r->n; h++) {
        uint32_t x = entries[h][0], y = entries[h][1];
        bool first = x < r->m->n_own;
        r->pairs[h] =
            (held_pair){.name = {place_of(r, domain, x), place_of(r, domain, y), entries[h][2], 0},
                        .number = h,
                        .own = first ? x : y,
                        .guest = first ? y : x};
    }
    qsort(r->pairs, r->n, sizeof *r->pairs, by_name);
    free(entries);
    return status;
}

static oct_status rounds_start(rounds *r, const oct_domain *domain)
{
    size_t n = r->n;
    r->comm = domain->sim->comm;
    OCT_TRY(oct_alloc(&r->pairs, n, sizeof *r->pairs, "pairs"));
    OCT_TRY(oct_alloc(&r->ready, n, sizeof *r->ready, "pairs"));
    OCT_TRY(oct_alloc(&r->rows, n, sizeof *r->rows, "pairs"));
    OCT_TRY(oct_alloc(&r->tags, n, sizeof *r->tags, "pairs"));
    OCT_TRY(oct_alloc(&r->n_out, r->comm->size, sizeof *r->n_out, "pairs"));
    return list_held(r, domain);
}

/* Tells the other ranks of pairs whose turn has come here. */
static oct_status say(rounds *r)
{
    oct_collider *c = r->m->collider;
    uint32_t n = 0;
    if (r->n > 0) {
        OCT_TRY(oct_kernel_launch(c->find_ready, r->n, 0));
        OCT_TRY(oct_buffer_read(r->ready, c->ready, 0, r->n));
    }
    for (uint32_t rank = 0; rank < r->comm->size; rank++) {
        uint32_t before = n;
        for (uint32_t h = 0; h < r->n; h++) {
            held_pair *pair = &r->pairs[h];
            if (pair->said || !r->ready[pair->number] ||
                r->m->host[pair->guest - r->m->n_own] != rank)
                continue;
            pair->said = true;
            r->rows[n] = pair->own;
            r->tags[n++] = pair->name;
        }
        r->n_out[rank] = n - before;
    }
    return oct_freight_send(&r->m->news, r->n_out, r->rows, r->tags);
}

static held_pair *find(const rounds *r, const pair_name *name)
{
    return bsearch(name, r->pairs, r->n, sizeof *r->pairs, by_name);
}

/* Takes in what others have said: their bodies are now as the pairs find them. */
static oct_status hear(rounds *r)
{
    oct_meeting *m = r->m;
    size_t n = m->news.coming;
    pair_name *names = NULL;
    char *rows = NULL;
    oct_status status;
    if (n == 0)
        return OCT_STATUS_OK;
    OCT_TRY_DONE(oct_alloc(&names, n, sizeof *names, "pairs"));
    OCT_TRY_DONE(oct_alloc(&rows, n, m->news.row, "rows"));
    oct_freight_tags(names, &m->news);
    for (size_t i = 0; i < n; i++) {
        held_pair *pair = find(r, &names[i]);
        OCT_CHECK_DONE(pair, OCT_STATUS_INTERNAL, "two domains do not agree on which bodies touch");
        pair->heard = true;
    }
    for (uint32_t c = 0; c < m->news.n_columns; c++) {
        size_t element = m->news.columns[c]->element;
        oct_freight_rows(rows, &m->news, c);
        for (size_t i = 0; i < n; i++)
            memcpy(m->rows[c] + (find(r, &names[i])->guest - m->n_own) * element,
                   rows + i * element, element);
    }
    status = oct_meeting_seat(m);
done:
    free(names);
    free(rows);
    return status;
}

/* Resolves what both ranks have said to be ready, with all that waits for it. */
static oct_status go(rounds *r, uint32_t *left)
{
    oct_collider *c = r->m->collider;
    uint32_t n = 0;
    *left = 0;
    for (uint32_t h = 0; h < r->n; h++) {
        held_pair *pair = &r->pairs[h];
        if (!pair->gone && pair->said && pair->heard) {
            pair->gone = true;
            r->rows[n++] = pair->number;
        }
        *left += !pair->gone;
    }
    if (n == 0)
        return OCT_STATUS_OK;
    c->n_going = n;
    OCT_TRY(oct_buffer_post(c->going, r->rows, 0, n));
    return oct_kernel_launch(c->go, n, 0);
}

/* Two ranks have the same pairs to go, and need not tell each other how many. */
static oct_status take_rounds(rounds *r)
{
    bool two = r->comm->size == 2;
    double before = -1, all = r->n;
    while (all > 0 || !two) {
        uint32_t left;
        OCT_TRY(say(r));
        OCT_TRY(hear(r));
        OCT_TRY(go(r, &left));
        all = left;
        if (!two)
            OCT_TRY(oct_comm_sum(r->comm, &all, 1));
        if (all == 0)
            break;
        OCT_CHECK(all != before, OCT_STATUS_INTERNAL,
                  "%g pairs of bodies of two domains wait for each other", all);
        before = all;
    }
    return OCT_STATUS_OK;
}

static oct_status resolve(oct_meeting *m, oct_domain *domain, uint32_t n_pairs)
{
    oct_collider *c = m->collider;
    rounds r = {.m = m, .n = c->n_held};
    oct_status status;
    if (n_pairs > 0) {
        OCT_TRY(oct_meeting_join(m, n_pairs));
        OCT_TRY(oct_collider_link(c, m->domain));
        OCT_TRY(oct_collider_climb(c));
    }
    oct_traffic_kind before = oct_comm_about(domain->sim->comm, OCT_TRAFFIC_PAIRS);
    status = rounds_start(&r, domain);
    if (status == OCT_STATUS_OK)
        status = take_rounds(&r);
    oct_comm_about(domain->sim->comm, before);
    rounds_end(&r);
    OCT_TRY(status);
    return n_pairs > 0 ? oct_kernel_launch(c->finish, c->group, c->group) : OCT_STATUS_OK;
}

oct_status oct_collider_meet(oct_found *out, oct_collider *c, oct_domain *domain)
{
    *out = (oct_found){.collider = c, .domain = domain};
    if (oct_owners_several(domain->sim)) {
        OCT_TRY(oct_meeting_gather(c, domain));
        *out = (oct_found){.collider = c->meeting->collider, .domain = c->meeting->domain};
        out->collider->overlapping = c->overlapping;
    }
    return oct_collider_find(&out->n_pairs, out->collider, out->domain);
}

oct_status oct_collider_settle(const oct_found *found, oct_collider *c, oct_domain *domain)
{
    if (found->domain == domain)
        return found->n_pairs > 0 ? oct_collider_resolve(c, domain) : OCT_STATUS_OK;
    OCT_TRY(resolve(c->meeting, domain, found->n_pairs));
    return found->n_pairs > 0 ? oct_meeting_part(c->meeting, domain, found->n_pairs)
                              : OCT_STATUS_OK;
}
