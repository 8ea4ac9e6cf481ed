/* A disk galaxy stays what it is for two rotations: circular speeds, density and height. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene_sim.h"

enum { RINGS = 6 };

/* The disk in rings of one half of a scale length, from 0.5 on. */
typedef struct profile {
    double speed[RINGS];  /* circular, from the mean pull towards the axis */
    double number[RINGS]; /* of the disk's particles */
    double height;        /* root mean square, of all rings */
    double turning;       /* mean speed round the axis, of all rings */
} profile;

static profile look(oct_sim *sim)
{
    profile p = {0};
    oct_bodies b = {0};
    double centre[3], heights = 0, all = 0;
    ref_ok(oct_sim_bodies(&b, sim));
    double *acceleration = malloc(3 * b.n * sizeof *acceleration);
    assert_non_null(acceleration);
    ref_ok(oct_sim_read(acceleration, OCT_ELEMENT_DOUBLE, sim, "acceleration", NULL));
    for (int k = 0; k < 3; k++)
        centre[k] = b.position[k]; /* of the black hole, which comes first */
    for (size_t i = 0; i < b.n; i++) {
        double x = b.position[3 * i] - centre[0], y = b.position[3 * i + 1] - centre[1];
        double z = b.position[3 * i + 2] - centre[2], r = hypot(x, y);
        int ring = (int)floor(2 * r - 1);
        if (b.type[i] != OCT_TYPE_DISK || ring < 0 || ring >= RINGS)
            continue;
        const double *a = acceleration + 3 * i, *v = b.velocity + 3 * i;
        p.speed[ring] -= x * a[0] + y * a[1];
        p.number[ring]++;
        p.turning += (x * v[1] - y * v[0]) / r;
        heights += z * z;
        all++;
    }
    for (int k = 0; k < RINGS; k++)
        p.speed[k] = sqrt(p.speed[k] / p.number[k]);
    p.height = sqrt(heights / all);
    p.turning /= all;
    free(acceleration);
    oct_bodies_clear(&b);
    return p;
}

static void stays_what_it_is(void **state)
{
    (void)state;
    oct_sim *sim = ref_sim(
        OCT_PRECISION_MIXED,
        "units: nbody\nseed: 2\n"
        "models: [disk-galaxy: {disk: {n: 6000, toomre: 2}, bulge: {n: 1500}, halo: {n: 12499},"
        " black_hole: 0.01}]\n"
        "gravity: {method: tree, softening: 0.05}\n"
        "integrator: {dt: 0.05}\nrun: {until: 1}\n");
    profile before = look(sim);
    /* The period at two scale lengths, where circular speeds are those of the third ring. */
    double period = 2 * acos(-1.0) * 2 / before.speed[3];
    ref_ok(oct_sim_step(sim, (uint64_t)(2 * period / 0.05)));
    profile after = look(sim);
    for (int k = 0; k < RINGS; k++) {
        double r = 0.75 + 0.5 * k;
        print_message("R %.2f: v_c %.4f %+.1f %%, %4.0f particles %+.1f %%\n", r, before.speed[k],
                      100 * (after.speed[k] / before.speed[k] - 1), before.number[k],
                      100 * (after.number[k] / before.number[k] - 1));
        assert_true(fabs(after.speed[k] / before.speed[k] - 1) < 0.05); /* seen: 3.6 % */
    }
    print_message("height %.4f, then %.4f; turning %.4f, then %.4f; energy error %.1e\n",
                  before.height, after.height, before.turning, after.turning,
                  ref_measure(sim, "energy_error"));
    assert_true(fabs(after.turning / before.turning - 1) < 0.05); /* seen: 1.1 % */
    /* A halo's particle has 12 times the mass of a disk's here, and heats it: seen 2.15. */
    assert_true(after.height < 3 * before.height);
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stays_what_it_is)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
