/* How long a run will take: steps of it are timed, on the device it will run on. Trials with few of
 * its bodies come first, so that one with all of them is not begun where it would take too long. */
/* mkdtemp is a POSIX function. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/diagnose.h"
#include "io/scene.h"
#include "run/burst.h"
#include "run/schedule.h"
#include "run/survey.h"
#include "util/sized.h"

/* Bodies of the first trial; steps that a trial takes at least; how much larger the next one must
 * be to be worth it, and may be. */
enum { FEW = 2048, LEAST_STEPS = 3, LEAST_GROWTH = 3, MOST_GROWTH = 16, MOST_TRIALS = 8 };

typedef struct trial {
    uint64_t n, steps;
    double start_s, step_s, row_s, snapshot_s;
} trial;

/* Steps in bursts as long as those between two rows of diagnostics, where the host waits. */
static oct_status time_steps(trial *out, oct_sim *sim, const oct_schedules *schedules, double limit)
{
    uint64_t burst = 1, steps = (uint64_t)(schedules->end / OCT_CLOCK_DT);
    double stride = fmin(schedules->diagnostics.stride, (double)steps), spent = 0;
    /* The first step compiles, and finds forces twice. */
    OCT_TRY(oct_sim_step(sim, 1));
    OCT_TRY(oct_sim_wait(sim));
    double start = oct_burst_clock();
    while (out->steps < LEAST_STEPS || (spent < limit && out->steps < steps)) {
        OCT_TRY(oct_sim_step(sim, burst));
        OCT_TRY(oct_sim_wait(sim));
        out->steps += burst;
        spent = oct_burst_clock() - start;
        out->step_s = spent / (double)out->steps;
        if (2 * (double)burst <= fmin(stride, (limit - spent) / out->step_s))
            burst *= 2;
    }
    return OCT_STATUS_OK;
}

/* Of a row of all columns and of one of those that are in every row, as often as they come. */
static oct_status time_row(trial *out, oct_sim *sim)
{
    size_t n = 0;
    double *values;
    uint32_t rarest = 1;
    for (size_t c = 0; oct_sim_columns(sim)[c].name; c++) {
        n += oct_sim_columns(sim)[c].count;
        rarest = sim->every[c] > rarest ? sim->every[c] : rarest;
    }
    oct_status status;
    OCT_TRY(oct_alloc(&values, n, sizeof *values, "measurements"));
    /* The first one compiles. */
    OCT_TRY_DONE(oct_sim_measure(values, sim));
    OCT_TRY_DONE(oct_sim_step(sim, 1));
    OCT_TRY_DONE(oct_sim_wait(sim));
    double start = oct_burst_clock();
    OCT_TRY_DONE(oct_diagnose_row(values, sim, 1));
    double between = oct_burst_clock();
    OCT_TRY_DONE(oct_diagnose_row(values, sim, 0));
    double row = between - start, whole = oct_burst_clock() - between;
    out->row_s = row + (rarest > 1 ? whole / rarest : 0);
done:
    free(values);
    return status;
}

/* Where no temporary file can be written the time that it takes is not known, and left out. */
static void time_snapshot(trial *out, oct_sim *sim)
{
    const char *folder = getenv("TMPDIR");
    char place[4096], path[4200], name[48];
    int length = snprintf(place, sizeof place, "%s/octant-XXXXXX",
                          folder && folder[0] == '/' ? folder : "/tmp");
    if (length < 0 || (size_t)length >= sizeof place || !mkdtemp(place))
        return;
    oct_snapshot_name(name, 0);
    snprintf(path, sizeof path, "%s/%s", place, name);
    double start = oct_burst_clock();
    if (oct_sim_snapshot(sim, path) == OCT_STATUS_OK)
        out->snapshot_s = oct_burst_clock() - start;
    (void)unlink(path);
    (void)rmdir(place);
}

/* A run's beginning, with a share of the bodies (0: all). */
static oct_status try_out(trial *out, oct_device *device, const oct_scene *scene,
                          oct_precision precision, double share, double limit)
{
    oct_setup *setup;
    oct_sim *sim = NULL;
    oct_schedules schedules;
    double start = oct_burst_clock();
    *out = (trial){0};
    OCT_TRY(oct_scene_setup(&setup, scene));
    setup->share = share;
    OCT_TRY(oct_sim_start(&sim, device, setup, precision, NULL));
    oct_status status;
    out->start_s = oct_burst_clock() - start;
    out->n = sim->domain->n;
    OCT_TRY_DONE(oct_schedules_make(&schedules, sim->setup, 0));
    OCT_TRY_DONE(time_steps(out, sim, &schedules, limit));
    OCT_TRY_DONE(time_row(out, sim));
    time_snapshot(out, sim);
done:
    oct_sim_free(sim);
    return status;
}

/* What is known of the scene before. */
typedef struct outlook {
    uint64_t n;
    bool all_pairs; /* are looked at in a step */
    double sweeps;  /* of the start, each about half a step */
} outlook;

static oct_status look_at(outlook *out, const oct_scene *scene)
{
    oct_setup *setup;
    OCT_TRY(oct_scene_setup(&setup, scene));
    const oct_collision *collision = oct_setup_collision(setup);
    const oct_force *force;
    out->all_pairs = collision->all_pairs;
    for (size_t i = 0; (force = oct_setup_force(setup, i)) != NULL; i++)
        out->all_pairs = out->all_pairs || force->all_pairs;
    out->sweeps = collision->start ? (double)setup->contact.relax : 0;
    oct_status status = oct_setup_count(&out->n, setup);
    oct_setup_free(setup);
    return status;
}

/* The most bodies that a next trial of so many seconds can have. The first start compiled, which
 * says nothing about the next. */
static double reach_of(const trial *last, const outlook *scene, bool compiled, double limit)
{
    double steps = (2 * LEAST_STEPS + scene->sweeps / 2) * last->step_s + 2 * last->row_s;
    double growth = fmin(limit / steps, compiled ? limit / last->start_s : INFINITY);
    growth = scene->all_pairs ? fmin(growth, sqrt(limit / steps)) : growth;
    return (double)last->n * fmin(growth, MOST_GROWTH);
}

static void extrapolate(oct_forecast *out, const trial *last, uint64_t n, bool all_pairs)
{
    double ratio = (double)n / (double)last->n;
    double work = ratio * log((double)n + 1) / log((double)last->n + 1);
    *out = (oct_forecast){.start_s = last->start_s * ratio,
                          .step_s = last->step_s * (all_pairs ? ratio * ratio : work),
                          .row_s = last->row_s * work,
                          .snapshot_s = last->snapshot_s * ratio,
                          .steps = last->steps,
                          .n = last->n};
    if (last->n < n)
        out->law = all_pairs ? "n^2" : "n log n";
}

/* Trials of more and more bodies, until one has all of them or a larger one would take too long. */
static oct_status time_scene(oct_forecast *out, oct_device *device, const oct_scene *scene,
                             oct_precision precision, double seconds)
{
    outlook whole;
    trial last;
    OCT_TRY(look_at(&whole, scene));
    double limit = seconds / 4, n = (double)whole.n;
    OCT_TRY(try_out(&last, device, scene, precision, n > FEW ? FEW / n : 0, limit / 8));
    for (int i = 0; i < MOST_TRIALS && (i == 0 || last.n < whole.n); i++) {
        double reach = reach_of(&last, &whole, i > 0, limit);
        /* The last one may take a little longer. */
        bool all = 2 * reach >= n || last.n == whole.n;
        if (!all && reach < (double)LEAST_GROWTH * (double)last.n)
            break;
        OCT_TRY(try_out(&last, device, scene, precision, all ? 0 : reach / n, limit));
    }
    extrapolate(out, &last, whole.n, whole.all_pairs);
    return OCT_STATUS_OK;
}

oct_status oct_scene_forecast(oct_forecast *out, oct_device *device, const oct_scene *scene,
                              oct_precision precision, double seconds)
{
    oct_plan plan = {.size = sizeof plan};
    oct_forecast own = {0};
    OCT_TRY(OCT_SIZED_CHECK(oct_forecast, law, out));
    oct_sized_give(out, &own, sizeof own);
    OCT_TRY(oct_scene_plan(&plan, scene));
    OCT_TRY(time_scene(&own, device, scene, precision, seconds));
    /* A checkpoint at the end takes about as long as a snapshot. */
    own.wall_s = own.start_s + (double)plan.steps * own.step_s + (double)plan.rows * own.row_s +
                 (double)(plan.snapshots + 1) * own.snapshot_s;
    oct_sized_give(out, &own, sizeof own);
    return OCT_STATUS_OK;
}
