/* A sphere of particles at rest, for collapses. */
#include "model/model_sphere.h"

#include <math.h>

enum { DENSITY_UNIFORM, DENSITY_INVERSE };
static const char *const densities[] = {"uniform", "inverse", NULL};

typedef struct cold_sphere {
    oct_sphere sphere;
    double radius;
    int density;
} cold_sphere;

static const oct_field fields[] = {
    OCT_SPHERE_N,
    OCT_SPHERE_MASS,
    {.name = "radius",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(cold_sphere, radius),
     .initial = "1",
     .unit = {.length = 1},
     .above_min = true,
     .max = DBL_MAX,
     .doc = "radius of the sphere"},
    {.name = "density",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(cold_sphere, density),
     .initial = "uniform",
     .choices = densities,
     .doc = "the density profile: uniform, or inverse (1/r)"},
    {.type = OCT_FIELD_END},
};

/* The enclosed mass grows as r^3 for uniform density and as r^2 for density 1/r. */
static void draw(double *radius, double *speed, oct_random *random, const void *model)
{
    const cold_sphere *sphere = model;
    double enclosed = oct_random_uniform(random);
    double ratio = sphere->density == DENSITY_INVERSE ? sqrt(enclosed) : cbrt(enclosed);
    *radius = sphere->radius * ratio;
    *speed = 0;
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    const cold_sphere *model = self;
    return oct_sphere_fill(bodies, first, count, &model->sphere, context, draw, model);
}

const oct_model oct_model_cold_sphere = {.version = OCT_MODULE_VERSION,
                                         .name = "cold-sphere",
                                         .doc = "a sphere of particles at rest, about to collapse",
                                         .state_size = sizeof(cold_sphere),
                                         .fields = fields,
                                         .count = oct_sphere_count,
                                         .generate = generate,
                                         .parts = OCT_PARTS_CENTRED};
