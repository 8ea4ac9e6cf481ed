/* Local expansions (kernels/expansion.clh) against the exact field of a cell, in double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "scene_sim.h"

/* A body at r feels a cell at d: r is what the kernel takes for a place, d for a velocity. */
static const oct_include user[] = {
    {.name = "user.clh",
     .label = "expansion of one cell",
     .text = "#define EXPANSION_RSQRT rsqrt\n"
             "typedef force expansion_number;\n"
             "#include \"expansion.clh\"\n"
             "real4 octant_force(real3 x, real3 v, real m, ulong id, real t)\n"
             "{\n"
             "    force sum[EXPANSION_ALL] = {0}, f[4];\n"
             "    const force s[6] = {(force)SXX, (force)SXY, (force)SXZ, (force)SYY, (force)SYZ,\n"
             "                        (force)SZZ};\n"
             "    const force size = (force)0.25;\n"
             "    expansion_add(sum, v.x, v.y, v.z, m, s, (force)(EPS) * (force)(EPS), size);\n"
             "    expansion_complete(sum);\n"
             "    expansion_evaluate(f, sum, x.x / size, x.y / size, x.z / size);\n"
             "    return (real4)(-f[0] / size, -f[1] / size, -f[2] / size, f[3]);\n"
             "}\n"},
    {0}};

/* A cell of four bodies whose centre of mass is 0. */
enum { SOURCES = 4, ROWS = 64 };
#define MASS 0.8
static const double source[SOURCES][4] = {
    {0.5, 0.2, -0.1, 0.3}, {-0.3, 0.4, 0.2, 0.2}, {0, -0.6, 0.3, 0.1}, {-0.45, -0.4, -0.2, 0.2}};

/* The plain second moments times 3 of the cell, shrunk: Q + T = 3 sum m s s. */
static void second_moments(double out[6], double shrink)
{
    static const int i[6] = {0, 0, 0, 1, 1, 2}, j[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        out[k] = 0;
        for (int b = 0; b < SOURCES; b++)
            out[k] += 3 * shrink * shrink * source[b][3] * source[b][i[k]] * source[b][j[k]];
    }
}

/* The field of mass and second moments at r, softened: with x from r to the cell,
 *   phi = -M / rho - (3 x S x / rho^2 - tr S) / (2 rho^3),  S = sum m s s. */
static void field_at(double out[4], const double *r, const double *d, double shrink, double eps)
{
    double q[6], x[3], sx[3], r2 = eps * eps;
    second_moments(q, shrink);
    const double s[3][3] = {{q[0], q[1], q[2]}, {q[1], q[3], q[4]}, {q[2], q[4], q[5]}};
    for (int k = 0; k < 3; k++) {
        x[k] = d[k] - r[k];
        r2 += x[k] * x[k];
    }
    double xsx = 0, trace = (q[0] + q[3] + q[5]) / 3;
    for (int k = 0; k < 3; k++) {
        sx[k] = (s[k][0] * x[0] + s[k][1] * x[1] + s[k][2] * x[2]) / 3;
        xsx += x[k] * sx[k];
    }
    double rho3 = r2 * sqrt(r2), along = MASS - 1.5 * trace / r2 + 7.5 * xsx / (r2 * r2);
    for (int k = 0; k < 3; k++)
        out[k] = (along * x[k] - 3 * sx[k] / r2) / rho3;
    out[3] = -MASS / sqrt(r2) - (3 * xsx / r2 - trace) / (2 * rho3);
}

static double some(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 16777216.0 * 2 - 1;
}

typedef struct rows {
    double position[4 * ROWS], velocity[4 * ROWS], acceleration[4 * ROWS], potential[ROWS];
} rows;

/* What the kernel makes of bodies within 0.2 of the centre and a cell of unit mass at a distance,
 * everything shrunk by `shrink`. */
static void expand(rows *out, int order, double distance, double shrink, double eps)
{
    oct_program *program = NULL;
    oct_kernel *kernel = NULL;
    oct_device *device = ref_device();
    char options[512];
    double s[6];
    unsigned seed = 7;
    oct_buffer *acceleration = NULL, *potential = NULL, *position = NULL, *velocity = NULL,
               *id = NULL, *type = NULL, *none = NULL;
    second_moments(s, shrink);
    snprintf(options, sizeof options,
             "-D EXPANSION_ORDER=%d -D QUADRUPOLE -D EPS=%.17g%s -D SXX=%.17g -D SXY=%.17g "
             "-D SXZ=%.17g -D SYY=%.17g -D SYZ=%.17g -D SZZ=%.17g",
             order, eps, eps > 0 ? " -D SOFTENED" : "", s[0], s[1], s[2], s[3], s[4], s[5]);
    const oct_build build = {.file = "force_custom.cl",
                             .options = options,
                             .precision = OCT_PRECISION_DOUBLE,
                             .includes = user};
    for (size_t i = 0; i < ROWS; i++) {
        double x[3], v[3], length = 0;
        for (int k = 0; k < 3; k++) {
            x[k] = some(&seed);
            v[k] = some(&seed);
            length += v[k] * v[k];
        }
        for (int k = 0; k < 3; k++) {
            out->position[4 * i + (size_t)k] = shrink * 0.2 / sqrt(3.0) * x[k];
            out->velocity[4 * i + (size_t)k] = distance / sqrt(length) * v[k];
        }
        out->position[4 * i + 3] = MASS;
        out->velocity[4 * i + 3] = 0;
    }
    ref_ok(oct_program_create(&program, device, &build));
    ref_ok(OCT_KERNEL(
        &kernel, program, "force_custom_add", OCT_BIND_OUT("acceleration", &acceleration),
        OCT_BIND_OUT("potential", &potential), OCT_BIND_IN("position", &position),
        OCT_BIND_IN("velocity", &velocity), OCT_BIND_IN("id", &id), OCT_BIND_IN("type", &type),
        OCT_BIND_IN("listed", &none), OCT_BIND_IN("n_listed", &none), OCT_FIX_REAL("time", 0),
        OCT_FIX_UINT("n", ROWS), OCT_BIND_IN("numbers", &none)));
    ref_ok(oct_buffer_create(&acceleration, device, "acceleration", 32, ROWS));
    ref_ok(oct_buffer_create(&potential, device, "potential", 8, ROWS));
    ref_ok(oct_buffer_create(&position, device, "position", 32, ROWS));
    ref_ok(oct_buffer_create(&velocity, device, "velocity", 32, ROWS));
    ref_ok(oct_buffer_create(&id, device, "id", 8, ROWS));
    ref_ok(oct_buffer_create(&type, device, "type", 1, ROWS));
    ref_ok(oct_buffer_fill(acceleration, 0));
    ref_ok(oct_buffer_fill(type, 1));
    ref_ok(oct_buffer_write(position, out->position, 0, ROWS));
    ref_ok(oct_buffer_write(velocity, out->velocity, 0, ROWS));
    ref_ok(oct_kernel_launch(kernel, ROWS, 0));
    ref_ok(oct_buffer_read(out->acceleration, acceleration, 0, ROWS));
    ref_ok(oct_buffer_read(out->potential, potential, 0, ROWS));
    oct_buffer *const buffers[] = {acceleration, potential, position, velocity, id, type};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    oct_kernel_free(kernel);
    oct_program_free(program);
}

/* Mean errors relative to the field: of the acceleration and of the potential. */
static void errors(double out[2], int order, double distance, double shrink, double eps)
{
    rows r;
    expand(&r, order, distance, shrink, eps);
    out[0] = out[1] = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double exact[4], off = 0, all = 0;
        field_at(exact, r.position + 4 * i, r.velocity + 4 * i, shrink, eps);
        for (size_t k = 0; k < 3; k++) {
            off += pow(r.acceleration[4 * i + k] - exact[k], 2);
            all += pow(exact[k], 2);
        }
        out[0] += sqrt(off / all) / ROWS;
        out[1] += fabs(r.potential[i] / exact[3] - 1) / ROWS;
    }
}

/* With group and cell half as large, the potential's error is 2^(p + 1) times smaller, and that of
 * the acceleration 2^p times. */
static void errors_fall_as_the_order_says(void **state)
{
    static const double softenings[] = {0, 0.3};
    (void)state;
    for (size_t e = 0; e < 2; e++)
        for (int order = 3; order <= 5; order++) {
            double wide[2], narrow[2];
            errors(wide, order, 1, 0.5, softenings[e]);
            errors(narrow, order, 1, 0.25, softenings[e]);
            double a = log2(wide[0] / narrow[0]), phi = log2(wide[1] / narrow[1]);
            print_message("order %d, eps %g: %.1e, falls by 2^%.2f; potential %.1e, 2^%.2f\n",
                          order, softenings[e], narrow[0], a, narrow[1], phi);
            assert_true(fabs(a - order) < 0.1);       /* seen: 0.03 */
            assert_true(fabs(phi - order - 1) < 0.1); /* seen: 0.01 */
        }
}

/* A higher order is better where the group is large, too. */
static void higher_orders_are_better(void **state)
{
    (void)state;
    for (int order = 4; order <= 5; order++) {
        double lower[2], higher[2];
        errors(lower, order - 1, 1, 0.5, 0.1);
        errors(higher, order, 1, 0.5, 0.1);
        assert_true(higher[0] < 0.5 * lower[0] && higher[1] < 0.5 * lower[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_fall_as_the_order_says),
        cmocka_unit_test(higher_orders_are_better),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
