/* The parts that steps are made of: kicks, drifts, forces, collisions. */
#include <math.h>

#include "core/look.h"
#include "core/trade.h"

bool oct_sim_begin_operation(oct_sim *sim)
{
    return sim->operation++ >= sim->operations_done;
}

/* Whether no force goes by what it found before; `places`: nor by anything but positions. Forces
 * are found while the device stands still, and what they leave then must not matter. */
static bool forces_follow(const oct_domain *domain, bool places)
{
    const oct_force *force;
    void *state;
    for (size_t i = 0; (force = oct_domain_force(&state, domain, i)) != NULL; i++) {
        oct_follows follows = force->follows ? force->follows(state) : OCT_FOLLOWS_STATE;
        if (force->accumulate &&
            (follows == OCT_FOLLOWS_PAST || (places && follows != OCT_FOLLOWS_PLACES)))
            return false;
    }
    return true;
}

/* Whether collisions may be enqueued before it is known that there was room for their pairs. */
static bool collides_ahead(const oct_domain *domain)
{
    const oct_integrator *integrator = oct_domain_integrator(domain);
    const oct_collision *collision = oct_domain_collision(domain);
    if (!collision->collide)
        return true;
    return collision->repeats && (integrator->collides_ahead || integrator->ends_with_forces) &&
           forces_follow(domain, false);
}

bool oct_sim_repeats(const oct_sim *sim)
{
    /* Who chooses its steps has looked at the state before each. */
    const oct_integrator *integrator = oct_domain_integrator(sim->domain);
    return !sim->comm && integrator->repeats && !integrator->next && collides_ahead(sim->domain);
}

bool oct_sim_runs_ahead(const oct_sim *sim)
{
    return !sim->looking && oct_sim_repeats(sim) &&
           !(sim->guess.way == OCT_GUESS_NOTHING && oct_sim_guesses(sim));
}

/* Whether accelerations from before collisions are kicked with after them, and are not found again
 * with the same bits: forces of steps that are enqueued behind a halt must not change them. */
static bool forces_stay(const oct_sim *sim)
{
    const oct_domain *domain = sim->domain;
    return oct_domain_collision(domain)->collide &&
           !oct_domain_integrator(domain)->collides_ahead && oct_sim_runs_ahead(sim) &&
           !forces_follow(domain, true);
}

uint32_t oct_sim_step_offset(const oct_sim *sim)
{
    return (uint32_t)(sim->clock.step - sim->waited.step);
}

oct_status oct_domain_kick(oct_domain *domain, oct_buffer *acceleration, double dt)
{
    domain->next.kicking = acceleration;
    domain->next.kick_dt = dt;
    return oct_kernel_launch(domain->kick, domain->n, 0);
}

/* What forces change in time beside velocities, where the acceleration is theirs too. */
static oct_status kick_others(oct_domain *domain, double dt)
{
    const oct_force *force;
    void *state;
    for (size_t i = 0; !domain->near_alone && (force = oct_domain_force(&state, domain, i)) != NULL;
         i++)
        if (force->kick)
            OCT_TRY(force->kick(state, domain, dt));
    return OCT_STATUS_OK;
}

oct_status oct_sim_kick(oct_sim *sim, double dt)
{
    oct_domain *domain = sim->domain;
    const oct_integrator *integrator = oct_domain_integrator(domain);
    if (!oct_sim_begin_operation(sim))
        return OCT_STATUS_OK;
    OCT_TRY(kick_others(domain, dt));
    return integrator->kick ? integrator->kick(domain->integrator.state, domain, dt)
                            : oct_domain_kick(domain, domain->acceleration, dt);
}

/* The spin of a free sphere keeps its direction in space: along the axes of a frame that turns by
 * an angle about z it turns by the opposite one. */
static oct_status turn_spins(oct_sim *sim, double dt)
{
    oct_domain *domain = sim->domain;
    double angle = oct_setup_omega(sim->setup) * dt;
    if (!domain->spin || angle == 0 || !oct_sim_begin_operation(sim))
        return OCT_STATUS_OK;
    domain->next.half_turn = tan(angle / 2);
    domain->next.sine = sin(angle);
    return oct_kernel_launch(domain->turn_spin, domain->n, 0);
}

static oct_status meet_boundary(oct_sim *sim)
{
    const oct_boundary *boundary = oct_domain_boundary(sim->domain);
    bool met = sim->domain->met;
    sim->domain->met = false;
    if (!boundary->apply || !oct_sim_begin_operation(sim) || met)
        return OCT_STATUS_OK;
    return boundary->apply(sim->domain->boundary.state, sim->domain);
}

static oct_status moved(oct_sim *sim, double dt)
{
    oct_clock_drift(&sim->clock, dt);
    OCT_TRY(turn_spins(sim, dt));
    return sim->whole_steps ? OCT_STATUS_OK : meet_boundary(sim);
}

oct_status oct_sim_arrive(oct_sim *sim)
{
    return sim->whole_steps ? meet_boundary(sim) : OCT_STATUS_OK;
}

void oct_sim_clear_ahead(oct_sim *sim)
{
    sim->domain->clears = !sim->domain->set;
}

oct_buffer *oct_domain_clearing(oct_domain *domain)
{
    /* Lent ones are cleared when the tree is there. */
    bool clears = domain->clears && !domain->lends;
    domain->clears = false;
    domain->cleared = clears;
    return clears ? domain->acceleration : NULL;
}

static oct_status drift_these(oct_domain *domain, oct_buffer *active, double dt)
{
    domain->next.drifting = active;
    domain->next.drift_dt = dt;
    return oct_kernel_launch(domain->drift, domain->n, 0);
}

oct_status oct_domain_drift(oct_domain *domain, double dt)
{
    return drift_these(domain, domain->active, dt);
}

static oct_status drift(oct_domain *domain, double dt)
{
    const oct_integrator *integrator = oct_domain_integrator(domain);
    return integrator->drift ? integrator->drift(domain->integrator.state, domain, dt)
                             : drift_these(domain, NULL, dt);
}

oct_status oct_sim_drift(oct_sim *sim, double dt)
{
    if (oct_sim_begin_operation(sim))
        OCT_TRY(drift(sim->domain, dt));
    else
        oct_forces_begun(sim->domain);
    return moved(sim, dt);
}

oct_status oct_sim_kick_drift(oct_sim *sim, double kick_dt, double drift_dt)
{
    oct_domain *domain = sim->domain;
    domain->next.kick_dt = kick_dt;
    domain->next.drift_dt = drift_dt;
    if (oct_sim_begin_operation(sim)) {
        OCT_TRY(kick_others(domain, kick_dt));
        domain->next.clearing = oct_domain_clearing(domain);
        OCT_TRY(oct_kernel_launch(domain->kick_drift, domain->n, 0));
    } else {
        oct_forces_begun(domain);
    }
    return moved(sim, drift_dt);
}

/* Which part of the forces is wanted. A force without parts is far. */
typedef enum part { PART_ALL, PART_NEAR, PART_FAR } part;

static oct_status add_force(const oct_force *force, void *state, oct_domain *domain, part wanted)
{
    bool parts = force->accumulate_near && force->accumulate_far;
    if (wanted == PART_NEAR)
        return parts ? force->accumulate_near(state, domain) : OCT_STATUS_OK;
    if (wanted == PART_FAR && parts)
        return force->accumulate_far(state, domain);
    return force->accumulate ? force->accumulate(state, domain) : OCT_STATUS_OK;
}

/* Whether somebody wants the bodies of a set one by one. */
static bool want_list(const oct_domain *domain)
{
    const oct_force *force;
    void *state;
    for (size_t i = 0; (force = oct_domain_force(&state, domain, i)) != NULL; i++)
        if (force->accumulate && !force->marks)
            return true;
    return oct_domain_boundary(domain)->pull != NULL;
}

/* No acceleration and potential of those that forces are for, where gravity does not see to it. */
static oct_status clear_forces(oct_domain *domain, part wanted)
{
    bool cleared = domain->cleared;
    domain->cleared = false;
    if (!domain->set && domain->lends && wanted != PART_NEAR)
        return OCT_STATUS_OK;
    if (!domain->set)
        return cleared ? OCT_STATUS_OK : oct_buffer_fill(domain->acceleration, 0);
    if (want_list(domain))
        OCT_TRY(oct_set_list(domain->set));
    return oct_set_clear(domain->set);
}

/* Images slide on when somebody wants them: drifts may follow each other. */
static oct_status move_images(oct_domain *domain)
{
    bool here = domain->acting.time == oct_sim_time(domain->sim);
    return here || !oct_domain_boundary(domain)->moving ? OCT_STATUS_OK : oct_images_update(domain);
}

/* Gravity, that of what is beyond the images that act, and the other forces. */
static oct_status add_forces(oct_domain *domain, part wanted)
{
    const oct_boundary *boundary = oct_domain_boundary(domain);
    const oct_force *force;
    void *state;
    if (!domain->sim->looking)
        oct_forces_begun(domain);
    OCT_TRY(move_images(domain));
    OCT_TRY(clear_forces(domain, wanted));
    for (size_t i = 0; (force = oct_domain_force(&state, domain, i)) != NULL; i++) {
        OCT_TRY(add_force(force, state, domain, wanted));
        if (i == 0 && wanted != PART_NEAR && force->accumulate && boundary->pull)
            OCT_TRY(boundary->pull(domain->boundary.state, domain));
    }
    return OCT_STATUS_OK;
}

oct_status oct_sim_find_forces(oct_sim *sim)
{
    oct_domain *domain = sim->domain;
    domain->near_alone = false;
    return add_forces(domain, PART_ALL);
}

oct_status oct_sim_forces(oct_sim *sim)
{
    bool stay = forces_stay(sim);
    /* It is one where nothing is to be done too: when steps are taken again, versions are not
     * what they were. */
    if (!oct_sim_begin_operation(sim)) {
        if (stay)
            oct_forces_found(sim->domain);
        return OCT_STATUS_OK;
    }
    if (oct_forces_fresh(sim->domain))
        return OCT_STATUS_OK;
    OCT_TRY(oct_trade(sim));
    OCT_TRY(stay ? oct_forces_find_aside(sim) : oct_sim_find_forces(sim));
    /* Those of a set are not those of all. */
    if (!sim->domain->set)
        oct_forces_found(sim->domain);
    return OCT_STATUS_OK;
}

oct_status oct_sim_forces_near(oct_sim *sim)
{
    oct_domain *domain = sim->domain;
    domain->near_alone = true;
    return oct_sim_begin_operation(sim) ? add_forces(domain, PART_NEAR) : OCT_STATUS_OK;
}

oct_status oct_sim_forces_far(oct_sim *sim)
{
    oct_domain *domain = sim->domain;
    domain->near_alone = false;
    return oct_sim_begin_operation(sim) ? add_forces(domain, PART_FAR) : OCT_STATUS_OK;
}

oct_status oct_sim_collide(oct_sim *sim, double dt)
{
    oct_domain *domain = sim->domain;
    const oct_collision *collision = oct_domain_collision(domain);
    if (!collision->collide)
        return OCT_STATUS_OK;
    if (!oct_sim_begin_operation(sim)) {
        /* Bodies may have merged, on the guess that none did: what was made from their positions
         * is not of these. */
        if (oct_sim_guesses(sim)) {
            domain->position->version++;
            oct_forces_begun(domain);
            oct_forces_collided(domain, false);
        }
        return OCT_STATUS_OK;
    }
    OCT_TRY(move_images(domain));
    if (domain->set)
        OCT_TRY(oct_set_list(domain->set));
    bool fresh = oct_forces_fresh(domain);
    OCT_TRY(collision->collide(domain->collisions.state, domain, dt));
    oct_forces_collided(domain, fresh && oct_sim_guesses(sim));
    return OCT_STATUS_OK;
}
