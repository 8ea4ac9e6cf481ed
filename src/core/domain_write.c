/* Bodies of the host on their way to the columns of a domain. */
#include "core/sim.h"
#include "util/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of the host that go into an element, from a lane on. */
typedef struct part {
    const char *name;
    const double *numbers;
    size_t width, lane;
} part;

/* A column that is put together from numbers of the host. */
typedef struct packing {
    const oct_held_column *held;
    oct_precision precision;
    const uint64_t *ids;
    size_t n_parts;
    part parts[2];
    char *packed;
    size_t first; /* the body that is packed first */
} packing;

/* The numbers of a column, and of the one that is its last lane; none where bodies have none. */
static packing packing_of(const oct_held_column *held, oct_precision precision,
                          const oct_bodies *bodies)
{
    packing p = {.held = held, .precision = precision, .ids = bodies->id};
    const oct_column_spec *spec = &held->spec;
    const oct_user_column *user =
        spec->flags & OCT_COLUMN_USER ? oct_bodies_column(bodies, spec->data_set) : NULL;
    if (user)
        p.parts[p.n_parts++] = (part){user->name, user->data, user->width, 0};
    else if (spec->host)
        p.parts[p.n_parts++] = (part){spec->name, oct_column_host(bodies, spec), spec->width, 0};
    for (const oct_column_spec *in = oct_columns; in->name; in++)
        if (in->within && strcmp(in->within, spec->name) == 0)
            p.parts[p.n_parts++] =
                (part){in->name, oct_column_host(bodies, in), in->width, spec->lanes - 1};
    return p;
}

/* Whether bodies are written to a column: what they bring from outside, but for systems, which a
 * domain is made with. One that is there where it is used is not written where it is not there. */
static bool is_written(const oct_held_column *held)
{
    return held->buffer && (held->spec.flags & OCT_COLUMN_FROM_OUTSIDE) &&
           held->spec.type != OCT_COLUMN_UINT;
}

static oct_status check_numbers(void *context, size_t first, size_t end)
{
    const packing *p = context;
    bool single = p->precision == OCT_PRECISION_SINGLE;
    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < p->n_parts; k++)
            for (size_t j = 0; j < p->parts[k].width; j++) {
                double x = p->parts[k].numbers[i * p->parts[k].width + j];
                OCT_CHECK(isfinite(x) && (!single || isfinite((float)x)), OCT_STATUS_INPUT,
                          "particle %llu: %s %g is not a number that %s precision can hold",
                          (unsigned long long)p->ids[i], p->parts[k].name, x,
                          oct_precision_name(p->precision));
            }
    return OCT_STATUS_OK;
}

oct_status oct_domain_check_bodies(const oct_domain *domain, const oct_bodies *bodies)
{
    for (uint32_t c = 0; c < domain->n_columns; c++) {
        const oct_held_column *held = &domain->columns[c];
        packing p = packing_of(held, domain->precision, bodies);
        bool outside = held->spec.flags & OCT_COLUMN_FROM_OUTSIDE;
        if (outside && held->spec.type == OCT_COLUMN_REAL)
            OCT_TRY(oct_parallel(bodies->n, check_numbers, &p));
    }
    return OCT_STATUS_OK;
}

static oct_status pack(void *context, size_t first, size_t end)
{
    const packing *p = context;
    size_t element = p->held->buffer->element;
    for (size_t i = first; i < end; i++) {
        double wide[4] = {0};
        for (size_t k = 0; k < p->n_parts; k++)
            memcpy(wide + p->parts[k].lane,
                   p->parts[k].numbers + (p->first + i) * p->parts[k].width,
                   p->parts[k].width * sizeof *wide);
        float narrow[4] = {(float)wide[0], (float)wide[1], (float)wide[2], (float)wide[3]};
        int64_t whole[4] = {(int64_t)wide[0], (int64_t)wide[1], (int64_t)wide[2], (int64_t)wide[3]};
        bool single = p->precision == OCT_PRECISION_SINGLE;
        const void *numbers = p->held->spec.type == OCT_COLUMN_LONG ? (const void *)whole
                              : single                              ? (const void *)narrow
                                                                    : wide;
        memcpy(p->packed + i * element, numbers, element);
    }
    return OCT_STATUS_OK;
}

/* A part at a time: all of it packed would be one more copy of the bodies. */
static oct_status write_packed(packing *p, uint32_t slot, size_t n)
{
    const size_t most = 1 << 20;
    size_t portion = n < most ? n : most;
    oct_buffer *buffer = p->held->buffer;
    oct_status status = oct_alloc(&p->packed, portion, buffer->element, buffer->name);
    for (p->first = 0; status == OCT_STATUS_OK && p->first < n; p->first += portion) {
        size_t count = n - p->first < portion ? n - p->first : portion;
        status = oct_parallel(count, pack, p);
        if (status == OCT_STATUS_OK)
            status = oct_buffer_write(buffer, p->packed, slot + p->first, count);
    }
    free(p->packed);
    return status;
}

oct_status oct_domain_write_bodies(oct_domain *domain, uint32_t first, const oct_bodies *bodies)
{
    if (oct_bodies_spin(bodies))
        OCT_TRY(oct_domain_add_column(domain, oct_column_find("spin")));
    for (uint32_t c = 0; c < domain->n_columns; c++) {
        const oct_held_column *held = &domain->columns[c];
        const oct_column_spec *spec = &held->spec;
        packing p = packing_of(held, domain->precision, bodies);
        bool numbers = spec->type == OCT_COLUMN_REAL || spec->flags & OCT_COLUMN_USER;
        if (is_written(held) && numbers && p.n_parts > 0)
            OCT_TRY(write_packed(&p, first, bodies->n));
        else if (is_written(held) && !numbers)
            OCT_TRY(
                oct_buffer_write(held->buffer, oct_column_host(bodies, spec), first, bodies->n));
        else if (spec->flags & OCT_COLUMN_SINGLE && held->buffer->count > 0)
            OCT_TRY(oct_held_clear(held, domain->precision, first, bodies->n));
    }
    return OCT_STATUS_OK;
}
