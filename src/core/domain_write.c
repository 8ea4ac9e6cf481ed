/* Bodies of the host on their way to the columns of a domain. */
#include "core/sim.h"
#include "util/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of the host that a column has. */
typedef struct numbers {
    const char *name;
    const double *values;
    size_t width;
    oct_precision precision;
    const uint64_t *ids;
} numbers;

static oct_status check_numbers(void *context, size_t first, size_t end)
{
    const numbers *c = context;
    bool single = c->precision == OCT_PRECISION_SINGLE;
    for (size_t i = first * c->width; i < end * c->width; i++)
        OCT_CHECK(isfinite(c->values[i]) && (!single || isfinite((float)c->values[i])),
                  OCT_STATUS_INPUT,
                  "particle %llu: %s %g is not a number that %s precision can hold",
                  (unsigned long long)c->ids[i / c->width], c->name, c->values[i],
                  oct_precision_name(c->precision));
    return OCT_STATUS_OK;
}

oct_status oct_domain_check_bodies(const oct_domain *domain, const oct_bodies *bodies)
{
    numbers c = {.precision = domain->precision, .ids = bodies->id};
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++) {
        if (spec->type != OCT_COLUMN_REAL || !(spec->flags & OCT_COLUMN_FROM_OUTSIDE))
            continue;
        c.name = spec->name;
        c.values = oct_column_host(bodies, spec);
        c.width = spec->width;
        OCT_TRY(oct_parallel(bodies->n, check_numbers, &c));
    }
    for (size_t k = 0; k < bodies->n_columns; k++) {
        c.name = bodies->columns[k].name;
        c.values = bodies->columns[k].data;
        c.width = bodies->columns[k].width;
        OCT_TRY(oct_parallel(bodies->n, check_numbers, &c));
    }
    return OCT_STATUS_OK;
}

/* A column that is put together from numbers of the host. */
typedef struct packing {
    const oct_held_column *held;
    oct_precision precision;
    const double *own, *last; /* `last` of the column within; NULL: there is none */
    char *packed;
    size_t first; /* the body that is packed first */
} packing;

static oct_status pack(void *context, size_t first, size_t end)
{
    const packing *p = context;
    const oct_column_spec *spec = &p->held->spec;
    for (size_t i = first; i < end; i++)
        oct_column_pack(p->packed + i * p->held->buffer->element, spec, p->precision,
                        p->own + (p->first + i) * spec->width,
                        p->last ? p->last + p->first + i : NULL);
    return OCT_STATUS_OK;
}

/* A part at a time: all of it packed would be one more copy of the bodies. */
static oct_status write_packed(packing *p, uint32_t slot, size_t n)
{
    const size_t most = 1 << 20;
    size_t part = n < most ? n : most;
    oct_buffer *buffer = p->held->buffer;
    oct_status status = oct_alloc(&p->packed, part, buffer->element, buffer->name);
    for (p->first = 0; status == OCT_STATUS_OK && p->first < n; p->first += part) {
        size_t count = n - p->first < part ? n - p->first : part;
        status = oct_parallel(count, pack, p);
        if (status == OCT_STATUS_OK)
            status = oct_buffer_write(buffer, p->packed, slot + p->first, count);
    }
    free(p->packed);
    return status;
}

static oct_status write_column(const oct_held_column *held, oct_precision precision, uint32_t first,
                               const oct_bodies *bodies)
{
    const oct_column_spec *spec = &held->spec;
    packing p = {.held = held, .precision = precision};
    const oct_column_spec *within = oct_column_within(spec);
    if (spec->flags & OCT_COLUMN_USER) {
        const oct_user_column *column = oct_bodies_column(bodies, spec->data_set);
        p.own = column ? column->data : NULL;
        return column ? write_packed(&p, first, bodies->n) : OCT_STATUS_OK;
    }
    if (spec->type != OCT_COLUMN_REAL)
        return oct_buffer_write(held->buffer, oct_column_host(bodies, spec), first, bodies->n);
    p.own = oct_column_host(bodies, spec);
    p.last = within ? oct_column_host(bodies, within) : NULL;
    return write_packed(&p, first, bodies->n);
}

oct_status oct_domain_write_bodies(oct_domain *domain, uint32_t first, const oct_bodies *bodies)
{
    if (oct_bodies_spin(bodies))
        OCT_TRY(oct_domain_add_column(domain, oct_column_find("spin")));
    for (uint32_t c = 0; c < domain->n_columns; c++) {
        const oct_held_column *held = &domain->columns[c];
        unsigned flags = held->spec.flags;
        if (!held->buffer || held->buffer->count == 0)
            continue;
        if (flags & OCT_COLUMN_SINGLE)
            OCT_TRY(oct_held_clear(held, domain->precision, first, bodies->n));
        else if (flags & OCT_COLUMN_FROM_OUTSIDE && !(flags & OCT_COLUMN_WITH_DOMAIN))
            OCT_TRY(write_column(held, domain->precision, first, bodies));
    }
    return OCT_STATUS_OK;
}
