/* Draws bulge, disk and halo, and measures the errors of a column of the tables. */
#include "nakasato.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "force_errors.h"
#include "scene_sim.h"
#include "util/random.h"

const size_t nakasato_sizes[NAKASATO_SIZES] = {10240, 51200, 102400, 204800, 512000};

/* Mean errors for each size. */
static const struct {
    double theta, acceleration[NAKASATO_SIZES], potential[NAKASATO_SIZES];
} rows[NAKASATO_ANGLES] = {
    {0.2,
     {2.93e-4, 1.69e-4, 1.48e-4, 2.24e-4, 5.73e-3},
     {4.46e-5, 4.39e-5, 5.37e-5, 5.52e-5, 4.64e-5}},
    {0.3,
     {6.37e-4, 4.42e-4, 3.98e-4, 4.52e-4, 5.90e-3},
     {9.87e-5, 1.07e-4, 1.41e-4, 1.42e-4, 1.02e-4}},
    {0.4,
     {1.23e-3, 8.86e-4, 8.16e-4, 8.27e-4, 6.20e-3},
     {1.84e-4, 1.90e-4, 2.70e-4, 2.66e-4, 1.80e-4}},
    {0.5,
     {2.04e-3, 1.50e-3, 1.41e-3, 1.36e-3, 6.64e-3},
     {2.98e-4, 2.96e-4, 4.30e-4, 4.23e-4, 2.88e-4}},
    {0.6,
     {3.15e-3, 2.31e-3, 2.20e-3, 2.06e-3, 7.20e-3},
     {4.42e-4, 4.34e-4, 6.23e-4, 6.10e-4, 4.28e-4}},
    {0.7,
     {4.39e-3, 3.35e-3, 3.18e-3, 2.94e-3, 7.91e-3},
     {6.05e-4, 5.82e-4, 8.26e-4, 8.12e-4, 5.79e-4}},
    {0.8,
     {5.94e-3, 4.51e-3, 4.33e-3, 3.98e-3, 8.77e-3},
     {7.71e-4, 7.29e-4, 1.04e-3, 1.02e-3, 7.29e-4}},
    {0.9,
     {7.85e-3, 5.95e-3, 5.69e-3, 5.22e-3, 9.86e-3},
     {9.57e-4, 8.99e-4, 1.27e-3, 1.24e-3, 8.99e-4}},
    {1.0,
     {9.95e-3, 7.69e-3, 7.34e-3, 6.81e-3, 1.13e-2},
     {1.15e-3, 1.09e-3, 1.51e-3, 1.47e-3, 1.10e-3}},
};

/* The radius of a Hernquist sphere of scale a, cut off at `most`. */
static double hernquist_radius(oct_random *random, double a, double most)
{
    double edge = most / (most + a), root = edge * sqrt(oct_random_uniform(random));
    return a * root / (1 - root);
}

/* Surface density exp(-R), cut off at 5: the enclosed mass is 1 - (1 + R) exp(-R). */
static double disk_radius(oct_random *random)
{
    double low = 0, high = 5, wanted = oct_random_uniform(random) * (1 - 6 * exp(-5));
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        if (1 - (1 + middle) * exp(-middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Bulge, disk and halo with masses 1:2:12, in units of the disk's scale length; particles of equal
 * mass. The disk's height follows sech^2(z / 0.1). */
static void make_galaxy(oct_bodies *out, size_t n, unsigned seed)
{
    const double pi = 3.14159265358979323846;
    ref_ok(oct_bodies_resize(out, n));
    for (size_t i = 0; i < n; i++) {
        oct_random random = oct_random_start(seed, 0, i);
        double *x = out->position + 3 * i;
        out->mass[i] = 1 / (double)n;
        out->id[i] = i + 1;
        out->type[i] = OCT_TYPE_BODY;
        if (i % 15 == 1 || i % 15 == 2) {
            double radius = disk_radius(&random), angle = 2 * pi * oct_random_uniform(&random);
            x[0] = radius * cos(angle);
            x[1] = radius * sin(angle);
            x[2] = 0.1 * atanh(2 * oct_random_uniform(&random) - 1);
        } else {
            bool bulge = i % 15 == 0;
            double radius = hernquist_radius(&random, bulge ? 0.2 : 4, bulge ? 2 : 20);
            oct_random_direction(x, &random);
            for (int k = 0; k < 3; k++)
                x[k] *= radius;
        }
    }
}

/* Adds a galaxy's errors to those of each angle. */
static void measure(ref_errors sums[NAKASATO_ANGLES], size_t n, size_t stride, unsigned seed)
{
    const oct_file_info info = {.size = sizeof info, .units = *oct_units_find("nbody")};
    char folder[] = "galaxy-XXXXXX", path[32], model[64];
    oct_bodies galaxy = {0}, expected = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/bodies.hdf5", folder);
    snprintf(model, sizeof model, "file: {path: %s}", path);
    make_galaxy(&galaxy, n, seed);
    ref_sum_some(&expected, &galaxy, stride);
    ref_ok(oct_bodies_write(&galaxy, &info, path));
    for (int i = 0; i < NAKASATO_ANGLES; i++) {
        char gravity[96];
        oct_bodies got = {0};
        snprintf(gravity, sizeof gravity,
                 "method: tree, criterion: geometric, order: monopole, theta: %g", rows[i].theta);
        ref_forces(&got, OCT_PRECISION_MIXED, model, gravity);
        ref_errors e = ref_compare(&got, &expected, stride);
        sums[i].mean += e.mean;
        sums[i].potential += e.potential;
        oct_bodies_clear(&got);
    }
    unlink(path);
    rmdir(folder);
    oct_bodies_clear(&galaxy);
    oct_bodies_clear(&expected);
}

bool nakasato_column(int size, unsigned galaxies, size_t targets, double factor)
{
    size_t n = nakasato_sizes[size], stride = n / targets;
    ref_errors sums[NAKASATO_ANGLES] = {{0}};
    bool passed = true;
    while (stride % 3 == 0 || stride % 5 == 0) /* so that every component has its share */
        stride++;
    for (unsigned i = 0; i < galaxies; i++)
        measure(sums, n, stride, 11 + i);
    printf("%zu particles\ntheta  acceleration (his)    potential (his)\n", n);
    for (int i = 0; i < NAKASATO_ANGLES; i++) {
        double mean = sums[i].mean / galaxies, potential = sums[i].potential / galaxies;
        double his_mean = rows[i].acceleration[size], his_potential = rows[i].potential[size];
        printf("%-5g  %.2e (%.2e)  %.2e (%.2e)\n", rows[i].theta, mean, his_mean, potential,
               his_potential);
        passed = passed && mean <= factor * his_mean && potential <= factor * his_potential;
    }
    fflush(stdout);
    return passed;
}
