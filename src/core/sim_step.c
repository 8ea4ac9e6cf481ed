/* Steps, and looks at the state between them. */
#include "core/population.h"

/* Steps between flushes, and between waits: what is launched ahead takes memory, and modules look
 * after their buffers when the host has waited. */
enum { FLUSH_EVERY = 16, WAIT_EVERY = 64 };

/* Reads the counters; a particle that is no number any more is a failure. Kicks and drifts look at
 * what they change, and all of the state is looked at here: nothing is shown or written that was
 * not. Accelerations count where they are those of the present positions. */
static oct_status read_counters(uint32_t counters[OCT_COUNTERS], oct_sim *sim, bool accelerated)
{
    uint64_t versions = sim->domain->position->version + sim->domain->velocity->version +
                        sim->domain->acceleration->version;
    uint32_t steps = oct_sim_step_offset(sim);
    sim->domain->next.checked = accelerated ? sim->domain->acceleration : NULL;
    sim->domain->next.checked_step = steps ? steps - 1 : 0;
    if (versions != sim->checked)
        OCT_TRY(oct_kernel_launch(sim->domain->check, sim->domain->n, 0));
    OCT_TRY(oct_buffer_read(counters, sim->domain->counters, 0, OCT_COUNTERS));
    if (counters[OCT_COUNTER_BAD_STEP] != UINT32_MAX) {
        uint64_t id = 0;
        OCT_TRY(oct_buffer_read(&id, sim->domain->id, counters[OCT_COUNTER_BAD_INDEX], 1));
        return OCT_FAIL(
            OCT_STATUS_NUMBER,
            "particle %llu is no number any more (NaN or infinity) in step %llu: try a "
            "smaller dt, or softening",
            (unsigned long long)id,
            (unsigned long long)(sim->waited.step + counters[OCT_COUNTER_BAD_STEP] + 1));
    }
    sim->checked = versions;
    return OCT_STATUS_OK;
}

oct_status oct_sim_look(oct_sim *sim)
{
    OCT_TRY(oct_sim_wait(sim));
    if (sim->forces_fresh || sim->looked == sim->domain->position->version)
        return OCT_STATUS_OK;
    /* Forces may remember what they found: a step must find them as if nobody had looked. */
    uint32_t counters[OCT_COUNTERS];
    oct_set *set = sim->domain->set;
    sim->looking = true;
    sim->looked = 0;
    oct_domain_restrict(sim->domain, NULL);
    oct_status status = oct_sim_find_forces(sim);
    oct_domain_restrict(sim->domain, set);
    sim->looking = false;
    if (status == OCT_STATUS_OK)
        status = read_counters(counters, sim, true);
    if (status == OCT_STATUS_OK)
        sim->looked = sim->domain->position->version;
    return oct_sim_done(sim, status);
}

oct_status oct_sim_settle_forces(oct_sim *sim)
{
    /* Looking first makes room for the tree: no step could be taken again for want of it. */
    OCT_TRY(oct_sim_look(sim));
    sim->looked = 0;
    OCT_TRY(oct_sim_changed(sim, oct_sim_find_forces(sim)));
    sim->forces_fresh = false;
    return oct_sim_wait(sim);
}

static oct_status take_step(oct_sim *sim)
{
    const oct_integrator *integrator = oct_domain_integrator(sim->domain);
    sim->domain->next.step_offset = oct_sim_step_offset(sim);
    const void *state = sim->domain->integrator.state;
    int64_t ticks = OCT_CLOCK_DT;
    double dt = 0;
    if (integrator->next)
        OCT_TRY(integrator->next(&ticks, state, sim));
    OCT_TRY(oct_clock_next(&dt, &sim->clock, ticks));
    OCT_TRY(integrator->step(state, sim, dt));
    oct_clock_advance(&sim->clock, ticks);
    return OCT_STATUS_OK;
}

/* Several steps at once where the integrator has a way to, none of them beyond the first that ends
 * at a tick or after it; *taken: 0 where it has not. */
static oct_status take_burst(uint64_t *taken, oct_sim *sim, uint64_t most, int64_t until)
{
    const oct_integrator *integrator = oct_domain_integrator(sim->domain);
    *taken = 0;
    if (!integrator->burst)
        return OCT_STATUS_OK;
    double dt;
    uint64_t left = oct_clock_step_at(&sim->clock, until) - sim->clock.step;
    uint64_t room = (uint64_t)((INT64_MAX - sim->clock.tick) / OCT_CLOCK_DT);
    most = most < left ? most : left;
    sim->domain->next.step_offset = oct_sim_step_offset(sim);
    OCT_TRY(oct_clock_next(&dt, &sim->clock, OCT_CLOCK_DT));
    OCT_TRY(integrator->burst(taken, sim->domain->integrator.state, sim->domain, dt,
                              most < room ? most : room));
    for (uint64_t i = 0; i < *taken; i++)
        oct_clock_advance(&sim->clock, OCT_CLOCK_DT);
    return OCT_STATUS_OK;
}

static oct_status take_steps(oct_sim *sim, uint64_t steps, int64_t until)
{
    for (uint64_t i = 0, taken; i < steps && sim->clock.tick < until; i += taken) {
        OCT_TRY(take_burst(&taken, sim, steps - i, until));
        if (taken == 0) {
            OCT_TRY(take_step(sim));
            taken = 1;
        }
        if (i % FLUSH_EVERY + taken >= FLUSH_EVERY)
            OCT_TRY(oct_device_flush(sim->domain->device));
        if (oct_sim_step_offset(sim) >= WAIT_EVERY)
            OCT_TRY(oct_sim_wait(sim));
        OCT_TRY(oct_sim_close_up(sim));
    }
    return oct_device_flush(sim->domain->device);
}

oct_status oct_sim_step(oct_sim *sim, uint64_t steps)
{
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_clock_reaches(&sim->clock, steps));
    return oct_sim_advance(sim, steps, OCT_CLOCK_NEVER);
}

oct_status oct_sim_advance(oct_sim *sim, uint64_t steps, int64_t until)
{
    OCT_TRY(oct_sim_usable(sim));
    return oct_sim_changed(sim, take_steps(sim, steps, until));
}

/* Lets forces look after their buffers: those that find no room make it. */
static oct_status forces_waited(oct_domain *domain)
{
    const oct_force *force;
    void *state;
    for (size_t i = 0; (force = oct_domain_force(&state, domain, i)) != NULL; i++)
        if (force->waited)
            OCT_TRY(force->waited(state, domain));
    return OCT_STATUS_OK;
}

/* The device has stood still since a module found no room: makes room, and takes the steps since
 * the last wait again from there on. */
static oct_status repeat_steps(oct_sim *sim, uint32_t halted)
{
    const uint32_t none = UINT32_MAX;
    int64_t end = sim->clock.tick;
    OCT_TRY(forces_waited(sim->domain));
    OCT_TRY(oct_buffer_write(sim->domain->counters, &none, OCT_COUNTER_HALT, 1));
    sim->clock = sim->waited;
    sim->forces_fresh = sim->waited_fresh;
    sim->turn = 0;
    sim->turns_done = halted;
    while (sim->clock.tick < end)
        OCT_TRY(take_step(sim));
    return OCT_STATUS_OK;
}

static oct_status wait_for_steps(oct_sim *sim)
{
    const oct_collision *collision = oct_domain_collision(sim->domain);
    const oct_boundary *boundary = oct_domain_boundary(sim->domain);
    uint32_t counters[OCT_COUNTERS];
    OCT_TRY(read_counters(counters, sim, sim->forces_fresh));
    while (counters[OCT_COUNTER_HALT] != UINT32_MAX) {
        OCT_TRY(repeat_steps(sim, counters[OCT_COUNTER_HALT]));
        OCT_TRY(read_counters(counters, sim, sim->forces_fresh));
    }
    sim->turn = sim->turns_done = 0;
    sim->waited_fresh = sim->forces_fresh;
    sim->waited_before = sim->waited.step;
    sim->waited = sim->clock;
    sim->domain->next.step_offset = 0;
    sim->removed = counters[OCT_COUNTER_REMOVED];
    /* Drifts add up to the step but for round-off. Whoever looks now sees images of its very time,
     * as after a resume. */
    if (boundary->moving && sim->domain->acting.time != sim->clock.time)
        OCT_TRY(oct_images_update(sim->domain));
    OCT_TRY(forces_waited(sim->domain));
    if (collision->waited)
        OCT_TRY(collision->waited(sim->domain->collisions.state, sim->domain));
    if (boundary->waited)
        return boundary->waited(sim->domain->boundary.state, sim->domain);
    return OCT_STATUS_OK;
}

oct_status oct_sim_wait(oct_sim *sim)
{
    OCT_TRY(oct_sim_usable(sim));
    return oct_sim_changed(sim, wait_for_steps(sim));
}
