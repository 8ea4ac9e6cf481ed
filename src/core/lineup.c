/* Keys are made and sorted on the device, and put in their final order on the host. */
#include "core/lineup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/primitives.h"
#include "array/sort.h"
#include "cluster/comm.h"
#include "core/keys.h"

const oct_column_spec oct_lineup_cost = {.name = "domains.cost",
                                         .type = OCT_COLUMN_UINT,
                                         .width = 1,
                                         .flags = OCT_COLUMN_STATE | OCT_COLUMN_WHERE_USED,
                                         .doc = "What a body costs in a step"};

typedef struct sorter {
    oct_primitives *primitives;
    oct_sort *sort;
    oct_keys keys;
    oct_buffer *bounds;
} sorter;

static oct_status sorter_start(sorter *s, oct_domain *domain)
{
    oct_device *device = domain->device;
    OCT_TRY(oct_primitives_create(&s->primitives, device, domain->precision, OCT_VARIANT_AUTO));
    OCT_TRY(oct_sort_create(&s->sort, device, domain->n, domain->precision, OCT_VARIANT_AUTO));
    OCT_TRY(oct_buffer_create(&s->bounds, device, "lineup.bounds", domain->position->element, 2));
    return oct_keys_start(&s->keys, domain, &s->bounds);
}

static void sorter_end(sorter *s)
{
    oct_keys_end(&s->keys);
    oct_buffer_free(s->bounds);
    oct_sort_free(s->sort);
    oct_primitives_free(s->primitives);
}

oct_status oct_lineup_box(oct_buffer *bounds, oct_primitives *primitives, oct_domain *domain)
{
    double wide[8];
    float narrow[8];
    bool single = domain->precision == OCT_PRECISION_SINGLE;
    OCT_TRY(oct_array_box(primitives, bounds, domain->position, domain->type, domain->n));
    OCT_TRY(oct_buffer_read(single ? (void *)narrow : wide, bounds, 0, 2));
    for (int k = 0; single && k < 8; k++)
        wide[k] = (double)narrow[k];
    for (int k = 4; k < 8; k++)
        wide[k] = -wide[k];
    OCT_TRY(oct_comm_least(domain->sim->comm, wide, 8));
    for (int k = 4; k < 8; k++)
        wide[k] = -wide[k];
    for (int k = 0; k < 8; k++)
        narrow[k] = (float)wide[k];
    return oct_buffer_post(bounds, single ? (const void *)narrow : wide, 0, 2);
}

/* A body while those of one key are put in order. */
typedef struct tied {
    uint64_t place;
    uint32_t row;
} tied;

static int by_place(const void *a, const void *b)
{
    uint64_t x = ((const tied *)a)->place, y = ((const tied *)b)->place;
    return (x > y) - (x < y);
}

static oct_status sort_ties(oct_lineup *l)
{
    tied *ties;
    OCT_TRY(oct_alloc(&ties, l->n, sizeof *ties, "bodies in one spot"));
    for (uint32_t first = 0, end; first < l->n; first = end) {
        for (end = first + 1; end < l->n && l->at[end].key == l->at[first].key;)
            end++;
        for (uint32_t i = first; i < end; i++)
            ties[i] = (tied){l->at[i].place, l->row[i]};
        if (end - first > 1)
            qsort(ties + first, end - first, sizeof *ties, by_place);
        for (uint32_t i = first; i < end; i++) {
            l->at[i].place = ties[i].place;
            l->row[i] = ties[i].row;
        }
    }
    free(ties);
    return OCT_STATUS_OK;
}

/* Takes the sorted keys off the device; removed bodies are left out. */
static oct_status take(oct_lineup *l, const sorter *s, const oct_domain *domain)
{
    const uint32_t *places = domain->sim->owners.places;
    uint64_t *keys = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&keys, domain->n, sizeof *keys, "keys"));
    OCT_TRY_DONE(oct_buffer_read(keys, s->keys.of, 0, domain->n));
    OCT_TRY_DONE(oct_buffer_read(l->row, s->keys.order, 0, domain->n));
    for (uint32_t i = 0; i < domain->n; i++) {
        if (keys[i] >> OCT_KEY_BITS)
            continue;
        l->row[l->n] = l->row[i];
        l->at[l->n++] = (oct_point){keys[i], places[l->row[i]]};
    }
    status = sort_ties(l);
done:
    free(keys);
    return status;
}

static oct_status add_costs(oct_lineup *l, oct_domain *domain)
{
    const oct_held_column *held = oct_domain_column(domain, oct_lineup_cost.name);
    uint32_t *costs = NULL;
    if (held) {
        OCT_TRY(oct_alloc(&costs, domain->n, sizeof *costs, "costs"));
        oct_status status = oct_buffer_read(costs, held->buffer, 0, domain->n);
        if (status != OCT_STATUS_OK) {
            free(costs);
            return status;
        }
    }
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t cost = costs ? costs[l->row[i]] : 1;
        l->before[i + 1] = l->before[i] + (cost > 0 ? cost : 1);
    }
    free(costs);
    return OCT_STATUS_OK;
}

static oct_status make(oct_lineup *out, sorter *s, oct_domain *domain)
{
    uint32_t n = domain->n;
    OCT_TRY(oct_alloc(&out->at, n, sizeof *out->at, "keys"));
    OCT_TRY(oct_alloc(&out->row, n, sizeof *out->row, "keys"));
    OCT_TRY(oct_alloc(&out->before, n + 1, sizeof *out->before, "keys"));
    OCT_TRY(sorter_start(s, domain));
    OCT_TRY(oct_lineup_box(s->bounds, s->primitives, domain));
    OCT_TRY(oct_keys_make(&s->keys));
    OCT_TRY(oct_sort_run(s->sort, &s->keys.of, &s->keys.order, n, 0, OCT_KEY_BITS));
    OCT_TRY(take(out, s, domain));
    return add_costs(out, domain);
}

oct_status oct_lineup_make(oct_lineup *out, oct_sim *sim)
{
    sorter s = {0};
    *out = (oct_lineup){0};
    oct_status status = make(out, &s, sim->domain);
    sorter_end(&s);
    if (status != OCT_STATUS_OK)
        oct_lineup_clear(out);
    return status;
}

void oct_lineup_clear(oct_lineup *lineup)
{
    free(lineup->at);
    free(lineup->row);
    free(lineup->before);
    *lineup = (oct_lineup){0};
}

uint32_t oct_lineup_find(const oct_lineup *lineup, oct_point point)
{
    uint32_t low = 0, high = lineup->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (oct_point_before(lineup->at[middle], point))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
