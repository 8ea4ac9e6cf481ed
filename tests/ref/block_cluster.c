/* Measured where bodies are all at the end of a step. */
#include "block_cluster.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scene_sim.h"

void ref_step_to(oct_sim *sim, double time)
{
    while (oct_sim_time(sim) < time * (1 - 1e-12))
        ref_ok(oct_sim_step(sim, 1));
}

static void tell(const ref_block_cost *cost, const char *integrator, double time)
{
    print_message("%s: t = %.4g, %.0f forces a body, energy error %.1e at most, %.1e now\n",
                  integrator, time, cost->forces, cost->largest, cost->last);
}

/* Tells how it is at a tenth, a fifth and half of the time, and at the end. */
ref_block_cost ref_block_cluster(unsigned n, double softening, const char *integrator, double until)
{
    const double between = 0.0625;
    oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE,
                           "units: nbody\nseed: 3\n"
                           "models:\n"
                           "  - plummer: {n: %u, scale: 0.5890486225480862}\n"
                           "  - cold-sphere: {n: 1, mass: 0.05, radius: 1e-9}\n"
                           "gravity: {method: direct, softening: %.17g}\n"
                           "integrator: {method: block-leapfrog, %s}\nrun: {until: 1}\n",
                           n, softening, integrator);
    ref_block_cost out = {0};
    const double parts[] = {0.1, 0.2, 0.5, 1};
    size_t part = 0;
    ref_measure(sim, "energy_error");
    for (double time = between; time <= until; time += between) {
        ref_step_to(sim, time);
        out.last = ref_measure(sim, "energy_error");
        out.largest = fmax(out.largest, fabs(out.last));
        if (time + between <= parts[part] * until)
            continue;
        out.forces = ref_measure(sim, "forces_found");
        tell(&out, integrator, time);
        part++;
    }
    oct_sim_free(sim);
    return out;
}
