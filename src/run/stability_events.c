/* Which planets have gone, are unbound, or have orbits that cross. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "run/stability.h"
#include "util/status.h"

/* A body relative to another one. */
typedef struct relative {
    double place[3], speed[3];
    double distance, speed2;
} relative;

/* With the nearest image of either, where there are images. */
static relative relate(const double *x, const double *v, const double *from_x, const double *from_v,
                       const double period[3])
{
    relative r = {0};
    double d2 = 0;
    for (int k = 0; k < 3; k++) {
        r.place[k] = x[k] - from_x[k];
        if (period[k] > 0)
            r.place[k] -= period[k] * rint(r.place[k] / period[k]);
        r.speed[k] = v[k] - from_v[k];
        d2 += r.place[k] * r.place[k];
        r.speed2 += r.speed[k] * r.speed[k];
    }
    r.distance = sqrt(d2);
    return r;
}

static relative relate_bodies(const oct_baseline *baseline, const oct_bodies *b, size_t i,
                              size_t from)
{
    return relate(b->position + 3 * i, b->velocity + 3 * i, b->position + 3 * from,
                  b->velocity + 3 * from, baseline->period);
}

/* Bodies [first, end) are the system that begins with the first. */
static size_t system_end(const oct_bodies *b, size_t first)
{
    size_t end = first + 1;
    while (b->system[first] != 0 && end < b->n && b->system[end] == b->system[first])
        end++;
    return end;
}

static void set_event(oct_stability *out, const char *event, size_t n, const uint64_t *ids,
                      const char *format, ...) OCT_PRINTF(5, 6);
static void set_event(oct_stability *out, const char *event, size_t n, const uint64_t *ids,
                      const char *format, ...)
{
    va_list arguments;
    snprintf(out->event, sizeof out->event, "%s", event);
    out->n_bodies = n;
    memcpy(out->bodies, ids, n * sizeof *ids);
    va_start(arguments, format);
    vsnprintf(out->cause, sizeof out->cause, format, arguments);
    va_end(arguments);
}

/* The orbits of a system's planets about its star, from the smallest axis on. */
typedef struct oct_baseline_orbit {
    double axis, pericentre, apocentre;
    size_t body;
} orbit;

static int by_axis(const void *a, const void *b)
{
    double x = ((const orbit *)a)->axis, y = ((const orbit *)b)->axis;
    return (x > y) - (x < y);
}

/* Two orbits cross where one reaches as far out as the pericentre of a larger one. */
static bool find_crossing(size_t pair[2], orbit *orbits, size_t n)
{
    size_t widest = 0;
    qsort(orbits, n, sizeof *orbits, by_axis);
    for (size_t i = 1; i < n; i++) {
        if (orbits[widest].apocentre >= orbits[i].pericentre) {
            pair[0] = orbits[widest].body;
            pair[1] = orbits[i].body;
            return true;
        }
        if (orbits[i].apocentre > orbits[widest].apocentre)
            widest = i;
    }
    return false;
}

/* The planets of a system that are bound to its star, as orbits. */
static size_t list_orbits(orbit *out, const oct_baseline *baseline, const oct_bodies *b,
                          size_t first, size_t end)
{
    size_t n = 0;
    for (size_t i = first + 1; i < end; i++) {
        oct_elements elements;
        relative r = relate_bodies(baseline, b, i, first);
        double mu = baseline->G * (b->mass[first] + b->mass[i]);
        if (oct_kepler_elements(&elements, r.place, r.speed, mu) == OCT_STATUS_OK &&
            elements.eccentricity < 1) {
            double axis = elements.semi_major_axis, e = elements.eccentricity;
            out[n++] = (orbit){axis, axis * (1 - e), axis * (1 + e), i};
        }
    }
    return n;
}

static bool has_crossing(size_t pair[2], const oct_baseline *baseline, const oct_bodies *b,
                         size_t first, size_t end)
{
    return find_crossing(pair, baseline->room,
                         list_orbits(baseline->room, baseline, b, first, end));
}

static void write_unit(char out[32], const oct_units *units, oct_dimension dimension)
{
    if (!units->physical)
        return;
    out[0] = ' ';
    oct_units_describe(out + 1, 31, units, dimension);
}

oct_status oct_baseline_start(oct_baseline *baseline, const oct_bodies *b, const oct_units *units,
                              const double *period)
{
    bool endless = period && (period[0] > 0 || period[1] > 0 || period[2] > 0);
    double heaviest = 0;
    size_t pair[2];
    baseline->n = baseline->centre = b->n;
    baseline->G = units->G;
    if (period)
        memcpy(baseline->period, period, sizeof baseline->period);
    write_unit(baseline->length, units, OCT_LENGTH);
    write_unit(baseline->speed, units, OCT_SPEED);
    OCT_TRY(oct_alloc(&baseline->ids, b->n, sizeof *baseline->ids, "ids"));
    OCT_TRY(oct_alloc(&baseline->crosses, b->n, sizeof *baseline->crosses, "systems"));
    OCT_TRY(oct_alloc(&baseline->room, b->n, sizeof *baseline->room, "orbits"));
    memcpy(baseline->ids, b->id, b->n * sizeof *baseline->ids);
    for (size_t first = 0, end; first < b->n; first = end) {
        end = system_end(b, first);
        baseline->crosses[first] = has_crossing(pair, baseline, b, first, end);
        if (b->system[first] == 0 && b->mass[first] > heaviest && !endless) {
            heaviest = b->mass[first];
            baseline->centre = first;
        }
    }
    return OCT_STATUS_OK;
}

void oct_baseline_clear(oct_baseline *baseline)
{
    free(baseline->ids);
    free(baseline->crosses);
    free(baseline->room);
}

/* The first body that is not there any more. */
static void look_for_missing(oct_stability *out, const oct_baseline *baseline, const oct_bodies *b)
{
    size_t i = 0;
    while (i < b->n && b->id[i] == baseline->ids[i])
        i++;
    if (i < baseline->n)
        set_event(out, "removed", 1, &baseline->ids[i],
                  "body %llu is gone: it has merged with another one or has left the region",
                  (unsigned long long)baseline->ids[i]);
}

/* A planet whose energy relative to its star is not negative. */
static void look_for_unbound(oct_stability *out, const oct_baseline *baseline, const oct_bodies *b,
                             size_t first, size_t end)
{
    for (size_t i = first + 1; i < end && out->n_bodies == 0; i++) {
        relative r = relate_bodies(baseline, b, i, first);
        if (r.speed2 / 2 >= baseline->G * (b->mass[first] + b->mass[i]) / r.distance)
            set_event(out, "unbound", 2, (const uint64_t[]){b->id[i], b->id[first]},
                      "planet %llu is no longer bound to star %llu: it is %.6g%s away and faster, "
                      "by %.6g%s, than what holds it there",
                      (unsigned long long)b->id[i], (unsigned long long)b->id[first], r.distance,
                      baseline->length,
                      sqrt(r.speed2) -
                          sqrt(2 * baseline->G * (b->mass[first] + b->mass[i]) / r.distance),
                      baseline->speed);
    }
}

static void look_for_crossing(oct_stability *out, const oct_baseline *baseline, const oct_bodies *b,
                              size_t first, size_t end)
{
    size_t pair[2];
    if (!baseline->crosses[first] && has_crossing(pair, baseline, b, first, end))
        set_event(out, "crossing", 2, (const uint64_t[]){b->id[pair[0]], b->id[pair[1]]},
                  "the orbits of planets %llu and %llu about star %llu cross",
                  (unsigned long long)b->id[pair[0]], (unsigned long long)b->id[pair[1]],
                  (unsigned long long)b->id[first]);
}

/* A system whose energy in the pull of everything else, relative to the centre, is not negative:
 * the potential at its star, without what its own bodies have in it. */
static void look_for_torn(oct_stability *out, const oct_baseline *baseline, const oct_bodies *b,
                          size_t first, size_t end)
{
    double mass = 0, velocity[3] = {0}, potential = b->potential[first];
    const double *centre_x = b->position + 3 * baseline->centre;
    for (size_t i = first; i < end; i++) {
        mass += b->mass[i];
        for (size_t k = 0; k < 3; k++)
            velocity[k] += b->mass[i] * b->velocity[3 * i + k];
        if (i > first)
            potential += baseline->G * b->mass[i] / relate_bodies(baseline, b, i, first).distance;
    }
    for (size_t k = 0; k < 3; k++)
        velocity[k] /= mass;
    relative r = relate(b->position + 3 * first, velocity, centre_x,
                        b->velocity + 3 * baseline->centre, baseline->period);
    if (r.speed2 / 2 + potential >= 0)
        set_event(out, "torn", 2, (const uint64_t[]){b->id[first], b->id[baseline->centre]},
                  "the system of star %llu is torn off body %llu: it is %.6g%s away and leaves "
                  "with %.6g%s",
                  (unsigned long long)b->id[first], (unsigned long long)b->id[baseline->centre],
                  r.distance, baseline->length, sqrt(r.speed2), baseline->speed);
}

void oct_baseline_find_event(oct_stability *out, const oct_baseline *baseline, const oct_bodies *b,
                             const uint32_t (*touching)[2], size_t n_touching)
{
    look_for_missing(out, baseline, b);
    if (out->n_bodies == 0 && n_touching > 0)
        set_event(out, "collision", 2,
                  (const uint64_t[]){b->id[touching[0][0]], b->id[touching[0][1]]},
                  "bodies %llu and %llu touch", (unsigned long long)b->id[touching[0][0]],
                  (unsigned long long)b->id[touching[0][1]]);
    for (size_t first = 0, end; first < b->n && out->n_bodies == 0; first = end) {
        end = system_end(b, first);
        if (b->system[first] == 0)
            continue;
        look_for_unbound(out, baseline, b, first, end);
        if (out->n_bodies == 0)
            look_for_crossing(out, baseline, b, first, end);
        if (out->n_bodies == 0 && baseline->centre < baseline->n)
            look_for_torn(out, baseline, b, first, end);
    }
}
