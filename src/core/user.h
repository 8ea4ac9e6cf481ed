/* Functions that the user writes in OpenCL C, and the numbers that the scene gives them. */
#ifndef OCT_CORE_USER_H
#define OCT_CORE_USER_H

#include "core/sim.h"

typedef struct oct_user_code {
    const char *path;     /* a file, "" where the scene holds the text itself */
    const oct_code *code; /* that text; may be NULL where there is none */
    const oct_parameters *parameters;
    const char *what; /* "force" */
    const char *name; /* "octant_force" */
    const char *type; /* of its result */
    const char *arguments;
} oct_user_code;

/* What the source is called: the file, or the place in the scene. */
const char *oct_user_label(const oct_user_code *code);
/* Refuses fields of which both or none are given. */
oct_status oct_user_check(const char *path_key, const char *path, const char *code_key,
                          const oct_code *code);

/* Compiles a kernel file of ours around the user's, which it includes as user.clh, after
 * user_parameters.clh. What is wrong is said of the user's file, never of ours. numbers: the
 * parameters on the device, NULL where the scene gives none. */
oct_status oct_user_build(oct_program **out, oct_buffer **numbers, oct_domain *domain,
                          const oct_user_code *code, const char *file, const char *options);

#endif
