/* Launches outputs, lets copies of what they found follow, and reads these through another queue.
 */
#include "core/ahead.h"

#include "core/diagnose.h"
#include "core/look.h"

enum { OF_ROW, OF_COPY };

/* Whether forces are what a row needs and no more: energies of their own are found by launches, and
 * gravity in parts may wait in ways of its own. */
static bool forces_allow(const oct_domain *domain, bool parts)
{
    const oct_force *force;
    void *state;
    for (size_t i = 0; (force = oct_domain_force(&state, domain, i)) != NULL; i++)
        if (force->energy || (force->accumulate_near && !parts))
            return false;
    return true;
}

/* Whether nobody need wait for steps before what they leave is looked at. */
static bool can_look(const oct_sim *sim, bool parts)
{
    const oct_domain *domain = sim->domain;
    /* Bodies stay who they are, and their number is known. */
    bool stay = !domain->removes && domain->setup->contact.outcome != OCT_OUTCOME_MERGE;
    return !domain->beside && stay && oct_sim_runs_ahead(sim) && forces_allow(domain, parts);
}

bool oct_ahead_can_copy(const oct_sim *sim)
{
    return oct_fetch_pays(sim->domain->device) && can_look(sim, false);
}

/* Few bodies on a CPU, where waking its threads takes longer than what they then do. */
static bool can_join(const oct_sim *sim)
{
    enum { FEW = 256 };
    const oct_domain *domain = sim->domain;
    return oct_ahead_at_once(sim) && oct_fetch_joins(domain->device) && domain->n <= FEW &&
           !oct_domain_collision(domain)->collide && can_look(sim, true);
}

bool oct_ahead_can_measure(const oct_sim *sim, uint64_t row)
{
    return (oct_ahead_can_copy(sim) || can_join(sim)) && oct_row_reads_ahead(sim, row);
}

bool oct_ahead_at_once(const oct_sim *sim)
{
    return !oct_fetch_pays(sim->domain->device);
}

/* What the first output of a step begins with. */
static oct_status begin(oct_sim *sim)
{
    oct_ahead *ahead = &sim->ahead;
    OCT_CHECK(ahead->stage == OCT_AHEAD_NONE || ahead->clock.tick == sim->clock.tick,
              OCT_STATUS_INTERNAL, "an output was begun before those of another step were there");
    ahead->clock = sim->clock;
    ahead->stage = OCT_AHEAD_SENT;
    return OCT_STATUS_OK;
}

/* Images of this very time, as after a wait. */
static oct_status move_images(oct_domain *domain)
{
    bool moves = oct_domain_boundary(domain)->moving;
    return moves && domain->acting.time != oct_sim_time(domain->sim) ? oct_images_update(domain)
                                                                     : OCT_STATUS_OK;
}

/* The counters follow what they say whether it is good. */
static oct_status send(oct_sim *sim, int which)
{
    oct_ahead *ahead = &sim->ahead;
    OCT_TRY(oct_fetch_add(ahead->fetch[which], ahead->counters[which], sim->domain->counters,
                          OCT_COUNTERS));
    return oct_fetch_send(ahead->fetch[which]);
}

static oct_status launch_row(oct_sim *sim)
{
    oct_domain *domain = sim->domain;
    oct_readback_begin_ahead(domain);
    OCT_TRY(oct_fetch_create(&sim->ahead.fetch[OF_ROW], domain->device));
    OCT_TRY(oct_row_launch(sim, sim->ahead.row));
    OCT_TRY(oct_readback_send(domain, sim->ahead.fetch[OF_ROW]));
    return send(sim, OF_ROW);
}

static oct_status launch_copy(oct_sim *sim)
{
    oct_ahead *ahead = &sim->ahead;
    OCT_TRY(oct_fetch_create(ahead->copying, sim->domain->device));
    OCT_TRY(oct_fetch_create(&ahead->fetch[OF_COPY], sim->domain->device));
    sim->fetch = *ahead->copying;
    oct_status status = oct_sim_export_ahead(ahead->copy, sim);
    sim->fetch = NULL;
    OCT_TRY(status);
    OCT_TRY(oct_fetch_send(*ahead->copying));
    return send(sim, OF_COPY);
}

static oct_status launch(oct_sim *sim, int which)
{
    bool looks = which == OF_COPY || oct_row_looks(sim, sim->ahead.row);
    if (looks || oct_row_walks(sim, sim->ahead.row))
        OCT_TRY(move_images(sim->domain));
    OCT_TRY(looks ? oct_look_ahead(sim) : oct_sim_check_state(sim, false));
    OCT_TRY(oct_look_open(sim->domain));
    oct_status status = which == OF_ROW ? launch_row(sim) : launch_copy(sim);
    oct_look_close(sim->domain);
    return status;
}

static oct_status enqueue(oct_sim *sim, int which)
{
    sim->ahead.launching = true;
    oct_status status = launch(sim, which);
    sim->ahead.launching = false;
    return status;
}

static oct_status begun(oct_sim *sim, oct_status status)
{
    if (status != OCT_STATUS_OK)
        oct_ahead_drop(sim);
    return oct_sim_changed(sim, status);
}

oct_status oct_ahead_measure(oct_sim *sim, uint64_t row)
{
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(begin(sim));
    sim->ahead.measures = true;
    sim->ahead.row = row;
    return begun(sim, enqueue(sim, OF_ROW));
}

oct_status oct_ahead_copy(oct_state *out, oct_fetch **fetch, oct_sim *sim)
{
    *out = (oct_state){0};
    *fetch = NULL;
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(begin(sim));
    sim->ahead.copy = out;
    sim->ahead.copying = fetch;
    return begun(sim, enqueue(sim, OF_COPY));
}

oct_status oct_ahead_arrive(oct_sim *sim)
{
    oct_ahead *ahead = &sim->ahead;
    if (ahead->stage != OCT_AHEAD_SENT)
        return OCT_STATUS_OK;
    ahead->stage = OCT_AHEAD_THERE;
    for (int which = OF_ROW; which <= OF_COPY; which++) {
        const uint32_t *counters = ahead->counters[which];
        if (!ahead->fetch[which])
            continue;
        OCT_TRY(oct_fetch_finish(ahead->fetch[which]));
        oct_fetch_free(ahead->fetch[which]);
        ahead->fetch[which] = NULL;
        if (counters[OCT_COUNTER_HALT] != UINT32_MAX ||
            counters[OCT_COUNTER_BAD_STEP] != UINT32_MAX)
            ahead->lost = true;
    }
    if (ahead->measures && !ahead->lost)
        oct_readback_arrived(sim->domain);
    return OCT_STATUS_OK;
}

oct_status oct_ahead_await(oct_sim *sim)
{
    bool there = true;
    for (int which = OF_ROW; which <= OF_COPY; which++)
        if (sim->ahead.fetch[which] && !oct_fetch_there(sim->ahead.fetch[which]))
            there = false;
    return there ? OCT_STATUS_OK : oct_sim_done(sim, oct_ahead_arrive(sim));
}

/* The host waits for what needs room now. */
oct_status oct_ahead_again(oct_sim *sim)
{
    const oct_ahead before = sim->ahead;
    oct_ahead_drop(sim);
    OCT_TRY(begin(sim));
    if (before.copy) {
        oct_fetch_free(*before.copying);
        oct_state_clear(before.copy);
        *before.copying = NULL;
        *before.copy = (oct_state){0};
    }
    sim->ahead.measures = before.measures;
    sim->ahead.row = before.row;
    sim->ahead.copy = before.copy;
    sim->ahead.copying = before.copying;
    oct_look_forget(sim->domain);
    if (before.measures)
        OCT_TRY(launch(sim, OF_ROW));
    if (before.copy)
        OCT_TRY(launch(sim, OF_COPY));
    OCT_TRY(oct_ahead_arrive(sim));
    OCT_CHECK(!sim->ahead.lost, OCT_STATUS_INTERNAL, "outputs of a step were lost twice");
    return OCT_STATUS_OK;
}

/* Who measures asks what time it is. */
static oct_status fill(oct_later *later, double *out, oct_sim *sim)
{
    oct_clock now = sim->clock;
    sim->clock = sim->ahead.clock;
    oct_status status = oct_row_fill(later, out, sim, sim->ahead.row);
    sim->clock = now;
    return status;
}

oct_status oct_ahead_finish(oct_later *later, double *out, oct_sim *sim)
{
    OCT_TRY(oct_sim_usable(sim));
    OCT_CHECK(sim->ahead.stage != OCT_AHEAD_NONE && sim->ahead.measures == (out != NULL),
              OCT_STATUS_INTERNAL, "a row is wanted that was not begun, or the other way round");
    oct_status status = oct_ahead_arrive(sim);
    /* The wait says what is wrong, or makes them again. */
    if (status == OCT_STATUS_OK && sim->ahead.lost)
        status = oct_sim_wait(sim);
    else if (status == OCT_STATUS_OK && oct_ahead_at_once(sim) && sim->ahead.measures)
        status = oct_sim_settle(sim, sim->ahead.counters[OF_ROW]);
    if (status == OCT_STATUS_OK && out)
        status = fill(later, out, sim);
    oct_ahead_drop(sim);
    if (status != OCT_STATUS_OK && later)
        oct_later_clear(later);
    return oct_sim_changed(sim, status);
}

void oct_ahead_drop(oct_sim *sim)
{
    for (int which = OF_ROW; which <= OF_COPY; which++)
        oct_fetch_free(sim->ahead.fetch[which]);
    sim->ahead = (oct_ahead){0};
    if (sim->domain)
        oct_readback_over(sim->domain);
}
