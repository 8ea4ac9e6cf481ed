/* A cube of uniform density at rest, or moving at random: a start without structure. */
#include "model/model_sphere.h"
#include "util/parallel.h"

typedef struct uniform_cube {
    oct_sphere sphere;
    double side, dispersion;
} uniform_cube;

static const oct_field fields[] = {
    OCT_SPHERE_N,
    OCT_SPHERE_MASS,
    {.name = "side",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(uniform_cube, side),
     .initial = "1",
     .unit = {.length = 1},
     .above_min = true,
     .max = DBL_MAX,
     .doc = "side of the cube"},
    {.name = "dispersion",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(uniform_cube, dispersion),
     .initial = "0",
     .unit = {.length = 1, .time = -1},
     .max = DBL_MAX,
     .doc = "standard deviation of each component of the velocity"},
    {.type = OCT_FIELD_END},
};

typedef struct filling {
    oct_bodies *bodies;
    size_t first;
    double mass; /* of a particle */
    const uniform_cube *cube;
    const oct_model_context *context;
} filling;

static oct_status fill(void *context, size_t first, size_t end)
{
    const filling *f = context;
    for (size_t i = first; i < end; i++) {
        oct_random random =
            oct_random_start(f->context->setup->seed, f->context->stream, f->context->from + i);
        size_t body = f->first + i;
        for (size_t k = 0; k < 3; k++) {
            double part = oct_random_uniform(&random) - 0.5;
            f->bodies->position[3 * body + k] = f->cube->side * part;
        }
        for (size_t k = 0; k < 3 && f->cube->dispersion > 0; k++)
            f->bodies->velocity[3 * body + k] = f->cube->dispersion * oct_random_normal(&random);
        f->bodies->mass[body] = f->mass;
        f->bodies->type[body] = OCT_TYPE_STAR;
    }
    return OCT_STATUS_OK;
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    const uniform_cube *cube = self;
    uint64_t n = context->whole ? context->whole : count;
    filling f = {bodies, first, cube->sphere.mass / (double)n, cube, context};
    return oct_parallel(count, fill, &f);
}

const oct_model oct_model_uniform_cube = {.version = OCT_MODULE_VERSION,
                                          .name = "uniform-cube",
                                          .doc = "a cube of uniform density",
                                          .state_size = sizeof(uniform_cube),
                                          .fields = fields,
                                          .count = oct_sphere_count,
                                          .generate = generate,
                                          .parts = OCT_PARTS_ANY};
