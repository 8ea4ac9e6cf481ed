/* The images of the box on the device, kept up to date as time goes on. */
#ifndef OCT_CORE_IMAGES_H
#define OCT_CORE_IMAGES_H

#include "core/module.h"
#include "device/device.h"

/* A block of images, the box itself first: as real4, where they are and how fast they move. */
typedef struct oct_images {
    uint32_t n, rings[3];
    double time; /* at which they are there */
    oct_buffer *shift, *velocity;
    char *packed; /* one of them on the host */
} oct_images;

oct_status oct_images_start(oct_domain *domain);
/* Moves them to the current time. Enqueues only; never waits. */
oct_status oct_images_update(oct_domain *domain);
void oct_images_end(oct_domain *domain);

void oct_images_memory(oct_needs *needs);
/* How many act. */
uint64_t oct_images_acting(const struct oct_setup *setup);

#endif
