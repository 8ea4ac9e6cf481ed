/* Which buffers of a pool share an allocation. They are put one after the other into the loan or,
 * where that is taken, into the first that is free while they are in use; which order is best is
 * searched for. */
#include "device/pool.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3 };

/* A buffer on its way to its allocation. */
typedef struct item {
    uint64_t bytes;
    unsigned first, last;
    size_t index;
} item;

typedef struct plan {
    item items[OCT_POOL_MOST]; /* in the order they are put */
    size_t n;
    uint64_t lent; /* bytes */
    unsigned last; /* stage of the loan */
} plan;

static bool meet(const item *a, const item *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* Whether an allocation is in use by one before item k while that would be. */
static bool is_taken(const plan *p, size_t k, const oct_pool_layout *layout, size_t allocation)
{
    for (size_t i = 0; i < k; i++)
        if (layout->of[p->items[i].index] == allocation && meet(&p->items[i], &p->items[k]))
            return true;
    return false;
}

static bool is_lent(const plan *p, size_t k, const oct_pool_layout *layout)
{
    const item *mine = &p->items[k];
    return mine->bytes <= p->lent && mine->last <= p->last &&
           !is_taken(p, k, layout, OCT_POOL_MOST);
}

/* Returns the bytes of all allocations but the loan. */
static uint64_t put_all(oct_pool_layout *out, const plan *p)
{
    uint64_t sum = 0;
    memset(out, 0, sizeof *out);
    for (size_t k = 0; k < p->n; k++) {
        size_t at = 0, index = p->items[k].index;
        if (is_lent(p, k, out)) {
            out->of[index] = OCT_POOL_MOST;
            continue;
        }
        while (at < out->n && is_taken(p, k, out, at))
            at++;
        if (at == out->n)
            out->n++;
        if (p->items[k].bytes > out->bytes[at])
            out->bytes[at] = p->items[k].bytes;
        out->of[index] = at;
    }
    for (size_t i = 0; i < out->n; i++)
        sum += out->bytes[i];
    return sum;
}

static int by_size(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static void move(plan *p, size_t from, size_t to)
{
    item moved = p->items[from];
    if (from < to)
        memmove(&p->items[from], &p->items[from + 1], (to - from) * sizeof moved);
    else
        memmove(&p->items[to + 1], &p->items[to], (from - to) * sizeof moved);
    p->items[to] = moved;
}

/* Each item to each other place in the order, kept where that takes less. */
static void improve(plan *p)
{
    oct_pool_layout layout;
    uint64_t sum = put_all(&layout, p), before = sum + 1;
    for (int round = 0; round < ROUNDS && sum < before; round++) {
        before = sum;
        for (size_t from = 0; from < p->n; from++)
            for (size_t to = 0; to < p->n; to++) {
                move(p, from, to);
                uint64_t now = put_all(&layout, p);
                if (now < sum)
                    sum = now;
                else
                    move(p, to, from);
            }
    }
}

void oct_pool_lay_out(oct_pool_layout *out, const oct_pool_loan *loan, const oct_pooled *buffers,
                      size_t n)
{
    plan p = {.n = n, .lent = loan ? loan->bytes : 0, .last = loan ? loan->last : 0};
    for (size_t i = 0; i < n; i++) {
        uint64_t count = buffers[i].count ? buffers[i].count : 1;
        p.items[i] = (item){buffers[i].element * count, buffers[i].first, buffers[i].last, i};
    }
    qsort(p.items, n, sizeof p.items[0], by_size);
    improve(&p);
    put_all(out, &p);
}
