/* Two simulations step to common times; bodies are matched by id and their separations measured. */
#include "run/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim.h"
#include "run/burst.h"
#include "run/schedule.h"
#include "util/flag.h"
#include "util/sized.h"

enum { MOST_IMAGES = 27 };

/* One of the two simulations. */
typedef struct side {
    oct_sim *sim;
    int64_t start, stride; /* its tick at the start, and its ticks in a beat */
    oct_burst burst;
    double *places; /* of the bodies in the order of the ids; NaN for those that are gone */
} side;

/* A comparison in progress. Its unit of time is the beat, the shortest time that is a whole number
 * of steps of both. */
typedef struct comparison {
    const oct_compare_options *options;
    side sides[2];
    int64_t beat, beats, interval;
    size_t n;
    uint64_t *ids;
    double *separations;
    double clock_start;
    oct_compare_record record;
    oct_compare_files files;
} comparison;

/* Whether a ratio is a whole number but for round-off, and one that can be counted. */
static bool is_whole(double *count, double ratio)
{
    *count = round(ratio);
    return *count >= 1 && *count < 1e15 && fabs(ratio - *count) <= 1e-12 * ratio;
}

/* The fewest of the longer steps that take as long as a whole number of the shorter ones. */
static oct_status find_beat(side sides[2])
{
    enum { MOST_STEPS = 10000 };
    const double dt[2] = {oct_sim_dt(sides[0].sim), oct_sim_dt(sides[1].sim)};
    int longer = dt[1] > dt[0];
    double ratio = dt[longer] / dt[!longer], count;
    int64_t steps = 1;
    while (steps <= MOST_STEPS && !is_whole(&count, (double)steps * ratio))
        steps++;
    OCT_CHECK(steps <= MOST_STEPS, OCT_STATUS_INPUT,
              "the time steps %.10g of a and %.10g of b have no common multiple within %d steps: "
              "expected a simple ratio",
              dt[0], dt[1], MOST_STEPS);
    sides[longer].stride = steps * OCT_CLOCK_DT;
    sides[!longer].stride = (int64_t)count * OCT_CLOCK_DT;
    return OCT_STATUS_OK;
}

static oct_status choose_interval(comparison *c, double default_steps)
{
    double wanted = c->options->interval, count;
    double stride = (double)c->sides[0].stride / (double)OCT_CLOCK_DT;
    double dt_a = oct_sim_dt(c->sides[0].sim), dt_b = oct_sim_dt(c->sides[1].sim);
    if (wanted == 0)
        count = fmin(fmax(round(default_steps / stride), 1), 1e15);
    else
        OCT_CHECK(
            is_whole(&count, wanted / (stride * dt_a)), OCT_STATUS_INPUT,
            "the interval %.10g is %.10g steps of a and %.10g of b; expected whole numbers of "
            "both",
            wanted, wanted / dt_a, wanted / dt_b);
    c->interval = (int64_t)count;
    return OCT_STATUS_OK;
}

static oct_status make_plan(comparison *c)
{
    const oct_compare_options *options = c->options;
    oct_schedules schedules[2];
    OCT_CHECK(options->until >= 0 && isfinite(options->until), OCT_STATUS_INPUT,
              "the time to compare until is %g; expected 0 or more", options->until);
    OCT_TRY(find_beat(c->sides));
    c->beats = INT64_MAX;
    for (int i = 0; i < 2; i++) {
        side *s = &c->sides[i];
        OCT_TRY(oct_schedules_check(s->sim->setup, options->until));
        OCT_TRY(oct_schedules_from(&schedules[i], s->sim->setup, &s->sim->clock, &s->sim->origin,
                                   options->until));
        s->start = s->sim->clock.tick;
        int64_t ticks = schedules[i].end > s->start ? schedules[i].end - s->start : 0;
        int64_t beats = ticks / s->stride + (ticks % s->stride > 0);
        c->beats = beats < c->beats ? beats : c->beats;
    }
    const side *a = &c->sides[0];
    c->record.until = oct_clock_time(&a->sim->clock, a->start + c->beats * a->stride);
    return choose_interval(c, schedules[0].diagnostics.stride);
}

/* The box and those around it at a time. */
static size_t list_images(oct_image out[MOST_IMAGES], const oct_sim *sim, double time)
{
    const oct_boundary *boundary = oct_setup_boundary(sim->setup);
    const void *state = sim->domain->boundary.state;
    bool repeats[3] = {false};
    size_t n = 0;
    if (!boundary->image) {
        out[n++] = (oct_image){0};
        return n;
    }
    boundary->repeats(repeats, state);
    for (int32_t x = -repeats[0]; x <= repeats[0]; x++)
        for (int32_t y = -repeats[1]; y <= repeats[1]; y++)
            for (int32_t z = -repeats[2]; z <= repeats[2]; z++)
                out[n++] = boundary->image(state, (const int32_t[]){x, y, z}, time);
    return n;
}

static oct_status check_alike(const oct_sim *a, const oct_sim *b)
{
    const oct_units *units = oct_sim_units(a), *other = oct_sim_units(b);
    double start = oct_sim_time(a);
    oct_image images[MOST_IMAGES], others[MOST_IMAGES];
    OCT_CHECK(a != b, OCT_STATUS_INPUT,
              "a and b are one simulation: make another of the same scene");
    OCT_CHECK(units->physical == other->physical && units->length == other->length &&
                  units->time == other->time,
              OCT_STATUS_INPUT, "a is in units %s and b in %s; expected the same", units->name,
              other->name);
    OCT_CHECK(fabs(oct_sim_time(b) - start) <= 1e-12 * fabs(start), OCT_STATUS_INPUT,
              "a is at time %.10g and b at %.10g; expected the same", start, oct_sim_time(b));
    size_t n = list_images(images, a, start);
    bool same = list_images(others, b, start) == n;
    /* That they move alike keeps them together. */
    for (size_t i = 0; same && i < n; i++)
        for (int k = 0; k < 3; k++)
            same = same && images[i].shift[k] == others[i].shift[k] &&
                   images[i].velocity[k] == others[i].velocity[k];
    OCT_CHECK(
        same, OCT_STATUS_INPUT,
        "the boxes of a and b repeat in different ways, so that bodies have no nearest image: "
        "expected the same boundary, size and omega");
    return OCT_STATUS_OK;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static oct_status sort_places(side *s, const comparison *c, const oct_bodies *bodies)
{
    for (size_t i = 0; i < 3 * c->n; i++)
        s->places[i] = NAN;
    for (size_t i = 0; i < bodies->n; i++) {
        const uint64_t *found = bsearch(&bodies->id[i], c->ids, c->n, sizeof *c->ids, by_value);
        OCT_CHECK(found, OCT_STATUS_INPUT, "body %llu of b is not in a; expected the same ids",
                  (unsigned long long)bodies->id[i]);
        memcpy(s->places + 3 * (found - c->ids), bodies->position + 3 * i, 3 * sizeof *s->places);
    }
    return OCT_STATUS_OK;
}

static oct_status find_places(side *s, const comparison *c)
{
    oct_bodies bodies = {0};
    oct_status status = oct_sim_bodies(&bodies, s->sim);
    if (status == OCT_STATUS_OK)
        status = sort_places(s, c, &bodies);
    oct_bodies_clear(&bodies);
    return status;
}

/* Lists the ids of a, and sees to it that those of b are the same. */
static oct_status match_bodies(comparison *c)
{
    side *a = &c->sides[0], *b = &c->sides[1];
    oct_bodies bodies = {0};
    oct_status status;
    OCT_TRY_DONE(oct_sim_bodies(&bodies, a->sim));
    OCT_TRY_DONE(oct_sim_wait(b->sim));
    OCT_CHECK_DONE(bodies.n == oct_sim_count(b->sim), OCT_STATUS_INPUT,
                   "a has %zu bodies and b has %llu; expected the same", bodies.n,
                   (unsigned long long)oct_sim_count(b->sim));
    c->n = bodies.n;
    OCT_TRY_DONE(oct_alloc(&c->ids, c->n, sizeof *c->ids, "ids"));
    OCT_TRY_DONE(oct_alloc(&c->separations, c->n, sizeof *c->separations, "separations"));
    OCT_TRY_DONE(oct_alloc(&a->places, 3 * c->n, sizeof *a->places, "places"));
    OCT_TRY_DONE(oct_alloc(&b->places, 3 * c->n, sizeof *b->places, "places"));
    memcpy(c->ids, bodies.id, c->n * sizeof *c->ids);
    qsort(c->ids, c->n, sizeof *c->ids, by_value);
    c->record.ids = c->ids;
    c->record.separations = c->separations;
    c->record.n = c->n;
    /* An id occurs once in a scene: as many that are all in a are the same. */
    status = find_places(b, c);
done:
    oct_bodies_clear(&bodies);
    return status;
}

/* The distance from p to the nearest image of q; NaN where either is gone. */
static double distance(const double p[3], const double q[3], const oct_image *images, size_t n)
{
    double least = INFINITY;
    if (isnan(p[0]) || isnan(q[0]))
        return NAN;
    for (size_t i = 0; i < n; i++) {
        const double *shift = images[i].shift;
        double x = p[0] - q[0] - shift[0], y = p[1] - q[1] - shift[1], z = p[2] - q[2] - shift[2];
        least = fmin(least, x * x + y * y + z * z);
    }
    return sqrt(least);
}

static void measure_separations(comparison *c)
{
    oct_compare_record *r = &c->record;
    const double *a = c->sides[0].places, *b = c->sides[1].places;
    oct_image images[MOST_IMAGES];
    size_t n_images = list_images(images, c->sides[0].sim, r->time);
    r->separation_max = NAN;
    r->separation_total = 0;
    r->compared = r->removed_a = r->removed_b = 0;
    for (size_t i = 0; i < c->n; i++, a += 3, b += 3) {
        double separation = distance(a, b, images, n_images);
        c->separations[i] = separation;
        r->removed_a += isnan(a[0]) != 0;
        r->removed_b += isnan(b[0]) != 0;
        if (isnan(separation))
            continue;
        r->compared++;
        r->separation_total += separation;
        if (!(separation <= r->separation_max)) {
            r->separation_max = separation;
            r->farthest = c->ids[i];
        }
    }
    r->separation_mean = r->separation_total / (double)r->compared;
    if (r->compared == 0)
        r->separation_total = NAN;
}

static void report(const comparison *c, const oct_compare_record *record)
{
    if (c->options->report)
        c->options->report(c->options->context, record);
}

static bool is_stopped(const comparison *c)
{
    return oct_flag_is_set(c->options->stop);
}

static oct_status take_record(comparison *c)
{
    oct_compare_record *r = &c->record;
    double *const errors[2] = {&r->energy_error_a, &r->energy_error_b};
    for (int i = 0; i < 2; i++) {
        OCT_TRY(find_places(&c->sides[i], c));
        OCT_TRY(oct_sim_measure_one(errors[i], c->sides[i].sim, "energy_error"));
    }
    r->time = oct_sim_time(c->sides[0].sim);
    measure_separations(c);
    r->wall_s = oct_burst_clock() - c->clock_start;
    r->measured = true;
    return oct_compare_row(&c->files, r);
}

/* Takes one of them to a beat, unless it is stopped before. */
static oct_status advance(comparison *c, side *s, int64_t beat)
{
    int64_t target = s->start + beat * s->stride;
    while (s->sim->clock.tick < target && !is_stopped(c)) {
        OCT_TRY(oct_burst_take(&s->burst, s->sim, UINT64_MAX, target, false));
        oct_compare_record progress = c->record;
        progress.time = oct_sim_time(c->sides[1].sim); /* it follows behind a */
        progress.wall_s = oct_burst_clock() - c->clock_start;
        progress.measured = false;
        report(c, &progress);
    }
    OCT_CHECK(
        s->sim->clock.tick <= target, OCT_STATUS_INPUT,
        "a step has passed time %g, at which a and b are compared: expected steps that end at "
        "every multiple of integrator.dt",
        oct_clock_time(&s->sim->clock, target));
    return OCT_STATUS_OK;
}

static bool has_arrived(const comparison *c, int64_t beat)
{
    const side *b = &c->sides[1];
    return b->sim->clock.tick == b->start + beat * b->stride;
}

static oct_status compare_loop(comparison *c)
{
    OCT_TRY(take_record(c));
    while (c->beat < c->beats && !is_stopped(c)) {
        int64_t left = c->beats - c->beat;
        int64_t next = c->beat + (c->interval < left ? c->interval : left);
        report(c, &c->record);
        OCT_TRY(advance(c, &c->sides[0], next));
        OCT_TRY(advance(c, &c->sides[1], next));
        if (!has_arrived(c, next))
            break;
        c->beat = next;
        OCT_TRY(take_record(c));
    }
    return OCT_STATUS_OK;
}

static oct_status compare(comparison *c)
{
    oct_sim *const sims[2] = {c->sides[0].sim, c->sides[1].sim};
    OCT_TRY(check_alike(sims[0], sims[1]));
    OCT_TRY(match_bodies(c));
    OCT_TRY(make_plan(c));
    OCT_TRY(oct_compare_open(&c->files, c->options, sims, &c->record));
    c->clock_start = oct_burst_clock();
    OCT_TRY(compare_loop(c));
    c->record.wall_s = oct_burst_clock() - c->clock_start;
    c->record.final = true;
    c->record.stopped = c->beat < c->beats;
    OCT_TRY(oct_compare_finish(&c->files, sims, &c->record));
    report(c, &c->record);
    return OCT_STATUS_OK;
}

oct_status oct_compare(oct_sim *a, oct_sim *b, const oct_compare_options *options)
{
    oct_compare_options own = {0};
    comparison c = {
        .options = &own, .sides = {{.sim = a}, {.sim = b}}, .record = {.size = sizeof c.record}};
    if (options)
        OCT_TRY(OCT_SIZED_TAKE(oct_compare_options, context, &own, options));
    OCT_TRY(oct_sim_usable(a));
    OCT_TRY(oct_sim_usable(b));
    oct_status status = compare(&c);
    oct_compare_clear(&c.files);
    for (int i = 0; i < 2; i++)
        free(c.sides[i].places);
    free(c.ids);
    free(c.separations);
    return oct_sim_done(b, oct_sim_done(a, status));
}
