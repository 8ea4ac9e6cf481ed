/* The images of the box on the device: where they are, and how they move. */
#include <stdlib.h>
#include <string.h>

#include "core/sim.h"

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
    if (!oct_domain_boundary(domain)->image)
        return (oct_image){0};
    return oct_domain_boundary(domain)->image(domain->boundary.state, cell,
                                              oct_sim_time(domain->sim));
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

/* Rings of images that act, and of those in which bodies may touch. */
static void choose_rings(uint32_t acting[3], uint32_t around[3], const oct_choice *choice)
{
    const oct_boundary *boundary = (const oct_boundary *)choice->module;
    bool repeats[3] = {false};
    memset(acting, 0, 3 * sizeof *acting);
    if (boundary->ghosts)
        boundary->ghosts(acting, choice->state);
    if (boundary->repeats)
        boundary->repeats(repeats, choice->state);
    for (int k = 0; k < 3; k++)
        around[k] = repeats[k];
}

static uint64_t images_in(const uint32_t rings[3])
{
    return (2 * (uint64_t)rings[0] + 1) * (2 * (uint64_t)rings[1] + 1) *
           (2 * (uint64_t)rings[2] + 1);
}

uint64_t oct_images_acting(const oct_setup *setup)
{
    uint32_t rings[3], around[3];
    choose_rings(rings, around, &setup->boundary);
    return images_in(rings);
}

void oct_images_memory(oct_needs *needs)
{
    uint32_t rings[3], around[3];
    choose_rings(rings, around, &needs->setup->boundary);
    bool one = memcmp(rings, around, sizeof rings) == 0;
    for (int i = 0; i < (one ? 2 : 4); i++)
        oct_needs_add(needs, 4 * oct_real_size(needs->precision),
                      images_in(i < 2 ? rings : around));
}

oct_status oct_images_start(oct_domain *domain)
{
    uint32_t rings[3], around[3];
    choose_rings(rings, around, &domain->boundary);
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
