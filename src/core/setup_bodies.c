/* The bodies of a setup: models counted, made, placed and numbered. */
#include "cluster/comm.h"
#include "core/centre.h"
#include "core/given.h"
#include "core/setup.h"
#include "core/softening.h"
#include "core/system_table.h"

#include "util/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const oct_model *model_of(const oct_setup *setup, size_t index)
{
    return (const oct_model *)setup->models[index].model.module;
}

static oct_model_context context_of(const oct_setup *setup, size_t index)
{
    return (oct_model_context){.setup = setup, .stream = (uint32_t)index};
}

static oct_status within_model(oct_status status, const oct_setup *setup, size_t index)
{
    return oct_fail_within(status, "models.%zu.%s", index, model_of(setup, index)->name);
}

/* counts, where it is not NULL, takes the number of each model. */
static oct_status count_models(uint64_t *out, uint64_t *counts, const oct_setup *setup)
{
    const uint64_t most = UINT64_C(1) << 31; /* kernels index particles with 32 bits */
    *out = 0;
    for (size_t i = 0; i < setup->n_models; i++) {
        oct_model_context context = context_of(setup, i);
        uint64_t n = 0;
        oct_status status = oct_entry_count(&n, &setup->models[i], &context);
        if (status != OCT_STATUS_OK)
            return within_model(status, setup, i);
        OCT_CHECK(n <= most && *out + n <= most, OCT_STATUS_INPUT,
                  "models.%zu.%s: %llu bodies are too many; expected at most %llu in a scene", i,
                  model_of(setup, i)->name, (unsigned long long)n, (unsigned long long)most);
        if (counts)
            counts[i] = n;
        *out += n;
    }
    OCT_CHECK(*out > 0, OCT_STATUS_INPUT, "models: there is no body in the scene");
    return OCT_STATUS_OK;
}

uint64_t oct_setup_share(const oct_setup *setup, uint64_t n)
{
    uint64_t part = setup->share > 0 ? (uint64_t)(setup->share * (double)n) : n;
    return part > 0 ? part : n > 0;
}

void oct_setup_count_systems(uint64_t *bodies, uint64_t *systems, const oct_setup *setup)
{
    *bodies = *systems = 0;
    for (size_t i = 0; i < setup->n_models; i++) {
        oct_model_context context = context_of(setup, i);
        const oct_model *model = model_of(setup, i);
        const void *state = setup->models[i].model.state;
        uint64_t n = 0;
        if (!model->systems || model->count(&n, state, &context) != OCT_STATUS_OK)
            continue;
        uint64_t made = model->systems(state, n, setup);
        *bodies += made ? n : 0;
        *systems += made;
    }
}

oct_status oct_setup_count(uint64_t *out, const oct_setup *setup)
{
    return count_models(out, NULL, setup);
}

/* Sine and cosine that are exact for quarter turns. */
static void sine_and_cosine(double *sine, double *cosine, double degrees)
{
    int quarters;
    double rest = remquo(degrees, 90, &quarters) * (acos(-1.0) / 180);
    double s = sin(rest), c = cos(rest);
    bool swap = quarters & 1;
    *sine = swap ? c : s;
    *cosine = swap ? -s : c;
    if (quarters & 2) {
        *sine = -*sine;
        *cosine = -*cosine;
    }
}

static void rotate(double *vectors, size_t n, int axis, double degrees)
{
    if (degrees == 0)
        return;
    double s, c;
    sine_and_cosine(&s, &c, degrees);
    int first = (axis + 1) % 3, second = (axis + 2) % 3;
    for (size_t i = 0; i < n; i++) {
        double u = vectors[3 * i + (size_t)first], v = vectors[3 * i + (size_t)second];
        vectors[3 * i + (size_t)first] = c * u - s * v;
        vectors[3 * i + (size_t)second] = s * u + c * v;
    }
}

/* Vectors of bodies that are turned as one. */
static void turn(double *vectors, size_t n, const oct_placement *placement)
{
    for (int axis = 0; axis < 3; axis++)
        rotate(vectors, n, axis, placement->rotation[axis]);
    rotate(vectors, n, 0, placement->inclination);
    rotate(vectors, n, 2, placement->node);
}

/* The bodies that a model has made. */
typedef struct made_bodies {
    oct_bodies *bodies;
    size_t first;
    const oct_placement *placement;
} made_bodies;

static oct_status place(void *context, size_t first, size_t end)
{
    const made_bodies *made = context;
    const oct_placement *placement = made->placement;
    const oct_bodies *bodies = made->bodies;
    size_t n = end - first, start = 3 * (made->first + first);
    double *position = bodies->position + start, *velocity = bodies->velocity + start;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++)
        if (spec->flags & OCT_COLUMN_TURNS)
            turn((double *)oct_column_host(bodies, spec) + start, n, placement);
    for (size_t c = 0; c < bodies->n_columns; c++)
        if (bodies->columns[c].width == 3)
            turn(bodies->columns[c].data + start, n, placement);
    for (size_t i = 0; i < 3 * n; i++) {
        position[i] += placement->offset[i % 3];
        velocity[i] += placement->velocity[i % 3];
    }
    return OCT_STATUS_OK;
}

oct_status oct_bodies_place(oct_bodies *bodies, size_t first, size_t count,
                            const oct_placement *placement)
{
    made_bodies made = {.bodies = bodies, .first = first, .placement = placement};
    return oct_parallel(count, place, &made);
}

/* The ids that models bring with them, sorted; refuses one that occurs twice. */
static oct_status collect_ids(uint64_t *ids, size_t *n_ids, const oct_bodies *bodies,
                              const uint64_t *counts, const oct_setup *setup)
{
    size_t first = 0;
    *n_ids = 0;
    for (size_t i = 0; i < setup->n_models; i++) {
        if (model_of(setup, i)->keeps_ids && counts[i] > 0) {
            memcpy(ids + *n_ids, bodies->id + first, counts[i] * sizeof *ids);
            *n_ids += counts[i];
        }
        first += counts[i];
    }
    return oct_given_check_ids(ids, *n_ids, "models");
}

static oct_status number_bodies(oct_bodies *bodies, const uint64_t *counts, const oct_setup *setup)
{
    uint64_t *taken = NULL, next = 1;
    size_t n_taken = 0, used = 0, first = 0;
    oct_status status = oct_alloc(&taken, bodies->n, sizeof *taken, "ids");
    if (status == OCT_STATUS_OK)
        status = collect_ids(taken, &n_taken, bodies, counts, setup);
    for (size_t m = 0; status == OCT_STATUS_OK && m < setup->n_models; m++) {
        for (size_t i = first; i < first + counts[m] && !model_of(setup, m)->keeps_ids; i++) {
            while (used < n_taken && taken[used] <= next)
                next += taken[used++] == next;
            bodies->id[i] = next++;
        }
        first += counts[m];
    }
    free(taken);
    return status;
}

/* A model that is moved in a rotating box takes on the shear of its new place, -3/2 Omega x. */
static oct_placement sheared(const oct_placement *in, const oct_setup *setup)
{
    oct_placement placement = *in;
    placement.velocity[1] -= 1.5 * oct_setup_omega(setup) * placement.offset[0];
    return placement;
}

/* Component and type that a scene gives to the bodies of a model. Models within it have given
 * theirs the component already. */
static void mark(oct_bodies *bodies, size_t first, size_t count, const oct_model_entry *entry)
{
    const oct_placement *placement = &entry->placement;
    const oct_user_column *column = oct_bodies_column(bodies, "component");
    bool own = !oct_choice_within(&entry->model, 0, NULL);
    for (size_t i = first; i < first + count; i++) {
        if (column && own && placement->component)
            column->data[i] = (double)placement->component;
        if (placement->type)
            bodies->type[i] = (uint8_t)(placement->type | (bodies->type[i] & OCT_TYPE_HELD));
    }
}

oct_status oct_entry_count(uint64_t *out, const oct_model_entry *entry,
                           const oct_model_context *context)
{
    return ((const oct_model *)entry->model.module)->count(out, entry->model.state, context);
}

/* What a scene does with the bodies of a model. */
static oct_status finish_entry(oct_bodies *bodies, size_t first, size_t count,
                               const oct_model_entry *entry, const oct_model_context *context)
{
    oct_placement placement = sheared(&entry->placement, context->setup);
    OCT_TRY(oct_bodies_place(bodies, first, count, &placement));
    mark(bodies, first, count, entry);
    oct_setup_soften(bodies, first, count, entry->placement.softening, context->setup);
    OCT_TRY(
        oct_setup_fill_columns(bodies, first, count, &entry->placement.columns, context->setup));
    return oct_given_check(bodies, first, count);
}

oct_status oct_entry_make(oct_bodies *bodies, size_t first, size_t count,
                          const oct_model_entry *entry, const oct_model_context *context)
{
    const oct_model *model = (const oct_model *)entry->model.module;
    OCT_TRY(model->generate(bodies, first, count, entry->model.state, context));
    return finish_entry(bodies, first, count, entry, context);
}

bool oct_setup_in_parts(const oct_setup *setup)
{
    bool parts = setup->n_columns == 0 && !oct_setup_softens(setup);
    for (size_t i = 0; i < setup->n_models; i++)
        parts = parts && model_of(setup, i)->parts != OCT_PARTS_NONE;
    return parts;
}

/* A model of n bodies of which a run is made, a part at a time. */
typedef struct series {
    const oct_setup *setup;
    const oct_portion *portion;
    size_t model;
    uint64_t n, before;  /* its bodies, and those of models before it */
    uint64_t first, end; /* those of its bodies that are made */
    oct_bodies part;
    uint64_t made; /* the first of these; UINT64_MAX: there are none */
    oct_model_context of;
    oct_centre centre;
    oct_part_taker take;
    void *context;
} series;

/* The bodies from one on, as generate makes them. */
static oct_status generate_part(series *s, uint64_t from)
{
    uint64_t most = s->portion->most, count = s->end - from < most ? s->end - from : most;
    const oct_model_entry *entry = &s->setup->models[s->model];
    if (s->made == from)
        return OCT_STATUS_OK;
    s->of = context_of(s->setup, s->model);
    s->of.from = from;
    s->of.whole = s->n;
    s->made = UINT64_MAX;
    /* Models leave out what is 0. */
    oct_bodies_clear(&s->part);
    OCT_TRY(oct_bodies_resize(&s->part, (size_t)count));
    memset(s->part.type, OCT_TYPE_BODY, (size_t)count);
    OCT_TRY(model_of(s->setup, s->model)
                ->generate(&s->part, 0, (size_t)count, entry->model.state, &s->of));
    s->made = from;
    return OCT_STATUS_OK;
}

static oct_status hand_over(series *s, uint64_t from)
{
    if (model_of(s->setup, s->model)->parts == OCT_PARTS_CENTRED)
        OCT_TRY(oct_centre_enter(&s->centre, &s->part, 0, s->part.n));
    OCT_TRY(finish_entry(&s->part, 0, s->part.n, &s->setup->models[s->model], &s->of));
    for (size_t i = 0; i < s->part.n; i++)
        s->part.id[i] = s->before + from + i + 1;
    s->made = UINT64_MAX;
    return s->take(s->context, s->before + from, &s->part);
}

static oct_status add_to_centre(void *context)
{
    series *s = context;
    for (uint64_t from = s->first; from < s->end; from += s->portion->most) {
        OCT_TRY(generate_part(s, from));
        oct_centre_add(&s->centre, &s->part, 0, s->part.n);
    }
    return OCT_STATUS_OK;
}

/* What is centred is made twice where it is more than a part: where the centre is follows from all.
 * While a rank adds up, the others have made their first part already. */
static oct_status make_series(series *s)
{
    oct_comm *comm = s->portion->comm;
    if (model_of(s->setup, s->model)->parts == OCT_PARTS_CENTRED) {
        if (s->first < s->end)
            OCT_TRY(generate_part(s, s->first));
        OCT_TRY(comm ? oct_comm_relay(comm, &s->centre, sizeof s->centre, add_to_centre, s)
                     : add_to_centre(s));
    }
    for (uint64_t from = s->first; from < s->end; from += s->portion->most) {
        OCT_TRY(generate_part(s, from));
        OCT_TRY(hand_over(s, from));
    }
    return OCT_STATUS_OK;
}

/* Which of a model's bodies are in the portion. */
static void begin_series(series *s, uint64_t n)
{
    const oct_portion *p = s->portion;
    uint64_t end = p->first + p->count, after = s->before + n;
    s->n = n;
    s->first = p->first > s->before ? p->first - s->before : 0;
    s->first = s->first < n ? s->first : n;
    s->end = end >= after ? n : end > s->before ? end - s->before : 0;
    s->made = UINT64_MAX;
    s->centre = (oct_centre){0};
}

oct_status oct_setup_make_parts(const oct_setup *setup, const oct_portion *portion,
                                oct_part_taker take, void *context)
{
    uint64_t *counts = NULL, total;
    series s = {.setup = setup, .portion = portion, .take = take, .context = context};
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&counts, setup->n_models, sizeof *counts, "models"));
    OCT_TRY_DONE(count_models(&total, counts, setup));
    for (s.model = 0; s.model < setup->n_models; s.model++) {
        begin_series(&s, counts[s.model]);
        status = make_series(&s);
        OCT_TRY_DONE(status == OCT_STATUS_OK ? status : within_model(status, setup, s.model));
        s.before += s.n;
    }
done:
    free(counts);
    oct_bodies_clear(&s.part);
    return status;
}

static oct_status generate_models(oct_bodies *bodies, const uint64_t *counts,
                                  const oct_setup *setup)
{
    size_t first = 0;
    uint32_t n_systems = 0;
    for (size_t i = 0; i < setup->n_models; i++) {
        oct_model_context context = context_of(setup, i);
        oct_status status = oct_entry_make(bodies, first, counts[i], &setup->models[i], &context);
        if (status == OCT_STATUS_OK)
            status = oct_system_table_renumber(&n_systems, bodies->system + first, counts[i]);
        if (status != OCT_STATUS_OK)
            return within_model(status, setup, i);
        first += counts[i];
    }
    return number_bodies(bodies, counts, setup);
}

oct_status oct_setup_bodies(oct_bodies *out, const oct_setup *setup)
{
    oct_bodies bodies = {0};
    uint64_t *counts = NULL, total;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&counts, setup->n_models, sizeof *counts, "models"));
    OCT_TRY_DONE(count_models(&total, counts, setup));
    OCT_TRY_DONE(oct_setup_add_columns(&bodies, setup));
    OCT_TRY_DONE(oct_bodies_resize(&bodies, total));
    memset(bodies.type, OCT_TYPE_BODY, total);
    OCT_TRY_DONE(generate_models(&bodies, counts, setup));
    oct_bodies_clear(out);
    *out = bodies;
    bodies = (oct_bodies){0};
done:
    free(counts);
    oct_bodies_clear(&bodies);
    return status;
}
