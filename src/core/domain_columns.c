/* The columns of a domain: made, found, copied and moved by one table. */
#include "core/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns that the core itself works with have a pointer of their own. */
static const struct shortcut {
    const char *name;
    size_t offset;
} shortcuts[] = {{"position", offsetof(oct_domain, position)},
                 {"velocity", offsetof(oct_domain, velocity)},
                 {"acceleration", offsetof(oct_domain, acceleration)},
                 {"id", offsetof(oct_domain, id)},
                 {"type", offsetof(oct_domain, type)},
                 {"position_low", offsetof(oct_domain, position_low)},
                 {"velocity_low", offsetof(oct_domain, velocity_low)},
                 {"system", offsetof(oct_domain, system_table.number)},
                 {"spin", offsetof(oct_domain, spin)},
                 {"softening", offsetof(oct_domain, softening)}};

static oct_buffer **shortcut_of(oct_domain *domain, const char *name)
{
    for (size_t i = 0; i < sizeof shortcuts / sizeof shortcuts[0]; i++)
        if (strcmp(shortcuts[i].name, name) == 0)
            return (oct_buffer **)(void *)((char *)domain + shortcuts[i].offset);
    return NULL;
}

/* A row of the list of columns, without an array yet. */
static oct_status add_row(oct_held_column **out, oct_domain *domain, const oct_column_spec *spec)
{
    OCT_CHECK(domain->n_columns < OCT_DOMAIN_COLUMNS, OCT_STATUS_INTERNAL,
              "there are more than %d columns", OCT_DOMAIN_COLUMNS);
    *out = &domain->columns[domain->n_columns++];
    **out = (oct_held_column){.spec = *spec};
    return OCT_STATUS_OK;
}

oct_status oct_held_clear(const oct_held_column *held, oct_precision precision, size_t first,
                          size_t count)
{
    const size_t most = 1 << 16;
    size_t part = count < most ? count : most, element = held->buffer->element;
    char *rows;
    OCT_TRY(oct_alloc(&rows, part, element, "a part of a column"));
    if (part > 0 && held->spec.type <= OCT_COLUMN_LONG)
        oct_column_pack(rows, &held->spec, precision, held->spec.initial, NULL);
    for (size_t i = 1; i < part; i++)
        memcpy(rows + i * element, rows, element);
    oct_status status = OCT_STATUS_OK;
    for (size_t at = first; at < first + count && status == OCT_STATUS_OK; at += part)
        status = oct_buffer_write(held->buffer, rows, at,
                                  first + count - at < part ? first + count - at : part);
    free(rows);
    return status;
}

/* Ids are mostly 1, 2, 3, ... where all bodies are in one domain. */
static bool are_counted(const oct_column_spec *spec, const oct_domain *domain)
{
    const oct_comm *comm = domain->sim->comm;
    return !(spec->flags & OCT_COLUMN_USER) && spec->host == offsetof(oct_bodies, id) &&
           strcmp(spec->name, "id") == 0 && !(comm && oct_comm_size(comm) > 1);
}

/* Where a column is not kept in this precision the array is empty. */
static oct_status make_array(oct_held_column *held, oct_domain *domain)
{
    const oct_column_spec *spec = &held->spec;
    bool zero = spec->initial[0] == 0 && spec->initial[1] == 0 && spec->initial[2] == 0;
    size_t count = oct_column_kept(spec, domain->precision) ? domain->n : 0;
    OCT_CHECK(zero || (spec->width <= 3 && spec->type <= OCT_COLUMN_LONG), OCT_STATUS_INTERNAL,
              "column '%s' has a default other than 0: expected at most 3 numbers, real or long",
              spec->name);
    bool counted = are_counted(spec, domain);
    OCT_TRY(counted ? oct_buffer_create_counted(&held->buffer, domain->device, spec->name, count)
                    : oct_buffer_create(&held->buffer, domain->device, spec->name,
                                        oct_column_element(spec, domain->precision), count));
    oct_buffer **shortcut = shortcut_of(domain, spec->name);
    if (shortcut)
        *shortcut = held->buffer;
    if (counted)
        return OCT_STATUS_OK;
    return zero ? oct_buffer_fill(held->buffer, 0)
                : oct_held_clear(held, domain->precision, 0, count);
}

/* The columns of the scene. */
static oct_status make_user_columns(oct_domain *domain)
{
    const oct_setup *setup = domain->setup;
    oct_bodies none = {0};
    oct_held_column *held;
    oct_status status;
    OCT_TRY_DONE(oct_setup_add_columns(&none, setup));
    for (size_t i = 0; i < setup->n_columns; i++) {
        const oct_column_spec empty = {0};
        OCT_TRY_DONE(add_row(&held, domain, &empty));
        held->spec = oct_column_user(held->label, &none.columns[i]);
        /* The texts are the setup's, which outlives its domains. */
        held->spec.unit_text = setup->columns[i].unit;
        held->spec.data_set = held->spec.doc = setup->columns[i].name;
        if (setup->columns[i].merge == OCT_COLUMN_MERGE_SUM)
            held->spec.flags |= OCT_COLUMN_SUMMED;
        if (setup->columns[i].merge == OCT_COLUMN_MERGE_MEAN)
            held->spec.flags |= OCT_COLUMN_AVERAGED;
        OCT_TRY_DONE(make_array(held, domain));
    }
done:
    oct_bodies_clear(&none);
    return status;
}

oct_status oct_domain_make_columns(oct_domain *domain)
{
    oct_held_column *held;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++) {
        if (spec->within)
            continue;
        OCT_TRY(add_row(&held, domain, spec));
        if (!(spec->flags & OCT_COLUMN_WHERE_USED))
            OCT_TRY(make_array(held, domain));
    }
    return make_user_columns(domain);
}

void oct_domain_free_columns(oct_domain *domain)
{
    for (uint32_t c = 0; c < domain->n_columns; c++) {
        oct_buffer_free(domain->columns[c].buffer);
        oct_buffer_free(domain->columns[c].seen);
    }
}

/* The row of a column, with an array or without. */
static oct_held_column *find_row(oct_domain *domain, const char *name)
{
    for (uint32_t c = 0; c < domain->n_columns; c++) {
        oct_held_column *held = &domain->columns[c];
        bool user = held->spec.flags & OCT_COLUMN_USER;
        if (strcmp(held->spec.name, name) == 0 || (user && strcmp(held->spec.data_set, name) == 0))
            return held;
    }
    return NULL;
}

oct_held_column *oct_domain_column(oct_domain *domain, const char *name)
{
    oct_held_column *held = find_row(domain, name);
    return held && held->buffer ? held : NULL;
}

oct_status oct_domain_add_column(oct_domain *domain, const oct_column_spec *spec)
{
    oct_held_column *held = find_row(domain, spec->name);
    if (held && held->buffer)
        return OCT_STATUS_OK;
    bool own = held != NULL;
    if (!own)
        OCT_TRY(add_row(&held, domain, spec));
    OCT_TRY(make_array(held, domain));
    return own || !(spec->flags & OCT_COLUMN_STATE) ? OCT_STATUS_OK
                                                    : oct_domain_add_state(domain, held->buffer);
}

oct_status oct_domain_add_array(oct_buffer **out, oct_domain *domain, const oct_column_spec *spec)
{
    OCT_TRY(oct_domain_add_column(domain, spec));
    *out = oct_domain_column(domain, spec->name)->buffer;
    return OCT_STATUS_OK;
}

static const oct_offer mover_offers[] = {
    OCT_OFFER(oct_mover, "to", to),       OCT_OFFER(oct_mover, "from", from),
    OCT_OFFER(oct_mover, "index", index), OCT_OFFER(oct_mover, "count", count),
    OCT_OFFER(oct_mover, "parts", parts), {0}};

oct_status oct_mover_start(oct_mover *mover, oct_domain *domain)
{
    OCT_TRY(oct_domain_build(&mover->program, domain, "column.cl", NULL));
    OCT_TRY(OCT_KERNEL(&mover->kernels[0], mover->program, "column_gather_bytes",
                       OCT_BIND_OFFERS(mover_offers, mover)));
    return OCT_KERNEL(&mover->kernels[1], mover->program, "column_gather_words",
                      OCT_BIND_OFFERS(mover_offers, mover));
}

void oct_mover_end(oct_mover *mover)
{
    oct_kernel_free(mover->kernels[0]);
    oct_kernel_free(mover->kernels[1]);
    oct_program_free(mover->program);
}

oct_status oct_mover_move(oct_mover *mover, oct_buffer *to, oct_buffer *from, oct_buffer *index,
                          uint32_t count)
{
    bool words = from->element % 4 == 0;
    mover->to = to;
    mover->from = from;
    mover->index = index;
    mover->count = count;
    mover->parts = (uint32_t)(words ? from->element / 4 : from->element);
    return oct_kernel_launch(mover->kernels[words], (size_t)count * mover->parts, 0);
}

oct_status oct_domain_match(oct_buffer **out, oct_domain *to, const oct_held_column *held)
{
    bool made = oct_domain_column(to, held->spec.name) != NULL;
    *out = NULL;
    if (!held->buffer || held->buffer->count == 0 ||
        (!made && held->spec.flags & OCT_COLUMN_WITH_DOMAIN))
        return OCT_STATUS_OK;
    OCT_TRY(oct_domain_add_column(to, &held->spec));
    *out = oct_domain_column(to, held->spec.name)->buffer;
    return OCT_STATUS_OK;
}

oct_status oct_domain_gather(oct_domain *to, oct_domain *from, oct_buffer *index, uint32_t count)
{
    oct_mover mover = {0};
    oct_buffer *rows;
    oct_status status;
    OCT_TRY_DONE(oct_mover_start(&mover, to));
    for (uint32_t c = 0; c < from->n_columns; c++) {
        OCT_TRY_DONE(oct_domain_match(&rows, to, &from->columns[c]));
        if (rows)
            OCT_TRY_DONE(oct_mover_move(&mover, rows, from->columns[c].buffer, index, count));
    }
done:
    oct_mover_end(&mover);
    return status;
}
