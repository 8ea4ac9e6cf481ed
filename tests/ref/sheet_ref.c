/* Epicyclic elements of every particle, and how much they have changed. */
#include "sheet_ref.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scene_sim.h"

/* From -1 to 1. */
static double random_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static void scatter(oct_sim *sim, const oct_oracle_sheet *sheet)
{
    oct_bodies b = {0};
    uint64_t seed = 1;
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t i = 0; i < b.n; i++) {
        double x_g = random_number(&seed), xi = 2 * random_number(&seed);
        double *x = b.position + 3 * i, *v = b.velocity + 3 * i;
        x[0] = x_g + xi;
        x[1] = random_number(&seed);
        x[2] = random_number(&seed);
        v[0] = sheet->omega * random_number(&seed);
        v[1] = -sheet->omega * (1.5 * x_g + 2 * xi);
        v[2] = sheet->omega_z * random_number(&seed);
    }
    ref_ok(oct_sim_set_bodies(sim, &b));
    oct_bodies_clear(&b);
}

oct_sim *ref_sheet(const oct_oracle_sheet *sheet, oct_precision precision, int n, double dt)
{
    const double *size = sheet->size;
    bool deep = size[2] > 0;
    oct_sim *sim = ref_sim(
        precision,
        "units: nbody\n"
        "box: {boundary: shear, size: [%.17g, %.17g, %.17g], ghosts: [1, 1, %d], omega: %.17g, "
        "omega_z: %.17g}\n"
        "models: [plummer: {n: %d}]\ngravity: {method: none}\n"
        "integrator: {method: sei, dt: %.17g}\nrun: {until: 1}\n",
        size[0], size[1], deep ? size[2] : 1, deep, sheet->omega, sheet->omega_z, n, dt);
    scatter(sim, sheet);
    return sim;
}

enum { RADIAL, VERTICAL, CENTRE, ELEMENTS };

static void find_elements(double out[ELEMENTS], const oct_bodies *b, size_t i,
                          const oct_oracle_sheet *sheet)
{
    const double *x = b->position + 3 * i, *v = b->velocity + 3 * i;
    out[CENTRE] = 4 * x[0] + 2 * v[1] / sheet->omega;
    out[RADIAL] = pow(x[0] - out[CENTRE], 2) + pow(v[0] / sheet->omega, 2);
    out[VERTICAL] = pow(x[2], 2) + pow(v[2] / sheet->omega_z, 2);
}

double ref_sheet_drift(const oct_bodies *start, const oct_bodies *now,
                       const oct_oracle_sheet *sheet, oct_precision precision)
{
    static const char *const names[] = {"radial", "vertical", "centre"};
    double n = (double)now->n, worst = 0;
    for (int k = 0; k < ELEMENTS; k++) {
        double sum = 0, squares = 0, before[ELEMENTS], after[ELEMENTS];
        for (size_t i = 0; i < now->n; i++) {
            find_elements(before, start, i, sheet);
            find_elements(after, now, i, sheet);
            sum += after[k] - before[k];
            squares += pow(after[k] - before[k], 2);
        }
        worst = fmax(worst, fabs(sum) / (4 * sqrt(squares)));
        print_message("%s %s: %.1e +- %.1e\n", oct_precision_name(precision), names[k], sum / n,
                      sqrt(squares) / n);
    }
    return worst;
}
