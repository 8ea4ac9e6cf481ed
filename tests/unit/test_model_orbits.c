/* The elements of orbits that models make. */
#include "model_ref.h"
#include "octant/octant.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

extern const oct_model oct_model_two_body, oct_model_solar_system;

/* The elements of a relative orbit, from its state vectors. */
typedef struct elements {
    double axis, eccentricity, pericentre, mean_anomaly, inclination;
} elements;

static elements elements_of(const double x[3], const double v[3], double mu)
{
    double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double h[3], e[3], rv = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        h[k] = x[i] * v[j] - x[j] * v[i];
        e[k] = ((v2 - mu / r) * x[k] - rv * v[k]) / mu;
    }
    elements out = {.axis = 1 / (2 / r - v2 / mu),
                    .eccentricity = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]),
                    .pericentre = atan2(e[1], e[0]),
                    .inclination = atan2(hypot(h[0], h[1]), h[2])};
    double e_sin = rv / sqrt(mu * out.axis);
    out.mean_anomaly = atan2(e_sin, 1 - r / out.axis) - e_sin;
    return out;
}

static elements relative_elements(const oct_bodies *bodies, size_t centre, size_t body, double G)
{
    double x[3], v[3];
    for (size_t k = 0; k < 3; k++) {
        x[k] = bodies->position[3 * body + k] - bodies->position[3 * centre + k];
        v[k] = bodies->velocity[3 * body + k] - bodies->velocity[3 * centre + k];
    }
    return elements_of(x, v, G * (bodies->mass[centre] + bodies->mass[body]));
}

static void make(oct_bodies *out, const oct_model *table, const char *units, uint64_t seed,
                 const char *const *fields)
{
    ref_model model;
    ref_model_init(&model, table, units, seed, fields);
    *out = (oct_bodies){0};
    ref_model_bodies(out, &model);
    ref_model_clear(&model);
}

static void two_bodies_start_at_pericentre(void **state)
{
    (void)state;
    oct_bodies bodies;
    make(&bodies, &oct_model_two_body, "nbody", 1,
         (const char *[]){"mass1", "3", "mass2", "1", "semi_major_axis", "2", "eccentricity", "0.6",
                          "radius1", "0.1", NULL});
    assert_int_equal(bodies.n, 2);
    assert_true(fabs(bodies.position[0] + 0.2) < 1e-16);
    assert_true(fabs(bodies.position[3] - 0.6) < 1e-15);
    assert_true(bodies.position[1] == 0 && bodies.position[4] == 0);
    assert_true(bodies.velocity[4] > 0 && bodies.velocity[3] == 0);
    assert_true(bodies.mass[0] == 3 && bodies.mass[1] == 1);
    assert_true(bodies.radius[0] == 0.1 && bodies.radius[1] == 0);
    assert_int_equal(bodies.type[0], OCT_TYPE_BODY);
    oct_bodies_clear(&bodies);
}

static void two_bodies_have_their_elements(void **state)
{
    (void)state;
    const char *const anomalies[] = {"0", "30", "-100", "175"};
    const double degrees[] = {0, 30, -100, 175};
    for (size_t i = 0; i < 4; i++) {
        oct_bodies bodies;
        make(&bodies, &oct_model_two_body, "nbody", 1,
             (const char *[]){"mass1", "3", "mass2", "0.5", "semi_major_axis", "2", "eccentricity",
                              "0.6", "anomaly", anomalies[i], NULL});
        elements found = relative_elements(&bodies, 0, 1, 1);
        assert_true(fabs(found.axis - 2) < 1e-14);           /* measured 1.8e-15 */
        assert_true(fabs(found.eccentricity - 0.6) < 2e-15); /* measured 3.3e-16 */
        assert_true(fabs(found.pericentre) < 5e-15);         /* measured 8.5e-16 */
        assert_true(fabs(found.mean_anomaly - degrees[i] * 0.0174532925199432958) < 1e-14);
        assert_true(found.inclination == 0);
        assert_true(ref_off_centre(&bodies) < 1e-15 && ref_drift(&bodies) < 1e-15);
        oct_bodies_clear(&bodies);
    }
}

/* A second body without mass circles a first one that stays where it is. */
static void a_test_particle_moves_alone(void **state)
{
    (void)state;
    oct_bodies bodies;
    make(&bodies, &oct_model_two_body, "nbody", 1,
         (const char *[]){"mass1", "1", "mass2", "0", "semi_major_axis", "1", NULL});
    assert_true(bodies.position[0] == 0 && bodies.velocity[1] == 0);
    assert_true(bodies.position[3] == 1 && bodies.velocity[4] == 1);
    oct_bodies_clear(&bodies);
}

/* Celestial's tables B.1 to B.3 with NASA's eccentricity of Mars; NASA's mean radii in km. */
static const struct {
    double mass, axis, eccentricity, radius;
} planets[] = {
    {0.0553, 0.387, 0.205, 2439.7}, {0.815, 0.723, 0.007, 6051.8}, {1.0, 1.0, 0.017, 6371.0},
    {0.107, 1.524, 0.094, 3389.5},  {317.8, 5.204, 0.049, 69911},  {95.2, 9.582, 0.057, 58232},
    {14.5, 19.201, 0.046, 25362},   {17.1, 30.047, 0.011, 24622},
};

static const double au_km = 149597870.7, gauss = 0.01720209895;

static void planets_have_their_elements(void **state)
{
    (void)state;
    const char *const starts[] = {"pericentre", "random"};
    for (size_t i = 0; i < 2; i++) {
        ref_model model;
        oct_bodies bodies = {0};
        ref_model_init(&model, &oct_model_solar_system, "solar", 1,
                       (const char *[]){"start", starts[i], NULL});
        ref_model_bodies(&bodies, &model);
        double G = model.setup.units.G;
        assert_int_equal(bodies.n, 9);
        assert_true(fabs(G * bodies.mass[0] / (gauss * gauss) - 1) < 1e-14);
        assert_true(fabs(bodies.mass[0] - 332946) < 1e-6);
        assert_true(fabs(bodies.radius[0] * au_km - 695700) < 1e-6);
        assert_int_equal(bodies.type[0], OCT_TYPE_STAR);
        for (size_t j = 1; j < 9; j++) {
            elements found = relative_elements(&bodies, 0, j, G);
            double axis = planets[j - 1].axis, eccentricity = planets[j - 1].eccentricity;
            assert_true(fabs(found.axis / axis - 1) < 4e-15);             /* measured 7.8e-16 */
            assert_true(fabs(found.eccentricity - eccentricity) < 4e-15); /* measured 5.3e-16 */
            assert_true(fabs(found.pericentre) < 1e-13);                  /* measured 2.1e-14 */
            assert_true(found.inclination == 0);
            assert_true((fabs(found.mean_anomaly) < 1e-11) == (i == 0));
            assert_true(fabs(bodies.mass[j] / planets[j - 1].mass - 1) < 1e-13);
            assert_true(fabs(bodies.radius[j] * au_km / planets[j - 1].radius - 1) < 1e-13);
            assert_int_equal(bodies.type[j], OCT_TYPE_BODY);
        }
        /* In AU and AU/day. */
        assert_true(ref_off_centre(&bodies) < 3e-18); /* measured 5.6e-19 */
        assert_true(ref_drift(&bodies) < 5e-21);      /* measured 8.8e-22 */
        ref_model_clear(&model);
        oct_bodies_clear(&bodies);
    }
}

static void units_do_not_matter(void **state)
{
    (void)state;
    const char *const systems[] = {"solar", "si", "galactic"};
    oct_bodies bodies[3];
    oct_units units[3];
    for (size_t i = 0; i < 3; i++) {
        ref_model model;
        ref_model_init(&model, &oct_model_solar_system, systems[i], 5,
                       (const char *[]){"start", "random", NULL});
        bodies[i] = (oct_bodies){0};
        ref_model_bodies(&bodies[i], &model);
        units[i] = model.setup.units;
        ref_model_clear(&model);
    }
    for (size_t i = 1; i < 3; i++) {
        double length = units[i].length / units[0].length, time = units[i].time / units[0].time;
        double mass = units[i].mass / units[0].mass;
        for (size_t j = 3; j < 27; j++) {
            double x = bodies[0].position[j], v = bodies[0].velocity[j];
            assert_true(fabs(bodies[i].position[j] * length - x) < 1e-13 * 30);
            assert_true(fabs(bodies[i].velocity[j] * length / time - v) < 1e-14);
        }
        for (size_t j = 0; j < 9; j++) {
            /* The unit systems agree on the Earth's mass to 2.4e-7. */
            assert_true(fabs(bodies[i].mass[j] * mass / bodies[0].mass[j] - 1) < 4e-7);
            assert_true(fabs(bodies[i].radius[j] * length / bodies[0].radius[j] - 1) < 1e-14);
        }
    }
    for (size_t i = 0; i < 3; i++)
        oct_bodies_clear(&bodies[i]);
}

/* A planet's random place is its own: it does not depend on which others there are. */
static void planets_can_be_chosen(void **state)
{
    (void)state;
    oct_bodies all, few, other;
    make(&all, &oct_model_solar_system, "solar", 5, (const char *[]){"start", "random", NULL});
    make(&few, &oct_model_solar_system, "solar", 5,
         (const char *[]){"planets", "[neptune, earth]", "start", "random", NULL});
    make(&other, &oct_model_solar_system, "solar", 6,
         (const char *[]){"planets", "[neptune, earth]", "start", "random", NULL});
    double G = gauss * gauss / 332946;
    assert_int_equal(few.n, 3);
    assert_true(fabs(few.mass[1] - 17.1) < 1e-12 && fabs(few.mass[2] - 1) < 1e-13);
    double neptune = relative_elements(&few, 0, 1, G).mean_anomaly;
    double earth = relative_elements(&few, 0, 2, G).mean_anomaly;
    assert_true(fabs(neptune - relative_elements(&all, 0, 8, G).mean_anomaly) < 1e-12);
    assert_true(fabs(earth - relative_elements(&all, 0, 3, G).mean_anomaly) < 1e-12);
    assert_true(fabs(earth - relative_elements(&other, 0, 2, G).mean_anomaly) > 1e-3);
    oct_bodies_clear(&all);
    oct_bodies_clear(&few);
    oct_bodies_clear(&other);
}

/* Without the Sun the planets stay in its frame, on orbits around a mass that does not move. */
static void the_sun_can_be_left_out(void **state)
{
    (void)state;
    oct_bodies bodies;
    make(&bodies, &oct_model_solar_system, "solar", 1,
         (const char *[]){"planets", "[jupiter]", "sun", "false", NULL});
    assert_int_equal(bodies.n, 1);
    elements found = elements_of(bodies.position, bodies.velocity, gauss * gauss);
    assert_true(fabs(found.axis / 5.204 - 1) < 1e-13);
    assert_true(fabs(found.eccentricity - 0.049) < 1e-14);
    oct_bodies_clear(&bodies);
}

static void refuse(const char *units, const char *planet_list, const char *sun, const char *word)
{
    ref_model model;
    ref_model_init(&model, &oct_model_solar_system, units, 1,
                   (const char *[]){"planets", planet_list, "sun", sun, NULL});
    assert_int_equal(model.table->check(model.state, &model.setup), OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), word));
    ref_model_clear(&model);
}

static void bad_solar_systems_are_refused(void **state)
{
    (void)state;
    refuse("nbody", "[earth]", "true",
           "units of a physical size (si, solar or galactic), not nbody");
    refuse("solar", "[erth]", "true", "did you mean 'earth'?");
    refuse("solar", "[pluto]", "true", "no planet 'pluto'");
    refuse("solar", "[earth, mars, earth]", "true", "earth is there twice");
    refuse("solar", "[]", "false", "neither the Sun nor a planet");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_bodies_start_at_pericentre),
        cmocka_unit_test(two_bodies_have_their_elements),
        cmocka_unit_test(a_test_particle_moves_alone),
        cmocka_unit_test(planets_have_their_elements),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(planets_can_be_chosen),
        cmocka_unit_test(the_sun_can_be_left_out),
        cmocka_unit_test(bad_solar_systems_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
