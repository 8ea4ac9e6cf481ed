/* Chooses who leaps, and how far. */
#include "force/force_leap.h"

#include <stdio.h>

/* Measured, see docs/performance.md: with more bodies all units of a device are faster. Work-groups
 * of more work-items than 256 are NVIDIA's. */
enum { MOST = 256, MOST_NVIDIA = 1024, LEAST_GROUP = 32 };
enum { MOST_STEPS = 4096 };

const oct_offer oct_leap_offers[] = {
    OCT_OFFER(oct_leap, "dt", dt), OCT_OFFER(oct_leap, "steps", steps), {0}};

bool oct_leap_suits(uint64_t n, bool lanes, const oct_device_info *info)
{
    return n > 0 && n <= (!lanes && oct_device_is_nvidia(info) ? MOST_NVIDIA : MOST);
}

oct_status oct_leap_build(oct_leap *leap, const char **kernel, oct_domain *domain, bool lanes,
                          const char *options)
{
    char all[320];
    leap->group = lanes ? 1 : LEAST_GROUP;
    while (!lanes && leap->group < domain->n)
        leap->group *= 2;
    snprintf(all, sizeof all, "%s -D GROUP=%zu", options, leap->group);
    *kernel = lanes ? "force_direct_leap_lanes" : "force_direct_leap_tiles";
    return oct_domain_build(&leap->program, domain,
                            lanes ? "force_direct_leap_lanes.cl" : "force_direct_leap_tiles.cl",
                            all);
}

oct_status oct_leap_launch(uint64_t *taken, oct_leap *leap, const oct_domain *domain, double dt,
                           uint64_t most)
{
    /* A few milliseconds, so that a signal is soon heard: pairs, and what each body costs. */
    uint64_t work = UINT64_C(1) << (leap->group == 1 ? 22 : 28), n = domain->n;
    uint64_t steps = work / (n * n + 64 * n);
    steps = steps < MOST_STEPS ? steps : MOST_STEPS;
    steps = steps < most ? steps : most;
    leap->dt = dt;
    leap->steps = steps > 1 ? (uint32_t)steps : 1;
    *taken = leap->steps;
    return oct_kernel_launch(leap->kernel, leap->group, leap->group);
}

void oct_leap_free(oct_leap *leap)
{
    oct_kernel_free(leap->kernel);
    oct_program_free(leap->program);
}
