/* Keys are made and sorted on the device, and put in their final order on the host. */
#include "core/lineup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/primitives.h"
#include "array/sort.h"
#include "cluster/comm.h"

/* As in src/tree: 21 levels of 3 bits. */
enum { LEVELS = 21, KEY_BITS = 3 * LEVELS };

const oct_column_spec oct_lineup_cost = {.name = "domains.cost",
                                         .type = OCT_COLUMN_UINT,
                                         .width = 1,
                                         .flags = OCT_COLUMN_STATE | OCT_COLUMN_WHERE_USED,
                                         .doc = "What a body costs in a step"};

typedef struct sorter {
    oct_primitives *primitives;
    oct_sort *sort;
    oct_program *program;
    oct_kernel *make;
    oct_buffer *keys, *order, *bounds, *unsettled;
} sorter;

static oct_status sorter_start(sorter *s, oct_domain *domain)
{
    oct_device *device = domain->device;
    OCT_TRY(oct_primitives_create(&s->primitives, device, domain->precision, OCT_VARIANT_AUTO));
    OCT_TRY(oct_sort_create(&s->sort, device, domain->n, domain->precision, OCT_VARIANT_AUTO));
    OCT_TRY(oct_buffer_create(&s->keys, device, "lineup.keys", sizeof(uint64_t), domain->n));
    OCT_TRY(oct_buffer_create(&s->order, device, "lineup.order", sizeof(uint32_t), domain->n));
    OCT_TRY(oct_buffer_create(&s->bounds, device, "lineup.bounds", domain->position->element, 2));
    OCT_TRY(oct_buffer_create(&s->unsettled, device, "lineup.unsettled", sizeof(uint32_t), 1));
    OCT_TRY(oct_domain_build(&s->program, domain, "tree_keys.cl", "-D HILBERT"));
    return OCT_KERNEL(&s->make, s->program, "tree_keys_make", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_OUT("keys", &s->keys), OCT_BIND_OUT("order", &s->order),
                      OCT_BIND_IN("bounds", &s->bounds), OCT_BIND_OUT("unsettled", &s->unsettled),
                      OCT_FIX_UINT("levels", LEVELS));
}

static void sorter_end(sorter *s)
{
    oct_kernel_free(s->make);
    oct_program_free(s->program);
    oct_sort_free(s->sort);
    oct_primitives_free(s->primitives);
    oct_buffer *const buffers[] = {s->keys, s->order, s->bounds, s->unsettled};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
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
    OCT_TRY_DONE(oct_buffer_read(keys, s->keys, 0, domain->n));
    OCT_TRY_DONE(oct_buffer_read(l->row, s->order, 0, domain->n));
    for (uint32_t i = 0; i < domain->n; i++) {
        if (keys[i] >> KEY_BITS)
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
    OCT_TRY(oct_kernel_launch(s->make, n, 0));
    OCT_TRY(oct_sort_run(s->sort, &s->keys, &s->order, n, 0, KEY_BITS));
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
