/* Draws bodies on all cores, then moves their centre of mass to rest at the origin. */
#include "model/model_sphere.h"

#include "util/parallel.h"

oct_status oct_sphere_count(uint64_t *out, const void *self, const oct_model_context *context)
{
    *out = oct_setup_share(context->setup, (uint64_t)((const oct_sphere *)self)->n);
    return OCT_STATUS_OK;
}

oct_status oct_model_centre(oct_bodies *bodies, size_t first, size_t count)
{
    oct_centre centre = {0};
    oct_centre_add(&centre, bodies, first, count);
    return oct_centre_enter(&centre, bodies, first, count);
}

typedef struct filling {
    oct_bodies *bodies;
    size_t first;
    uint64_t from; /* the first is this one of all */
    double mass;   /* of a particle */
    uint64_t seed;
    uint32_t stream;
    oct_sphere_draw draw;
    const void *model;
} filling;

static oct_status fill(void *context, size_t first, size_t end)
{
    const filling *f = context;
    for (size_t i = first; i < end; i++) {
        /* Each particle has random numbers of its own, so it does not depend on how many others
         * there are or which thread makes it. */
        oct_random random = oct_random_start(f->seed, f->stream, f->from + i);
        double radius, speed, outward[3], along[3];
        size_t body = f->first + i;
        f->draw(&radius, &speed, &random, f->model);
        oct_random_direction(outward, &random);
        oct_random_direction(along, &random);
        for (size_t k = 0; k < 3; k++) {
            f->bodies->position[3 * body + k] = radius * outward[k];
            f->bodies->velocity[3 * body + k] = speed * along[k];
        }
        f->bodies->mass[body] = f->mass;
        f->bodies->type[body] = OCT_TYPE_STAR;
    }
    return OCT_STATUS_OK;
}

oct_status oct_sphere_fill(oct_bodies *bodies, size_t first, size_t count, const oct_sphere *sphere,
                           const oct_model_context *context, oct_sphere_draw draw,
                           const void *model)
{
    filling f = {.bodies = bodies,
                 .first = first,
                 .from = context->from,
                 .mass = sphere->mass / (double)(context->whole ? context->whole : count),
                 .seed = context->setup->seed,
                 .stream = context->stream,
                 .draw = draw,
                 .model = model};
    OCT_TRY(oct_parallel(count, fill, &f));
    return context->whole ? OCT_STATUS_OK : oct_model_centre(bodies, first, count);
}
