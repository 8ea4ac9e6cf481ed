/* Functions that the user writes in OpenCL C, and the numbers that the scene gives them. */
#ifndef OCT_CORE_USER_H
#define OCT_CORE_USER_H

#include "core/sim.h"

typedef struct oct_user_code {
    const char *path;     /* a file, "" where the scene holds the text itself */
    const oct_code *code; /* that text; may be NULL where there is none */
    const oct_parameters *parameters;
    const char *types; /* in the place of user_types.clh; may be NULL */
    const char *what;  /* "force" */
    const char *name;  /* "octant_force" */
    const char *type;  /* of its result */
    const char *arguments;
} oct_user_code;

/* Whether the source has this word outside comments. */
oct_status oct_user_mentions(bool *out, const oct_user_code *code, const char *word);

/* The user's columns as OpenCL C for the place of user_types.clh: a struct octant_columns, and
 *   COLUMN_ARGUMENTS  the arrays, as the last arguments of a kernel
 *   TAKES_COLUMNS, WITH_COLUMNS, LOAD_COLUMNS(i)  that struct as one more argument: of a function,
 *   as it hands it on, and as a kernel loads it */
oct_status oct_user_columns(char **out, oct_domain *domain);
/* Binds these arrays to where they are, in a kernel that takes them, and all that it takes beside
 * them. */
oct_status oct_user_bind(oct_kernel *kernel, oct_domain *domain, const oct_binding *own, size_t n);
#define OCT_USER_BIND(kernel, domain, ...)                                                         \
    oct_user_bind((kernel), (domain), (const oct_binding[]){__VA_ARGS__},                          \
                  sizeof((const oct_binding[]){__VA_ARGS__}) / sizeof(oct_binding))
/* The same of columns that bodies put together when they merge; "" where there is none:
 *   MERGED_ARGUMENTS, MERGED_PASSED  the arrays, as the last arguments of a kernel and handed on
 *   MERGE_COLUMNS(kept, gone, gone_part)  puts them together; the part is of the mass */
oct_status oct_user_merged(char **out, oct_domain *domain);
oct_status oct_user_bind_merged(oct_kernel *kernel, oct_domain *domain, const oct_binding *own,
                                size_t n);
/* What the source is called: the file, or the place in the scene. */
const char *oct_user_label(const oct_user_code *code);
/* Refuses fields of which both or none are given. */
oct_status oct_user_check(const char *path_key, const char *path, const char *code_key,
                          const oct_code *code);

/* Counts the parameters on the device. */
void oct_user_memory(oct_needs *needs, const oct_parameters *parameters);

/* Compiles a kernel file of ours around the user's, which it includes as user.clh, after
 * user_parameters.clh. What is wrong is said of the user's file, never of ours. numbers: the
 * parameters on the device, NULL where the scene gives none. */
oct_status oct_user_build(oct_program **out, oct_buffer **numbers, oct_domain *domain,
                          const oct_user_code *code, const char *file, const char *options);

#endif
