/* The exact values of bodies, as a snapshot would hold them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "view/viewer.h"

enum { MOST_BODIES = 256 };

/* One body of the state. */
typedef struct body {
    double position[4], velocity[4], acceleration[4], spin[4];
    bool spins; /* bodies of this simulation have a spin */
    uint64_t id;
    uint8_t type;
} body;

static oct_status read_real4(double out[4], oct_buffer *buffer, uint32_t slot)
{
    float narrow[4];
    if (buffer->element == 4 * sizeof(double))
        return oct_buffer_read(out, buffer, slot, 1);
    OCT_TRY(oct_buffer_read(narrow, buffer, slot, 1));
    for (int k = 0; k < 4; k++)
        out[k] = (double)narrow[k];
    return OCT_STATUS_OK;
}

static oct_status read_body(body *out, oct_sim *sim, uint32_t slot)
{
    OCT_TRY(read_real4(out->position, sim->domain->position, slot));
    OCT_TRY(read_real4(out->velocity, sim->domain->velocity, slot));
    OCT_TRY(read_real4(out->acceleration, sim->domain->acceleration, slot));
    out->spins = sim->domain->spin != NULL;
    if (sim->domain->spin)
        OCT_TRY(read_real4(out->spin, sim->domain->spin, slot));
    OCT_TRY(oct_buffer_read(&out->id, sim->domain->id, slot, 1));
    return oct_buffer_read(&out->type, sim->domain->type, slot, 1);
}

static oct_status find_slot(uint64_t *out, oct_sim *sim, uint64_t id)
{
    uint64_t *ids, found = 0;
    /* Mostly ids are 1, 2, ... in the order of the slots. */
    if (id >= 1 && id <= sim->domain->n)
        OCT_TRY(oct_buffer_read(&found, sim->domain->id, (size_t)id - 1, 1));
    *out = id - 1;
    if (found == id && id > 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&ids, sim->domain->n, sizeof *ids, "ids"));
    oct_status status = oct_buffer_read(ids, sim->domain->id, 0, sim->domain->n);
    for (*out = 0; status == OCT_STATUS_OK && *out < sim->domain->n && ids[*out] != id; ++*out)
        ;
    free(ids);
    OCT_TRY(status);
    OCT_CHECK(*out < sim->domain->n, OCT_STATUS_MISSING, "there is no body %" PRIu64, id);
    return OCT_STATUS_OK;
}

static void add_vector(oct_text *out, const char *name, const double vector[3])
{
    oct_text_add(out, ", \"%s\": [", name);
    for (int k = 0; k < 3; k++) {
        oct_text_add(out, k ? ", " : "");
        oct_text_add_number(out, vector[k]);
    }
    oct_text_add(out, "]");
}

static void add_real(oct_text *out, const char *name, double value)
{
    oct_text_add(out, ", \"%s\": ", name);
    oct_text_add_number(out, value);
}

static void add_body(oct_text *out, const body *b, uint64_t slot)
{
    oct_text_add(out, "{\"id\": \"%" PRIu64 "\", \"slot\": %" PRIu64 ", \"type\": %d", b->id, slot,
                 b->type);
    add_real(out, "mass", b->position[3]);
    add_real(out, "radius", b->velocity[3]);
    add_vector(out, "position", b->position);
    add_vector(out, "velocity", b->velocity);
    add_vector(out, "acceleration", b->acceleration);
    add_real(out, "potential", b->acceleration[3]);
    if (b->spins)
        add_vector(out, "spin", b->spin);
    oct_text_add(out, "}");
}

oct_status oct_body_find(oct_viewer *viewer, oct_sim *sim, const oct_form *form, oct_text *reply)
{
    uint64_t id = 0, slot = 0, count = 1, n = 0;
    (void)viewer;
    OCT_TRY(oct_form_check(form, (const char *const[]){"id", "slot", "count", NULL}));
    OCT_TRY(oct_form_count(&id, form, "id", 0, UINT64_MAX));
    OCT_TRY(oct_form_count(&slot, form, "slot", 0, UINT64_MAX));
    OCT_TRY(oct_form_count(&count, form, "count", 1, MOST_BODIES));
    bool by_id = oct_form_get(form, "id") != NULL;
    OCT_CHECK(by_id != (oct_form_get(form, "slot") != NULL), OCT_STATUS_INPUT,
              "which body? Expected id=ID or slot=K");
    OCT_CHECK(slot < sim->domain->n, OCT_STATUS_MISSING, "there is no slot %" PRIu64, slot);
    if (by_id)
        OCT_TRY(find_slot(&slot, sim, id));
    /* Accelerations as a snapshot has them; the steps to come do not notice. */
    if (!*viewer->error && viewer->mode != OCT_VIEW_FILES)
        OCT_TRY(oct_sim_look(sim));
    oct_text_add(reply, ", \"bodies\": [");
    for (uint64_t i = slot; i < sim->domain->n && i - slot < (by_id ? 1 : count); i++) {
        body b;
        OCT_TRY(read_body(&b, sim, (uint32_t)i));
        if (b.type == OCT_TYPE_REMOVED)
            continue;
        oct_text_add(reply, n++ ? ",\n" : "\n");
        add_body(reply, &b, i);
    }
    oct_text_add(reply, "]");
    OCT_CHECK(n > 0, OCT_STATUS_MISSING, "this body was removed");
    return OCT_STATUS_OK;
}
