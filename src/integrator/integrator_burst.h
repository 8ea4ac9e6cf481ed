/* Many steps in one launch, for systems that nothing pulls but their own bodies: a step of few
 * bodies is launches and waits, not arithmetic. Where a scene has it, it has no other steps, so
 * that it does not matter who asks for how many at a time. */
#ifndef OCT_INTEGRATOR_BURST_H
#define OCT_INTEGRATOR_BURST_H

#include "core/sim.h"

/* Which code takes bursts: the values of the field `kernel`. */
typedef enum oct_burst_way {
    OCT_BURST_AUTO,
    OCT_BURST_TILES, /* a body a work-item: GPUs */
    OCT_BURST_LANES, /* bodies in vector lanes: CPUs */
    OCT_BURST_WHOLE  /* a system a work-item: GPUs with many systems of few bodies */
} oct_burst_way;

extern const char *const oct_burst_ways[];

#define OCT_FIELD_BURST(state)                                                                     \
    {                                                                                              \
        .name = "kernel", .type = OCT_FIELD_CHOICE, .offset = offsetof(state, way),                \
        .initial = "auto", .choices = oct_burst_ways,                                              \
        .doc = "how steps of systems that nothing else pulls are taken: a body a work-item "       \
               "(GPUs), bodies in vector lanes (CPUs), a system of up to nine bodies a "           \
               "work-item (GPUs and 65,536 bodies or more), or what suits the device"              \
    }

/* What suits the device where the scene leaves it open. */
oct_burst_way oct_burst_choose(int chosen, const oct_device_info *info);

/* Whether nothing acts on bodies but gravity: no other force, no collisions, nothing that wraps or
 * removes them. */
bool oct_integrator_is_undisturbed(const oct_domain *domain);

/* Whether a step is no more than what the integrator does inside of each system: nothing else
 * pulls, collides, wraps or removes, no body is held, and none has more bodies than `largest`. */
oct_status oct_integrator_bursts(bool *out, oct_domain *domain, uint32_t largest);

/* How many of so many steps a launch takes: a few milliseconds. */
uint32_t oct_integrator_burst_steps(const oct_domain *domain, uint64_t most);

/* Runs of whole systems with at most so many bodies together, {first system, past the last} each.
 */
oct_status oct_integrator_burst_packs(oct_buffer **out, oct_domain *domain, uint32_t bodies);

#endif
