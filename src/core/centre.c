/* Sums for the centre are made by one thread: their last bits depend on the order of the bodies. */
#include "core/centre.h"

#include "util/parallel.h"

void oct_centre_add(oct_centre *centre, const oct_bodies *bodies, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        oct_exact_sum_add(&centre->mass, bodies->mass[i]);
        for (size_t k = 0; k < 3; k++) {
            oct_exact_sum_add(&centre->moment[k], bodies->mass[i] * bodies->position[3 * i + k]);
            oct_exact_sum_add(&centre->momentum[k], bodies->mass[i] * bodies->velocity[3 * i + k]);
        }
    }
}

typedef struct frame {
    oct_bodies *bodies;
    size_t first;
    double position[3], velocity[3];
} frame;

static oct_status enter_frame(void *context, size_t first, size_t end)
{
    const frame *f = context;
    for (size_t i = f->first + first; i < f->first + end; i++)
        for (size_t k = 0; k < 3; k++) {
            f->bodies->position[3 * i + k] -= f->position[k];
            f->bodies->velocity[3 * i + k] -= f->velocity[k];
        }
    return OCT_STATUS_OK;
}

oct_status oct_centre_enter(const oct_centre *centre, oct_bodies *bodies, size_t first,
                            size_t count)
{
    frame f = {.bodies = bodies, .first = first};
    double mass = oct_exact_sum_value(&centre->mass);
    for (size_t k = 0; k < 3; k++) {
        f.position[k] = oct_exact_sum_value(&centre->moment[k]) / mass;
        f.velocity[k] = oct_exact_sum_value(&centre->momentum[k]) / mass;
    }
    return oct_parallel(count, enter_frame, &f);
}
