/* Fields that several gravity methods have, with one meaning in all of them. */
#ifndef OCT_FORCE_FIELDS_H
#define OCT_FORCE_FIELDS_H

#include "core/module.h"
#include "core/softening.h"

/* Which code sums: the values of the field `kernel`. */
typedef enum oct_force_kernel {
    OCT_FORCE_AUTO,
    OCT_FORCE_TILES, /* sources in local memory: GPUs */
    OCT_FORCE_LANES, /* targets in vector lanes: CPUs */
    OCT_FORCE_PORTABLE
} oct_force_kernel;

extern const char *const oct_force_kernels[];

/* What suits the device where the scene leaves it open. */
oct_force_kernel oct_force_kernel_choose(int chosen, const oct_device_info *info);

#define OCT_FIELD_SOFTENING(state)                                                                 \
    {                                                                                              \
        .name = "softening", .type = OCT_FIELD_REAL, .offset = offsetof(state, softening),         \
        .initial = "0", .unit = {1, 0, 0}, .min = 0, .max = 1e300,                                 \
        .doc = "Plummer softening length ε"                                                       \
    }

/* Of methods that go by softenings of bodies. */
#define OCT_FIELD_SOFTENINGS(state)                                                                \
    OCT_FIELD_SOFTENING(state),                                                                    \
    {                                                                                              \
        .name = "softenings", .type = OCT_FIELD_GROUP, .offset = offsetof(state, softenings),      \
        .group = oct_softening_fields                                                              \
    }

#define OCT_FIELD_KERNEL(state, text)                                                              \
    {                                                                                              \
        .name = "kernel", .type = OCT_FIELD_CHOICE, .offset = offsetof(state, kernel),             \
        .initial = "auto", .choices = oct_force_kernels, .doc = text                               \
    }

#endif
