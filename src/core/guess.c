/* How many steps are enqueued on the guess that nobody merges.
 *
 * With a part p of the steps in which bodies merge, a wait of w and a step of f, a span of L steps
 * costs w/L + p f L/2 a step: a wait each span, and on average half of a span that stood still. It
 * is least where L is sqrt(2 w/(p f)). One more after each span without a merger and a quarter
 * after one with keep L at about sqrt(4/(3 p)). Until the first it doubles. Where p is not small
 * that is more than a wait in each step costs, which is what is done then. */
#include "core/guess.h"

#include "core/sim.h"

enum { FIRST_SPAN = 4, SOME_SPAN = 16, LONGEST_SPAN = 64, SHORTER = 4 };
/* Steps that are counted, and those without a merger for each with one from which on a guess costs
 * less than a wait in each: measured on one device, with 10^4 bodies. ENOUGH tell of most. */
enum { LATELY = 512, RARE = 64, ENOUGH = 8 };

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
    bool cpu = oct_device_is_cpu(device);
    oct_guess_way way = cpu ? OCT_GUESS_NOTHING : OCT_GUESS_NONE;
    return (oct_guess){.way = way, .next = way, .stays = cpu, .span = FIRST_SPAN};
}

/* How many steps of those that are guessed to have no merger. */
static uint32_t next_span(oct_guess *guess, uint64_t steps, uint32_t busy)
{
    uint32_t span = guess->span;
    if (busy == 0 && steps >= span) {
        span = guess->merged ? span + 1 : 2 * span;
    } else if (busy > 0) {
        guess->merged = true;
        span = span > SHORTER ? span / SHORTER : 1;
    }
    return span < LONGEST_SPAN ? span : LONGEST_SPAN;
}

/* Counts, halved now and then, so that they are those of late. */
static void count(oct_guess *guess, uint64_t steps, uint32_t busy)
{
    guess->seen += (uint32_t)(steps < LATELY ? steps : LATELY);
    guess->busy += busy;
    if (guess->seen > LATELY) {
        guess->seen /= 2;
        guess->busy /= 2;
    }
}

static oct_guess_way next_way(const oct_guess *guess, uint64_t steps, uint32_t busy)
{
    bool most = 2 * (uint64_t)busy >= steps, rare = RARE * guess->busy <= guess->seen;
    switch (guess->way) {
    case OCT_GUESS_NONE:
        return rare || guess->busy < 2 ? OCT_GUESS_NONE : OCT_GUESS_NOTHING;
    case OCT_GUESS_SOME:
        return most ? OCT_GUESS_SOME : OCT_GUESS_NOTHING;
    default:
        if (most && steps >= ENOUGH)
            return OCT_GUESS_SOME;
        return rare && guess->seen >= 2 * RARE ? OCT_GUESS_NONE : OCT_GUESS_NOTHING;
    }
}

void oct_guess_learn(oct_sim *sim, uint32_t busy)
{
    oct_guess *guess = &sim->guess;
    uint64_t steps = sim->clock.step - guess->step;
    guess->step = sim->clock.step;
    if (steps == 0 || guess->stays)
        return;
    count(guess, steps, busy);
    if (guess->way == OCT_GUESS_NONE)
        guess->span = next_span(guess, steps, busy);
    guess->next = next_way(guess, steps, busy);
}

void oct_guess_settle(oct_sim *sim)
{
    oct_guess *guess = &sim->guess;
    if (guess->stays || guess->next == guess->way)
        return;
    guess->way = guess->next;
    guess->span = guess->way == OCT_GUESS_SOME ? SOME_SPAN : FIRST_SPAN;
}

uint32_t oct_guess_span(const oct_sim *sim, uint32_t most)
{
    bool any = oct_sim_guesses(sim) && sim->guess.way != OCT_GUESS_NOTHING;
    return any && sim->guess.span < most ? sim->guess.span : most;
}
