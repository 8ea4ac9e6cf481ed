/* What the spherical models share: equal masses drawn one by one from a radius and a speed. */
#ifndef OCT_MODEL_MODEL_SPHERE_H
#define OCT_MODEL_MODEL_SPHERE_H

#include "core/centre.h"
#include "core/setup.h"
#include "util/random.h"

#include <float.h>
#include <math.h>

/* The state of every spherical model begins with this. */
typedef struct oct_sphere {
    int64_t n;
    double mass;
} oct_sphere;

/* Their first fields. */
#define OCT_SPHERE_N                                                                               \
    {                                                                                              \
        .name = "n", .type = OCT_FIELD_INT, .offset = offsetof(oct_sphere, n), .min = 1,           \
        .max = 2147483648.0, .doc = "number of particles"                                          \
    }
#define OCT_SPHERE_MASS                                                                            \
    {                                                                                              \
        .name = "mass", .type = OCT_FIELD_REAL, .offset = offsetof(oct_sphere, mass),              \
        .initial = "1", .unit = {.mass = 1}, .above_min = true, .max = DBL_MAX,                    \
        .doc = "total mass, shared equally by the particles"                                       \
    }

/* A profile that has no edge, cut off. */
typedef struct oct_cut_sphere {
    oct_sphere sphere;
    double scale, truncation;
} oct_cut_sphere;

#define OCT_SPHERE_SCALE(text)                                                                     \
    {                                                                                              \
        .name = "scale", .type = OCT_FIELD_REAL, .offset = offsetof(oct_cut_sphere, scale),        \
        .initial = "1", .unit = {.length = 1}, .above_min = true, .max = DBL_MAX, .doc = text      \
    }
#define OCT_SPHERE_TRUNCATION(usual)                                                               \
    {                                                                                              \
        .name = "truncation", .type = OCT_FIELD_REAL,                                              \
        .offset = offsetof(oct_cut_sphere, truncation), .initial = usual, .above_min = true,       \
        .max = INFINITY, .doc = "outermost radius, in scale radii; inf for none"                   \
    }

/* The whole profile that has the particles' mass inside the truncation radius: the mass fraction
 * there, and the speed sqrt(G M / a). */
typedef struct oct_sphere_profile {
    double scale, fraction, speed;
} oct_sphere_profile;

/* Draws the radius and the speed of one particle. */
typedef void (*oct_sphere_draw)(double *radius, double *speed, oct_random *random,
                                const void *model);

oct_status oct_sphere_count(uint64_t *out, const void *self, const oct_model_context *context);

/* Fills bodies [first, first + count) with stars of equal mass in random directions, moving in
 * random directions, and centres them unless they are a part. */
oct_status oct_sphere_fill(oct_bodies *bodies, size_t first, size_t count, const oct_sphere *sphere,
                           const oct_model_context *context, oct_sphere_draw draw,
                           const void *model);

/* Moves bodies [first, first + count) to the frame of their centre of mass. */
oct_status oct_model_centre(oct_bodies *bodies, size_t first, size_t count);

#endif
