/* What a domain holds on its device: made together, freed together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/access.h"
#include "core/diagnose.h"
#include "core/sim.h"

size_t oct_real_size(oct_precision precision)
{
    return precision == OCT_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

size_t oct_force_size(oct_precision precision)
{
    return precision == OCT_PRECISION_DOUBLE ? sizeof(double) : sizeof(float);
}

const oct_boundary *oct_domain_boundary(const oct_domain *domain)
{
    return (const oct_boundary *)domain->boundary.module;
}

const oct_force *oct_domain_gravity(const oct_domain *domain)
{
    return (const oct_force *)domain->gravity.module;
}

const oct_force *oct_domain_force(void **state, const oct_domain *domain, size_t index)
{
    if (index > domain->setup->n_forces)
        return NULL;
    const oct_choice *choice = index == 0 ? &domain->gravity : &domain->forces[index - 1];
    *state = choice->state;
    return (const oct_force *)choice->module;
}

const oct_collision *oct_domain_collision(const oct_domain *domain)
{
    return (const oct_collision *)domain->collisions.module;
}

const oct_integrator *oct_domain_integrator(const oct_domain *domain)
{
    return (const oct_integrator *)domain->integrator.module;
}

static oct_status make_buffers(oct_domain *domain)
{
    OCT_TRY(oct_domain_make_columns(domain));
    OCT_TRY(oct_readback_start(domain));
    OCT_TRY(oct_buffer_create(&domain->counters, domain->device, "counters", sizeof(uint32_t),
                              OCT_COUNTERS));
    if (oct_setup_spins(domain->setup))
        OCT_TRY(oct_domain_add_column(domain, oct_column_find("spin")));
    if (domain->sim->softened)
        OCT_TRY(oct_domain_add_column(domain, oct_column_find("softening")));
    const uint32_t counters[OCT_COUNTERS] = {UINT32_MAX, UINT32_MAX, 0, UINT32_MAX, 0};
    return oct_buffer_write(domain->counters, counters, 0, OCT_COUNTERS);
}

const oct_offer oct_domain_offers[] = {OCT_OFFER(oct_domain, "n", n),
                                       OCT_OFFER(oct_domain, "position", position),
                                       OCT_OFFER(oct_domain, "position_low", position_low),
                                       OCT_OFFER(oct_domain, "velocity", velocity),
                                       OCT_OFFER(oct_domain, "velocity_low", velocity_low),
                                       OCT_OFFER(oct_domain, "acceleration", acceleration),
                                       OCT_OFFER(oct_domain, "spin", spin),
                                       OCT_OFFER(oct_domain, "softenings", softening),
                                       OCT_OFFER(oct_domain, "id", id),
                                       OCT_OFFER(oct_domain, "type", type),
                                       OCT_OFFER(oct_domain, "acting_shift", acting.shift),
                                       OCT_OFFER(oct_domain, "acting_images", acting.n),
                                       OCT_OFFER(oct_domain, "image_shift", around.shift),
                                       OCT_OFFER(oct_domain, "image_velocity", around.velocity),
                                       OCT_OFFER(oct_domain, "images", around.n),
                                       OCT_OFFER(oct_domain, "system_of", system_table.of),
                                       OCT_OFFER(oct_domain, "system_first", system_table.first),
                                       OCT_OFFER(oct_domain, "systems", system_table.n),
                                       OCT_OFFER(oct_domain, "active", active),
                                       OCT_OFFER(oct_domain, "listed", listed),
                                       OCT_OFFER(oct_domain, "n_listed", n_listed),
                                       OCT_OFFER(oct_domain, "sources", sources.list),
                                       OCT_OFFER(oct_domain, "n_sources", sources.n),
                                       OCT_OFFER(oct_domain, "counters", counters),
                                       OCT_OFFER(oct_domain, "doubtful", doubtful),
                                       OCT_OFFER(oct_domain, "first_sum", readback.place),
                                       OCT_OFFER(oct_domain, "sum_rows", readback.stride),
                                       OCT_OFFER(oct_domain, "step_offset", next.step_offset),
                                       {0}};

const oct_offer oct_sim_offers[] = {OCT_OFFER(oct_sim, "step", clock.step),
                                    OCT_OFFER(oct_sim, "time", clock.time),
                                    OCT_OFFER(oct_sim, "scale", per_length),
                                    OCT_OFFER(oct_sim, "mass_scale", per_mass),
                                    {0}};

static oct_status make_kernels(oct_domain *domain)
{
    oct_program **program = &domain->program;
    OCT_TRY(oct_domain_build(program, domain, "state.cl", NULL));
    OCT_TRY(OCT_KERNEL(&domain->kick, *program, "state_kick", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_IN("acceleration", &domain->next.kicking),
                       OCT_BIND_REAL("dt", &domain->next.kick_dt)));
    OCT_TRY(OCT_KERNEL(&domain->drift, *program, "state_drift", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_IN("active", &domain->next.drifting),
                       OCT_BIND_REAL("dt", &domain->next.drift_dt)));
    OCT_TRY(OCT_KERNEL(&domain->kick_drift, *program, "state_kick_drift", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_OUT("cleared", &domain->next.clearing),
                       OCT_BIND_REAL("kick_dt", &domain->next.kick_dt),
                       OCT_BIND_REAL("drift_dt", &domain->next.drift_dt)));
    OCT_TRY(OCT_KERNEL(&domain->turn_spin, *program, "state_turn_spin", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_REAL("half_turn", &domain->next.half_turn),
                       OCT_BIND_REAL("sine", &domain->next.sine)));
    OCT_TRY(OCT_KERNEL(&domain->keep, *program, "state_keep", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_OUT("to", &domain->next.keeping),
                       OCT_BIND_IN("from", &domain->next.kept),
                       OCT_BIND_ULONG("words", &domain->next.words)));
    OCT_TRY(OCT_KERNEL(&domain->check, *program, "state_check", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_IN("acceleration", &domain->next.checked),
                       OCT_BIND_UINT("step_offset", &domain->next.checked_step)));
    OCT_TRY(OCT_KERNEL(&domain->sum, *program, "state_sum", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_OUT("partials", &domain->readback.partials),
                       OCT_BIND_IN("values", &domain->next.summed)));
    bool cpu = oct_device_is_cpu(oct_device_describe(domain->device));
    OCT_TRY(OCT_KERNEL(&domain->fold, *program, cpu ? "state_fold_rows" : "state_fold",
                       OCT_BIND_OFFERS(oct_readback_offers, &domain->readback)));
    return OCT_KERNEL(&domain->fold_row, *program, cpu ? "state_fold_rows" : "state_fold_lanes",
                      OCT_BIND_OFFERS(oct_readback_offers, &domain->readback));
}

static oct_status copy_modules(oct_domain *domain)
{
    const oct_setup *setup = domain->setup;
    OCT_TRY(oct_choice_copy(&domain->boundary, &setup->boundary));
    OCT_TRY(oct_choice_copy(&domain->gravity, &setup->gravity));
    OCT_TRY(oct_choice_copy(&domain->collisions, &setup->collisions));
    OCT_TRY(oct_choice_copy(&domain->integrator, &setup->integrator));
    if (setup->n_forces > 0)
        OCT_TRY(oct_alloc(&domain->forces, setup->n_forces, sizeof *domain->forces, "forces"));
    for (size_t i = 0; i < setup->n_forces; i++)
        OCT_TRY(oct_choice_copy(&domain->forces[i], &setup->forces[i]));
    return OCT_STATUS_OK;
}

static oct_status start_modules(oct_domain *domain)
{
    const oct_force *force;
    void *state;
    OCT_TRY(oct_images_start(domain));
    if (oct_domain_boundary(domain)->init)
        OCT_TRY(oct_domain_boundary(domain)->init(domain->boundary.state, domain));
    for (size_t i = 0; (force = oct_domain_force(&state, domain, i)) != NULL; i++)
        if (force->init)
            OCT_TRY(force->init(state, domain));
    if (oct_domain_collision(domain)->init)
        OCT_TRY(oct_domain_collision(domain)->init(domain->collisions.state, domain));
    if (oct_domain_integrator(domain)->init)
        OCT_TRY(oct_domain_integrator(domain)->init(domain->integrator.state, domain));
    return oct_diagnose_start(domain);
}

static oct_status start(oct_domain *domain, const uint32_t *system)
{
    OCT_TRY(copy_modules(domain));
    OCT_TRY(make_buffers(domain));
    OCT_TRY(oct_system_table_start(domain, system));
    OCT_TRY(make_kernels(domain));
    return start_modules(domain);
}

oct_status oct_domain_create(oct_domain **out, oct_sim *sim, oct_device *device, uint32_t n,
                             const uint32_t *system)
{
    oct_domain *domain;
    OCT_TRY(oct_alloc(&domain, 1, sizeof *domain, "domain"));
    domain->sim = sim;
    domain->setup = sim->setup;
    domain->device = device;
    domain->precision = sim->precision;
    domain->n = n;
    oct_status status = start(domain, system);
    if (status != OCT_STATUS_OK)
        oct_domain_free(domain);
    else
        *out = domain;
    return status;
}

oct_status oct_domain_create_bare(oct_domain **out, const oct_domain *like, uint32_t n)
{
    oct_domain *domain;
    OCT_TRY(oct_alloc(&domain, 1, sizeof *domain, "domain"));
    domain->sim = like->sim;
    domain->setup = like->setup;
    domain->device = like->device;
    domain->precision = like->precision;
    domain->n = n;
    oct_status status = oct_choice_copy(&domain->collisions, &like->setup->collisions);
    if (status == OCT_STATUS_OK)
        status = make_buffers(domain);
    if (status != OCT_STATUS_OK)
        oct_domain_free(domain);
    else
        *out = domain;
    return status;
}

oct_status oct_domain_start_sums(oct_domain *domain)
{
    return make_kernels(domain);
}

void oct_domain_free(oct_domain *domain)
{
    if (!domain)
        return;
    /* Modules first: they may hold kernels and buffers of this domain. */
    oct_diagnose_end(domain);
    oct_choice_end(&domain->boundary);
    oct_choice_end(&domain->gravity);
    oct_choice_end(&domain->collisions);
    oct_choice_end(&domain->integrator);
    for (size_t i = 0; domain->forces && i < domain->setup->n_forces; i++)
        oct_choice_end(&domain->forces[i]);
    free(domain->forces);
    oct_access_end(domain);
    oct_images_end(domain);
    oct_system_table_end(domain);
    oct_sources_end(domain);
    oct_kernel *const kernels[] = {domain->kick,      domain->drift, domain->kick_drift,
                                   domain->turn_spin, domain->keep,  domain->check,
                                   domain->sum,       domain->fold,  domain->fold_row};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
    oct_program_free(domain->program);
    oct_domain_free_columns(domain);
    oct_readback_end(domain);
    oct_buffer *const buffers[] = {domain->counters, domain->predicted};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    free(domain);
}

oct_status oct_domain_build(oct_program **out, oct_domain *domain, const char *file,
                            const char *options)
{
    const oct_build build = {.file = file, .precision = domain->precision, .options = options};
    return oct_program_create(out, domain->device, &build);
}

oct_status oct_domain_add_state(oct_domain *domain, oct_buffer *buffer)
{
    const oct_held_column *held = oct_domain_column(domain, buffer->name);
    bool taken = held && held->buffer != buffer;
    for (uint32_t i = 0; i < domain->n_state_arrays; i++)
        taken = taken || strcmp(domain->state_arrays[i]->name, buffer->name) == 0;
    OCT_CHECK(!taken, OCT_STATUS_INPUT, "there is an array '%s' in the state already",
              buffer->name);
    OCT_CHECK(domain->n_state_arrays < OCT_DOMAIN_STATE_ARRAYS, OCT_STATUS_INPUT,
              "more than %d module arrays belong to the state", OCT_DOMAIN_STATE_ARRAYS);
    domain->state_arrays[domain->n_state_arrays++] = buffer;
    return OCT_STATUS_OK;
}

oct_status oct_domain_add_total(oct_domain *domain, oct_buffer *buffer, oct_total kind)
{
    OCT_TRY(oct_domain_add_state(domain, buffer));
    domain->totals[domain->n_state_arrays - 1] = kind;
    return OCT_STATUS_OK;
}

/* What modules of programs see ----------------------------------------------------------------- */

oct_sim *oct_domain_sim(const oct_domain *domain)
{
    return domain->sim;
}

oct_device *oct_domain_device(const oct_domain *domain)
{
    return domain->device;
}

oct_precision oct_domain_precision(const oct_domain *domain)
{
    return domain->precision;
}

uint32_t oct_domain_count(const oct_domain *domain)
{
    return domain->n;
}

oct_buffer *oct_domain_array(oct_domain *domain, const char *name)
{
    const oct_held_column *held = oct_domain_column(domain, name);
    return held ? held->buffer : NULL;
}

oct_binding oct_domain_offer(const oct_domain *domain)
{
    return OCT_BIND_OFFERS(oct_domain_offers, domain);
}

oct_binding oct_domain_offer_sim(const oct_domain *domain)
{
    return OCT_BIND_OFFERS_OF(oct_sim_offers, &domain->sim);
}

oct_status oct_domain_compile(oct_program **out, oct_domain *domain, const char *label,
                              const char *text, const char *options)
{
    char about[200];
    snprintf(about, sizeof about, "'%.100s' is not valid OpenCL C", label);
    const oct_build build = {.file = label,
                             .text = text,
                             .precision = domain->precision,
                             .options = options,
                             .about = about};
    return oct_program_create(out, domain->device, &build);
}
