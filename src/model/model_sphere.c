#include "model/model_sphere.h"

#include <math.h>

oct_status oct_sphere_count(uint64_t *out, const void *self, const oct_model_context *context)
{
    (void)context;
    *out = (uint64_t)((const oct_sphere *)self)->n;
    return OCT_STATUS_OK;
}

void oct_exact_sum_add(oct_exact_sum *sum, double value)
{
    double next = sum->sum + value;
    sum->lost +=
        fabs(sum->sum) >= fabs(value) ? (sum->sum - next) + value : (value - next) + sum->sum;
    sum->sum = next;
}

double oct_exact_sum_value(const oct_exact_sum *sum)
{
    return sum->sum + sum->lost;
}

void oct_model_centre(oct_bodies *bodies, size_t first, size_t count)
{
    oct_exact_sum total = {0}, moment[3] = {{0}}, momentum[3] = {{0}};
    for (size_t i = first; i < first + count; i++) {
        oct_exact_sum_add(&total, bodies->mass[i]);
        for (size_t k = 0; k < 3; k++) {
            oct_exact_sum_add(&moment[k], bodies->mass[i] * bodies->position[3 * i + k]);
            oct_exact_sum_add(&momentum[k], bodies->mass[i] * bodies->velocity[3 * i + k]);
        }
    }
    double mass = oct_exact_sum_value(&total);
    for (size_t k = 0; k < 3; k++) {
        double centre = oct_exact_sum_value(&moment[k]) / mass;
        double velocity = oct_exact_sum_value(&momentum[k]) / mass;
        for (size_t i = first; i < first + count; i++) {
            bodies->position[3 * i + k] -= centre;
            bodies->velocity[3 * i + k] -= velocity;
        }
    }
}

void oct_sphere_fill(oct_bodies *bodies, size_t first, size_t count, const oct_sphere *sphere,
                     const oct_model_context *context, oct_sphere_draw draw, const void *model)
{
    for (size_t i = 0; i < count; i++) {
        /* Each particle has random numbers of its own, so it does not depend on how many others
         * there are. */
        oct_random random = oct_random_start(context->setup->seed, context->stream, i);
        double radius, speed, outward[3], along[3];
        draw(&radius, &speed, &random, model);
        oct_random_direction(outward, &random);
        oct_random_direction(along, &random);
        for (size_t k = 0; k < 3; k++) {
            bodies->position[3 * (first + i) + k] = radius * outward[k];
            bodies->velocity[3 * (first + i) + k] = speed * along[k];
        }
        bodies->mass[first + i] = sphere->mass / (double)count;
        bodies->type[first + i] = OCT_TYPE_STAR;
    }
    oct_model_centre(bodies, first, count);
}
