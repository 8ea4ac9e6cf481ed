/* The life of a simulation, and what it tells of itself. */
#include "core/sim.h"
#include "core/softening.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"
#include "core/ahead.h"
#include "core/decompose.h"
#include "core/diagnose.h"
#include "core/given.h"
#include "core/join.h"
#include "core/lead.h"
#include "core/whole.h"
#include "util/text.h"

oct_status oct_sim_usable(const oct_sim *sim)
{
    return oct_failure_check(&sim->failure, "the simulation");
}

oct_status oct_sim_done(oct_sim *sim, oct_status status)
{
    return oct_failure_record(&sim->failure, status);
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

static void note_relaxed(oct_sim *sim)
{
    char sentence[512];
    oct_sim_say_relaxed(sentence, sizeof sentence, sim);
    if (*sentence)
        oct_sim_note(sim, "%s", sentence);
}

void oct_sim_set_log(oct_sim *sim, oct_log log, void *context)
{
    sim->log = log;
    sim->log_context = context;
    /* Bodies may have been relaxed when nobody listened yet. */
    if (sim->clock.step == 0)
        note_relaxed(sim);
}

/* The power of two at or below x, 1 for what has none. */
static double power_of_two(double x)
{
    return x > 0 && isfinite(x) ? exp2(floor(log2(x))) : 1;
}

void oct_sim_set_scales(oct_sim *sim, double length, double mass)
{
    sim->length_scale = length;
    sim->mass_scale = mass;
    sim->per_length = 1 / length;
    sim->per_mass = 1 / mass;
}

/* What scales are chosen by: where the first body is, how far others are, and their mass. */
typedef struct extent {
    bool begun;
    double first[3], low[3], high[3], mass;
} extent;

static void extend(extent *e, const oct_bodies *bodies)
{
    for (size_t k = 0; k < 3 && !e->begun; k++)
        e->first[k] = e->low[k] = e->high[k] = bodies->position[k];
    e->begun = true;
    for (size_t i = 0; i < bodies->n; i++) {
        for (size_t k = 0; k < 3; k++) {
            e->low[k] = fmin(e->low[k], bodies->position[3 * i + k]);
            e->high[k] = fmax(e->high[k], bodies->position[3 * i + k]);
        }
        e->mass += bodies->mass[i];
    }
}

static void choose_scales(oct_sim *sim, const extent *e)
{
    double most = 0;
    for (size_t k = 0; k < 3; k++)
        most = fmax(most, fmax(e->high[k] - e->first[k], e->first[k] - e->low[k]));
    oct_sim_set_scales(sim, power_of_two(most), power_of_two(e->mass));
}

static oct_status check_fits(const oct_sim *sim, const oct_device *device, uint64_t n)
{
    oct_estimate estimate;
    const oct_device_info *info = oct_device_describe(device);
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

/* Everything on the device but the particles themselves: of n, those that are this rank's, which
 * are all of the n where the state has no others. */
static oct_status prepare(oct_sim *sim, oct_device *device, uint64_t n, const uint32_t *system,
                          const oct_state *state)
{
    bool own = state && state->own;
    OCT_TRY(oct_lead_check(sim->setup, sim->comm));
    OCT_TRY(own ? oct_owners_take(sim, state, system) : oct_owners_divide(sim, n, system));
    if (state && !own && !sim->owners.whole)
        OCT_TRY(oct_owners_restore(sim, state));
    OCT_TRY(check_fits(sim, device, sim->n_own));
    OCT_TRY(oct_diagnose_columns(sim));
    return oct_domain_create(&sim->domain, sim, device, (uint32_t)sim->n_own,
                             system && !own ? system + sim->first : system);
}

/* The bodies at the start, given or made. */
static oct_status first_bodies(oct_bodies *out, oct_sim *sim, const oct_device *device,
                               const oct_bodies *given)
{
    uint64_t n;
    if (given)
        return oct_setup_adopt(out, sim->setup, given);
    /* The count is cheap: what cannot fit is refused before its particles are made. */
    OCT_TRY(oct_setup_count(&n, sim->setup));
    OCT_TRY(oct_owners_divide(sim, n, NULL));
    OCT_TRY(check_fits(sim, device, sim->n_own));
    return oct_setup_bodies(out, sim->setup);
}

/* Bodies that the host holds at a time, where they can be made in parts. */
enum { PART = 1 << 22 };

static oct_status fill_at_once(oct_sim *sim, oct_device *device, const oct_bodies *given)
{
    oct_status status;
    oct_bodies bodies = {0};
    extent all = {0};
    OCT_TRY_DONE(first_bodies(&bodies, sim, device, given));
    OCT_TRY_DONE(oct_setup_settle_softenings(&bodies, sim->setup));
    sim->softened = oct_bodies_soften(&bodies);
    OCT_TRY_DONE(prepare(sim, device, bodies.n, bodies.system, NULL));
    extend(&all, &bodies);
    choose_scales(sim, &all);
    oct_bodies_keep(&bodies, sim->first, sim->n_own);
    status = oct_sim_upload(sim, &bodies);
done:
    oct_bodies_clear(&bodies);
    return status;
}

/* Bodies that go to the device as they are made. */
typedef struct filling {
    oct_sim *sim;
    extent all;
    double *masses; /* of this rank's bodies, where there are others: they are added in order */
    uint64_t n_masses;
} filling;

static oct_status take_part(void *context, uint64_t first, const oct_bodies *part)
{
    filling *f = context;
    oct_domain *domain = f->sim->domain;
    OCT_TRY(oct_domain_check_bodies(domain, part));
    extend(&f->all, part);
    if (f->masses)
        memcpy(f->masses + f->n_masses, part->mass, part->n * sizeof *f->masses);
    f->n_masses += part->n;
    return oct_domain_write_bodies(domain, (uint32_t)(first - f->sim->first), part);
}

static oct_status add_masses(void *context)
{
    filling *f = context;
    for (uint64_t i = 0; i < f->n_masses; i++)
        f->all.mass += f->masses[i];
    return OCT_STATUS_OK;
}

/* What the bodies of all ranks extend over, with the bits that one would have found. */
static oct_status join_extents(filling *f, oct_comm *comm)
{
    double low[6];
    for (size_t k = 0; k < 3; k++) {
        low[k] = f->all.low[k];
        low[3 + k] = -f->all.high[k];
    }
    OCT_TRY(oct_comm_least(comm, low, 6));
    OCT_TRY(oct_comm_broadcast(comm, f->all.first, sizeof f->all.first));
    for (size_t k = 0; k < 3; k++) {
        f->all.low[k] = low[k];
        f->all.high[k] = -low[3 + k];
    }
    f->all.mass = 0;
    return oct_comm_relay(comm, &f->all.mass, sizeof f->all.mass, add_masses, f);
}

static oct_status fill(filling *f, size_t most)
{
    oct_sim *sim = f->sim;
    const oct_portion own = {
        .first = sim->first, .count = sim->n_own, .most = most, .comm = sim->comm};
    if (sim->comm)
        OCT_TRY(oct_alloc(&f->masses, sim->n_own, sizeof *f->masses, "masses"));
    OCT_TRY(oct_setup_make_parts(sim->setup, &own, take_part, f));
    if (sim->comm)
        OCT_TRY(join_extents(f, sim->comm));
    choose_scales(sim, &f->all);
    return oct_sim_placed(sim);
}

oct_status oct_sim_fill(oct_sim *sim, size_t most)
{
    filling f = {.sim = sim};
    oct_status status = fill(&f, most);
    free(f.masses);
    return status;
}

static oct_status fill_in_parts(oct_sim *sim, oct_device *device, uint64_t n)
{
    OCT_TRY(prepare(sim, device, n, NULL, NULL));
    return oct_sim_changed(sim, oct_sim_fill(sim, PART));
}

static oct_status start_fresh(oct_sim *sim, oct_device *device, const oct_sim_origin *from)
{
    uint64_t n = 0;
    if (!from->bodies)
        OCT_TRY(oct_setup_count(&n, sim->setup));
    /* Each rank makes its own, where bodies can be made so. */
    bool parts = (sim->comm || n > PART) && n > 0 && oct_setup_in_parts(sim->setup);
    OCT_TRY(parts ? fill_in_parts(sim, device, n) : fill_at_once(sim, device, from->bodies));
    OCT_TRY(oct_decompose_first(sim));
    const oct_collision *collision = oct_domain_collision(sim->domain);
    if (collision->start)
        OCT_TRY(collision->start(sim->domain->collisions.state, sim->domain));
    note_relaxed(sim);
    /* Relaxed bodies have moved, and some of them out of their domain's run. */
    if (sim->relaxed.sweeps > 0)
        OCT_TRY(oct_decompose_first(sim));
    return from->unmeasured ? OCT_STATUS_OK : oct_diagnose_first(sim);
}

static oct_status start_from(oct_sim *sim, oct_device *device, const oct_state *state)
{
    const oct_state_array *ids = oct_state_find(state, "id"), *system;
    OCT_CHECK(ids && ids->count > 0 && ids->count < INT32_MAX, OCT_STATUS_INPUT,
              "the checkpoint holds no particles");
    OCT_TRY(oct_state_systems(&system, state, ids->count));
    sim->softened = oct_state_find(state, "softening") != NULL;
    if (sim->softened)
        OCT_TRY(oct_setup_check_softenings(sim->setup));
    OCT_TRY(prepare(sim, device, ids->count, system ? system->data : NULL, state));
    OCT_TRY(oct_sim_import(sim, state));
    return sim->owners.restored ? OCT_STATUS_OK : oct_decompose_first(sim);
}

oct_status oct_sim_start(oct_sim **out, oct_device *device, oct_setup *setup,
                         oct_precision precision, const oct_sim_origin *from)
{
    static const oct_sim_origin models = {0};
    oct_sim *sim;
    *out = NULL;
    from = from ? from : &models;
    oct_status status = oct_alloc(&sim, 1, sizeof *sim, "simulation");
    if (status != OCT_STATUS_OK) {
        oct_setup_free(setup);
        return status;
    }
    sim->setup = setup;
    sim->precision = precision;
    sim->guess = oct_guess_first(oct_device_describe(device));
    sim->energy_start = NAN;
    sim->comm = from->comm;
    sim->together = 1; /* all ranks create it */
    sim->log = from->log;
    sim->log_context = from->log_context;
    if (from->state)
        memcpy(sim->run, from->state->run, sizeof sim->run);
    else
        status = oct_identity_draw(sim->run);
    if (status == OCT_STATUS_OK)
        status = oct_clock_make(&sim->clock, setup->step.dt);
    if (status == OCT_STATUS_OK)
        status = oct_owners_begin(sim, from->share, oct_device_describe(device));
    sim->waited = sim->clock;
    if (status == OCT_STATUS_OK)
        status = oct_device_precision(&sim->precision, device);
    if (status == OCT_STATUS_OK)
        status =
            from->state ? start_from(sim, device, from->state) : start_fresh(sim, device, from);
    if (status != OCT_STATUS_OK) {
        /* Others may be about to read what this rank has sent. */
        oct_comm_fail(from->comm, status);
        oct_sim_free(sim);
        return status;
    }
    sim->together = 0;
    sim->shared = sim->comm != NULL;
    *out = sim;
    return OCT_STATUS_OK;
}

void oct_sim_exchange(oct_sim *a, oct_sim *b)
{
    oct_sim before = *a;
    *a = *b;
    *b = before;
    /* Domains are the only parts that know whose they are. */
    for (oct_domain *domain = a->domain; domain; domain = domain->beside)
        domain->sim = a;
    for (oct_domain *domain = b->domain; domain; domain = domain->beside)
        domain->sim = b;
}

void oct_sim_free(oct_sim *sim)
{
    if (!sim)
        return;
    oct_lead_finish(sim);
    oct_ahead_drop(sim);
    oct_whole_free(sim->whole);
    oct_owners_end(&sim->owners);
    for (oct_domain *next, *domain = sim->domain; domain; domain = next) {
        next = domain->beside;
        oct_domain_free(domain);
    }
    oct_setup_free(sim->setup);
    free(sim->columns);
    for (size_t i = 0; i < sim->part_names.n; i++)
        free(sim->part_names.items[i]);
    free(sim->part_names.items);
    free(sim->every);
    free(sim->resumed_from);
    free(sim->changes);
    free(sim);
}

uint64_t oct_sim_steps(const oct_sim *sim)
{
    return sim->clock.step;
}

double oct_sim_time(const oct_sim *sim)
{
    return sim->clock.time;
}

double oct_sim_dt(const oct_sim *sim)
{
    return sim->setup->step.dt;
}

uint64_t oct_sim_count(const oct_sim *sim)
{
    return oct_join_count(sim->domain) - (sim->removed - sim->closed);
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
