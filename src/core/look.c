/* Finds forces for onlookers, in columns that no step goes by. */
#include "core/look.h"

#include "core/lead.h"

/* Editions that forces are made from: positions, the column that they are in, which nobody must
 * have written since, and the last that came from outside. */
enum { FROM_POSITION, IN_COLUMN, FROM_OUTSIDE };

/* Forces as they would be, were they found now and put into this column. */
static oct_made forces_now(const oct_domain *domain, const oct_buffer *column)
{
    oct_made now = OCT_MADE(domain->position, column);
    now.from[FROM_OUTSIDE] = domain->given;
    return now;
}

bool oct_forces_fresh(const oct_domain *domain)
{
    oct_made now = forces_now(domain, domain->acceleration);
    return oct_made_fresh(&domain->accelerated, &now);
}

void oct_forces_begun(oct_domain *domain)
{
    domain->accelerated = (oct_made){.from[FROM_OUTSIDE] = domain->given};
}

void oct_forces_found(oct_domain *domain)
{
    domain->accelerated = forces_now(domain, domain->acceleration);
}

void oct_forces_collided(oct_domain *domain, bool fresh)
{
    domain->collided = fresh ? forces_now(domain, domain->acceleration) : (oct_made){0};
}

bool oct_forces_doubtful(const oct_domain *domain)
{
    oct_made now = forces_now(domain, domain->acceleration);
    return oct_made_fresh(&domain->collided, &now);
}

void oct_forces_still(oct_domain *domain)
{
    if (oct_forces_doubtful(domain))
        oct_forces_found(domain);
}

/* Whether a step has found forces since bodies came from outside, which it may yet go by. */
static bool are_a_steps(const oct_domain *domain)
{
    return oct_edition_same(domain->accelerated.from[FROM_OUTSIDE], domain->given);
}

void oct_domain_given(oct_domain *domain, const oct_buffer *column)
{
    domain->given = oct_edition_of(column);
    if (column == domain->position || column == domain->type || column == domain->softening)
        domain->placed = domain->given;
}

/* Whether what onlookers have found is of now; it is in the column itself where they have none. */
static bool is_looked_at(oct_domain *domain)
{
    const oct_buffer *own = oct_domain_column(domain, "acceleration")->seen;
    oct_made now = forces_now(domain, own ? own : domain->acceleration);
    return oct_made_fresh(&domain->looked, &now);
}

/* Puts the onlookers' columns into the places of the others, and back. */
static void exchange(oct_domain *domain)
{
    for (uint32_t c = 0; c < domain->n_columns; c++)
        if (domain->columns[c].seen)
            oct_buffer_exchange(domain->columns[c].buffer, domain->columns[c].seen);
}

/* Whether all forces follow from positions alone. */
static bool follow_places(const oct_setup *setup)
{
    const oct_force *force;
    for (size_t i = 0; (force = oct_setup_force(setup, i)) != NULL; i++) {
        const void *state = i == 0 ? setup->gravity.state : setup->forces[i - 1].state;
        if (force->accumulate && (!force->follows || force->follows(state) != OCT_FOLLOWS_PLACES))
            return false;
    }
    return true;
}

bool oct_looks_apart(const oct_setup *setup)
{
    const oct_integrator *integrator = (const oct_integrator *)setup->integrator.module;
    bool collide = oct_setup_collision(setup)->collide;
    bool merges = collide && setup->contact.outcome == OCT_OUTCOME_MERGE;
    return !integrator->ends_with_forces || merges || (collide && !follow_places(setup));
}

bool oct_steps_differ(const oct_setup *setup, const oct_clock *clock)
{
    const oct_integrator *integrator = (const oct_integrator *)setup->integrator.module;
    return integrator->within &&
           integrator->within(setup->integrator.state, clock->tick - clock->start.tick);
}

oct_status oct_sim_check_whole(const oct_sim *sim)
{
    const oct_clock *clock = &sim->clock;
    int64_t past = (clock->tick - clock->start.tick) % OCT_CLOCK_DT;
    OCT_CHECK(!oct_steps_differ(sim->setup, clock), OCT_STATUS_INPUT,
              "bodies are in the middle of steps of their own at time %.17g: they can be changed "
              "where all have ended, at time %.17g",
              clock->time, oct_clock_time(clock, clock->tick - past + OCT_CLOCK_DT));
    return OCT_STATUS_OK;
}

/* Where bodies are is known: all have drifted to now. */
static oct_status predict(oct_domain *domain)
{
    const oct_buffer *like = domain->velocity;
    oct_made now = OCT_MADE(domain->position, domain->velocity, domain->acceleration);
    if (!domain->predicted)
        OCT_TRY(oct_buffer_create(&domain->predicted, domain->device, like->name, like->element,
                                  like->count));
    if (oct_made_fresh(&domain->predicted_from, &now))
        return OCT_STATUS_OK;
    OCT_TRY(oct_domain_integrator(domain)->predict(domain->integrator.state, domain,
                                                   domain->predicted));
    domain->predicted_from = now;
    return OCT_STATUS_OK;
}

oct_status oct_look_open(oct_domain *domain)
{
    bool ahead = oct_steps_differ(domain->setup, &domain->sim->clock);
    if (domain->onlookers == 0 && ahead)
        OCT_TRY(predict(domain));
    if (domain->onlookers++ > 0)
        return OCT_STATUS_OK;
    domain->exchanged = !oct_forces_fresh(domain) && is_looked_at(domain);
    if (domain->exchanged)
        exchange(domain);
    domain->ahead = ahead;
    if (ahead)
        oct_buffer_exchange(domain->velocity, domain->predicted);
    return OCT_STATUS_OK;
}

void oct_look_close(oct_domain *domain)
{
    if (--domain->onlookers > 0)
        return;
    if (domain->exchanged)
        exchange(domain);
    domain->exchanged = false;
    if (domain->ahead)
        oct_buffer_exchange(domain->velocity, domain->predicted);
    domain->ahead = false;
}

/* Columns for onlookers, as the others are now: what is summed up may begin with what was there.
 * Unless `all`: where no step has left forces yet they need none for accelerations. */
static oct_status make_columns(oct_domain *domain, bool all)
{
    for (uint32_t c = 0; c < domain->n_columns; c++) {
        oct_held_column *held = &domain->columns[c];
        bool needless = held->buffer == domain->acceleration && !held->seen && !are_a_steps(domain);
        if (!held->buffer || !(held->spec.flags & OCT_COLUMN_OF_FORCES) || (needless && !all))
            continue;
        if (!held->seen)
            OCT_TRY(oct_buffer_create(&held->seen, domain->device, held->buffer->name,
                                      held->buffer->element, held->buffer->count));
        if (held->buffer != domain->acceleration)
            OCT_TRY(oct_buffer_copy(held->seen, held->buffer));
    }
    return OCT_STATUS_OK;
}

/* Forces may remember what they found: a step must find them as if nobody had looked. */
static oct_status find_forces(oct_sim *sim, oct_set *of, bool wait)
{
    oct_domain *domain = sim->domain;
    oct_set *set = domain->set;
    uint32_t counters[OCT_COUNTERS];
    sim->looking = true;
    oct_domain_restrict(domain, of);
    exchange(domain);
    oct_status status = oct_sim_find_forces(sim);
    if (status == OCT_STATUS_OK)
        status = wait ? oct_sim_read_counters(counters, sim, true) : oct_sim_check_state(sim, true);
    if (status == OCT_STATUS_OK)
        domain->looked = forces_now(domain, domain->acceleration);
    exchange(domain);
    oct_domain_restrict(domain, set);
    sim->looking = false;
    return status;
}

static oct_status look(oct_sim *sim, oct_set *of)
{
    OCT_TRY(oct_sim_wait(sim));
    oct_domain *domain = sim->domain;
    if (domain->onlookers > 0 || oct_forces_fresh(domain) || is_looked_at(domain))
        return OCT_STATUS_OK;
    oct_status status = make_columns(domain, false);
    return oct_sim_done(sim, status == OCT_STATUS_OK ? find_forces(sim, of, true) : status);
}

oct_status oct_look_ahead(oct_sim *sim)
{
    oct_domain *domain = sim->domain;
    if (domain->onlookers > 0 || oct_forces_fresh(domain) || is_looked_at(domain))
        return oct_sim_check_state(sim, false);
    OCT_TRY(make_columns(domain, false));
    return find_forces(sim, NULL, false);
}

/* Puts what was found for a step into its columns, unless the device stands still. */
static oct_status keep(oct_domain *domain)
{
    for (uint32_t c = 0; c < domain->n_columns; c++) {
        const oct_held_column *held = &domain->columns[c];
        if (!held->seen)
            continue;
        domain->next.keeping = held->buffer;
        domain->next.kept = held->seen;
        domain->next.words = held->buffer->count * held->buffer->element / sizeof(uint32_t);
        OCT_TRY(oct_kernel_launch(domain->keep, domain->next.words, 0));
    }
    return OCT_STATUS_OK;
}

oct_status oct_forces_find_aside(oct_sim *sim)
{
    oct_domain *domain = sim->domain;
    domain->doubtful = oct_forces_doubtful(domain);
    /* A drift has taken away what is in the step's own columns, not what is in these. */
    domain->cleared = false;
    OCT_TRY(make_columns(domain, true));
    exchange(domain);
    oct_status status = oct_sim_find_forces(sim);
    exchange(domain);
    return status == OCT_STATUS_OK ? keep(domain) : status;
}

oct_status oct_sim_look_for(oct_sim *sim, oct_set *of)
{
    OCT_TRY(oct_sim_check_alone(sim, "forces cannot be found for some bodies"));
    return look(sim, of);
}

void oct_look_forget(oct_domain *domain)
{
    domain->looked = (oct_made){0};
}

oct_status oct_sim_look(oct_sim *sim)
{
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_lead_begin(sim, (oct_order){.kind = OCT_ORDER_LOOK}));
    return oct_lead_end(sim, look(sim, NULL));
}

static oct_status settle(oct_sim *sim)
{
    /* Looking first makes room for the tree: no step could be taken again for want of it. */
    OCT_TRY(oct_sim_look(sim));
    OCT_TRY(oct_sim_changed(sim, oct_sim_find_forces(sim)));
    return oct_sim_wait(sim);
}

oct_status oct_sim_settle_forces(oct_sim *sim)
{
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_lead_begin(sim, (oct_order){.kind = OCT_ORDER_SETTLE}));
    return oct_lead_end(sim, settle(sim));
}
