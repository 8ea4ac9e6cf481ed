/* Steps, and looks at the state between them. */
#include "core/ahead.h"
#include "core/decompose.h"
#include "core/join.h"
#include "core/lead.h"
#include "core/look.h"
#include "core/sim_population.h"

/* Steps between flushes, and between waits: what is launched ahead takes memory, and modules look
 * after their buffers when the host has waited. */
enum { FLUSH_EVERY = 16, WAIT_EVERY = 64 };

/* Looks at the bodies of a domain, unless that was done; at accelerations where they are given. */
static oct_status look_at_domain(oct_domain *domain, oct_buffer *acceleration)
{
    enum { ACCELERATION = 3 };
    uint32_t steps = oct_sim_step_offset(domain->sim);
    oct_made now = OCT_MADE(domain->position, domain->velocity, domain->spin, acceleration);
    /* What was looked at with accelerations was looked at without them. */
    if (!acceleration)
        now.from[ACCELERATION] = domain->checked.from[ACCELERATION];
    domain->next.checked = acceleration;
    domain->next.checked_step = steps ? steps - 1 : 0;
    if (oct_made_fresh(&domain->checked, &now))
        return OCT_STATUS_OK;
    domain->checked = now;
    return oct_kernel_launch(domain->check, domain->n, 0);
}

oct_status oct_sim_check_state(oct_sim *sim, bool looked)
{
    for (oct_domain *domain = sim->domain; domain; domain = domain->beside) {
        bool counts = looked || oct_forces_fresh(domain);
        OCT_TRY(look_at_domain(domain, counts ? domain->acceleration : NULL));
    }
    return OCT_STATUS_OK;
}

/* Kicks and drifts look at what they change, and all of the state is looked at here: nothing is
 * shown or written that was not. */
oct_status oct_sim_read_counters(uint32_t counters[OCT_COUNTERS], oct_sim *sim, bool looked)
{
    uint64_t bad;
    OCT_TRY(oct_sim_check_state(sim, looked));
    OCT_TRY(oct_join_counters(counters, &bad, sim->domain));
    OCT_CHECK(counters[OCT_COUNTER_BAD_STEP] == UINT32_MAX, OCT_STATUS_NUMBER,
              "particle %llu is no number any more (NaN or infinity) in step %llu: try a "
              "smaller dt, or softening",
              (unsigned long long)bad,
              (unsigned long long)(sim->waited.step + counters[OCT_COUNTER_BAD_STEP] + 1));
    /* A device that stands still has not looked. */
    for (oct_domain *d = sim->domain; d && counters[OCT_COUNTER_HALT] != UINT32_MAX; d = d->beside)
        d->checked = (oct_made){0};
    return OCT_STATUS_OK;
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
    /* Bursts are of steps of dt. */
    if (!integrator->burst || integrator->next)
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

/* Whether the host is to wait: not where few steps are left, at whose end it waits anyway. A GPU
 * may go on there. */
static bool is_to_wait(const oct_sim *sim, uint64_t steps, int64_t until)
{
    enum { FEW = WAIT_EVERY / 2 };
    uint32_t offset = oct_sim_step_offset(sim), span = oct_guess_span(sim, WAIT_EVERY);
    bool few = steps <= FEW || oct_clock_step_at(&sim->clock, until) - sim->clock.step <= FEW;
    bool waits = oct_device_is_cpu(oct_device_describe(sim->domain->device));
    return offset >= span + (few && waits && span == WAIT_EVERY ? FEW : 0);
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
        if (is_to_wait(sim, steps - i - taken, until))
            OCT_TRY(oct_sim_wait(sim));
        OCT_TRY(oct_sim_close_up(sim));
        OCT_TRY(oct_decompose_again(sim));
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
    OCT_TRY(oct_lead_begin(sim, (oct_order){OCT_ORDER_ADVANCE, steps, until}));
    return oct_lead_end(sim, oct_sim_changed(sim, take_steps(sim, steps, until)));
}

/* Lets modules look after their buffers: those that find no room make it. */
static oct_status modules_waited(oct_domain *domain)
{
    const oct_collision *collision = oct_domain_collision(domain);
    const oct_force *force;
    void *state;
    for (size_t i = 0; (force = oct_domain_force(&state, domain, i)) != NULL; i++)
        if (force->waited)
            OCT_TRY(force->waited(state, domain));
    return collision->waited ? collision->waited(domain->collisions.state, domain) : OCT_STATUS_OK;
}

/* The device has stood still since a module found no room: makes room, and takes the steps since
 * the last wait again from there on, up to a tick. */
static oct_status repeat_steps(oct_sim *sim, uint32_t halted, int64_t end)
{
    const uint32_t none = UINT32_MAX;
    OCT_TRY(modules_waited(sim->domain));
    OCT_TRY(oct_buffer_write(sim->domain->counters, &none, OCT_COUNTER_HALT, 1));
    sim->clock = sim->waited;
    /* It stood still where forces were found: those that were launched after are none. */
    oct_forces_begun(sim->domain);
    sim->operation = 0;
    sim->operations_done = halted;
    while (sim->clock.tick < end)
        OCT_TRY(take_step(sim));
    return OCT_STATUS_OK;
}

/* Whether nothing was asked of the device since the last wait, so that there is nothing to hear of.
 * Ranks wait together. */
static bool nothing_since(const oct_sim *sim)
{
    oct_device_work work = oct_device_worked(sim->domain->device);
    return !sim->comm && sim->clock.tick == sim->waited.tick &&
           work.launches == sim->waited_work.launches &&
           work.transfers == sim->waited_work.transfers &&
           oct_edition_same(sim->waited_given, sim->domain->given);
}

oct_status oct_sim_settle(oct_sim *sim, const uint32_t counters[OCT_COUNTERS])
{
    const oct_boundary *boundary = oct_domain_boundary(sim->domain);
    sim->operation = sim->operations_done = 0;
    sim->waited_before = sim->waited.step;
    sim->waited = sim->clock;
    sim->domain->next.step_offset = 0;
    sim->removed = counters[OCT_COUNTER_REMOVED];
    /* Drifts add up to the step but for round-off. Whoever looks now sees images of its very time,
     * as after a resume. */
    if (boundary->moving && sim->domain->acting.time != sim->clock.time)
        OCT_TRY(oct_images_update(sim->domain));
    OCT_TRY(modules_waited(sim->domain));
    oct_guess_settle(sim);
    if (boundary->waited)
        OCT_TRY(boundary->waited(sim->domain->boundary.state, sim->domain));
    sim->waited_work = oct_device_worked(sim->domain->device);
    sim->waited_given = sim->domain->given;
    return OCT_STATUS_OK;
}

/* Waits for the steps up to a tick, at least those that the device has taken. */
static oct_status settle_steps(oct_sim *sim, int64_t end)
{
    uint32_t counters[OCT_COUNTERS];
    OCT_TRY(oct_sim_read_counters(counters, sim, false));
    while (counters[OCT_COUNTER_HALT] != UINT32_MAX) {
        OCT_TRY(repeat_steps(sim, counters[OCT_COUNTER_HALT], end));
        OCT_TRY(oct_sim_read_counters(counters, sim, false));
    }
    return oct_sim_settle(sim, counters);
}

/* A row that was measured while the device stood still is measured again, on the way. */
static oct_status wait_for_steps(oct_sim *sim)
{
    int64_t end = sim->clock.tick;
    if (nothing_since(sim))
        return OCT_STATUS_OK;
    OCT_TRY(oct_ahead_arrive(sim));
    if (sim->ahead.lost) {
        OCT_TRY(settle_steps(sim, sim->ahead.clock.tick));
        OCT_TRY(oct_ahead_again(sim));
        while (sim->clock.tick < end)
            OCT_TRY(take_step(sim));
    }
    return settle_steps(sim, end);
}

oct_status oct_sim_wait(oct_sim *sim)
{
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_lead_begin(sim, (oct_order){.kind = OCT_ORDER_WAIT}));
    return oct_lead_end(sim, oct_sim_changed(sim, wait_for_steps(sim)));
}
