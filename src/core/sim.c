#include "core/sim.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/diagnose.h"
#include "util/text.h"

static const oct_force *gravity_of(const oct_sim *sim)
{
    return (const oct_force *)sim->setup->gravity.module;
}

static const oct_boundary *boundary_of(const oct_sim *sim)
{
    return (const oct_boundary *)sim->setup->boundary.module;
}

static const oct_collision *collision_of(const oct_sim *sim)
{
    return (const oct_collision *)sim->setup->collisions.module;
}

static const oct_integrator *integrator_of(const oct_sim *sim)
{
    return (const oct_integrator *)sim->setup->integrator.module;
}

size_t oct_real_size(oct_precision precision)
{
    return precision == OCT_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

oct_status oct_sim_usable(const oct_sim *sim)
{
    return oct_failure_check(&sim->failure, "the simulation");
}

oct_status oct_sim_done(oct_sim *sim, oct_status status)
{
    return oct_failure_keep(&sim->failure, status);
}

oct_status oct_sim_changed(oct_sim *sim, oct_status status)
{
    return oct_sim_done(sim, status > 0 ? OCT_STATUS_DEVICE : status);
}

void oct_sim_note(oct_sim *sim, const char *format, ...)
{
    if (!sim->log)
        return;
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    sim->log(sim->log_context, sentence);
}

void oct_sim_set_log(oct_sim *sim, oct_log log, void *context)
{
    sim->log = log;
    sim->log_context = context;
    /* Bodies were relaxed when nobody could listen yet. */
    char sentence[512];
    oct_sim_say_relaxed(sentence, sizeof sentence, sim);
    if (sim->step == 0 && *sentence)
        oct_sim_note(sim, "%s", sentence);
}

static oct_status make_buffers(oct_sim *sim)
{
    size_t real4 = 4 * oct_real_size(sim->precision), low = 3 * sizeof(float), n = sim->n;
    size_t sum =
        sim->device && oct_device_describe(sim->device)->fp64 ? sizeof(double) : 2 * sizeof(float);
    bool single = sim->precision == OCT_PRECISION_SINGLE;
    const struct {
        oct_buffer **buffer;
        const char *name;
        size_t element, count;
    } rows[] = {{&sim->position, "position", real4, n},
                {&sim->velocity, "velocity", real4, n},
                {&sim->acceleration, "acceleration", real4, n},
                {&sim->id, "id", sizeof(uint64_t), n},
                {&sim->type, "type", 1, n},
                {&sim->position_low, "position_low", low, single ? n : 0},
                {&sim->velocity_low, "velocity_low", low, single ? n : 0},
                {&sim->counters, "counters", sizeof(uint32_t), OCT_COUNTERS},
                {&sim->partials, "partials", sum, (size_t)OCT_SIM_ROWS * OCT_SIM_COLUMNS},
                {&sim->folded, "folded", sum, OCT_SIM_COLUMNS}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        OCT_TRY(oct_buffer_create(rows[i].buffer, sim->device, rows[i].name, rows[i].element,
                                  rows[i].count));
        OCT_TRY(oct_buffer_fill(*rows[i].buffer, 0));
    }
    if (oct_setup_spins(sim->setup))
        OCT_TRY(oct_sim_make_spin(sim));
    const uint32_t counters[OCT_COUNTERS] = {UINT32_MAX, UINT32_MAX, 0, UINT32_MAX};
    return oct_buffer_write(sim->counters, counters, 0, OCT_COUNTERS);
}

static oct_status make_kernels(oct_sim *sim)
{
    OCT_TRY(oct_sim_build(&sim->program, sim, "state.cl", NULL));
    OCT_TRY(oct_kernel_create(&sim->kick, sim->program, "state_kick"));
    OCT_TRY(oct_kernel_create(&sim->drift, sim->program, "state_drift"));
    OCT_TRY(oct_kernel_create(&sim->kick_drift, sim->program, "state_kick_drift"));
    OCT_TRY(oct_kernel_create(&sim->turn_spin, sim->program, "state_turn_spin"));
    OCT_TRY(oct_kernel_create(&sim->check, sim->program, "state_check"));
    OCT_TRY(oct_kernel_create(&sim->sum, sim->program, "state_sum"));
    return oct_kernel_create(&sim->fold, sim->program, "state_fold");
}

static oct_status start_modules(oct_sim *sim)
{
    oct_setup *setup = sim->setup;
    OCT_TRY(oct_images_start(sim));
    if (boundary_of(sim)->init)
        OCT_TRY(boundary_of(sim)->init(setup->boundary.state, sim));
    if (gravity_of(sim)->init)
        OCT_TRY(gravity_of(sim)->init(setup->gravity.state, sim));
    for (size_t i = 0; i < setup->n_forces; i++) {
        const oct_force *force = (const oct_force *)setup->forces[i].module;
        if (force->init)
            OCT_TRY(force->init(setup->forces[i].state, sim));
    }
    if (collision_of(sim)->init)
        OCT_TRY(collision_of(sim)->init(setup->collisions.state, sim));
    if (integrator_of(sim)->init)
        OCT_TRY(integrator_of(sim)->init(setup->integrator.state, sim));
    return OCT_STATUS_OK;
}

/* The power of two at or below x, 1 for what has none. */
static double power_of_two(double x)
{
    return x > 0 && isfinite(x) ? exp2(floor(log2(x))) : 1;
}

static void choose_scales(oct_sim *sim, const oct_bodies *bodies)
{
    double extent = 0, mass = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        for (size_t k = 0; k < 3; k++)
            extent = fmax(extent, fabs(bodies->position[3 * i + k] - bodies->position[k]));
        mass += bodies->mass[i];
    }
    sim->length_scale = power_of_two(extent);
    sim->mass_scale = power_of_two(mass);
}

static oct_status check_fits(const oct_sim *sim, uint64_t n)
{
    oct_estimate estimate;
    const oct_device_info *info = oct_device_describe(sim->device);
    oct_setup_estimate(&estimate, sim->setup, n, info, sim->precision);
    OCT_CHECK(estimate.fits, OCT_STATUS_SPACE,
              "%llu particles need %llu bytes (%llu in one buffer), but device '%s' has %llu (%llu "
              "in one buffer): about %llu particles would fit",
              (unsigned long long)n, (unsigned long long)estimate.bytes_total,
              (unsigned long long)estimate.bytes_largest, info->name,
              (unsigned long long)info->memory, (unsigned long long)info->max_buffer,
              (unsigned long long)estimate.fitting);
    return OCT_STATUS_OK;
}

/* Everything on the device but the particles themselves. */
static oct_status prepare(oct_sim *sim, uint64_t n, const uint32_t *system)
{
    OCT_TRY(check_fits(sim, n));
    sim->n = (uint32_t)n;
    OCT_TRY(make_buffers(sim));
    OCT_TRY(oct_systems_start(sim, system));
    OCT_TRY(make_kernels(sim));
    OCT_TRY(start_modules(sim));
    return oct_diagnose_start(sim);
}

static oct_status start_fresh(oct_sim *sim)
{
    oct_status status;
    oct_bodies bodies = {0};
    uint64_t n;
    /* The count is cheap: what cannot fit is refused before its particles are made. */
    OCT_TRY(oct_setup_count(&n, sim->setup));
    OCT_TRY(check_fits(sim, n));
    OCT_TRY_DONE(oct_setup_bodies(&bodies, sim->setup));
    OCT_TRY_DONE(prepare(sim, bodies.n, bodies.system));
    choose_scales(sim, &bodies);
    OCT_TRY_DONE(oct_sim_upload(sim, &bodies));
    if (collision_of(sim)->start)
        OCT_TRY_DONE(collision_of(sim)->start(sim->setup->collisions.state, sim));
    status = oct_diagnose_first(sim);
done:
    oct_bodies_clear(&bodies);
    return status;
}

static oct_status start_from(oct_sim *sim, const oct_state *state)
{
    const oct_state_array *ids = oct_state_find(state, "id"), *system;
    OCT_CHECK(ids && ids->count > 0 && ids->count < INT32_MAX, OCT_STATUS_INPUT,
              "the checkpoint holds no particles");
    OCT_TRY(oct_state_systems(&system, state, ids->count));
    OCT_TRY(prepare(sim, ids->count, system ? system->data : NULL));
    return oct_sim_import(sim, state);
}

oct_status oct_sim_start(oct_sim **out, oct_device *device, oct_setup *setup,
                         oct_precision precision, const oct_state *state)
{
    oct_sim *sim;
    *out = NULL;
    oct_status status = oct_alloc(&sim, 1, sizeof *sim, "simulation");
    if (status != OCT_STATUS_OK) {
        oct_setup_free(setup);
        return status;
    }
    sim->device = device;
    sim->setup = setup;
    sim->precision = precision;
    sim->energy_start = NAN;
    if (state)
        memcpy(sim->run, state->run, sizeof sim->run);
    else
        status = oct_identity_draw(sim->run);
    if (status == OCT_STATUS_OK)
        status = oct_device_precision(&sim->precision, device);
    if (status == OCT_STATUS_OK)
        status = state ? start_from(sim, state) : start_fresh(sim);
    if (status != OCT_STATUS_OK) {
        oct_sim_free(sim);
        return status;
    }
    *out = sim;
    return OCT_STATUS_OK;
}

void oct_sim_free(oct_sim *sim)
{
    if (!sim)
        return;
    oct_diagnose_end(sim);
    /* Modules first: they may hold kernels and buffers of this simulation. */
    oct_setup_free(sim->setup);
    oct_images_end(sim);
    oct_systems_end(sim);
    oct_kernel *const kernels[] = {sim->kick,  sim->drift, sim->kick_drift, sim->turn_spin,
                                   sim->check, sim->sum,   sim->fold};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
    oct_program_free(sim->program);
    oct_buffer *const buffers[] = {sim->position,     sim->velocity,     sim->acceleration,
                                   sim->id,           sim->type,         sim->spin,
                                   sim->position_low, sim->velocity_low, sim->counters,
                                   sim->partials,     sim->folded};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    free(sim->resumed_from);
    free(sim->changes);
    free(sim);
}

oct_status oct_sim_build(oct_program **out, oct_sim *sim, const char *file, const char *options)
{
    const oct_build build = {.file = file, .precision = sim->precision, .options = options};
    return oct_program_create(out, sim->device, &build);
}

oct_status oct_sim_keep(oct_sim *sim, oct_buffer *buffer)
{
    OCT_CHECK(sim->n_kept < OCT_SIM_KEPT, OCT_STATUS_INTERNAL,
              "more than %d module arrays belong to the state", OCT_SIM_KEPT);
    sim->kept[sim->n_kept++] = buffer;
    return OCT_STATUS_OK;
}

bool oct_sim_turn(oct_sim *sim)
{
    return sim->turn++ >= sim->turns_done;
}

bool oct_sim_runs_ahead(const oct_sim *sim)
{
    return !sim->looking && !collision_of(sim)->collide && integrator_of(sim)->repeats;
}

uint32_t oct_sim_step_offset(const oct_sim *sim)
{
    return (uint32_t)(sim->step - sim->waited_step);
}

oct_status oct_sim_kick(oct_sim *sim, double dt)
{
    if (!oct_sim_turn(sim))
        return OCT_STATUS_OK;
    return OCT_LAUNCH(sim->kick, sim->n, 0, OCT_OUT(sim->velocity), OCT_OUT(sim->velocity_low),
                      OCT_IN(sim->acceleration), OCT_IN(sim->type), OCT_REAL(dt), OCT_UINT(sim->n),
                      OCT_OUT(sim->counters), OCT_UINT(oct_sim_step_offset(sim)));
}

/* The spin of a free sphere keeps its direction in space: along the axes of a frame that turns by
 * an angle about z it turns by the opposite one. */
static oct_status turn_spins(oct_sim *sim, double dt)
{
    double angle = oct_setup_omega(sim->setup) * dt;
    if (!sim->spin || angle == 0 || !oct_sim_turn(sim))
        return OCT_STATUS_OK;
    return OCT_LAUNCH(sim->turn_spin, sim->n, 0, OCT_OUT(sim->spin), OCT_REAL(tan(angle / 2)),
                      OCT_REAL(sin(angle)), OCT_UINT(sim->n), OCT_IN(sim->counters));
}

static oct_status meet_boundary(oct_sim *sim)
{
    if (!boundary_of(sim)->apply || !oct_sim_turn(sim))
        return OCT_STATUS_OK;
    return boundary_of(sim)->apply(sim->setup->boundary.state, sim);
}

oct_status oct_sim_moved(oct_sim *sim, double dt)
{
    sim->time += dt;
    sim->forces_fresh = false;
    OCT_TRY(turn_spins(sim, dt));
    if (boundary_of(sim)->moving)
        OCT_TRY(oct_images_update(sim));
    return sim->whole_steps ? OCT_STATUS_OK : meet_boundary(sim);
}

oct_status oct_sim_arrive(oct_sim *sim)
{
    return sim->whole_steps ? meet_boundary(sim) : OCT_STATUS_OK;
}

oct_status oct_sim_drift(oct_sim *sim, double dt)
{
    if (oct_sim_turn(sim))
        OCT_TRY(OCT_LAUNCH(sim->drift, sim->n, 0, OCT_OUT(sim->position),
                           OCT_OUT(sim->position_low), OCT_IN(sim->velocity), OCT_REAL(dt),
                           OCT_UINT(sim->n), OCT_OUT(sim->counters),
                           OCT_UINT(oct_sim_step_offset(sim))));
    return oct_sim_moved(sim, dt);
}

oct_status oct_sim_kick_drift(oct_sim *sim, double kick_dt, double drift_dt)
{
    if (oct_sim_turn(sim))
        OCT_TRY(OCT_LAUNCH(sim->kick_drift, sim->n, 0, OCT_OUT(sim->position),
                           OCT_OUT(sim->position_low), OCT_OUT(sim->velocity),
                           OCT_OUT(sim->velocity_low), OCT_IN(sim->acceleration), OCT_IN(sim->type),
                           OCT_REAL(kick_dt), OCT_REAL(drift_dt), OCT_UINT(sim->n),
                           OCT_OUT(sim->counters), OCT_UINT(oct_sim_step_offset(sim))));
    return oct_sim_moved(sim, drift_dt);
}

bool oct_sim_has_gravity(const oct_sim *sim)
{
    return gravity_of(sim)->accumulate != NULL;
}

/* Gravity of what is beyond the images that act, and the other forces. */
static oct_status add_other_forces(oct_sim *sim)
{
    oct_setup *setup = sim->setup;
    if (oct_sim_has_gravity(sim) && boundary_of(sim)->pull)
        OCT_TRY(boundary_of(sim)->pull(setup->boundary.state, sim));
    for (size_t i = 0; i < setup->n_forces; i++) {
        const oct_force *force = (const oct_force *)setup->forces[i].module;
        OCT_TRY(force->accumulate(setup->forces[i].state, sim));
    }
    return OCT_STATUS_OK;
}

oct_status oct_sim_find_forces(oct_sim *sim)
{
    OCT_TRY(oct_buffer_fill(sim->acceleration, 0));
    if (oct_sim_has_gravity(sim))
        OCT_TRY(gravity_of(sim)->accumulate(sim->setup->gravity.state, sim));
    return add_other_forces(sim);
}

oct_status oct_sim_forces(oct_sim *sim)
{
    if (!sim->forces_fresh && oct_sim_turn(sim))
        OCT_TRY(oct_sim_find_forces(sim));
    sim->forces_fresh = true;
    return OCT_STATUS_OK;
}

oct_status oct_sim_forces_near(oct_sim *sim)
{
    sim->forces_fresh = false;
    OCT_TRY(oct_buffer_fill(sim->acceleration, 0));
    return gravity_of(sim)->accumulate_near(sim->setup->gravity.state, sim);
}

oct_status oct_sim_forces_far(oct_sim *sim)
{
    sim->forces_fresh = false;
    OCT_TRY(oct_buffer_fill(sim->acceleration, 0));
    OCT_TRY(gravity_of(sim)->accumulate_far(sim->setup->gravity.state, sim));
    return add_other_forces(sim);
}

oct_status oct_sim_collide(oct_sim *sim, double dt)
{
    const oct_collision *collision = collision_of(sim);
    return collision->collide ? collision->collide(sim->setup->collisions.state, sim, dt)
                              : OCT_STATUS_OK;
}

uint64_t oct_sim_steps(const oct_sim *sim)
{
    return sim->step;
}

double oct_sim_time(const oct_sim *sim)
{
    return sim->time;
}

double oct_sim_dt(const oct_sim *sim)
{
    return sim->setup->step.dt;
}

uint64_t oct_sim_count(const oct_sim *sim)
{
    return sim->n - sim->removed;
}

const oct_units *oct_sim_units(const oct_sim *sim)
{
    return &sim->setup->units;
}

oct_precision oct_sim_precision(const oct_sim *sim)
{
    return sim->precision;
}

const char *oct_sim_scene(const oct_sim *sim)
{
    return sim->setup->resolved;
}
