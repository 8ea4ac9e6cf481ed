/* A sphere of uniform density whose particles move at random with a chosen virial ratio. */
#include "model/model_sphere.h"
#include "util/status.h"

#include <math.h>

typedef struct uniform_sphere {
    oct_sphere sphere;
    double radius, virial;
} uniform_sphere;

static const oct_field fields[] = {
    OCT_SPHERE_N,
    OCT_SPHERE_MASS,
    {.name = "radius",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(uniform_sphere, radius),
     .initial = "1",
     .unit = {.length = 1},
     .above_min = true,
     .max = DBL_MAX,
     .doc = "radius of the sphere"},
    {.name = "virial",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(uniform_sphere, virial),
     .initial = "1",
     .max = 2,
     .doc = "virial ratio 2T/|W|, with W = -3/5 G mass^2 / radius"},
    {.type = OCT_FIELD_END},
};

/* Uniform in a ball of positions and in a ball of velocities: with a bounded velocity every
 * particle is bound for virial < 2. */
static void draw(double *radius, double *speed, oct_random *random, const void *model)
{
    const uniform_sphere *sphere = model;
    *radius = sphere->radius * cbrt(oct_random_uniform(random));
    *speed = cbrt(oct_random_uniform(random));
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    const uniform_sphere *model = self;
    OCT_TRY(oct_sphere_fill(bodies, first, count, &model->sphere, context, draw, model));

    oct_exact_sum squares = {0};
    for (size_t i = 3 * first; i < 3 * (first + count); i++)
        oct_exact_sum_add(&squares, bodies->velocity[i] * bodies->velocity[i]);
    double drawn = oct_exact_sum_value(&squares) / (double)count;
    double wanted =
        model->virial * 0.6 * context->setup->units.G * model->sphere.mass / model->radius;
    /* A single particle is at rest in its own frame and stays so. */
    double factor = drawn > 0 ? sqrt(wanted / drawn) : 0;
    for (size_t i = 3 * first; i < 3 * (first + count); i++)
        bodies->velocity[i] *= factor;
    return OCT_STATUS_OK;
}

const oct_model oct_model_uniform_sphere = {
    .version = OCT_MODULE_VERSION,
    .name = "uniform-sphere",
    .doc = "a sphere of uniform density with random velocities",
    .state_size = sizeof(uniform_sphere),
    .fields = fields,
    .count = oct_sphere_count,
    .generate = generate};
