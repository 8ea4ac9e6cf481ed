/* Profiles of components against sums over shells here, and against Hernquist's sphere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/diagnose.h"
#include "scene_sim.h"

static const double pi = 3.14159265358979323846;

/* Columns of profiles.csv, behind its names. */
enum {
    INNER,
    OUTER,
    N,
    MASS,
    DENSITY,
    ENCLOSED,
    CIRCULAR,
    RADIAL,
    ROTATION,
    SIGMA_R,
    SIGMA_T,
    SURFACE,
    WIDTH
};

static oct_tabulation tabulate(oct_sim *sim)
{
    oct_tabulation table = {0};
    (void)ref_measure(sim, "v_max_all");
    for (uint32_t i = 0; i < sim->domain->n_diags; i++)
        if (oct_diagnose_tabulates(sim, i, OCT_ROW_WHOLE))
            ref_ok(oct_diagnose_tabulate(&table, sim, i));
    assert_true(table.n > 0 && table.width == WIDTH);
    return table;
}

/* What a shell should hold, summed here. */
typedef struct shell {
    double n, mass, radial, radial_square, tangential_square, rotation, across;
} shell;

static shell sum_shell(const oct_bodies *b, double inner, double outer, const double axis[3])
{
    shell s = {0};
    for (size_t i = 0; i < b->n; i++) {
        const double *x = b->position + 3 * i, *v = b->velocity + 3 * i, m = b->mass[i];
        double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), around[3], size = 0, turn = 0;
        double radial = (x[0] * v[0] + x[1] * v[1] + x[2] * v[2]) / r, square = 0;
        for (int k = 0; k < 3; k++) {
            int l = (k + 1) % 3, o = (k + 2) % 3;
            around[k] = axis[l] * x[o] - axis[o] * x[l];
            size += around[k] * around[k];
            turn += around[k] * v[k];
            square += v[k] * v[k];
        }
        size = sqrt(size);
        if (size >= inner && size < outer)
            s.across += m;
        if (r < inner || r >= outer)
            continue;
        s.n++;
        s.mass += m;
        s.radial += m * radial;
        s.radial_square += m * radial * radial;
        s.tangential_square += m * (square - radial * radial);
        s.rotation += m * turn / size;
    }
    return s;
}

static double off(double got, double want, double unit)
{
    return fabs(got - want) / unit;
}

/* Bodies of many masses, some turning, with a heavy one among them. */
static void shells_hold_what_is_in_them(void **state)
{
    enum { BODIES = 3000 };
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
        oct_sim *sim = ref_sim((oct_precision)p,
                               "units: nbody\nmodels: [plummer: {n: %d}]\ngravity: {method: none}\n"
                               "integrator: {dt: 0.01}\nrun: {until: 1}\n"
                               "output: {components: [all], centre: origin}\n",
                               BODIES);
        oct_bodies b = {0};
        double axis[3], size = 0, worst = 0, enclosed = 0, bodies = 0;
        ref_ok(oct_sim_bodies(&b, sim));
        for (size_t i = 0; i < BODIES; i++) {
            b.mass[i] *= 1 + (double)(i % 7) + (i == 17 ? 1e5 : 0);
            b.velocity[3 * i] -= b.position[3 * i + 1];
            b.velocity[3 * i + 1] += b.position[3 * i];
        }
        ref_ok(oct_sim_set_bodies(sim, &b));
        ref_ok(oct_sim_measure_one(axis, sim, "angular_all"));
        for (int k = 0; k < 3; k++)
            size += axis[k] * axis[k];
        for (int k = 0; k < 3; k++)
            axis[k] /= sqrt(size);
        oct_tabulation table = tabulate(sim);
        for (size_t i = 0; i < table.n; i++) {
            const double *row = table.values + i * WIDTH;
            double inner = row[INNER], outer = row[OUTER];
            shell s = sum_shell(&b, inner, outer, axis);
            enclosed += s.mass;
            bodies += row[N];
            assert_string_equal(table.names[i], "all");
            assert_true(i == 0 || inner == row[OUTER - WIDTH]);
            assert_true(row[N] == s.n);
            worst = fmax(worst, off(row[ENCLOSED], enclosed, enclosed));
            worst = fmax(worst, off(row[SURFACE] * pi * (outer * outer - inner * inner), s.across,
                                    fmax(s.across, 1e-300)));
            if (s.n < 2)
                continue;
            double radial = s.radial / s.mass, turn = s.rotation / s.mass;
            double sigma = sqrt(s.radial_square / s.mass - radial * radial);
            worst = fmax(worst, off(row[MASS], s.mass, s.mass));
            worst = fmax(worst, off(row[DENSITY] * 4 / 3 * pi * (pow(outer, 3) - pow(inner, 3)),
                                    s.mass, s.mass));
            worst = fmax(worst, off(row[CIRCULAR], sqrt(enclosed / outer), row[CIRCULAR]));
            worst = fmax(worst, off(row[RADIAL], radial, 1));
            worst = fmax(worst, off(row[ROTATION], turn, 1));
            worst = fmax(worst, off(row[SIGMA_R], sigma, 1));
            worst = fmax(worst, off(row[SIGMA_T],
                                    sqrt((s.tangential_square / s.mass - turn * turn) / 2), 1));
        }
        assert_true(bodies == BODIES);
        print_message("precision %d: %zu shells, %.1e\n", p, table.n, worst);
        assert_true(worst < (p == OCT_PRECISION_SINGLE ? 1e-5 : 1e-11)); /* seen: 8.6e-7, 1.8e-13 */
        oct_tabulation_clear(&table);
        oct_bodies_clear(&b);
        oct_sim_free(sim);
    }
}

/* v^2 = G M r / (r + a)^2, with its peak sqrt(M / a) / 2 at r = a; sigma_r^2 by Hernquist (1990),
 * equation 10. */
static void the_velocities_of_a_hernquist_sphere(void **state)
{
    (void)state;
    oct_sim *sim =
        ref_sim(OCT_PRECISION_MIXED,
                "units: nbody\nmodels: [hernquist: {n: 40000}]\ngravity: {method: none}\n"
                "integrator: {dt: 0.01}\nrun: {until: 1}\noutput: {components: [all]}\n");
    oct_tabulation table = tabulate(sim);
    double worst[2] = {0};
    for (size_t i = 0; i < table.n; i++) {
        const double *row = table.values + i * WIDTH;
        double r = row[OUTER], x = sqrt(row[INNER] * r);
        if (row[N] < 1000)
            continue;
        double sigma = (12 * x * pow(x + 1, 3) * log((x + 1) / x) -
                        x / (x + 1) * (25 + 52 * x + 42 * x * x + 12 * x * x * x)) /
                       12;
        worst[0] = fmax(worst[0], fabs(row[CIRCULAR] / (sqrt(r) / (r + 1)) - 1));
        worst[1] = fmax(worst[1], fabs(row[SIGMA_R] / sqrt(sigma) - 1));
    }
    print_message("circular velocity %.1e, dispersion %.1e, peak %.4f at %.3f\n", worst[0],
                  worst[1], ref_measure(sim, "v_max_all"), ref_measure(sim, "r_max_all"));
    assert_true(worst[0] < 0.03); /* seen: 1.2e-2 */
    assert_true(worst[1] < 0.07); /* seen: 4.5e-2, 1000 bodies in a shell */
    assert_true(fabs(ref_measure(sim, "v_max_all") / 0.5 - 1) < 0.03);
    assert_true(fabs(ref_measure(sim, "r_max_all") - 1) < 0.3); /* the peak is flat */
    oct_tabulation_clear(&table);
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shells_hold_what_is_in_them),
        cmocka_unit_test(the_velocities_of_a_hernquist_sphere),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
