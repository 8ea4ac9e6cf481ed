/* The exact values of bodies, as a snapshot would hold them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/look.h"
#include "core/sample.h"
#include "view/viewer.h"

enum { MOST_BODIES = 256 };

/* Bodies in slots that follow each other: rows of the simulation's domain or, where it has several,
 * of a sample. */
typedef struct stand {
    oct_sample sample;
    oct_domain *domain;
    uint32_t row; /* of the first */
} stand;

static oct_status reach(stand *out, oct_sim *sim, uint64_t slot, uint64_t n)
{
    out->domain = sim->domain;
    out->row = (uint32_t)slot;
    if (!oct_owners_several(sim))
        return OCT_STATUS_OK;
    out->sample.first = (uint32_t)slot;
    out->sample.stride = 1;
    out->sample.n = (uint32_t)n;
    out->row = 0;
    OCT_TRY(oct_sample_take(&out->sample, sim));
    out->domain = out->sample.domain;
    return OCT_STATUS_OK;
}

/* The slot of an id among n from one on; n where it is not there. */
static oct_status search(uint64_t *out, stand *at, oct_sim *sim, uint64_t slot, uint64_t n,
                         uint64_t id)
{
    uint64_t *ids;
    OCT_TRY(reach(at, sim, slot, n));
    OCT_TRY(oct_alloc(&ids, n, sizeof *ids, "ids"));
    oct_status status = oct_buffer_read(ids, at->domain->id, at->row, n);
    for (*out = 0; status == OCT_STATUS_OK && *out < n && ids[*out] != id; ++*out)
        ;
    free(ids);
    return status;
}

static oct_status find_slot(uint64_t *out, stand *at, oct_sim *sim, uint64_t id)
{
    uint64_t n = oct_domain_all(sim->domain), missed = 1;
    /* Mostly ids are 1, 2, ... in the order of the slots. */
    if (id >= 1 && id <= n)
        OCT_TRY(search(&missed, at, sim, id - 1, 1, id));
    *out = id - 1;
    if (missed == 0)
        return OCT_STATUS_OK;
    OCT_TRY(search(out, at, sim, 0, n, id));
    OCT_CHECK(*out < n, OCT_STATUS_MISSING, "there is no body %" PRIu64, id);
    return OCT_STATUS_OK;
}

static void add_numbers(oct_text *out, const double *numbers, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        oct_text_add(out, k ? ", " : n > 1 ? "[" : "");
        oct_text_add_number(out, numbers[k]);
    }
    oct_text_add(out, n > 1 ? "]" : "");
}

/* What a body has in a column that the domain holds: ids as text, since they have more digits than
 * a number of a page. */
static oct_status add_value(oct_text *out, oct_precision precision, const oct_column_spec *spec,
                            oct_buffer *buffer, uint32_t row)
{
    union {
        double numbers[4];
        uint64_t id;
        uint32_t system;
        uint8_t type;
    } element;
    double numbers[3];
    OCT_CHECK(buffer->element <= sizeof element, OCT_STATUS_INTERNAL, "column '%s' is too wide",
              spec->name);
    OCT_TRY(oct_buffer_read(&element, buffer, row, 1));
    switch (spec->type) {
    case OCT_COLUMN_ULONG:
        oct_text_add(out, "\"%" PRIu64 "\"", element.id);
        break;
    case OCT_COLUMN_UINT:
        oct_text_add(out, "%" PRIu32, element.system);
        break;
    case OCT_COLUMN_BYTE:
        oct_text_add(out, "%u", (unsigned)element.type);
        break;
    default:
        oct_column_unpack(numbers, &element, spec, precision);
        add_numbers(out, numbers, spec->width);
    }
    return OCT_STATUS_OK;
}

/* Our own columns by their names; the user's in an object of their own, each with its unit. */
static oct_status add_body(oct_text *out, oct_domain *domain, uint64_t slot, uint32_t row)
{
    const char *before = ", \"columns\": {";
    oct_text_add(out, "{\"slot\": %" PRIu64, slot);
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++) {
        const oct_held_column *held =
            oct_domain_column(domain, spec->within ? spec->within : spec->name);
        if (!held || !(spec->flags & OCT_COLUMN_SHOWN))
            continue;
        oct_text_add(out, ", \"%s\": ", spec->name);
        OCT_TRY(add_value(out, domain->precision, spec, held->buffer, row));
    }
    for (uint32_t c = 0; c < domain->n_columns; c++) {
        const oct_held_column *held = &domain->columns[c];
        if (!(held->spec.flags & OCT_COLUMN_USER))
            continue;
        oct_text_add(out, "%s\"%s\": {\"value\": ", before, held->spec.data_set);
        OCT_TRY(add_value(out, domain->precision, &held->spec, held->buffer, row));
        oct_text_add(out, ", \"unit\": ");
        oct_text_add_json(out, held->spec.unit_text);
        oct_text_add(out, "}");
        before = ", ";
    }
    oct_text_add(out, "%s}", before[2] ? "" : "}");
    return OCT_STATUS_OK;
}

static oct_status add_bodies(oct_text *reply, stand *at, oct_sim *sim, uint64_t first,
                             uint64_t count)
{
    uint64_t n = 0, left = oct_domain_all(sim->domain) - first;
    count = count < left ? count : left;
    OCT_TRY(reach(at, sim, first, count));
    oct_text_add(reply, ", \"bodies\": [");
    for (uint32_t i = 0; i < count; i++) {
        uint8_t type;
        OCT_TRY(oct_buffer_read(&type, at->domain->type, at->row + i, 1));
        if (type == OCT_TYPE_REMOVED)
            continue;
        oct_text_add(reply, n++ ? ",\n" : "\n");
        OCT_TRY(add_body(reply, at->domain, first + i, at->row + i));
    }
    oct_text_add(reply, "]");
    OCT_CHECK(n > 0, OCT_STATUS_MISSING, "this body was removed");
    return OCT_STATUS_OK;
}

/* Accelerations as a snapshot has them; the steps to come do not notice. */
static oct_status tell(oct_text *reply, const oct_viewer *viewer, oct_sim *sim, uint64_t slot,
                       uint64_t count)
{
    stand at = {0};
    if (!*viewer->error && viewer->mode != OCT_VIEW_FILES)
        OCT_TRY(oct_sim_look(sim));
    OCT_TRY(oct_look_open(sim->domain));
    oct_status status = add_bodies(reply, &at, sim, slot, count);
    oct_look_close(sim->domain);
    oct_sample_end(&at.sample);
    return status;
}

oct_status oct_body_find(oct_viewer *viewer, oct_sim *sim, const oct_form *form, oct_text *reply)
{
    uint64_t id = 0, slot = 0, count = 1;
    stand at = {0};
    OCT_TRY(oct_form_check(form, (const char *const[]){"id", "slot", "count", NULL}));
    OCT_TRY(oct_form_count(&id, form, "id", 0, UINT64_MAX));
    OCT_TRY(oct_form_count(&slot, form, "slot", 0, UINT64_MAX));
    OCT_TRY(oct_form_count(&count, form, "count", 1, MOST_BODIES));
    bool by_id = oct_form_get(form, "id") != NULL;
    OCT_CHECK(by_id != (oct_form_get(form, "slot") != NULL), OCT_STATUS_INPUT,
              "which body? Expected id=ID or slot=K");
    OCT_CHECK(slot < oct_domain_all(sim->domain), OCT_STATUS_MISSING, "there is no slot %" PRIu64,
              slot);
    oct_status status = by_id ? find_slot(&slot, &at, sim, id) : OCT_STATUS_OK;
    oct_sample_end(&at.sample);
    return status == OCT_STATUS_OK ? tell(reply, viewer, sim, slot, by_id ? 1 : count) : status;
}
