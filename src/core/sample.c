/* Each rank sends its rows of the sample to the first, which puts them in order. */
#include "core/sample.h"

#include <stdlib.h>
#include <string.h>

#include "core/freight.h"
#include "core/look.h"

/* A sample on its way; a body's tag is its number in the sample. */
typedef struct transit {
    oct_sim *sim;
    oct_freight freight;
    const oct_held_column *columns[OCT_DOMAIN_COLUMNS]; /* of the rank's domain */
} transit;

void oct_sample_end(oct_sample *sample)
{
    oct_domain_free(sample->domain);
    sample->domain = NULL;
}

static bool is_shown(const oct_held_column *held)
{
    return held->buffer && held->buffer->count > 0 && held->spec.flags & OCT_COLUMN_SHOWN;
}

/* Columns that are shown, and that all ranks have: some are made where they are used. */
static oct_status choose_columns(transit *t)
{
    oct_domain *domain = t->sim->domain;
    double lacking[OCT_DOMAIN_COLUMNS] = {0};
    size_t n = 0;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++, n++) {
        const oct_held_column *held = oct_domain_column(domain, spec->name);
        lacking[n] = held && is_shown(held) ? 0 : 1;
    }
    OCT_TRY(oct_comm_sum(t->sim->comm, lacking, n));
    for (uint32_t c = 0; c < domain->n_columns; c++) {
        const oct_held_column *held = &domain->columns[c];
        const oct_column_spec *spec = oct_column_find(held->spec.name);
        if (!is_shown(held) || (spec && lacking[spec - oct_columns] > 0))
            continue;
        t->columns[t->freight.n_columns] = held;
        oct_freight_add(&t->freight, held->buffer);
    }
    return OCT_STATUS_OK;
}

static oct_status send(transit *t, const oct_sample *sample)
{
    const oct_sim *sim = t->sim;
    uint32_t *rows = NULL, *tags = NULL;
    uint64_t *n_out = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&rows, sim->n_own, sizeof *rows, "bodies that are looked at"));
    OCT_TRY_DONE(oct_alloc(&tags, sim->n_own, sizeof *tags, "bodies that are looked at"));
    OCT_TRY_DONE(oct_alloc(&n_out, sim->comm->size, sizeof *n_out, "messages"));
    for (uint32_t i = 0; i < sim->n_own; i++) {
        uint32_t place = sim->owners.places[i] - sample->first;
        if (sim->owners.places[i] < sample->first || place % sample->stride != 0 ||
            place / sample->stride >= sample->n)
            continue;
        rows[n_out[0]] = i;
        tags[n_out[0]++] = place / sample->stride;
    }
    status = oct_freight_send(&t->freight, n_out, rows, tags);
done:
    free(rows);
    free(tags);
    free(n_out);
    return status;
}

/* A column of all that have come, in order. */
static oct_status put_column(oct_domain *to, const transit *t, uint32_t c, const uint32_t *tags)
{
    size_t element = t->freight.columns[c]->element;
    char *rows;
    oct_buffer *column;
    OCT_TRY(oct_domain_match(&column, to, t->columns[c]));
    if (!column)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&rows, to->n, element, "bodies that are looked at"));
    oct_freight_rows(rows, &t->freight, c);
    oct_status status = oct_owners_sort(rows, element, tags, to->n);
    if (status == OCT_STATUS_OK)
        status = oct_buffer_write(column, rows, 0, to->n);
    free(rows);
    return status;
}

static oct_status receive(oct_sample *sample, const transit *t)
{
    uint32_t *tags;
    OCT_CHECK(t->freight.coming == sample->n, OCT_STATUS_INTERNAL,
              "%llu bodies have come of %u that are looked at",
              (unsigned long long)t->freight.coming, (unsigned)sample->n);
    if (sample->domain && sample->domain->n != sample->n)
        oct_sample_end(sample);
    if (!sample->domain)
        OCT_TRY(oct_domain_create_bare(&sample->domain, t->sim->domain, sample->n));
    OCT_TRY(oct_alloc(&tags, sample->n, sizeof *tags, "bodies that are looked at"));
    oct_freight_tags(tags, &t->freight);
    oct_status status = OCT_STATUS_OK;
    for (uint32_t c = 0; c < t->freight.n_columns && status == OCT_STATUS_OK; c++)
        status = put_column(sample->domain, t, c, tags);
    free(tags);
    return status;
}

static oct_status exchange(transit *t, const oct_sample *sample)
{
    oct_domain *domain = t->sim->domain;
    OCT_TRY(oct_freight_start(&t->freight, domain, sizeof(uint32_t)));
    OCT_TRY(choose_columns(t));
    return send(t, sample);
}

static oct_status look(transit *t, const oct_sample *sample)
{
    OCT_TRY(oct_sim_wait(t->sim));
    oct_domain *domain = t->sim->domain;
    OCT_TRY(oct_look_open(domain));
    oct_status status = exchange(t, sample);
    oct_look_close(domain);
    return status;
}

oct_status oct_sample_take(oct_sample *sample, oct_sim *sim)
{
    transit t = {.sim = sim};
    const oct_order order = {.kind = OCT_ORDER_SAMPLE,
                             .number = sample->first | (uint64_t)sample->stride << 32,
                             .until = sample->n};
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_lead_begin(sim, order));
    oct_status status = oct_lead_end(sim, look(&t, sample));
    /* What fails now is the looking, not the run. */
    if (status == OCT_STATUS_OK && sim->comm->rank == 0)
        status = receive(sample, &t);
    oct_freight_end(&t.freight);
    return status;
}

oct_status oct_sample_follow(oct_sim *sim, oct_order order)
{
    oct_sample sample = {.first = (uint32_t)order.number,
                         .stride = (uint32_t)(order.number >> 32),
                         .n = (uint32_t)order.until};
    return oct_sample_take(&sample, sim);
}
