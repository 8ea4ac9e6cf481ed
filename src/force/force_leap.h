/* Many steps of few bodies in one launch: a step of these is launches and waits, not arithmetic. */
#ifndef OCT_FORCE_LEAP_H
#define OCT_FORCE_LEAP_H

#include "core/sim.h"

typedef struct oct_leap {
    oct_program *program;
    oct_kernel *kernel;
    size_t group; /* work-items; 1: vector lanes */
    double dt;
    uint32_t steps; /* of the next launch */
} oct_leap;

/* Kernels know them as dt and steps. */
extern const oct_offer oct_leap_offers[];

/* Whether so few bodies are moved faster by one work-group, or one work-item with vector lanes. */
bool oct_leap_suits(uint64_t n, bool lanes, const oct_device_info *info);

/* Builds the program for a domain, with the options of its pair sums, and names the kernel. */
oct_status oct_leap_build(oct_leap *leap, const char **kernel, oct_domain *domain, bool lanes,
                          const char *options);

/* As the `leap` of a force. */
oct_status oct_leap_launch(uint64_t *taken, oct_leap *leap, const oct_domain *domain, double dt,
                           uint64_t most);

void oct_leap_free(oct_leap *leap);

#endif
