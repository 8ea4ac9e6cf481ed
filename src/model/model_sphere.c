/* Draws bodies on all cores, then moves their centre of mass to rest at the origin. */
#include "model/model_sphere.h"

#include "util/parallel.h"

oct_status oct_sphere_count(uint64_t *out, const void *self, const oct_model_context *context)
{
    *out = oct_setup_share(context->setup, (uint64_t)((const oct_sphere *)self)->n);
    return OCT_STATUS_OK;
}

typedef struct frame {
    oct_bodies *bodies;
    size_t first;
    double centre[3], velocity[3];
} frame;

static oct_status enter_frame(void *context, size_t first, size_t end)
{
    const frame *f = context;
    for (size_t i = f->first + first; i < f->first + end; i++)
        for (size_t k = 0; k < 3; k++) {
            f->bodies->position[3 * i + k] -= f->centre[k];
            f->bodies->velocity[3 * i + k] -= f->velocity[k];
        }
    return OCT_STATUS_OK;
}

/* The sums are made by one thread: their last bits depend on the order of the bodies. */
oct_status oct_model_centre(oct_bodies *bodies, size_t first, size_t count)
{
    oct_exact_sum total = {0}, moment[3] = {{0}}, momentum[3] = {{0}};
    for (size_t i = first; i < first + count; i++) {
        oct_exact_sum_add(&total, bodies->mass[i]);
        for (size_t k = 0; k < 3; k++) {
            oct_exact_sum_add(&moment[k], bodies->mass[i] * bodies->position[3 * i + k]);
            oct_exact_sum_add(&momentum[k], bodies->mass[i] * bodies->velocity[3 * i + k]);
        }
    }
    frame f = {.bodies = bodies, .first = first};
    for (size_t k = 0; k < 3; k++) {
        f.centre[k] = oct_exact_sum_value(&moment[k]) / oct_exact_sum_value(&total);
        f.velocity[k] = oct_exact_sum_value(&momentum[k]) / oct_exact_sum_value(&total);
    }
    return oct_parallel(count, enter_frame, &f);
}

typedef struct filling {
    oct_bodies *bodies;
    size_t first;
    double mass; /* of a particle */
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
        oct_random random = oct_random_start(f->seed, f->stream, i);
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
                 .mass = sphere->mass / (double)count,
                 .seed = context->setup->seed,
                 .stream = context->stream,
                 .draw = draw,
                 .model = model};
    OCT_TRY(oct_parallel(count, fill, &f));
    return oct_model_centre(bodies, first, count);
}
