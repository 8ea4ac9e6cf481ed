/* Steps a simulation and looks for events at each interval. */
#include "run/stability.h"

#include <math.h>
#include <stdlib.h>

#include "core/sim.h"
#include "run/burst.h"
#include "run/schedule.h"
#include "util/flag.h"
#include "util/sized.h"

/* Looks at the bodies as they are now. */
static oct_status look(oct_stability *out, oct_baseline *baseline, oct_sim *sim)
{
    oct_bodies bodies = {0};
    uint32_t(*touching)[2] = NULL;
    size_t n_touching = 0;
    oct_status status;
    double period[3];
    oct_setup_periods(period, sim->setup);
    OCT_TRY_DONE(oct_sim_bodies(&bodies, sim));
    if (baseline->n == 0)
        OCT_TRY_DONE(oct_baseline_start(baseline, &bodies, oct_sim_units(sim), period));
    bool solid = false;
    for (size_t i = 0; i < bodies.n && !solid; i++)
        solid = bodies.radius[i] > 0;
    if (solid)
        OCT_TRY_DONE(oct_touching(&touching, &n_touching, sim));
    oct_baseline_find_event(out, baseline, &bodies, (const uint32_t(*)[2])touching, n_touching);
done:
    oct_touching_free(touching);
    oct_bodies_clear(&bodies);
    return status;
}

static oct_status choose_ticks(int64_t *end, int64_t *every, oct_sim *sim,
                               const oct_stability_options *options)
{
    enum { LOOKS = 5000 };
    oct_schedules schedules;
    OCT_CHECK(options->until >= 0 && isfinite(options->until), OCT_STATUS_INPUT,
              "the time to run until is %g; expected 0 or more", options->until);
    OCT_CHECK(options->interval >= 0 && isfinite(options->interval), OCT_STATUS_INPUT,
              "the time between looks is %g; expected 0 or more", options->interval);
    OCT_TRY(oct_schedules_check(sim->setup, options->until));
    OCT_TRY(oct_schedules_from(&schedules, sim->setup, &sim->clock, &sim->origin, options->until));
    *end = schedules.end;
    int64_t wanted =
        options->interval > 0 ? oct_clock_ticks(&sim->clock, options->interval) : *end / LOOKS;
    *every = wanted > OCT_CLOCK_DT ? wanted / OCT_CLOCK_DT * OCT_CLOCK_DT : OCT_CLOCK_DT;
    return OCT_STATUS_OK;
}

static oct_status watch(oct_stability *out, oct_baseline *baseline, oct_sim *sim,
                        const oct_stability_options *options)
{
    int64_t end = 0, every = 1;
    double shown = oct_burst_clock();
    oct_burst burst = {0};
    OCT_CHECK(sim->domain->system_table.n > 0, OCT_STATUS_INPUT,
              "there are no solar systems to watch: expected a model that makes them, such as "
              "galaxy-of-systems or solar-system");
    OCT_TRY(choose_ticks(&end, &every, sim, options));
    for (int64_t due = sim->clock.tick;;) {
        int64_t tick = sim->clock.tick;
        bool stop = oct_flag_is_set(options->stop);
        if (tick >= due || stop) {
            OCT_TRY(look(out, baseline, sim));
            out->time = oct_sim_time(sim);
            out->step = oct_sim_steps(sim);
            out->interrupted = stop && out->n_bodies == 0 && tick < end;
            if (stop || out->n_bodies > 0 || tick >= end)
                return OCT_STATUS_OK;
            due = end - tick < every ? end : tick + every;
        }
        if (options->report && oct_burst_clock() - shown > 0.2) {
            shown = oct_burst_clock();
            options->report(options->context, oct_sim_time(sim), oct_clock_time(&sim->clock, end));
        }
        OCT_TRY(oct_burst_take(&burst, sim, UINT64_MAX, due, false));
    }
}

oct_status oct_stability_watch(oct_stability *out, oct_sim *sim,
                               const oct_stability_options *options)
{
    oct_stability_options own = {0};
    oct_stability found = {0};
    oct_baseline baseline = {0};
    OCT_TRY(OCT_SIZED_CHECK(oct_stability, interrupted, out));
    if (options)
        OCT_TRY(OCT_SIZED_TAKE(oct_stability_options, context, &own, options));
    OCT_TRY(oct_sim_usable(sim));
    oct_status status = watch(&found, &baseline, sim, &own);
    oct_sized_give(out, &found, sizeof found);
    oct_baseline_clear(&baseline);
    return oct_sim_done(sim, status);
}
