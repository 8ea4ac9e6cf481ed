/* Boxes are found on the device and joined on the host; what is near those of others is listed on
 * the device. */
#include "collision/collision_lend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"

/* Bodies in a run, at least; runs, boxes around these that others are told, bodies that they are
 * told one by one, at most; entries that are read before it is known how many there are. */
enum { RUN = 16, MOST_RUNS = 4096, BOXES = 256, POINTS = 512, GUESS = 1024 };
/* Ranks that have a bit of a mark; so few that all are near. */
enum { RANKS = 32, FEW = 8 };
/* A run that is so many times wider than usual is torn: runs of a curve through a sheet are no more
 * than twice as wide as the middle one. */
static const double torn = 4;

enum { LEAF = 16 };

/* More than rounding moves a box by that is looked at from another image. */
static const double slack = 1e-6;

typedef struct box {
    double low[3], high[3], radius;
} box;

static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};

/* An entry of the list; that before the first is the number of them. */
typedef struct entry {
    uint32_t rank, place, row, spare;
} entry;

static const oct_offer offers[] = {OCT_OFFER(oct_lender, "boxes", boxes),
                                   OCT_OFFER(oct_lender, "places", places),
                                   OCT_OFFER(oct_lender, "points", points),
                                   OCT_OFFER(oct_lender, "told", told),
                                   OCT_OFFER(oct_lender, "lent", listed),
                                   OCT_OFFER(oct_lender, "marks", marks),
                                   OCT_OFFER(oct_lender, "each", each),
                                   OCT_OFFER(oct_lender, "n_points", n_points),
                                   OCT_OFFER(oct_lender, "n_told", n_told),
                                   OCT_OFFER(oct_lender, "room", room),
                                   {0}};

oct_status oct_lender_start(oct_lender *lender, oct_domain *domain)
{
    const oct_tree_options options = {.theta = 1, .leaf = LEAF, .cells = true};
    size_t real4 = domain->position->element;
    lender->each = (domain->n + MOST_RUNS - 1) / MOST_RUNS;
    lender->each = lender->each > RUN ? lender->each : RUN;
    lender->n_boxes = (domain->n + lender->each - 1) / lender->each;
    lender->room = GUESS;
    const oct_buffer_plan plans[] = {
        {&lender->boxes, "lend.boxes", real4, 2 * (size_t)lender->n_boxes},
        {&lender->places, "lend.places", sizeof(uint32_t), POINTS},
        {&lender->points, "lend.points", real4, 2 * POINTS},
        {&lender->marks, "lend.marks", sizeof(uint32_t), domain->n},
        {&lender->listed, "lend.listed", sizeof(entry), (size_t)lender->room + 1}};
    OCT_TRY(oct_tree_share(&lender->tree, domain, &options));
    OCT_TRY(oct_buffers_replace(domain->device, plans, sizeof plans / sizeof plans[0]));
    OCT_TRY(oct_domain_build(&lender->program, domain, "lend.cl", NULL));
#define ALL                                                                                        \
    OCT_BIND_DOMAIN(domain), OCT_BIND_OFFERS(oct_tree_offers, lender->tree),                       \
        OCT_BIND_OFFERS(offers, lender)
    OCT_TRY(OCT_KERNEL(&lender->find_boxes, lender->program, "lend_boxes", ALL));
    OCT_TRY(OCT_KERNEL(&lender->find_points, lender->program, "lend_points", ALL));
    return OCT_KERNEL(&lender->list, lender->program, "lend_list", ALL);
#undef ALL
}

void oct_lender_end(oct_lender *lender)
{
    oct_kernel_free(lender->find_boxes);
    oct_kernel_free(lender->find_points);
    oct_kernel_free(lender->list);
    oct_program_free(lender->program);
    oct_buffer *const buffers[] = {lender->boxes, lender->places, lender->points,
                                   lender->told,  lender->listed, lender->marks};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    oct_tree_free(lender->tree);
}

void oct_loan_clear(oct_loan *loan)
{
    free(loan->rows);
    free(loan->n_out);
    *loan = (oct_loan){0};
}

/* All that is looked at while bodies are listed. */
typedef struct search {
    oct_lender *lender;
    oct_domain *domain;
    oct_comm *comm;
    uint32_t n_mine, n_shifts, n_entries;
    box *runs;    /* around the rank's own, */
    box *mine;    /* and what others are told of them */
    box *all;     /* that ranks have told, one after the other */
    box *around;  /* all that each rank has told */
    size_t *n_of; /* boxes of each rank */
    double (*shifts)[4];
    double (*packed)[4]; /* on their way to the device */
    entry *entries;
} search;

/* Elements of real[4] as doubles. */
static oct_status read_wide(double (*out)[4], oct_buffer *buffer, size_t count)
{
    OCT_TRY(oct_buffer_read(out, buffer, 0, count));
    /* Floats are in the first half: the last ones are moved first. */
    const float *narrow = (const float *)out;
    for (size_t k = 4 * count; buffer->element == 4 * sizeof(float) && k-- > 0;)
        out[k / 4][k % 4] = (double)narrow[k];
    return OCT_STATUS_OK;
}

static oct_status read_boxes(box *out, oct_buffer *buffer, size_t n)
{
    double(*corners)[4];
    OCT_TRY(oct_alloc(&corners, 2 * n, sizeof *corners, "boxes"));
    oct_status status = read_wide(corners, buffer, 2 * n);
    for (size_t i = 0; status == OCT_STATUS_OK && i < n; i++) {
        memcpy(out[i].low, corners[2 * i], sizeof out[i].low);
        memcpy(out[i].high, corners[2 * i + 1], sizeof out[i].high);
        out[i].radius = corners[2 * i][3];
    }
    free(corners);
    return status;
}

static void extend(box *b, const box *by)
{
    for (int k = 0; k < 3; k++) {
        b->low[k] = fmin(b->low[k], by->low[k]);
        b->high[k] = fmax(b->high[k], by->high[k]);
    }
    b->radius = fmax(b->radius, by->radius);
}

static double side_of(const box *b)
{
    double side = 0;
    for (int k = 0; k < 3; k++)
        side = fmax(side, b->high[k] - b->low[k]);
    return side;
}

/* How wide a run may be that is told as one: there is room for the bodies of the others. What is
 * usual heeds neither few small ones nor some large ones. */
static double widest(const search *s)
{
    double roots = 0;
    uint32_t n = 0, most = POINTS / s->lender->each;
    for (uint32_t i = 0; i < s->lender->n_boxes; i++) {
        double side = side_of(&s->runs[i]);
        if (side > 0) {
            roots += 1 / sqrt(side);
            n++;
        }
    }
    if (n == 0 || most == 0)
        return INFINITY;
    for (double wide = torn * (n / roots) * (n / roots);; wide *= 2) {
        uint32_t wider = 0;
        for (uint32_t i = 0; i < s->lender->n_boxes; i++)
            wider += side_of(&s->runs[i]) > wide;
        if (wider <= most)
            return wide;
    }
}

/* Puts bodies of torn runs behind the boxes, one by one. */
static oct_status add_points(search *s, const uint32_t *places)
{
    oct_lender *l = s->lender;
    box *points = s->mine + s->n_mine;
    if (l->n_points == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_post(l->places, places, 0, l->n_points));
    OCT_TRY(oct_kernel_launch(l->find_points, l->n_points, 0));
    OCT_TRY(read_boxes(points, l->points, l->n_points));
    for (uint32_t i = 0; i < l->n_points; i++)
        if (points[i].low[0] <= points[i].high[0])
            s->mine[s->n_mine++] = points[i];
    return OCT_STATUS_OK;
}

/* What others are told: boxes around runs that are not torn, some together, and single bodies. */
static oct_status describe(search *s)
{
    oct_lender *l = s->lender;
    uint32_t places[POINTS], together = (l->n_boxes + BOXES - 1) / BOXES;
    double wide;
    OCT_TRY(oct_kernel_launch(l->find_boxes, l->n_boxes, 0));
    OCT_TRY(read_boxes(s->runs, l->boxes, l->n_boxes));
    wide = widest(s);
    l->n_points = 0;
    for (uint32_t i = 0; i < l->n_boxes; i += together) {
        box b = nothing;
        for (uint32_t k = i; k < i + together && k < l->n_boxes; k++) {
            if (side_of(&s->runs[k]) <= wide) {
                extend(&b, &s->runs[k]);
                continue;
            }
            for (uint32_t at = k * l->each; at < (k + 1) * l->each && at < s->domain->n; at++)
                places[l->n_points++] = at;
        }
        if (b.low[0] <= b.high[0])
            s->mine[s->n_mine++] = b;
    }
    return add_points(s, places);
}

/* All ranks' boxes come together. */
static oct_status tell(search *s)
{
    uint32_t ranks = s->comm->size;
    uint64_t *counts, mine = s->n_mine;
    size_t n = 0;
    OCT_TRY(oct_alloc(&counts, ranks, sizeof *counts, "boxes"));
    oct_status status = oct_comm_gather(s->comm, counts, &mine, sizeof mine);
    for (uint32_t r = 0; r < ranks; r++) {
        s->n_of[r] = counts[r] * sizeof(box);
        n += counts[r];
    }
    free(counts);
    OCT_TRY(status);
    OCT_TRY(oct_alloc(&s->all, n, sizeof *s->all, "boxes"));
    OCT_TRY(oct_alloc(&s->packed, 2 * n, sizeof *s->packed, "boxes"));
    OCT_TRY(oct_comm_gather_varied(s->comm, s->all, s->mine, s->n_of));
    const box *from = s->all;
    for (uint32_t r = 0; r < ranks; r++) {
        s->n_of[r] /= sizeof(box);
        s->around[r] = nothing;
        for (size_t k = 0; k < s->n_of[r]; k++)
            extend(&s->around[r], from++);
    }
    return OCT_STATUS_OK;
}

/* Whether something of box a, moved back by a shift, may touch something in box b. */
static bool are_near(const box *a, const double shift[4], const box *b)
{
    double square = 0, far = 0;
    if (!(a->low[0] <= a->high[0] && b->low[0] <= b->high[0]))
        return false;
    for (int k = 0; k < 3; k++) {
        double low = a->low[k] - shift[k], high = a->high[k] - shift[k];
        double gap = fmax(fmax(b->low[k] - high, low - b->high[k]), 0);
        square += gap * gap;
        far = fmax(far, fmax(fabs(a->low[k]), fabs(a->high[k])) + fabs(shift[k]));
    }
    double reach = (a->radius + b->radius) * (1 + slack) + slack * far;
    return square <= reach * reach;
}

static bool is_near(const search *s, uint32_t rank)
{
    if (s->comm->size <= FEW)
        return true;
    for (uint32_t i = 0; i < s->n_shifts; i++)
        if (are_near(&s->around[s->comm->rank], s->shifts[i], &s->around[rank]))
            return true;
    return false;
}

/* Takes the boxes of some ranks to the device. */
static oct_status post_boxes(search *s, uint32_t first, uint32_t end)
{
    oct_lender *l = s->lender;
    bool narrow = s->domain->position->element == 4 * sizeof(float);
    const box *from = s->all;
    size_t n = 0;
    for (uint32_t r = 0; r < end; from += s->n_of[r], r++) {
        if (r < first || r == s->comm->rank || !is_near(s, r))
            continue;
        for (size_t k = 0; k < s->n_of[r]; k++, n++) {
            memcpy(s->packed[2 * n], from[k].low, sizeof from[k].low);
            memcpy(s->packed[2 * n + 1], from[k].high, sizeof from[k].high);
            s->packed[2 * n][3] = from[k].radius;
            s->packed[2 * n + 1][3] = r;
        }
    }
    l->n_told = (uint32_t)n;
    if (n == 0)
        return OCT_STATUS_OK;
    if (!l->told || l->told->count < 2 * n) {
        const oct_buffer_plan plan = {&l->told, "lend.told", s->domain->position->element,
                                      2 * (n + n / 4)};
        OCT_TRY(oct_buffers_replace(s->domain->device, &plan, 1));
    }
    /* Numbers are rounded to floats where they came from: they lose nothing. */
    for (size_t k = 0; narrow && k < 8 * n; k++) {
        float single = (float)s->packed[k / 4][k % 4];
        memcpy((char *)s->packed + k * sizeof single, &single, sizeof single);
    }
    return oct_buffer_post(l->told, s->packed, 0, 2 * n);
}

static oct_status make_room(search *s, uint32_t n)
{
    oct_lender *l = s->lender;
    const oct_buffer_plan plan = {&l->listed, "lend.listed", sizeof(entry), (size_t)n + n / 4 + 1};
    OCT_TRY(oct_buffers_replace(s->domain->device, &plan, 1));
    l->room = n + n / 4;
    return OCT_STATUS_OK;
}

/* Lists bodies for those ranks whose boxes are on the device. */
static oct_status list_bodies(search *s)
{
    static const entry none = {0};
    oct_lender *l = s->lender;
    entry *first = NULL;
    uint32_t n;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&first, GUESS + 1, sizeof *first, "bodies that are lent"));
    for (;;) {
        OCT_TRY_DONE(oct_buffer_fill(l->marks, 0));
        OCT_TRY_DONE(oct_buffer_post(l->listed, &none, 0, 1));
        OCT_TRY_DONE(oct_kernel_launch(l->list, (size_t)l->n_told * s->n_shifts, 0));
        OCT_TRY_DONE(oct_buffer_read(first, l->listed, 0, GUESS + 1));
        n = first[0].rank;
        if (n <= l->room)
            break;
        OCT_TRY_DONE(make_room(s, n));
    }
    OCT_TRY_DONE(
        oct_realloc(&s->entries, s->n_entries + n, sizeof *s->entries, "bodies that are lent"));
    memcpy(s->entries + s->n_entries, first + 1, (n < GUESS ? n : GUESS) * sizeof *first);
    if (n > GUESS)
        OCT_TRY_DONE(
            oct_buffer_read(s->entries + s->n_entries + GUESS, l->listed, GUESS + 1, n - GUESS));
    s->n_entries += n;
done:
    free(first);
    return status;
}

static oct_status list_all(search *s)
{
    for (uint32_t first = 0; first < s->comm->size; first += RANKS) {
        uint32_t end = s->comm->size - first < RANKS ? s->comm->size : first + RANKS;
        OCT_TRY(post_boxes(s, first, end));
        if (s->lender->n_told > 0)
            OCT_TRY(list_bodies(s));
    }
    return OCT_STATUS_OK;
}

/* The order in which work-items found them is chance; neighbours follow each other in the tree's.
 */
static int by_place(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static oct_status make_loan(oct_loan *out, search *s)
{
    OCT_TRY(oct_alloc(&out->n_out, s->comm->size, sizeof *out->n_out, "bodies that are lent"));
    OCT_TRY(oct_alloc(&out->rows, s->n_entries, sizeof *out->rows, "bodies that are lent"));
    if (s->n_entries > 0)
        qsort(s->entries, s->n_entries, sizeof *s->entries, by_place);
    for (uint32_t i = 0; i < s->n_entries; i++) {
        out->rows[i] = s->entries[i].row;
        out->n_out[s->entries[i].rank]++;
    }
    out->n = s->n_entries;
    return OCT_STATUS_OK;
}

static oct_status search_start(search *s)
{
    uint32_t ranks = s->comm->size;
    size_t most = (size_t)s->lender->n_boxes + POINTS;
    s->n_shifts = s->domain->around.n;
    OCT_TRY(oct_alloc(&s->runs, s->lender->n_boxes, sizeof *s->runs, "boxes"));
    OCT_TRY(oct_alloc(&s->mine, most, sizeof *s->mine, "boxes"));
    OCT_TRY(oct_alloc(&s->around, ranks, sizeof *s->around, "boxes"));
    OCT_TRY(oct_alloc(&s->n_of, ranks, sizeof *s->n_of, "boxes"));
    OCT_TRY(oct_alloc(&s->shifts, s->n_shifts, sizeof *s->shifts, "images"));
    return ranks > FEW ? read_wide(s->shifts, s->domain->around.shift, s->n_shifts) : OCT_STATUS_OK;
}

static void search_end(search *s)
{
    free(s->runs);
    free(s->mine);
    free(s->all);
    free(s->around);
    free(s->n_of);
    free(s->shifts);
    free(s->packed);
    free(s->entries);
}

oct_status oct_lender_find(oct_loan *out, oct_lender *lender, oct_domain *domain)
{
    search s = {.lender = lender, .domain = domain, .comm = domain->sim->comm};
    oct_status status;
    *out = (oct_loan){0};
    OCT_TRY_DONE(search_start(&s));
    OCT_TRY_DONE(describe(&s));
    oct_traffic_kind before = oct_comm_about(s.comm, OCT_TRAFFIC_BOXES);
    OCT_TRY_DONE(tell(&s));
    oct_comm_about(s.comm, before);
    OCT_TRY_DONE(list_all(&s));
    status = make_loan(out, &s);
done:
    search_end(&s);
    if (status != OCT_STATUS_OK)
        oct_loan_clear(out);
    return status;
}
