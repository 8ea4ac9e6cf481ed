/* Kepler orbits of every shape on the device against those of the host. */
#include <math.h>

#include "selftest/oracle.h"
#include "selftest/selftest.h"
#include "util/random.h"

enum { N = 1000, SHAPES = 5 };

/* From circles by way of all conics to falls along a straight line; for a thousandth to thirty
 * times the time that a body takes for its distance, forward and back. */
static void make_orbit(double position[4], double velocity[4], uint32_t i)
{
    oct_random random = oct_random_start(1, 0, i);
    double mu = exp(4 * oct_random_normal(&random)), r = exp(4 * oct_random_normal(&random));
    double x[3], v[3], along = 0;
    oct_random_direction(x, &random);
    oct_random_direction(v, &random);
    for (int k = 0; k < 3; k++)
        along += x[k] * v[k];
    /* The speed in units of the escape speed. */
    double speed = i % SHAPES == 4 ? 1 : 1.5 * oct_random_uniform(&random), across = 0;
    for (int k = 0; k < 3; k++) {
        v[k] = i % SHAPES == 0 ? x[k] : i % SHAPES == 1 ? v[k] - along * x[k] : v[k];
        across += v[k] * v[k];
    }
    speed *= sqrt(2 * mu / (r * across));
    for (int k = 0; k < 3; k++) {
        position[k] = r * x[k];
        velocity[k] = speed * v[k];
    }
    double time = 1e-3 * pow(3e4, oct_random_uniform(&random));
    position[3] = (i % 2 ? 1 : -1) * time * sqrt(r * r * r / mu);
    velocity[3] = mu;
}

static oct_status drift_all(double (*position)[4], double (*velocity)[4], oct_selftest_run *test)
{
    oct_status status;
    oct_program *program = NULL;
    oct_kernel *kernel = NULL;
    oct_buffer *x = NULL, *v = NULL;
    const oct_build build = {.file = "selftest_kepler.cl", .precision = OCT_PRECISION_DOUBLE};
    OCT_TRY_DONE(oct_program_create(&program, test->device, &build));
    OCT_TRY_DONE(OCT_KERNEL(&kernel, program, "selftest_kepler_drift", OCT_BIND_OUT("position", &x),
                            OCT_BIND_OUT("velocity", &v), OCT_FIX_UINT("n", N)));
    OCT_TRY_DONE(oct_buffer_create(&x, test->device, "position", sizeof *position, N));
    OCT_TRY_DONE(oct_buffer_create(&v, test->device, "velocity", sizeof *velocity, N));
    OCT_TRY_DONE(oct_buffer_write(x, position, 0, N));
    OCT_TRY_DONE(oct_buffer_write(v, velocity, 0, N));
    OCT_TRY_DONE(oct_kernel_launch(kernel, N, 0));
    OCT_TRY_DONE(oct_buffer_read(position, x, 0, N));
    status = oct_buffer_read(velocity, v, 0, N);
done:
    oct_buffer_free(x);
    oct_buffer_free(v);
    oct_kernel_free(kernel);
    oct_program_free(program);
    return status;
}

static double length(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Distance from the host's place in units of what rounding the start and the time would do: it
 * moves the body by its length of way, and by the speed that it has now. */
static oct_status error_of(double *out, const double got[4], uint32_t i)
{
    double x[4], v[4], difference[3];
    make_orbit(x, v, i);
    double t = x[3], way = length(x) + length(v) * fabs(t);
    OCT_TRY(oct_kepler_advance(x, v, v[3], t));
    for (int k = 0; k < 3; k++)
        difference[k] = got[k] - x[k];
    *out = length(difference) / (way + length(x) + length(v) * fabs(t));
    return OCT_STATUS_OK;
}

static oct_status kepler_run(oct_selftest_run *test)
{
    double position[N][4], velocity[N][4], worst = 0, error;
    /* In mixed it is the same program: the state is double. */
    if (!oct_device_describe(test->device)->fp64 || test->only == OCT_PRECISION_SINGLE)
        return OCT_STATUS_OK;
    if (!oct_selftest_has(test, "integrator", "wh") &&
        !oct_selftest_has(test, "output", "kepler-error"))
        return OCT_STATUS_OK;
    if (!oct_selftest_due(test, "Kepler orbits"))
        return OCT_STATUS_OK;
    for (uint32_t i = 0; i < N; i++)
        make_orbit(position[i], velocity[i], i);
    OCT_TRY(drift_all(position, velocity, test));
    for (uint32_t i = 0; i < N; i++) {
        OCT_TRY(error_of(&error, position[i], i));
        worst = oct_oracle_worse(worst, error);
    }
    /* Seen: 6.4e-13, where bodies have met on the way; 2e-14 for all others. */
    oct_selftest_check(test, "Kepler orbits", worst, 1e-11);
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_kepler = {
    .name = "kepler",
    .doc = "Kepler orbits of every shape against those of the host.",
    .cost = 7,
    .run = kepler_run,
};
