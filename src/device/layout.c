/* Which bytes of a pool its buffers have. They are put one after the other to the lowest place that
 * is free while they are in use; which order is best is searched for, until no more is taken than
 * what is in use at once. */
#include "device/pool.h"

#include <stdlib.h>
#include <string.h>

/* More than any device asks of the beginning of a part of a buffer. */
enum { ALIGNMENT = 4096, ROUNDS = 3 };

/* A buffer on its way to its place. */
typedef struct item {
    uint64_t bytes;
    unsigned first, last;
    size_t index;
} item;

typedef struct plan {
    item items[OCT_POOL_MOST]; /* in the order they are put */
    size_t n;
    uint64_t limit;
} plan;

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool meet(const item *a, const item *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* At or behind `from`, where it would not cross a limit. */
static uint64_t within_limit(uint64_t from, uint64_t bytes, uint64_t limit)
{
    uint64_t last = from + bytes - 1;
    return from / limit == last / limit ? from : last / limit * limit;
}

/* The lowest place for item k beside those before it, which have theirs. */
static uint64_t find_place(const plan *p, size_t k, const uint64_t *begins)
{
    const item *mine = &p->items[k];
    uint64_t at = 0;
    bool moved = true;
    while (moved) {
        moved = false;
        at = within_limit(at, mine->bytes, p->limit);
        for (size_t i = 0; i < k; i++) {
            const item *other = &p->items[i];
            uint64_t begin = begins[other->index], end = begin + other->bytes;
            if (meet(mine, other) && at < end && begin < at + mine->bytes) {
                at = end;
                moved = true;
            }
        }
    }
    return at;
}

static uint64_t put_all(uint64_t *begins, const plan *p)
{
    uint64_t end = 0;
    for (size_t k = 0; k < p->n; k++) {
        uint64_t at = find_place(p, k, begins), behind = at + p->items[k].bytes;
        begins[p->items[k].index] = at;
        end = behind > end ? behind : end;
    }
    return end;
}

/* What is in use at once, at most: no order takes less. */
static uint64_t most_in_use(const plan *p)
{
    uint64_t most = 0;
    for (size_t k = 0; k < p->n; k++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < p->n; i++)
            if (p->items[i].first <= p->items[k].first && p->items[k].first <= p->items[i].last)
                sum += p->items[i].bytes;
        most = sum > most ? sum : most;
    }
    return most;
}

static int by_last_and_size(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->last != y->last)
        return x->last > y->last ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static int by_area(const void *a, const void *b)
{
    const item *x = a, *y = b;
    uint64_t in_x = x->bytes * (x->last - x->first + 1), in_y = y->bytes * (y->last - y->first + 1);
    if (in_x != in_y)
        return in_x > in_y ? -1 : 1;
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
static void improve(plan *p, uint64_t least)
{
    uint64_t begins[OCT_POOL_MOST], end = put_all(begins, p), before = end + 1;
    for (int round = 0; round < ROUNDS && end < before; round++) {
        before = end;
        for (size_t from = 0; from < p->n; from++)
            for (size_t to = 0; to < p->n && end > least; to++) {
                move(p, from, to);
                uint64_t now = put_all(begins, p);
                if (now < end)
                    end = now;
                else
                    move(p, to, from);
            }
    }
}

uint64_t oct_pool_lay_out(uint64_t *begins, uint64_t *limit, const oct_pooled *buffers, size_t n)
{
    plan p = {.n = n, .limit = *limit / ALIGNMENT * ALIGNMENT}, other;
    for (size_t i = 0; i < n; i++) {
        uint64_t count = buffers[i].count ? buffers[i].count : 1;
        uint64_t bytes = aligned(buffers[i].element * count);
        p.items[i] = (item){bytes, buffers[i].first, buffers[i].last, i};
        p.limit = bytes > p.limit ? bytes : p.limit;
    }
    *limit = p.limit;
    other = p;
    qsort(p.items, n, sizeof p.items[0], by_last_and_size);
    qsort(other.items, n, sizeof other.items[0], by_area);
    uint64_t least = most_in_use(&p);
    if (put_all(begins, &other) < put_all(begins, &p))
        p = other;
    improve(&p, least);
    return put_all(begins, &p);
}
