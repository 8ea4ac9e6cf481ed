/* Finds the cuts that give each rank as many bodies as it has. */
#include "core/trade_cuts.h"

#include <stdlib.h>
#include <string.h>

/* Bodies that a cut may be among when they are put in order one by one: as it is looked for, and
 * where it was before, so that it is not looked for again for a body more. */
enum { FEW = 256, MORE = 4096 };

/* Who has how many that are not removed, and so where the cuts should be. */
static oct_status find_targets(struct oct_trader *t)
{
    uint32_t size = t->comm->size;
    uint64_t living = t->sim->n_own, *all, before = 0;
    uint8_t *type = NULL;
    oct_status status;
    OCT_TRY(oct_alloc(&all, size, sizeof *all, "ranks"));
    memcpy(all, t->sim->owners.counts, size * sizeof *all);
    if (t->domain->removes) {
        OCT_TRY_DONE(oct_alloc(&type, t->domain->n, 1, "types"));
        OCT_TRY_DONE(oct_buffer_read(type, t->domain->type, 0, t->domain->n));
        for (uint32_t i = 0; i < t->domain->n; i++)
            living -= type[i] == OCT_TYPE_REMOVED;
        OCT_TRY_DONE(oct_comm_gather(t->comm, all, &living, sizeof living));
    }
    status = OCT_STATUS_OK;
    for (uint32_t r = 0; r < size; r++) {
        t->cuts[r].target = before;
        before += all[r];
    }
done:
    free(type);
    free(all);
    return status;
}

/* Each cut's bins go to the rank behind it. */
static oct_status exchange_bins(struct oct_trader *t)
{
    size_t bins = oct_trade_bins(t), bytes = bins * sizeof *t->counts;
    for (uint32_t r = 0; r < t->comm->size; r++) {
        t->out[r] = t->in[r] = (oct_parcel){0};
        if (r > 0)
            t->out[r] = (oct_parcel){t->counts + (r - 1) * bins, bytes};
        if (t->comm->rank > 0)
            t->in[r] = (oct_parcel){t->all + r * bins, bytes};
    }
    return oct_comm_exchange(t->comm, t->out, t->in);
}

static uint64_t count_all(const struct oct_trader *t, size_t bin)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < t->comm->size; r++)
        sum += t->all[r * oct_trade_bins(t) + bin];
    return sum;
}

/* How many digits a cut is looked for by the next time: so many that bins have no more than a few
 * bodies where it is, and not more, since it may be many bodies away then. */
static uint32_t next_shift(const struct oct_trader *t, const oct_cut *own, uint32_t digit)
{
    uint32_t shift = own->shift, n = 1u << t->bits, first = digit, end = digit + 1;
    uint64_t within = own->within;
    for (; within > FEW && shift > 0; within /= 2)
        shift--;
    if (own->within > FEW)
        return shift;
    for (uint32_t wide = 1; end - first < n && shift + t->bits < OCT_KEY_BITS; wide *= 2) {
        for (uint32_t k = 0; k < wide && end < n; k++)
            within += count_all(t, end++);
        for (uint32_t k = 0; k < wide && first > 0; k++)
            within += count_all(t, --first);
        if (within > FEW)
            break;
        shift++;
    }
    return shift;
}

/* One digit more of a rank's own cut: the last that no more bodies come before than should. */
static void find_digit(struct oct_trader *t, oct_cut *own)
{
    uint32_t digit = 0, n = 1u << t->bits;
    uint64_t below = count_all(t, oct_trade_bins(t) - 1);
    own->missed = below > own->target;
    own->within = count_all(t, 0);
    while (digit + 1 < n && below + own->within <= own->target) {
        below += own->within;
        own->within = count_all(t, ++digit);
    }
    /* No body is at the end of all of them. */
    own->missed = own->missed || (t->known && below + own->within <= own->target);
    own->below = below;
    own->key = t->heads[t->comm->rank - 1].key + ((uint64_t)digit << own->shift);
    own->next = next_shift(t, own, digit);
}

/* Where bins of a cut begin: at its digits so far, or so that it is in the middle of them if it is
 * near where it was. They stay where they are until it is far from there. */
static oct_cut_head head_of(const struct oct_trader *t, uint32_t r)
{
    const oct_cut *c = &t->cuts[r];
    const oct_cut_head *before = &t->heads[r - 1];
    uint64_t key = c->key >> c->shift << c->shift, half = (uint64_t)1 << (c->shift + t->bits - 1);
    if (t->known && before->shift == c->shift && key - before->key > half / 2 &&
        key - before->key < half / 2 * 3)
        return *before;
    if (t->known)
        key = key > half ? key - half : 0;
    return (oct_cut_head){key, c->shift};
}

/* Where bins begin, unless the device knows. */
static oct_status tell_heads(struct oct_trader *t)
{
    bool same = t->told;
    for (uint32_t r = 1; r < t->comm->size; r++) {
        oct_cut_head now = head_of(t, r), *before = &t->heads[r - 1];
        same = same && before->key == now.key && before->shift == now.shift;
        *before = now;
    }
    t->told = true;
    return same ? OCT_STATUS_OK : oct_buffer_post(t->head_keys, t->heads, 0, t->n_cuts);
}

/* *few: cuts are among few bodies each; *missed: one is not where it was. */
static oct_status next_digit(bool *few, bool *missed, struct oct_trader *t)
{
    uint32_t rank = t->comm->rank, size = t->comm->size;
    oct_cut own = t->cuts[rank];
    OCT_TRY(tell_heads(t));
    OCT_TRY(oct_kernel_launch(t->count, (size_t)t->n_cuts * t->blocks * t->counters, t->counters));
    OCT_TRY(oct_buffer_read(t->counts, t->bins, 0, t->n_bins));
    OCT_TRY(exchange_bins(t));
    if (rank > 0)
        find_digit(t, &own);
    OCT_TRY(oct_comm_gather(t->comm, t->cuts, &own, sizeof own));
    *few = true;
    *missed = false;
    for (uint32_t r = 1; r < size; r++) {
        *few = *few && (t->cuts[r].within <= MORE || t->cuts[r].shift == 0);
        *missed = *missed || t->cuts[r].missed;
    }
    return OCT_STATUS_OK;
}

/* One digit more for cuts that are not among few bodies; false: there are none. */
static bool refine(struct oct_trader *t)
{
    bool any = false;
    for (uint32_t r = 1; r < t->comm->size; r++) {
        oct_cut *c = &t->cuts[r];
        if (c->within <= FEW || c->shift == 0)
            continue;
        c->shift -= c->shift < t->bits ? c->shift : t->bits;
        any = true;
    }
    return any;
}

/* Finds digits of all cuts, those first that were enough the last time. Which they are changes
 * nothing but how long it takes. */
oct_status oct_trade_find_cuts(struct oct_trader *t)
{
    bool few = false, missed = false;
    OCT_TRY(find_targets(t));
    for (uint32_t r = 0; t->known && r < t->comm->size; r++)
        t->cuts[r].shift = t->cuts[r].next;
    if (t->known)
        OCT_TRY(next_digit(&few, &missed, t));
    if (t->known && !missed && few)
        return OCT_STATUS_OK;
    t->known = false;
    for (uint32_t r = 0; r < t->comm->size; r++) {
        t->cuts[r].key = 0;
        t->cuts[r].shift = OCT_KEY_BITS - t->bits;
    }
    do {
        OCT_TRY(oct_buffer_fill(t->bins, 0));
        OCT_TRY(next_digit(&few, &missed, t));
    } while (refine(t));
    t->known = true;
    return OCT_STATUS_OK;
}
