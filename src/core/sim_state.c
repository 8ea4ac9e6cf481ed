/* The state of a simulation, between the device and the host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/sim.h"
#include "util/parallel.h"
#include "util/text.h"

/* The device arrays that are the state; the scales travel with them. */
static uint32_t state_buffers(oct_buffer **out, oct_sim *sim)
{
    uint32_t n = 0;
    out[n++] = sim->domain->position;
    out[n++] = sim->domain->velocity;
    out[n++] = sim->domain->acceleration;
    out[n++] = sim->domain->id;
    out[n++] = sim->domain->type;
    if (sim->precision == OCT_PRECISION_SINGLE) {
        out[n++] = sim->domain->position_low;
        out[n++] = sim->domain->velocity_low;
    }
    if (sim->domain->systems.n > 0)
        out[n++] = sim->domain->systems.number;
    if (sim->domain->spin)
        out[n++] = sim->domain->spin;
    for (uint32_t i = 0; i < sim->domain->n_kept; i++)
        out[n++] = sim->domain->kept[i];
    return n;
}

static oct_status export_array(oct_state_array *out, oct_buffer *buffer)
{
    snprintf(out->name, sizeof out->name, "%s", buffer->name);
    out->element = buffer->element;
    out->count = buffer->count;
    OCT_TRY(oct_alloc(&out->data, buffer->count, buffer->element, buffer->name));
    return oct_buffer_read(out->data, buffer, 0, buffer->count);
}

static oct_status export_all(oct_state *out, oct_sim *sim)
{
    oct_buffer *buffers[OCT_STATE_ARRAYS];
    uint32_t n = state_buffers(buffers, sim);
    OCT_TRY(oct_text_copy(&out->scene, sim->setup->resolved));
    memcpy(out->run, sim->run, sizeof out->run);
    out->precision = sim->precision;
    out->step = sim->step;
    out->time = sim->time;
    out->origin = sim->origin;
    out->forces_fresh = sim->forces_fresh;
    out->energy_start = sim->energy_start;
    for (uint32_t i = 0; i < n; i++)
        OCT_TRY(export_array(&out->arrays[out->n_arrays++], buffers[i]));
    oct_state_array *scales = &out->arrays[out->n_arrays++];
    snprintf(scales->name, sizeof scales->name, "scales");
    scales->element = sizeof(double);
    scales->count = 2;
    OCT_TRY(oct_alloc(&scales->data, 2, sizeof(double), "scales"));
    memcpy(scales->data, (double[]){sim->length_scale, sim->mass_scale}, 2 * sizeof(double));
    if (sim->relaxed.sweeps == 0)
        return OCT_STATUS_OK;
    oct_state_array *relaxed = &out->arrays[out->n_arrays++];
    snprintf(relaxed->name, sizeof relaxed->name, "relaxed");
    relaxed->element = sizeof sim->relaxed;
    relaxed->count = 1;
    OCT_TRY(oct_alloc(&relaxed->data, 1, sizeof sim->relaxed, "relaxed"));
    memcpy(relaxed->data, &sim->relaxed, sizeof sim->relaxed);
    return OCT_STATUS_OK;
}

oct_status oct_sim_export(oct_state *out, oct_sim *sim)
{
    *out = (oct_state){0};
    OCT_TRY(oct_sim_wait(sim));
    oct_status status = export_all(out, sim);
    if (status != OCT_STATUS_OK)
        oct_state_clear(out);
    return oct_sim_done(sim, status);
}

static oct_status find_array(const oct_state_array **out, const oct_state *state, const char *name,
                             size_t element, size_t count)
{
    const oct_state_array *array = oct_state_find(state, name);
    OCT_CHECK(array && array->element == element && array->count == count, OCT_STATUS_INPUT,
              "the checkpoint's array '%s' does not fit its scene: expected %zu elements of %zu "
              "bytes",
              name, count, element);
    *out = array;
    return OCT_STATUS_OK;
}

/* Whether a module goes on without the array that a state lacks: what it has put there itself is
 * how it begins. */
static bool begins_anew(const oct_sim *sim, const oct_buffer *buffer, const oct_state *state)
{
    bool kept = false;
    for (uint32_t i = 0; i < sim->domain->n_kept; i++)
        kept = kept || sim->domain->kept[i] == buffer;
    return state->partial && kept && buffer->version > 0 && !oct_state_find(state, buffer->name);
}

/* Bodies that were smooth when the state was saved begin without spin. */
static bool is_absent_spin(const oct_buffer *buffer, const oct_sim *sim, const oct_state *state)
{
    return buffer == sim->domain->spin && !oct_state_find(state, "spin");
}

oct_status oct_sim_import(oct_sim *sim, const oct_state *state)
{
    oct_buffer *buffers[OCT_STATE_ARRAYS];
    const oct_state_array *array;
    double scales[2];
    OCT_TRY(find_array(&array, state, "scales", sizeof(double), 2));
    memcpy(scales, array->data, sizeof scales);
    if (oct_state_find(state, "spin"))
        OCT_TRY(oct_domain_make_spin(sim->domain));
    uint32_t n = state_buffers(buffers, sim);
    for (uint32_t i = 0; i < n; i++)
        if (!begins_anew(sim, buffers[i], state) && !is_absent_spin(buffers[i], sim, state))
            OCT_TRY(find_array(&array, state, buffers[i]->name, buffers[i]->element,
                               buffers[i]->count));
    for (uint32_t i = 0; i < n; i++) {
        array = oct_state_find(state, buffers[i]->name);
        if (array)
            OCT_TRY(oct_buffer_write(buffers[i], array->data, 0, array->count));
        else if (buffers[i] == sim->domain->spin)
            OCT_TRY(oct_buffer_fill(buffers[i], 0));
    }
    const uint8_t *types = oct_state_find(state, "type")->data;
    uint32_t removed = 0;
    for (uint32_t i = 0; i < sim->domain->n; i++)
        removed += types[i] == OCT_TYPE_REMOVED;
    OCT_TRY(oct_buffer_write(sim->domain->counters, &removed, OCT_COUNTER_REMOVED, 1));
    array = oct_state_find(state, "relaxed");
    if (array && array->count == 1 && array->element == sizeof sim->relaxed)
        memcpy(&sim->relaxed, array->data, sizeof sim->relaxed);
    oct_sim_set_scales(sim, scales[0], scales[1]);
    sim->step = sim->waited_step = state->step;
    sim->time = state->time;
    sim->origin = state->origin;
    sim->removed = removed;
    sim->forces_fresh = sim->waited_fresh = state->forces_fresh;
    sim->energy_start = state->energy_start;
    return oct_images_update(sim->domain);
}

/* Vectors and a scalar, to be written as the device holds them: four numbers of the state's
 * precision. */
typedef struct packing {
    oct_buffer *buffer;
    oct_precision precision;
    const double *vectors, *scalars; /* scalars may be NULL: 0 */
    const char *what;
    const uint64_t *ids;
    char *packed;
    size_t first; /* the particle that is packed first */
} packing;

static void real4_of(double out[4], const packing *p, size_t i)
{
    memcpy(out, p->vectors + 3 * i, 3 * sizeof *out);
    out[3] = p->scalars ? p->scalars[i] : 0;
}

static oct_status check_real4(void *context, size_t first, size_t end)
{
    const packing *p = context;
    bool single = p->precision == OCT_PRECISION_SINGLE;
    for (size_t i = first; i < end; i++) {
        double wide[4];
        real4_of(wide, p, i);
        for (int k = 0; k < 4; k++)
            OCT_CHECK(isfinite(wide[k]) && (!single || isfinite((float)wide[k])), OCT_STATUS_INPUT,
                      "particle %llu: %s %g is not a number that %s precision can hold",
                      (unsigned long long)p->ids[i], p->what, wide[k],
                      oct_precision_name(p->precision));
    }
    return OCT_STATUS_OK;
}

static oct_status pack(void *context, size_t first, size_t end)
{
    const packing *p = context;
    size_t element = p->buffer->element;
    for (size_t i = first; i < end; i++) {
        double wide[4];
        real4_of(wide, p, p->first + i);
        float narrow[4] = {(float)wide[0], (float)wide[1], (float)wide[2], (float)wide[3]};
        memcpy(p->packed + i * element, element == sizeof narrow ? (const void *)narrow : wide,
               element);
    }
    return OCT_STATUS_OK;
}

/* A part at a time: all of it packed would be one more copy of the bodies. */
static oct_status write_real4(packing *p)
{
    const size_t most = 1 << 20;
    size_t n = p->buffer->count, part = n < most ? n : most;
    oct_status status = oct_alloc(&p->packed, part, p->buffer->element, p->buffer->name);
    for (p->first = 0; status == OCT_STATUS_OK && p->first < n; p->first += part) {
        size_t count = n - p->first < part ? n - p->first : part;
        status = oct_parallel(count, pack, p);
        if (status == OCT_STATUS_OK)
            status = oct_buffer_write(p->buffer, p->packed, p->first, count);
    }
    free(p->packed);
    return status;
}

/* Everything has been looked at: from here on bodies are replaced. */
static oct_status write_bodies(oct_sim *sim, packing *rows, int n_rows, const oct_bodies *bodies)
{
    for (int i = 0; i < n_rows; i++)
        OCT_TRY(write_real4(&rows[i]));
    OCT_TRY(oct_buffer_write(sim->domain->id, bodies->id, 0, sim->domain->n));
    OCT_TRY(oct_buffer_write(sim->domain->type, bodies->type, 0, sim->domain->n));
    OCT_TRY(oct_buffer_fill(sim->domain->position_low, 0));
    OCT_TRY(oct_buffer_fill(sim->domain->velocity_low, 0));
    sim->forces_fresh = sim->waited_fresh = false;
    sim->uploads++;
    /* In a box that repeats itself bodies outside stand for their images inside. */
    const oct_boundary *boundary = oct_domain_boundary(sim->domain);
    return boundary->image ? boundary->apply(sim->domain->boundary.state, sim->domain)
                           : OCT_STATUS_OK;
}

oct_status oct_sim_upload(oct_sim *sim, const oct_bodies *bodies)
{
    packing rows[] = {{.buffer = sim->domain->position,
                       .vectors = bodies->position,
                       .scalars = bodies->mass,
                       .what = "position or mass"},
                      {.buffer = sim->domain->velocity,
                       .vectors = bodies->velocity,
                       .scalars = bodies->radius,
                       .what = "velocity or radius"},
                      {.vectors = bodies->spin, .what = "spin"}};
    int n_rows = sim->domain->spin || oct_bodies_spin(bodies) ? 3 : 2;
    for (int i = 0; i < n_rows; i++) {
        rows[i].precision = sim->precision;
        rows[i].ids = bodies->id;
        OCT_TRY(oct_parallel(sim->domain->n, check_real4, &rows[i]));
    }
    if (n_rows == 3)
        OCT_TRY(oct_domain_make_spin(sim->domain));
    rows[2].buffer = sim->domain->spin;
    return oct_sim_changed(sim, write_bodies(sim, rows, n_rows, bodies));
}

oct_status oct_sim_bodies(oct_bodies *out, oct_sim *sim)
{
    oct_state state;
    double period[3];
    OCT_TRY(oct_sim_look(sim));
    OCT_TRY(oct_sim_export(&state, sim));
    oct_status status = oct_state_bodies(out, &state);
    oct_state_clear(&state);
    oct_setup_periods(period, sim->setup);
    if (status == OCT_STATUS_OK)
        oct_bodies_fold(out, period);
    return oct_sim_done(sim, status);
}

oct_status oct_sim_set_bodies(oct_sim *sim, const oct_bodies *bodies)
{
    oct_bodies now = {0};
    OCT_TRY(oct_sim_bodies(&now, sim));
    bool same = now.n == sim->domain->n && now.n == bodies->n &&
                memcmp(now.id, bodies->id, now.n * sizeof *now.id) == 0;
    oct_bodies_clear(&now);
    OCT_CHECK(same, OCT_STATUS_INPUT,
              "the bodies are not those of the simulation: expected the same %lu ids in order",
              (unsigned long)sim->domain->n);
    return oct_sim_done(sim, oct_sim_upload(sim, bodies));
}

typedef struct id_index {
    uint64_t id;
    uint32_t index;
} id_index;

static int by_id(const void *a, const void *b)
{
    uint64_t x = ((const id_index *)a)->id, y = ((const id_index *)b)->id;
    return (x > y) - (x < y);
}

static bool is_moving_state(const oct_state_array *array, uint32_t n)
{
    return array->count == n && strcmp(array->name, "acceleration") != 0;
}

/* The order of ascending ids; NULL where that is the order they have. */
static oct_status order_by_id(id_index **out, const uint64_t *ids, uint32_t n)
{
    uint32_t sorted = 1;
    *out = NULL;
    while (sorted < n && ids[sorted - 1] < ids[sorted])
        sorted++;
    if (sorted >= n)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(out, n, sizeof **out, "ids"));
    for (uint32_t i = 0; i < n; i++)
        (*out)[i] = (id_index){ids[i], i};
    qsort(*out, n, sizeof **out, by_id);
    return OCT_STATUS_OK;
}

static void hash_array(XXH3_state_t *hash, const oct_state_array *array, const id_index *order)
{
    const char *data = array->data;
    if (!order)
        XXH3_64bits_update(hash, data, array->count * array->element);
    for (size_t i = 0; order && i < array->count; i++)
        XXH3_64bits_update(hash, data + order[i].index * array->element, array->element);
}

oct_status oct_sim_hash(uint64_t *out, oct_sim *sim)
{
    oct_state state;
    OCT_TRY(oct_sim_export(&state, sim));
    id_index *order = NULL;
    XXH3_state_t *hash = XXH3_createState();
    oct_status status = order_by_id(&order, oct_state_find(&state, "id")->data, sim->domain->n);
    if (status == OCT_STATUS_OK && !hash)
        status = OCT_FAIL(OCT_STATUS_MEMORY, "no memory for a hash");
    if (status == OCT_STATUS_OK) {
        XXH3_64bits_reset(hash);
        for (uint64_t a = 0; a < state.n_arrays; a++)
            if (is_moving_state(&state.arrays[a], sim->domain->n))
                hash_array(hash, &state.arrays[a], order);
        *out = XXH3_64bits_digest(hash);
    }
    XXH3_freeState(hash);
    free(order);
    oct_state_clear(&state);
    return oct_sim_done(sim, status);
}
