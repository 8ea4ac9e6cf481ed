/* Adds stars with planets, and measures how well a simulation comes back to its start. */
#include "systems_ref.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

void ref_add(oct_bodies *b, unsigned system, double mass, const double position[3],
             const double velocity[3], unsigned type)
{
    size_t i = b->n;
    ref_ok(oct_bodies_resize(b, i + 1));
    memcpy(b->position + 3 * i, position, 3 * sizeof *position);
    memcpy(b->velocity + 3 * i, velocity, 3 * sizeof *velocity);
    b->mass[i] = mass;
    b->system[i] = system;
    b->type[i] = (uint8_t)type;
    b->id[i] = i + 1;
}

void ref_add_system(oct_bodies *b, unsigned system, const double place[3], const double velocity[3],
                    double star, double planet, const double *radii, size_t planets)
{
    ref_add(b, system, star, place, velocity, OCT_TYPE_STAR);
    for (size_t i = 0; i < planets; i++) {
        double angle = (double)i, tilt = 0.05 * angle, speed = sqrt((star + planet) / radii[i]);
        double x[3] = {radii[i] * cos(angle), radii[i] * sin(angle) * cos(tilt),
                       radii[i] * sin(angle) * sin(tilt)};
        double v[3] = {-speed * sin(angle), speed * cos(angle) * cos(tilt),
                       speed * cos(angle) * sin(tilt)};
        for (int k = 0; k < 3; k++) {
            x[k] += place[k];
            v[k] += velocity[k];
        }
        ref_add(b, system, planet, x, v, OCT_TYPE_BODY);
    }
}

oct_sim *ref_bodies_sim(const oct_bodies *bodies, oct_precision precision, const char *scene, ...)
{
    const oct_file_info info = {.size = sizeof info, .units = *oct_units_find("nbody")};
    char folder[] = "systems-XXXXXX", path[64], rest[2048];
    va_list arguments;
    va_start(arguments, scene);
    vsnprintf(rest, sizeof rest, scene, arguments);
    va_end(arguments);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/bodies.csv", folder);
    ref_ok(oct_bodies_write(bodies, &info, path));
    oct_sim *sim = ref_sim(precision, "units: nbody\nmodels: [file: {path: %s}]\n%s", path, rest);
    assert_int_equal(unlink(path) | rmdir(folder), 0);
    return sim;
}

static double largest_distance(const oct_bodies *a, const oct_bodies *b)
{
    double worst = 0;
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        double d = 0;
        for (size_t k = 3 * i; k < 3 * i + 3; k++)
            d = hypot(d, a->position[k] - b->position[k]);
        worst = isnan(d) ? INFINITY : fmax(worst, d);
    }
    return worst;
}

double ref_return_error(oct_sim *sim, uint64_t steps)
{
    oct_bodies start = {0}, b = {0};
    ref_ok(oct_sim_bodies(&start, sim));
    ref_ok(oct_sim_step(sim, steps));
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t i = 0; i < 3 * b.n; i++)
        b.velocity[i] = -b.velocity[i];
    ref_ok(oct_sim_set_bodies(sim, &b));
    ref_ok(oct_sim_step(sim, steps));
    ref_ok(oct_sim_bodies(&b, sim));
    double error = largest_distance(&b, &start);
    oct_bodies_clear(&start);
    oct_bodies_clear(&b);
    return error;
}

double ref_apart(oct_sim *a, oct_sim *b)
{
    oct_bodies x = {0}, y = {0};
    ref_ok(oct_sim_bodies(&x, a));
    ref_ok(oct_sim_bodies(&y, b));
    double worst = largest_distance(&x, &y);
    oct_bodies_clear(&x);
    oct_bodies_clear(&y);
    return worst;
}
