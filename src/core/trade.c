/* Finds out who is on the wrong side of a cut, and lets them change places. */
#include "core/trade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/decompose.h"
#include "core/trade_cuts.h"

/* Words of a list, as in kernels/trade.cl; entries that are read at once. */
enum { HEADER = 4, ENTRY = 3, AT_ONCE = 1024 };
/* The part of a rank's bodies that may be listed, and how many may at least. */
enum { STRAYS_PART = 8, STRAYS_LEAST = 1024 };
/* The most bits of a digit, and the least; bins of all cuts. */
enum { MOST_BITS = 11, LEAST_BITS = 4, BINS = 4096 };
/* Work-items of a group that counts, and bodies for each of them. Each group clears all bins and
 * adds them up. On a CPU one work-item counts without barriers and without atomics. */
enum { COUNTERS = 64, EACH = 32, EACH_CPU = 8192 };

static const oct_offer offers[] = {OCT_OFFER(struct oct_trader, "keys", keys.of),
                                   OCT_OFFER(struct oct_trader, "heads", head_keys),
                                   OCT_OFFER(struct oct_trader, "bins", bins),
                                   OCT_OFFER(struct oct_trader, "n_bins", n_bins),
                                   OCT_OFFER(struct oct_trader, "run_begin", run_begin),
                                   OCT_OFFER(struct oct_trader, "run_end", run_end),
                                   OCT_OFFER(struct oct_trader, "strays", strays),
                                   OCT_OFFER(struct oct_trader, "blocks", blocks),
                                   OCT_OFFER(struct oct_trader, "room", room),
                                   {0}};

static oct_status make_buffers(struct oct_trader *t)
{
    size_t ranks = t->comm->size, real4 = t->domain->position->element;
    const oct_buffer_plan plans[] = {
        {&t->bounds, "trade.bounds", real4, 2},
        {&t->head_keys, "trade.heads", sizeof(oct_cut_head), t->n_cuts},
        {&t->bins, "trade.bins", sizeof(uint32_t), t->n_bins},
        {&t->strays, "trade.strays", sizeof(uint32_t), HEADER + ENTRY * (size_t)t->room},
    };
    OCT_TRY(oct_buffers_replace(t->domain->device, plans, sizeof plans / sizeof plans[0]));
    OCT_TRY(oct_buffer_fill(t->bins, 0));
    OCT_TRY(oct_alloc(&t->cuts, ranks, sizeof *t->cuts, "cuts"));
    OCT_TRY(oct_alloc(&t->heads, ranks, sizeof *t->heads, "cuts"));
    OCT_TRY(oct_alloc(&t->counts, t->n_bins, sizeof *t->counts, "cuts"));
    OCT_TRY(oct_alloc(&t->all, ranks * oct_trade_bins(t), sizeof *t->all, "cuts"));
    OCT_TRY(oct_alloc(&t->before, ranks, sizeof *t->before, "cuts"));
    OCT_TRY(oct_alloc(&t->out, 2 * ranks, sizeof *t->out, "cuts"));
    t->in = t->out + ranks;
    return OCT_STATUS_OK;
}

static oct_buffer **bounds_of(struct oct_trader *t)
{
    oct_buffer **around = t->sim->owners.around;
    return around ? around : &t->bounds;
}

static oct_status make_kernels(struct oct_trader *t)
{
    oct_domain *domain = t->domain;
    char options[48];
    snprintf(options, sizeof options, "-D BITS=%u -D COUNTERS=%u", t->bits, (unsigned)t->counters);
    OCT_TRY(
        oct_primitives_create(&t->primitives, domain->device, domain->precision, OCT_VARIANT_AUTO));
    OCT_TRY(oct_keys_start(&t->keys, domain, bounds_of(t)));
    OCT_TRY(oct_domain_build(&t->program, domain, "trade.cl", options));
#define ALL OCT_BIND_DOMAIN(domain), OCT_BIND_OFFERS(offers, t)
    OCT_TRY(OCT_KERNEL(&t->count, t->program, "trade_count", ALL));
    return OCT_KERNEL(&t->list, t->program, "trade_list", ALL);
#undef ALL
}

static oct_status trader_create(struct oct_trader **out, oct_sim *sim)
{
    struct oct_trader *t;
    uint32_t n = sim->domain->n;
    OCT_TRY(oct_alloc(out, 1, sizeof **out, "a trader"));
    t = *out;
    t->sim = sim;
    t->domain = sim->domain;
    t->comm = sim->comm;
    t->n_cuts = t->comm->size - 1;
    t->bits = MOST_BITS;
    while (t->bits > LEAST_BITS && (uint64_t)t->n_cuts << t->bits > BINS)
        t->bits--;
    t->n_bins = t->n_cuts * (uint32_t)oct_trade_bins(t);
    bool cpu = oct_device_is_cpu(oct_device_describe(t->domain->device));
    uint32_t counted = cpu ? EACH_CPU : COUNTERS * EACH;
    t->counters = cpu ? 1 : COUNTERS;
    t->blocks = (n + counted - 1) / counted;
    t->room = n / STRAYS_PART > STRAYS_LEAST ? n / STRAYS_PART : STRAYS_LEAST;
    OCT_TRY(make_buffers(t));
    return make_kernels(t);
}

void oct_trader_free(struct oct_trader *t)
{
    if (!t)
        return;
    oct_kernel *const kernels[] = {t->count, t->list};
    oct_buffer *const buffers[] = {t->bounds, t->head_keys, t->bins, t->strays};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    oct_keys_end(&t->keys);
    oct_program_free(t->program);
    oct_primitives_free(t->primitives);
    if (t->freight.domain)
        oct_freight_end(&t->freight);
    free(t->cuts);
    free(t->heads);
    free(t->counts);
    free(t->all);
    free(t->words);
    free(t->before);
    free(t->out);
    free(t);
}

static oct_status make_keys(struct oct_trader *t)
{
    OCT_TRY(oct_lineup_box(*bounds_of(t), t->primitives, t->domain));
    return oct_keys_make(&t->keys);
}

/* A body that is not surely between its rank's cuts. */
typedef struct stray {
    uint64_t key;
    uint32_t place, row;
} stray;

static int by_place(const void *a, const void *b)
{
    const stray *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Reads the list, more of it than there were the last time so that once is enough. */
static oct_status read_strays(uint32_t *n, struct oct_trader *t)
{
    size_t all = t->strays->count, words = t->n_words < all ? t->n_words : all;
    OCT_TRY(oct_realloc(&t->words, words, sizeof *t->words, "bodies that leave"));
    OCT_TRY(oct_buffer_read(t->words, t->strays, 0, words));
    *n = t->words[0];
    size_t wanted = HEADER + ENTRY * (size_t)*n;
    t->n_words = wanted + wanted / 2 + AT_ONCE * (size_t)ENTRY;
    if (*n > t->room || wanted <= words)
        return OCT_STATUS_OK;
    OCT_TRY(oct_realloc(&t->words, wanted, sizeof *t->words, "bodies that leave"));
    return oct_buffer_read(t->words + words, t->strays, words, wanted - words);
}

/* Strays in order; *out is NULL where there are too many, or a body is no number any more, which is
 * told by its row. */
static oct_status list_strays(stray **out, uint32_t *n, struct oct_trader *t)
{
    uint32_t rank = t->comm->rank, items = t->domain->n > t->n_bins ? t->domain->n : t->n_bins;
    t->run_begin = 0;
    t->run_end = UINT64_MAX;
    for (uint32_t r = 1; r < t->comm->size; r++) {
        uint64_t key = t->cuts[r].key, end = key + ((uint64_t)1 << t->cuts[r].shift);
        if (r <= rank && end > t->run_begin)
            t->run_begin = end;
        if (r > rank && key < t->run_end)
            t->run_end = key;
    }
    OCT_TRY(oct_kernel_launch(t->list, items, 0));
    if (t->n_words == 0)
        t->n_words = HEADER + ENTRY * (size_t)AT_ONCE;
    OCT_TRY(read_strays(n, t));
    if (*n > t->room || t->words[1] != UINT32_MAX) {
        *n = 0;
        return OCT_STATUS_OK;
    }
    OCT_TRY(oct_alloc(out, (size_t)*n + 1, sizeof **out, "bodies that leave"));
    for (uint32_t i = 0; i < *n; i++) {
        const uint32_t *entry = t->words + HEADER + ENTRY * (size_t)i;
        (*out)[i] =
            (stray){entry[1] | (uint64_t)entry[2] << 32, t->sim->owners.places[entry[0]], entry[0]};
    }
    qsort(*out, *n, sizeof **out, by_place);
    return OCT_STATUS_OK;
}

/* The first stray with a key, or behind it. */
static uint32_t find_stray(const stray *strays, uint32_t n, uint64_t key)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strays[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A body that a cut may be before or behind. */
typedef struct close_one {
    uint64_t key;
    uint32_t rank;
} close_one;

static int by_rank(const void *a, const void *b)
{
    const close_one *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* How many of each rank's bodies that are close to this rank's cut are before it: as many in all as
 * should be. `keys` are those of one rank after those of another. */
static oct_status divide_close(uint32_t *before, const struct oct_trader *t, const uint64_t *keys,
                               const uint64_t *counts)
{
    const oct_cut *own = &t->cuts[t->comm->rank];
    close_one *all;
    uint64_t n = 0;
    OCT_TRY(oct_alloc(&all, (size_t)own->within, sizeof *all, "bodies at a cut"));
    for (uint32_t r = 0; r < t->comm->size; r++)
        for (uint64_t i = 0; i < counts[r]; i++, n++)
            all[n] = (close_one){keys[n], r};
    qsort(all, n, sizeof *all, by_rank);
    for (uint64_t i = 0; i < n && own->below + i < own->target; i++)
        before[all[i].rank]++;
    free(all);
    return OCT_STATUS_OK;
}

/* Sends what bodies at each cut have for keys to the rank behind it: `theirs`, of each rank as many
 * as counts say. Who has listed none sends as many zeros. */
static oct_status send_close(uint64_t *theirs, uint64_t *counts, struct oct_trader *t,
                             const stray *strays, uint32_t n)
{
    uint32_t size = t->comm->size, rank = t->comm->rank;
    size_t all = 0, at = 0;
    uint64_t *mine;
    for (uint32_t r = 1; r < size; r++)
        all += t->counts[(r - 1) * oct_trade_bins(t) + oct_trade_bin(t, r)];
    OCT_TRY(oct_alloc(&mine, all + 1, sizeof *mine, "bodies at cuts"));
    all = 0;
    for (uint32_t r = 0; r < size; r++) {
        uint64_t key = t->cuts[r].key;
        uint32_t first = strays ? find_stray(strays, n, key) : 0,
                 close = r > 0 ? t->counts[(r - 1) * oct_trade_bins(t) + oct_trade_bin(t, r)] : 0;
        for (uint32_t i = 0; strays && i < close; i++)
            mine[all + i] = strays[first + i].key;
        t->out[r] = (oct_parcel){mine + all, close * sizeof *mine};
        all += close;
        counts[r] = rank > 0 ? t->all[r * oct_trade_bins(t) + oct_trade_bin(t, rank)] : 0;
        t->in[r] = (oct_parcel){theirs + at, counts[r] * sizeof *theirs};
        at += counts[r];
    }
    oct_status status = oct_comm_exchange(t->comm, t->out, t->in);
    free(mine);
    return status;
}

/* What a rank tells another: how many of the bodies that it has close to the teller's cut are
 * before it, whether the teller has listed its strays, and which columns it has. */
typedef struct reply {
    uint64_t before, columns, whole;
} reply;

/* Of the bodies that are close to a cut the rank behind it says who is before it. *due: all have
 * listed their strays; they have the same columns then. */
static oct_status ask_close(bool *due, struct oct_trader *t, const stray *strays, uint32_t n)
{
    uint32_t size = t->comm->size, rank = t->comm->rank, *before = NULL;
    uint64_t *theirs = NULL, *counts = NULL, columns = 0;
    reply *told = NULL;
    oct_status status;
    *due = true;
    OCT_TRY_DONE(
        oct_alloc(&theirs, (size_t)t->cuts[rank].within + 1, sizeof *theirs, "bodies at cuts"));
    OCT_TRY_DONE(oct_alloc(&counts, size, sizeof *counts, "ranks"));
    OCT_TRY_DONE(oct_alloc(&before, size, sizeof *before, "ranks"));
    OCT_TRY_DONE(oct_alloc(&told, 2 * (size_t)size, sizeof *told, "ranks"));
    OCT_TRY_DONE(send_close(theirs, counts, t, strays, n));
    if (rank > 0)
        OCT_TRY_DONE(divide_close(before, t, theirs, counts));
    for (uint32_t r = 0; r < size; r++) {
        told[r] = (reply){before[r], oct_migrate_columns(t->domain), strays != NULL};
        t->out[r] = (oct_parcel){&told[r], sizeof *told};
        t->in[r] = (oct_parcel){&told[size + r], sizeof *told};
    }
    OCT_TRY_DONE(oct_comm_exchange(t->comm, t->out, t->in));
    for (uint32_t r = 0; r < size; r++) {
        t->before[r] = (uint32_t)told[size + r].before;
        columns |= told[size + r].columns;
        *due = *due && told[size + r].whole;
    }
    status = oct_migrate_add_columns(t->domain, columns);
done:
    free(theirs);
    free(counts);
    free(before);
    free(told);
    return status;
}

/* The rank whose run has the i-th stray. */
static uint32_t rank_of(const struct oct_trader *t, const stray *strays, uint32_t n, uint32_t i)
{
    uint32_t low = 0, high = t->comm->size;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t shift = t->cuts[middle].shift;
        uint64_t key = t->cuts[middle].key, digits = strays[i].key >> shift;
        bool behind = digits > key >> shift;
        if (digits == key >> shift)
            behind = i - find_stray(strays, n, key) >= t->before[middle];
        if (behind)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Those who go, one rank's after another's. */
typedef struct leaving {
    uint64_t *n_out;
    uint32_t n, *rows, *places;
} leaving;

static oct_status choose(leaving *l, const struct oct_trader *t, const stray *strays, uint32_t n)
{
    OCT_TRY(oct_alloc(&l->n_out, t->comm->size, sizeof *l->n_out, "ranks"));
    OCT_TRY(oct_alloc(&l->rows, 2 * (size_t)n + 1, sizeof *l->rows, "bodies that leave"));
    l->places = l->rows + n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = rank_of(t, strays, n, i);
        if (to == t->comm->rank)
            continue;
        l->n_out[to]++;
        l->rows[l->n] = strays[i].row;
        l->places[l->n++] = strays[i].place;
    }
    return OCT_STATUS_OK;
}

/* All columns, which may have been made since, and keys, which the tree goes on with. */
static oct_status load_columns(struct oct_trader *t)
{
    oct_domain *domain = t->domain;
    if (!t->freight.domain)
        OCT_TRY(oct_freight_start(&t->freight, domain, sizeof(uint32_t)));
    t->freight.n_columns = 0;
    t->freight.row = t->freight.tag;
    for (uint32_t c = 0; c < domain->n_columns; c++)
        if (domain->columns[c].buffer && domain->columns[c].buffer->count > 0)
            oct_freight_add(&t->freight, domain->columns[c].buffer);
    oct_freight_add(&t->freight, t->keys.of);
    return OCT_STATUS_OK;
}

/* Those who come take the rows of those who go. */
static oct_status change_places(struct oct_trader *t, const leaving *l)
{
    OCT_TRY(load_columns(t));
    OCT_TRY(oct_freight_send(&t->freight, l->n_out, l->rows, l->places));
    OCT_TRY(oct_freight_replace(&t->freight));
    if (l->n > 0)
        oct_freight_tags(l->places, &t->freight);
    for (uint32_t i = 0; i < l->n; i++)
        t->sim->owners.places[l->rows[i]] = l->places[i];
    t->sim->owners.traded += l->n;
    /* What was made of positions is made again by all ranks, by those too to whom nobody came. */
    t->domain->position->version++;
    return OCT_STATUS_OK;
}

static oct_status trade(struct oct_trader *t)
{
    leaving l = {0};
    stray *strays = NULL;
    uint32_t n = 0;
    bool due;
    oct_status status;
    OCT_TRY_DONE(make_keys(t));
    OCT_TRY_DONE(oct_trade_find_cuts(t));
    OCT_TRY_DONE(list_strays(&strays, &n, t));
    OCT_TRY_DONE(ask_close(&due, t, strays, n));
    if (!due)
        goto done;
    OCT_TRY_DONE(choose(&l, t, strays, n));
    oct_comm_about(t->comm, OCT_TRAFFIC_BODIES);
    status = change_places(t, &l);
done:
    t->sim->owners.boxed = oct_edition_of(t->domain->position);
    t->sim->owners.keys = &t->keys;
    free(strays);
    free(l.rows);
    free(l.n_out);
    return status;
}

bool oct_trade_found(const oct_domain *domain)
{
    return oct_edition_same(domain->sim->owners.boxed, oct_edition_of(domain->position));
}

oct_status oct_trade_now(oct_sim *sim)
{
    oct_status status = OCT_STATUS_OK;
    if (!sim->owners.trader)
        status = trader_create(&sim->owners.trader, sim);
    oct_traffic_kind before = oct_comm_about(sim->comm, OCT_TRAFFIC_CUTS);
    if (status == OCT_STATUS_OK)
        status = trade(sim->owners.trader);
    oct_comm_about(sim->comm, before);
    return status;
}

/* Where bodies take steps of their own integrators know them by their rows. */
oct_status oct_trade(oct_sim *sim)
{
    uint32_t every = sim->owners.trade_every;
    bool due = oct_owners_several(sim) && !sim->owners.whole && every > 0 &&
               oct_sim_steps(sim) % every == 0 && !oct_domain_integrator(sim->domain)->within;
    return due ? oct_trade_now(sim) : OCT_STATUS_OK;
}
