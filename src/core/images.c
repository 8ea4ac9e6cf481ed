/* The images of the box on the device: where they are, and how they move. */
#include <stdlib.h>
#include <string.h>

#include "core/sim.h"

static const oct_boundary *boundary_of(const oct_domain *domain)
{
    return (const oct_boundary *)domain->setup->boundary.module;
}

/* 0, 1, -1, 2, -2, ...: the box itself comes first, and images come in opposite pairs. */
static int32_t image_step(uint32_t index)
{
    int32_t step = (int32_t)((index + 1) / 2);
    return index % 2 ? step : -step;
}

static oct_image image_at(const oct_images *images, const oct_domain *domain, uint32_t index)
{
    int32_t cell[3];
    for (int k = 0; k < 3; k++) {
        uint32_t n = 2 * images->rings[k] + 1;
        cell[k] = image_step(index % n);
        index /= n;
    }
    if (!boundary_of(domain)->image)
        return (oct_image){0};
    return boundary_of(domain)->image(domain->boundary.state, cell, oct_sim_time(domain->sim));
}

static void pack(char *to, const double from[3], bool single)
{
    for (size_t k = 0; k < 3 && single; k++)
        ((float *)(void *)to)[k] = (float)from[k];
    for (size_t k = 0; k < 3 && !single; k++)
        ((double *)(void *)to)[k] = from[k];
}

/* Where the images are now, or how they move. */
static oct_status post(oct_buffer *to, oct_images *images, const oct_domain *domain)
{
    bool single = domain->precision == OCT_PRECISION_SINGLE;
    images->time = oct_sim_time(domain->sim);
    for (uint32_t i = 0; i < images->n; i++) {
        oct_image image = image_at(images, domain, i);
        pack(images->packed + i * to->element, to == images->shift ? image.shift : image.velocity,
             single);
    }
    return oct_buffer_post(to, images->packed, 0, images->n);
}

static oct_status make(oct_images *images, oct_domain *domain, const uint32_t rings[3])
{
    size_t real4 = 4 * oct_real_size(domain->precision);
    images->n = 1;
    for (int k = 0; k < 3; k++) {
        images->rings[k] = rings[k];
        images->n *= 2 * rings[k] + 1;
    }
    OCT_TRY(oct_alloc(&images->packed, images->n, real4, "images"));
    OCT_TRY(oct_buffer_create(&images->shift, domain->device, "images", real4, images->n));
    OCT_TRY(oct_buffer_create(&images->velocity, domain->device, "image speeds", real4, images->n));
    OCT_TRY(post(images->velocity, images, domain));
    return post(images->shift, images, domain);
}

oct_status oct_images_start(oct_domain *domain)
{
    const oct_boundary *boundary = boundary_of(domain);
    const void *self = domain->boundary.state;
    uint32_t rings[3] = {0}, around[3] = {0};
    bool repeats[3] = {false};
    if (boundary->ghosts)
        boundary->ghosts(rings, self);
    if (boundary->repeats)
        boundary->repeats(repeats, self);
    for (int k = 0; k < 3; k++)
        around[k] = repeats[k];
    OCT_TRY(make(&domain->acting, domain, rings));
    if (memcmp(rings, around, sizeof rings) != 0)
        return make(&domain->around, domain, around);
    domain->around = domain->acting;
    return OCT_STATUS_OK;
}

/* The usual single ring of ghosts is both. */
static bool are_one(const oct_domain *domain)
{
    return domain->around.shift == domain->acting.shift;
}

/* How images move does not change with time. */
oct_status oct_images_update(oct_domain *domain)
{
    OCT_TRY(post(domain->acting.shift, &domain->acting, domain));
    return are_one(domain) ? OCT_STATUS_OK : post(domain->around.shift, &domain->around, domain);
}

static void clear(oct_images *images)
{
    oct_buffer_free(images->shift);
    oct_buffer_free(images->velocity);
    free(images->packed);
}

void oct_images_end(oct_domain *domain)
{
    if (!are_one(domain))
        clear(&domain->around);
    clear(&domain->acting);
}
