/* The bodies that pull: those that have mass. Forces sum over these alone, so that massless bodies
 * cost nothing as sources. */
#ifndef OCT_CORE_SOURCES_H
#define OCT_CORE_SOURCES_H

#include "array/primitives.h"
#include "core/fresh.h"
#include "core/module.h"

typedef struct oct_sources {
    oct_buffer *list, *n; /* in the state's order, and how many, for kernels; NULL: all pull */
    oct_made found;       /* the masses that were looked at, as they last came from outside */
    oct_made listed;      /* what the list was made from */
    bool held;            /* some body of a system was held then, or one was removed */

    oct_buffer *bodies, *n_bodies, *marks;
    oct_primitives *primitives;
    oct_program *program; /* kernels/sources.cl */
    oct_kernel *mark;
} oct_sources;

/* Lists them where that was not done since masses may have changed; forces begin with it. Removed
 * bodies stay in the list, so that it follows from the state alone: with none but them without mass
 * it is that of all, however the run came there. */
oct_status oct_sources_list(oct_domain *domain);
void oct_sources_end(oct_domain *domain);

#endif
