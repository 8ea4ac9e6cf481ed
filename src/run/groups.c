/* From bodies to groups: linked on a device, measured here, in the order of the bodies. */
#include "octant/octant.h"
#include "util/sized.h"
#include "util/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST = 20 };

/* Members of groups one after the other, each group's in the order of the bodies. */
typedef struct roll {
    const oct_bodies *bodies;
    double period[3]; /* 0: open */
    double low[3];    /* where the box begins */
    uint32_t *members;
    double *distance; /* of a group's members: squares, then masses within */
} roll;

/* A given box is centred on the origin, or begins there if that is where the bodies are. */
static void place_box(roll *r, const oct_file_info *info)
{
    for (size_t k = 0; info->periodic && k < 3; k++) {
        bool cornered = true;
        for (size_t i = 0; i < r->bodies->n; i++)
            cornered = cornered && r->bodies->position[3 * i + k] >= 0;
        r->period[k] = info->box[k];
        r->low[k] = cornered ? 0 : -info->box[k] / 2;
    }
}

static double folded(const roll *r, double x, size_t k)
{
    double side = r->period[k];
    return side > 0 ? x - side * floor((x - r->low[k]) / side) : x;
}

/* The simulation is no more than the box and where bodies are in it. */
static oct_status link_bodies(uint32_t *label, oct_device *device, const roll *r, double link)
{
    char size[128];
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    oct_bodies places = {.n = r->bodies->n};
    oct_sim_options options = {.size = sizeof options, .bodies = &places};
    const double *period = r->period;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&places.position, places.n, 3 * sizeof(double), "positions"));
    for (size_t i = 0; i < 3 * places.n; i++)
        places.position[i] = folded(r, r->bodies->position[i], i % 3);
    OCT_TRY_DONE(oct_scene_create(&scene));
    OCT_TRY_DONE(oct_scene_set(scene, "gravity.method=none"));
    OCT_TRY_DONE(oct_scene_set(scene, "integrator.dt=1"));
    if (period[0] > 0) {
        snprintf(size, sizeof size, "box.size=[%.17g, %.17g, %.17g]", period[0], period[1],
                 period[2]);
        OCT_TRY_DONE(oct_scene_set(scene, "box.boundary=periodic"));
        OCT_TRY_DONE(oct_scene_set(scene, size));
    }
    OCT_TRY_DONE(oct_sim_create_with(&sim, device, scene, &options));
    OCT_TRY_DONE(oct_friends(label, sim, link));
done:
    oct_sim_free(sim);
    oct_scene_free(scene);
    free(places.position);
    return status;
}

/* Where a member is from the first one, to the nearest image. */
static void from_first(double out[3], const roll *r, uint32_t first, uint32_t i)
{
    for (size_t k = 0; k < 3; k++) {
        double d = r->bodies->position[3 * i + k] - r->bodies->position[3 * first + k];
        out[k] = r->period[k] > 0 ? remainder(d, r->period[k]) : d;
    }
}

static void centre_group(oct_group *g, const roll *r, const uint32_t *members)
{
    const oct_bodies *b = r->bodies;
    double d[3], weights = 0;
    for (uint64_t m = 0; m < g->n; m++)
        g->mass += b->mass[members[m]];
    for (uint64_t m = 0; m < g->n; m++) {
        uint32_t i = members[m];
        /* Bodies without mass count alike. */
        double weight = g->mass > 0 ? b->mass[i] : 1;
        weights += weight;
        from_first(d, r, members[0], i);
        for (size_t k = 0; k < 3; k++) {
            g->position[k] += weight * d[k];
            g->velocity[k] += weight * b->velocity[3 * i + k];
        }
    }
    for (size_t k = 0; k < 3; k++) {
        g->position[k] /= weights;
        g->velocity[k] /= weights;
    }
}

static int by_distance(const void *a, const void *b)
{
    double x = ((const double *)a)[0], y = ((const double *)b)[0];
    return (x > y) - (x < y);
}

/* The radius of the member at which half of the mass is within. */
static double half_radius(double *pairs, const oct_group *g)
{
    double within = 0;
    qsort(pairs, (size_t)g->n, 2 * sizeof *pairs, by_distance);
    for (uint64_t m = 0; m < g->n; m++) {
        within += pairs[2 * m + 1];
        if (within >= g->mass / 2)
            return sqrt(pairs[2 * m]);
    }
    return g->radius;
}

/* What is measured about the centre of mass, which is still relative to the first member. */
static void measure_group(oct_group *g, const roll *r, const uint32_t *members)
{
    const oct_bodies *b = r->bodies;
    double weights = 0, least = INFINITY, most = -1;
    for (uint64_t m = 0; m < g->n; m++) {
        uint32_t i = members[m];
        double x[3], v[3], d2 = 0, v2 = 0, mass = b->mass[i], weight = g->mass > 0 ? mass : 1;
        from_first(x, r, members[0], i);
        for (size_t k = 0; k < 3; k++) {
            x[k] -= g->position[k];
            v[k] = b->velocity[3 * i + k] - g->velocity[k];
            d2 += x[k] * x[k];
            v2 += v[k] * v[k];
        }
        for (size_t k = 0; k < 3; k++)
            g->angular_momentum[k] +=
                mass * (x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3]);
        weights += weight;
        g->dispersion += weight * v2;
        g->radius = fmax(g->radius, sqrt(d2));
        r->distance[2 * m] = d2;
        r->distance[2 * m + 1] = weight * (g->mass > 0 ? 1 : 0);
        if (mass > most) {
            most = mass;
            g->heaviest = b->id[i];
        }
        double energy = v2 / 2 + b->potential[i];
        if (b->potential[i] != 0 && energy < least) {
            least = energy;
            g->most_bound = b->id[i];
        }
    }
    if (isinf(least))
        g->most_bound = g->heaviest;
    g->dispersion = sqrt(g->dispersion / weights / 3);
    g->half_radius = half_radius(r->distance, g);
    for (size_t k = 0; k < 3; k++)
        g->position[k] = folded(r, g->position[k] + b->position[3 * members[0] + k], k);
}

typedef struct entry {
    uint32_t label;
    uint64_t n;
} entry;

static int by_members(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    return (x->label > y->label) - (x->label < y->label);
}

/* Numbers the groups with enough members, and each body by its group. */
static oct_status number_groups(oct_groups *out, const uint32_t *label, size_t n, uint64_t least)
{
    oct_status status;
    entry *entries = NULL;
    uint32_t *counts = NULL, *number = NULL;
    OCT_TRY_DONE(oct_alloc(&counts, n, sizeof *counts, "groups"));
    OCT_TRY_DONE(oct_alloc(&number, n, sizeof *number, "groups"));
    for (size_t i = 0; i < n; i++)
        counts[label[i]]++;
    for (size_t i = 0; i < n; i++)
        out->n += counts[i] >= least;
    OCT_TRY_DONE(oct_alloc(&entries, out->n + 1, sizeof *entries, "groups"));
    OCT_TRY_DONE(oct_alloc(&out->groups, out->n + 1, sizeof *out->groups, "groups"));
    size_t g = 0;
    for (uint32_t i = 0; i < n; i++)
        if (counts[i] >= least)
            entries[g++] = (entry){i, counts[i]};
    qsort(entries, out->n, sizeof *entries, by_members);
    for (g = 0; g < out->n; g++) {
        out->groups[g].n = entries[g].n;
        number[entries[g].label] = (uint32_t)(g + 1);
    }
    for (size_t i = 0; i < n; i++)
        out->of_body[i] = number[label[i]];
done:
    free(entries);
    free(counts);
    free(number);
    return status;
}

static oct_status measure_groups(oct_groups *out, roll *r)
{
    oct_status status;
    const oct_bodies *bodies = r->bodies;
    size_t *starts = NULL, first = 0;
    OCT_TRY_DONE(oct_alloc(&starts, out->n + 1, sizeof *starts, "groups"));
    OCT_TRY_DONE(oct_alloc(&r->members, bodies->n, sizeof *r->members, "members of groups"));
    OCT_TRY_DONE(oct_alloc(&r->distance, bodies->n, 2 * sizeof *r->distance, "members of groups"));
    for (size_t g = 0; g < out->n; g++) {
        starts[g] = first;
        first += (size_t)out->groups[g].n;
    }
    for (uint32_t i = 0; i < bodies->n; i++)
        if (out->of_body[i] > 0)
            r->members[starts[out->of_body[i] - 1]++] = i;
    for (size_t g = 0; g < out->n; g++) {
        oct_group *group = &out->groups[g];
        const uint32_t *members = r->members + starts[g] - group->n;
        centre_group(group, r, members);
        measure_group(group, r, members);
    }
done:
    free(starts);
    return status;
}

/* The linking length, where it is given in mean separations (V/n)^(1/3). */
static oct_status choose_link(oct_groups *out, const oct_groups_options *options, size_t n,
                              const double period[3])
{
    out->separation = cbrt(period[0] * period[1] * period[2] / (double)n);
    OCT_CHECK(options->link != 0 || out->separation > 0, OCT_STATUS_INPUT,
              "bodies in open space have no mean separation: say a linking length");
    out->link = options->link != 0 ? options->link : options->linking * out->separation;
    OCT_CHECK(isfinite(out->link) && out->link > 0, OCT_STATUS_INPUT,
              "a linking length of %g was asked for: expected a length above 0", out->link);
    return OCT_STATUS_OK;
}

oct_status oct_groups_find(oct_groups **out, oct_device *device, const oct_bodies *bodies,
                           const oct_file_info *info, const oct_groups_options *options)
{
    oct_status status;
    oct_groups *groups = NULL;
    oct_groups_options own;
    uint32_t *label = NULL;
    roll r = {.bodies = bodies};
    *out = NULL;
    OCT_TRY(OCT_SIZED_TAKE(oct_groups_options, least, &own, options));
    OCT_CHECK(bodies->n > 0 && bodies->n < UINT32_MAX, OCT_STATUS_INPUT,
              "groups of %zu bodies were asked for: expected 1 to 2^32 - 2", bodies->n);
    OCT_CHECK(!info->periodic || info->orbit == 0, OCT_STATUS_INPUT,
              "the images of a box that shears are elsewhere at each moment: groups are found in "
              "open and in periodic boxes");
    for (size_t k = 0; info->periodic && k < 3; k++)
        OCT_CHECK(isfinite(info->box[k]) && info->box[k] > 0, OCT_STATUS_INPUT,
                  "a periodic box with a side of %g was given: expected sides above 0",
                  info->box[k]);
    place_box(&r, info);
    OCT_TRY_DONE(oct_alloc(&groups, 1, sizeof *groups, "groups"));
    OCT_TRY_DONE(choose_link(groups, &own, bodies->n, r.period));
    OCT_TRY_DONE(oct_alloc(&label, bodies->n, sizeof *label, "labels"));
    OCT_TRY_DONE(oct_alloc(&groups->of_body, bodies->n, sizeof *groups->of_body, "groups"));
    OCT_TRY_DONE(link_bodies(label, device, &r, groups->link));
    OCT_TRY_DONE(number_groups(groups, label, bodies->n, own.least ? own.least : LEAST));
    OCT_TRY_DONE(measure_groups(groups, &r));
    *out = groups;
    groups = NULL;
done:
    free(label);
    free(r.members);
    free(r.distance);
    oct_groups_free(groups);
    return status;
}

void oct_groups_free(oct_groups *groups)
{
    if (!groups)
        return;
    free(groups->groups);
    free(groups->of_body);
    free(groups);
}
