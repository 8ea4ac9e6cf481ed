/* How many steps are enqueued on the guess that nobody merges.
 *
 * With a part p of the steps in which bodies merge, a wait of w and a step of f, a span of L steps
 * costs w/L + p f L/2 a step: a wait each span, and on average half of a span that stood still. It
 * is least where L is sqrt(2 w/(p f)). One more after each span without a merger and a quarter
 * after one with keep L at about sqrt(4/(3 p)). Until the first it doubles. */
#include "core/guess.h"

#include "core/sim.h"

enum { FIRST_SPAN = 4, SOME_SPAN = 16, LONGEST_SPAN = 64, SHORTER = 4 };

bool oct_sim_guesses(const oct_sim *sim)
{
    const oct_domain *domain = sim->domain;
    const oct_integrator *integrator = oct_domain_integrator(domain);
    return domain->setup->contact.outcome == OCT_OUTCOME_MERGE &&
           oct_domain_collision(domain)->collide && !integrator->collides_ahead &&
           oct_sim_repeats(sim);
}

oct_guess oct_guess_first(const oct_device_info *device)
{
    return (oct_guess){.way = oct_device_is_cpu(device) ? OCT_GUESS_NOTHING : OCT_GUESS_NONE,
                       .span = FIRST_SPAN};
}

void oct_guess_learn(oct_sim *sim, uint32_t busy)
{
    oct_guess *guess = &sim->guess;
    uint64_t steps = sim->clock.step - guess->step;
    uint32_t span = guess->span;
    guess->step = sim->clock.step;
    if (steps == 0 || guess->way == OCT_GUESS_NOTHING)
        return;
    if (guess->way == OCT_GUESS_SOME) {
        if (2 * (uint64_t)busy >= steps)
            return;
        guess->way = OCT_GUESS_NONE;
        span = 1;
    } else if (busy == 0 && steps >= span) {
        span = guess->merged ? span + 1 : 2 * span;
    } else if (busy > 0 && span == 1) {
        guess->way = OCT_GUESS_SOME;
        span = SOME_SPAN;
    } else if (busy > 0) {
        guess->merged = true;
        span = span > SHORTER ? span / SHORTER : 1;
    }
    guess->span = span < LONGEST_SPAN ? span : LONGEST_SPAN;
}

uint32_t oct_guess_span(const oct_sim *sim, uint32_t most)
{
    bool any = oct_sim_guesses(sim) && sim->guess.way != OCT_GUESS_NOTHING;
    return any && sim->guess.span < most ? sim->guess.span : most;
}
