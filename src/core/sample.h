/* Some bodies of a simulation that ranks share, at regular places, brought to the first rank: for
 * those who look at bodies, whoever has them. */
#ifndef OCT_CORE_SAMPLE_H
#define OCT_CORE_SAMPLE_H

#include "core/lead.h"

typedef struct oct_sample {
    uint32_t first, stride, n; /* places first, first + stride, ... */
    /* These bodies in the order of their places, as onlookers see them: columns, and nothing that
     * steps are made of. NULL in the other ranks, and before they were taken. */
    oct_domain *domain;
} oct_sample;

/* Takes the bodies as they are now; they must be there. */
oct_status oct_sample_take(oct_sample *sample, oct_sim *sim);
void oct_sample_end(oct_sample *sample);

/* As the other ranks take part in it. */
oct_status oct_sample_follow(oct_sim *sim, oct_order order);

#endif
