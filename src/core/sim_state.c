/* The state of a simulation, between the device and the host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "cluster/comm.h"
#include "core/join.h"
#include "core/lead.h"
#include "core/look.h"
#include "core/softening.h"
#include "util/parallel.h"
#include "util/text.h"

/* What relaxing did, without the size that the struct begins with. */
enum { RELAXED_BYTES = sizeof(oct_relaxation) - offsetof(oct_relaxation, sweeps) };

/* An array of the state: the device's, and how many of its elements count. */
typedef struct state_buffer {
    oct_buffer *buffer;
    const oct_column_spec *spec; /* NULL: no column */
    size_t count;
    oct_total total; /* how ranks add it up */
} state_buffer;

static const oct_held_column *column_of(const oct_domain *domain, const oct_buffer *buffer)
{
    for (uint32_t c = 0; c < domain->n_columns; c++)
        if (domain->columns[c].buffer == buffer)
            return &domain->columns[c];
    return NULL;
}

/* The device arrays that are the state; the scales travel with them. */
static uint32_t state_buffers(state_buffer *out, const oct_domain *domain)
{
    uint32_t n = 0, n_state_arrays = domain->n_state_arrays;
    for (uint32_t c = 0; c < domain->n_columns; c++) {
        const oct_held_column *held = &domain->columns[c];
        bool kept = false;
        for (uint32_t i = 0; i < n_state_arrays; i++)
            kept = kept || domain->state_arrays[i] == held->buffer;
        if (held->buffer && held->buffer->count > 0 && held->spec.flags & OCT_COLUMN_STATE && !kept)
            out[n++] = (state_buffer){held->buffer, &held->spec, domain->n, false};
    }
    for (uint32_t i = 0; i < n_state_arrays; i++) {
        const oct_held_column *held = column_of(domain, domain->state_arrays[i]);
        out[n++] =
            (state_buffer){domain->state_arrays[i], held ? &held->spec : NULL,
                           held ? domain->n : domain->state_arrays[i]->count, domain->totals[i]};
    }
    return n;
}

/* The rows of all ranks, which the first one gets: those of its own are there already. */
static oct_status gather_rows(oct_state_array *out, const oct_sim *sim)
{
    uint32_t size = oct_comm_size(sim->comm), rank = oct_comm_rank(sim->comm);
    oct_parcel *to, *from;
    char *rows = out->data;
    OCT_TRY(oct_alloc(&to, 2 * (size_t)size, sizeof *to, "messages"));
    from = to + size;
    if (rank > 0)
        to[0] = (oct_parcel){rows, sim->n_own * out->element};
    for (uint32_t r = 1; rank == 0 && r < size; r++) {
        uint64_t first = oct_owners_first(sim, r), end = oct_owners_first(sim, r + 1);
        from[r] = (oct_parcel){rows + first * out->element, (end - first) * out->element};
    }
    oct_traffic_kind before = oct_comm_about(sim->comm, OCT_TRAFFIC_FILES);
    oct_status status = oct_comm_exchange(sim->comm, to, from);
    oct_comm_about(sim->comm, before);
    free(to);
    return status;
}

/* Reads the first elements of an array, now or with all others that are fetched. */
static oct_status bring(void *out, const oct_sim *sim, oct_buffer *buffer, size_t count)
{
    return sim->fetch ? oct_fetch_add(sim->fetch, out, buffer, count)
                      : oct_buffer_read(out, buffer, 0, count);
}

/* A column has the bodies of all domains, one domain after the other; where ranks share them the
 * first rank's has, in the order of their places, and others have their own. */
static oct_status export_column(oct_state_array *out, oct_domain *first, const char *name,
                                const uint32_t *places)
{
    const oct_sim *sim = first->sim;
    bool leads = !sim->comm || (oct_comm_rank(sim->comm) == 0 && !sim->apart);
    out->count = leads ? (size_t)oct_join_count(first) : first->n;
    out->rows = true;
    OCT_TRY(oct_alloc(&out->data, out->count, out->element, name));
    char *rows = out->data;
    for (oct_domain *domain = first; domain; domain = domain->beside) {
        oct_held_column *held = oct_domain_column(domain, name);
        OCT_CHECK(held && held->buffer->element == out->element, OCT_STATUS_INTERNAL,
                  "column '%s' is not the same in all domains", name);
        OCT_TRY(bring(rows, sim, held->buffer, domain->n));
        rows += domain->n * out->element;
    }
    if (sim->comm && !sim->apart)
        OCT_TRY(gather_rows(out, sim));
    return places ? oct_owners_sort(out->data, out->element, places, sim->n_all) : OCT_STATUS_OK;
}

static oct_status export_array(oct_state_array *out, oct_domain *domain, const state_buffer *array,
                               const uint32_t *places)
{
    oct_buffer *buffer = array->buffer;
    snprintf(out->name, sizeof out->name, "%s", buffer->name);
    out->element = buffer->element;
    if (array->spec)
        return export_column(out, domain, array->spec->name, places);
    out->count = array->count;
    OCT_TRY(oct_alloc(&out->data, array->count, buffer->element, buffer->name));
    OCT_TRY(bring(out->data, domain->sim, buffer, array->count));
    return oct_join_total(out->data, array->count * buffer->element, array->total, domain);
}

static oct_status export_arrays(oct_state *out, oct_sim *sim)
{
    state_buffer buffers[OCT_STATE_ARRAYS];
    uint32_t n = state_buffers(buffers, sim->domain), *places = NULL;
    if (!sim->apart)
        OCT_TRY(oct_owners_gather(&places, sim));
    oct_status status = OCT_STATUS_OK;
    for (uint32_t i = 0; status == OCT_STATUS_OK && i < n; i++)
        status = export_array(&out->arrays[out->n_arrays++], sim->domain, &buffers[i], places);
    if (status == OCT_STATUS_OK)
        status = oct_owners_export(out, sim, places);
    free(places);
    return status;
}

static oct_status export_all(oct_state *out, oct_sim *sim)
{
    OCT_TRY(oct_text_copy(&out->scene, sim->setup->resolved));
    memcpy(out->run, sim->run, sizeof out->run);
    out->precision = sim->precision;
    out->clock = sim->clock;
    out->origin = sim->origin;
    out->forces_fresh = oct_forces_fresh(sim->domain);
    out->energy_start = sim->energy_start;
    out->energy_worst = sim->energy_worst;
    OCT_TRY(export_arrays(out, sim));
    OCT_TRY(oct_state_add(out, "scales", (double[]){sim->length_scale, sim->mass_scale},
                          sizeof(double), 2));
    if (sim->closed > 0)
        OCT_TRY(oct_state_add(out, "closed", &sim->closed, sizeof sim->closed, 1));
    if (sim->relaxed.sweeps > 0)
        OCT_TRY(oct_state_add(out, "relaxed", &sim->relaxed.sweeps, RELAXED_BYTES, 1));
    return OCT_STATUS_OK;
}

/* With one wait for all arrays, where they are not copied on the device. */
static oct_status export_now(oct_state *out, oct_sim *sim)
{
    const oct_device *device = sim->domain->device;
    if (sim->fetch || sim->comm || sim->domain->beside || oct_fetch_pays(device) ||
        !oct_fetch_joins(device))
        return export_all(out, sim);
    OCT_TRY(oct_fetch_create(&sim->fetch, sim->domain->device));
    oct_status status = export_all(out, sim);
    if (status == OCT_STATUS_OK)
        status = oct_fetch_finish(sim->fetch);
    oct_fetch_free(sim->fetch);
    sim->fetch = NULL;
    return status;
}

static oct_status export(oct_state *out, oct_sim *sim)
{
    OCT_TRY(oct_sim_wait(sim));
    oct_status status = export_now(out, sim);
    if (status != OCT_STATUS_OK)
        oct_state_clear(out);
    return oct_sim_done(sim, status);
}

oct_status oct_sim_export_ahead(oct_state *out, oct_sim *sim)
{
    *out = (oct_state){0};
    return export_all(out, sim);
}

oct_status oct_sim_export(oct_state *out, oct_sim *sim)
{
    *out = (oct_state){0};
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_lead_begin(sim, (oct_order){.kind = OCT_ORDER_EXPORT}));
    return oct_lead_end(sim, export(out, sim));
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

/* Whether a simulation goes on without an array that a state lacks, with what is there already:
 * bodies that had no use for it when the state was saved have its default, and a module begins with
 * what it has put there itself. */
static bool begins_anew(const state_buffer *array, const oct_state *state)
{
    bool ours = array->spec && array->spec->host;
    if (oct_state_find(state, array->buffer->name))
        return false;
    if (array->spec && array->spec->flags & OCT_COLUMN_WHERE_USED)
        return true;
    /* What follows from bodies that are not there any more cannot be begun on the way. */
    bool lost = array->spec && array->spec->flags & (OCT_COLUMN_USER | OCT_COLUMN_DERIVED);
    return !ours && !lost && state->partial && array->buffer->version > 0;
}

/* Columns that are there only where they are used, and that the state uses. */
static oct_status make_used(oct_domain *domain, const oct_state *state)
{
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++)
        if (spec->flags & OCT_COLUMN_WHERE_USED && !(spec->flags & OCT_COLUMN_WITH_DOMAIN) &&
            oct_state_find(state, spec->name))
            OCT_TRY(oct_domain_add_column(domain, spec));
    return OCT_STATUS_OK;
}

/* Of a column, the rows of this rank's bodies; what was counted before is the first rank's. */
static oct_status import_rows(const state_buffer *to, const oct_state_array *array,
                              const oct_sim *sim, bool own)
{
    const uint32_t *places = to->spec ? sim->owners.places : NULL;
    const char *data = array->data;
    char *rows;
    if (to->total && sim->comm && oct_comm_rank(sim->comm) > 0)
        return oct_buffer_fill(to->buffer, 0);
    if (!places || own)
        return oct_buffer_write(to->buffer, data, 0, array->count);
    OCT_TRY(oct_alloc(&rows, to->count, array->element, array->name));
    for (size_t i = 0; i < to->count; i++)
        memcpy(rows + i * array->element, data + places[i] * array->element, array->element);
    oct_status status = oct_buffer_write(to->buffer, rows, 0, to->count);
    free(rows);
    return status;
}

/* Bodies that are removed, of all, and of those of this rank. */
static oct_status count_removed(uint32_t *all, uint32_t *own, const oct_state *state,
                                const oct_sim *sim)
{
    const uint8_t *types = oct_state_find(state, "type")->data;
    const uint32_t *places = state->own ? NULL : sim->owners.places;
    uint64_t total = 0;
    *own = 0;
    for (uint64_t i = 0; i < sim->n_own; i++)
        *own += types[places ? places[i] : i] == OCT_TYPE_REMOVED;
    for (uint64_t i = 0; i < sim->n_all && !state->own; i++)
        total += types[i] == OCT_TYPE_REMOVED;
    if (state->own) {
        total = *own;
        OCT_TRY(oct_join_total(&total, sizeof total, OCT_TOTAL_LONGS, sim->domain));
    }
    *all = (uint32_t)total;
    return OCT_STATUS_OK;
}

oct_status oct_sim_import(oct_sim *sim, const oct_state *state)
{
    state_buffer buffers[OCT_STATE_ARRAYS];
    const oct_state_array *array;
    double scales[2];
    oct_clock clock = state->clock;
    OCT_TRY(oct_clock_set_dt(&clock, sim->setup->step.dt));
    OCT_TRY(find_array(&array, state, "scales", sizeof(double), 2));
    memcpy(scales, array->data, sizeof scales);
    OCT_TRY(make_used(sim->domain, state));
    uint32_t n = state_buffers(buffers, sim->domain);
    for (uint32_t i = 0; i < n; i++)
        if (!begins_anew(&buffers[i], state))
            OCT_TRY(find_array(&array, state, buffers[i].buffer->name, buffers[i].buffer->element,
                               buffers[i].spec && !state->own ? sim->n_all : buffers[i].count));
    for (uint32_t i = 0; i < n; i++) {
        array = oct_state_find(state, buffers[i].buffer->name);
        if (array)
            OCT_TRY(import_rows(&buffers[i], array, sim, state->own));
        else if (buffers[i].spec && buffers[i].spec->flags & OCT_COLUMN_WHERE_USED)
            OCT_TRY(oct_held_clear(column_of(sim->domain, buffers[i].buffer), sim->precision, 0,
                                   buffers[i].count));
    }
    uint32_t removed, all;
    OCT_TRY(count_removed(&all, &removed, state, sim));
    array = oct_state_find(state, "closed");
    if (array && array->count == 1 && array->element == sizeof sim->closed)
        memcpy(&sim->closed, array->data, sizeof sim->closed);
    all += (uint32_t)sim->closed;
    /* Those that are gone for good are counted once. */
    removed += sim->first == 0 ? (uint32_t)sim->closed : 0;
    OCT_TRY(oct_buffer_write(sim->domain->counters, &removed, OCT_COUNTER_REMOVED, 1));
    array = oct_state_find(state, "relaxed");
    if (array && array->count == 1 && array->element == RELAXED_BYTES)
        memcpy(&sim->relaxed.sweeps, array->data, RELAXED_BYTES);
    oct_sim_set_scales(sim, scales[0], scales[1]);
    sim->clock = sim->waited = clock;
    sim->origin = state->origin;
    sim->removed = all;
    oct_forces_begun(sim->domain);
    if (state->forces_fresh)
        oct_forces_found(sim->domain);
    sim->energy_start = state->energy_start;
    sim->energy_worst = state->energy_worst;
    return oct_images_update(sim->domain);
}

oct_status oct_sim_placed(oct_sim *sim)
{
    oct_domain_given(sim->domain, sim->domain->position);
    /* In a box that repeats itself bodies outside stand for their images inside. */
    const oct_boundary *boundary = oct_domain_boundary(sim->domain);
    return boundary->image ? boundary->apply(sim->domain->boundary.state, sim->domain)
                           : OCT_STATUS_OK;
}

/* Everything has been looked at: from here on bodies are replaced. */
static oct_status write_bodies(oct_sim *sim, const oct_bodies *bodies)
{
    OCT_TRY(oct_domain_write_bodies(sim->domain, 0, bodies));
    return oct_sim_placed(sim);
}

oct_status oct_sim_upload(oct_sim *sim, const oct_bodies *bodies)
{
    OCT_TRY(oct_domain_check_bodies(sim->domain, bodies));
    return oct_sim_changed(sim, write_bodies(sim, bodies));
}

static oct_status copy(oct_state *out, oct_sim *sim)
{
    OCT_TRY(oct_sim_look(sim));
    OCT_TRY(oct_sim_done(sim, oct_look_open(sim->domain)));
    oct_status status = oct_sim_export(out, sim);
    oct_look_close(sim->domain);
    return status;
}

oct_status oct_sim_copy(oct_state *out, oct_sim *sim)
{
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_lead_begin(sim, (oct_order){.kind = OCT_ORDER_COPY}));
    return oct_lead_end(sim, copy(out, sim));
}

static oct_status copy_ahead(oct_state *out, oct_sim *sim, oct_fetch *fetch)
{
    sim->fetch = fetch;
    oct_status status = oct_sim_copy(out, sim);
    sim->fetch = NULL;
    return status == OCT_STATUS_OK ? oct_sim_done(sim, oct_fetch_send(fetch)) : status;
}

oct_status oct_sim_copy_ahead(oct_state *out, oct_fetch **fetch, oct_sim *sim)
{
    *fetch = NULL;
    /* What ranks gather is needed at once. */
    if (sim->comm || !oct_fetch_pays(sim->domain->device))
        return oct_sim_copy(out, sim);
    *out = (oct_state){0};
    OCT_TRY(oct_fetch_create(fetch, sim->domain->device));
    oct_status status = copy_ahead(out, sim, *fetch);
    if (status != OCT_STATUS_OK) {
        oct_fetch_free(*fetch);
        *fetch = NULL;
        oct_state_clear(out);
    }
    return status;
}

oct_status oct_sim_bodies(oct_bodies *out, oct_sim *sim)
{
    oct_state state;
    double period[3];
    OCT_TRY(oct_sim_copy(&state, sim));
    oct_status status = oct_setup_declare(out, sim->setup);
    if (status == OCT_STATUS_OK)
        status = oct_state_bodies(out, &state);
    oct_state_clear(&state);
    oct_setup_periods(period, sim->setup);
    if (status == OCT_STATUS_OK)
        oct_bodies_fold(out, period);
    return oct_sim_done(sim, status);
}

/* Refuses bodies that do not have what the simulation's have. */
static oct_status check_arrays(const oct_bodies *bodies, const oct_bodies *now)
{
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++)
        OCT_CHECK(!(spec->flags & OCT_COLUMN_FROM_OUTSIDE) || !spec->host ||
                      oct_column_host(bodies, spec),
                  OCT_STATUS_INPUT,
                  "the bodies lack the array '%s'; expected all that oct_sim_bodies gives",
                  spec->name);
    for (size_t c = 0; c < bodies->n_columns; c++) {
        const oct_user_column *mine = &bodies->columns[c],
                              *theirs = oct_bodies_column(now, mine->name);
        OCT_CHECK(theirs && theirs->width == mine->width, OCT_STATUS_INPUT,
                  "the bodies have a column '%s' that the simulation does not have", mine->name);
    }
    return OCT_STATUS_OK;
}

oct_status oct_sim_set_bodies(oct_sim *sim, const oct_bodies *bodies)
{
    oct_bodies now = {0};
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_sim_check_alone(sim, "bodies cannot be replaced"));
    OCT_TRY(oct_sim_check_whole(sim));
    OCT_TRY(oct_sim_bodies(&now, sim));
    oct_status status = check_arrays(bodies, &now);
    bool same = status == OCT_STATUS_OK && now.n == sim->domain->n && now.n == bodies->n &&
                memcmp(now.id, bodies->id, now.n * sizeof *now.id) == 0;
    oct_bodies_clear(&now);
    OCT_TRY(status);
    OCT_TRY(oct_sim_check_softenings(sim, bodies));
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

/* Arrays of other lengths hold no bodies. */
static bool is_moving_state(const oct_state_array *array, oct_domain *domain)
{
    const oct_held_column *held = oct_domain_column(domain, array->name);
    return array->count == oct_join_count(domain) && !oct_owners_array(array->name) &&
           !(held && held->spec.flags & OCT_COLUMN_DERIVED);
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

static oct_status hash_exported(XXH3_state_t *hash, oct_sim *sim)
{
    oct_state state;
    OCT_TRY(oct_sim_export(&state, sim));
    id_index *order = NULL;
    oct_status status = order_by_id(&order, oct_state_find(&state, "id")->data,
                                    (uint32_t)oct_join_count(sim->domain));
    for (uint64_t a = 0; status == OCT_STATUS_OK && a < state.n_arrays; a++)
        if (is_moving_state(&state.arrays[a], sim->domain))
            hash_array(hash, &state.arrays[a], order);
    free(order);
    oct_state_clear(&state);
    return status;
}

/* Rows of a column or another array on their way through the host, a part at a time. */
typedef struct passage {
    char *part;
    size_t most; /* bytes */
    XXH3_state_t *hash;
    uint64_t last_id;
    bool ascending;
} passage;

static void see_ids(passage *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t id;
        memcpy(&id, p->part + i * sizeof id, sizeof id);
        p->ascending = p->ascending && id > p->last_id;
        p->last_id = id;
    }
}

static oct_status pass_rows(passage *p, oct_buffer *buffer, size_t count, bool ids)
{
    size_t most = p->most / buffer->element;
    for (size_t first = 0; first < count; first += most) {
        size_t rows = count - first < most ? count - first : most;
        OCT_TRY(oct_buffer_read(p->part, buffer, first, rows));
        if (ids)
            see_ids(p, rows);
        else
            XXH3_64bits_update(p->hash, p->part, rows * buffer->element);
    }
    return OCT_STATUS_OK;
}

static oct_status pass_array(passage *p, oct_domain *first, const state_buffer *array, bool ids)
{
    if (!array->spec)
        return pass_rows(p, array->buffer, array->count, false);
    for (oct_domain *domain = first; domain; domain = domain->beside) {
        oct_held_column *held = oct_domain_column(domain, array->spec->name);
        OCT_CHECK(held && held->buffer->element == array->buffer->element, OCT_STATUS_INTERNAL,
                  "column '%s' is not the same in all domains", array->spec->name);
        OCT_TRY(pass_rows(p, held->buffer, domain->n, ids));
    }
    return OCT_STATUS_OK;
}

/* The same hash without a copy of the state on the host; not `ascending`: it is not that, since
 * bodies are in another order than their ids. */
static oct_status hash_passing(passage *p, oct_sim *sim)
{
    state_buffer buffers[OCT_STATE_ARRAYS];
    uint32_t n = state_buffers(buffers, sim->domain);
    p->ascending = true;
    OCT_TRY(oct_sim_wait(sim));
    for (uint32_t i = 0; i < n; i++)
        if (buffers[i].buffer == sim->domain->id)
            OCT_TRY(pass_array(p, sim->domain, &buffers[i], true));
    for (uint32_t i = 0; p->ascending && i < n; i++) {
        bool derived = buffers[i].spec && buffers[i].spec->flags & OCT_COLUMN_DERIVED;
        bool bodies = buffers[i].spec || buffers[i].count == oct_join_count(sim->domain);
        if (bodies && !derived)
            OCT_TRY(pass_array(p, sim->domain, &buffers[i], false));
    }
    return OCT_STATUS_OK;
}

static oct_status hash_sim(uint64_t *out, oct_sim *sim, size_t most, XXH3_state_t *hash)
{
    /* Two numbers of the host are among the arrays of two bodies. Where ranks share them the first
     * gets all there are. */
    bool few = sim->comm || oct_join_count(sim->domain) * sizeof(uint64_t) <= most;
    passage p = {.most = most, .hash = hash};
    XXH3_64bits_reset(hash);
    if (!few) {
        OCT_TRY(oct_alloc(&p.part, most, 1, "a part of the state"));
        oct_status status = hash_passing(&p, sim);
        free(p.part);
        OCT_TRY(status);
    }
    if (few || !p.ascending)
        OCT_TRY(hash_exported(hash, sim));
    *out = XXH3_64bits_digest(hash);
    return OCT_STATUS_OK;
}

oct_status oct_sim_hash_by(uint64_t *out, oct_sim *sim, size_t most)
{
    XXH3_state_t *hash = XXH3_createState();
    oct_status status =
        hash ? hash_sim(out, sim, most, hash) : OCT_FAIL(OCT_STATUS_MEMORY, "no memory for a hash");
    XXH3_freeState(hash);
    return oct_sim_done(sim, status);
}

oct_status oct_sim_hash(uint64_t *out, oct_sim *sim)
{
    return oct_sim_hash_by(out, sim, (size_t)16 << 20);
}
