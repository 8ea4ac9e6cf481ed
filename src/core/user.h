/* Functions that the user writes in OpenCL C, and the numbers that the scene gives them. */
#ifndef OCT_CORE_USER_H
#define OCT_CORE_USER_H

#include "core/sim.h"

typedef struct oct_user_code {
    const char *path;
    const oct_parameters *parameters;
    const char *what; /* "force" */
    const char *name; /* "octant_force" */
    const char *type; /* of its result */
    const char *arguments;
} oct_user_code;

/* Compiles a kernel file of ours around the user's, which it includes as user.clh, after
 * user_parameters.clh. What is wrong is said of the user's file, never of ours. numbers: the
 * parameters on the device, NULL where the scene gives none. */
oct_status oct_user_build(oct_program **out, oct_buffer **numbers, oct_domain *domain,
                          const oct_user_code *code, const char *file, const char *options);

#endif
