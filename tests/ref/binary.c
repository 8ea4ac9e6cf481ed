/* Measures the binary's axis before and after a number of steps. */
#include "binary.h"

#include <math.h>
#include <string.h>

#include "scene_sim.h"

/* The axis of the orbit of the first two bodies about each other. */
static double axis_of(oct_sim *sim)
{
    oct_bodies b = {0};
    ref_ok(oct_sim_bodies(&b, sim));
    double r2 = 0, v2 = 0, mass = b.mass[0] + b.mass[1];
    for (int k = 0; k < 3; k++) {
        r2 += pow(b.position[3 + k] - b.position[k], 2);
        v2 += pow(b.velocity[3 + k] - b.velocity[k], 2);
    }
    oct_bodies_clear(&b);
    return 1 / (2 / sqrt(r2) - v2 / mass);
}

double ref_binary_drift(size_t n, const char *gravity, double axis, int periods, int steps)
{
    oct_bodies b = {0};
    double mass = 2.0 / (double)n, speed = sqrt(mass / axis), worst = 0;
    double period = 2 * acos(-1) * axis / speed;
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                           "units: nbody\nmodels: [plummer: {n: %zu}]\ngravity: {%s}\n"
                           "integrator: {dt: %.17g}\nrun: {until: 1}\n",
                           n, gravity, period / steps);
    ref_ok(oct_sim_bodies(&b, sim));
    memcpy(b.position + 3, b.position, 3 * sizeof *b.position);
    memcpy(b.velocity + 3, b.velocity, 3 * sizeof *b.velocity);
    b.position[0] -= axis / 2;
    b.position[3] += axis / 2;
    b.velocity[1] -= speed / 2;
    b.velocity[4] += speed / 2;
    ref_ok(oct_sim_set_bodies(sim, &b));
    oct_bodies_clear(&b);
    double start = axis_of(sim);
    for (int p = 0; p < periods; p++) {
        ref_ok(oct_sim_step(sim, (uint64_t)steps));
        worst = fmax(worst, fabs(axis_of(sim) / start - 1));
    }
    oct_sim_free(sim);
    return worst;
}
