/* Galaxies of solar systems: how many bodies there are, where, on which orbits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/scene.h"
#include "scene_sim.h"

static const double pi = 3.14159265358979323846, gauss = 0.01720209895, sun = 332946;
static const double au_km = 149597870.7;

static oct_status try_galaxy(oct_bodies *out, const char *units, int seed, const char *models)
{
    char text[1000];
    oct_scene *scene = NULL;
    oct_setup *setup = NULL;
    *out = (oct_bodies){0};
    snprintf(text, sizeof text,
             "seed: %d\nunits: %s\nmodels: [%s]\nintegrator: {dt: 1}\nrun: {until: 1}\n", seed,
             units, models);
    oct_status status = oct_scene_parse(&scene, text, strlen(text), "test");
    if (status == OCT_STATUS_OK)
        status = oct_scene_setup(&setup, scene);
    if (status == OCT_STATUS_OK)
        status = oct_setup_bodies(out, setup);
    oct_setup_free(setup);
    oct_scene_free(scene);
    return status;
}

static void make(oct_bodies *out, int seed, const char *keys)
{
    char models[400];
    snprintf(models, sizeof models, "{galaxy-of-systems: %s}", keys);
    ref_ok(try_galaxy(out, "solar", seed, models));
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(double out[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The bodies [first, end) of a system and their centre of mass. */
typedef struct star_system {
    size_t first, end;
    double mass, x[3], v[3];
} star_system;

/* The system that begins at this body. */
static star_system system_at(const oct_bodies *b, size_t first)
{
    star_system s = {.first = first, .end = first};
    for (; s.end < b->n && b->system[s.end] == b->system[first]; s.end++) {
        s.mass += b->mass[s.end];
        for (size_t k = 0; k < 3; k++) {
            s.x[k] += b->mass[s.end] * b->position[3 * s.end + k];
            s.v[k] += b->mass[s.end] * b->velocity[3 * s.end + k];
        }
    }
    for (size_t k = 0; k < 3; k++) {
        s.x[k] /= s.mass;
        s.v[k] /= s.mass;
    }
    return s;
}

static oct_elements orbit_of(const oct_bodies *b, size_t centre, size_t body)
{
    oct_elements out;
    double x[3], v[3];
    for (size_t k = 0; k < 3; k++) {
        x[k] = b->position[3 * body + k] - b->position[3 * centre + k];
        v[k] = b->velocity[3 * body + k] - b->velocity[3 * centre + k];
    }
    double mu = gauss * gauss / sun * (b->mass[centre] + b->mass[body]);
    ref_ok(oct_kepler_elements(&out, x, v, mu));
    return out;
}

static void defaults_are_those_of_the_thesis(void **state)
{
    oct_bodies b;
    (void)state;
    make(&b, 1, "{}");
    assert_int_equal(b.n, 65);
    assert_true(b.mass[0] == 3329460 && b.system[0] == 0 && b.radius[0] == 0);
    assert_int_equal(b.type[0], OCT_TYPE_BLACK_HOLE | OCT_TYPE_HELD);
    for (size_t k = 0; k < 3; k++)
        assert_true(b.position[k] == 0 && b.velocity[k] == 0);
    for (size_t i = 1; i < b.n; i++) {
        size_t planet = (i - 1) % 8;
        assert_int_equal(b.id[i], i + 1);
        assert_int_equal(b.system[i], 1 + (i - 1) / 8);
        assert_int_equal(b.type[i], planet ? OCT_TYPE_BODY : OCT_TYPE_STAR);
        assert_true(b.mass[i] == (planet ? 1 : sun));
        assert_true(fabs(b.radius[i] * au_km / (planet ? 6371 : 695700) - 1) <
                    2e-15); /* seen: 2e-16 */
        if (planet) {
            oct_elements orbit = orbit_of(&b, i - planet, i);
            assert_true(fabs(orbit.semi_major_axis / (double)planet - 1) < 1e-13); /* seen: 9e-15 */
            assert_true(fabs(orbit.eccentricity - 0.017) < 1e-13);                 /* seen: 7e-15 */
        }
    }
    oct_bodies_clear(&b);
}

/* At equal angles on a circle, each centre of mass with the speed of the two-body orbit. */
static void systems_circle_the_black_hole(void **state)
{
    oct_bodies b;
    (void)state;
    make(&b, 1, "{systems: 10, bodies: 3, distance: 50 AU, mass_ratio: 4, planet_mass: 3 Mjup}");
    for (size_t s = 0; s < 10; s++) {
        star_system at = system_at(&b, 1 + 3 * s);
        double angle = 2 * pi * (double)s / 10;
        double speed = gauss * sqrt((4 * sun + at.mass) / sun / 50);
        const double x[3] = {50 * cos(angle), 50 * sin(angle), 0};
        const double v[3] = {-speed * sin(angle), speed * cos(angle), 0};
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(at.x[k] - x[k]) < 1e-13); /* seen: 7e-15 */
            assert_true(fabs(at.v[k] - v[k]) < 2e-17); /* seen: 2e-18 */
        }
    }
    oct_bodies_clear(&b);
}

/* Seven systems on three planes: three, two and two, 100, 130 and 160 AU out, tilted by a third of
 * the fan and turned by the golden angle each, with their planets in the same plane. */
static void planes_are_tilted_and_apart(void **state)
{
    static const size_t planes[] = {0, 0, 0, 1, 1, 2, 2};
    static const double turns[] = {0, 1 / 3.0, 2 / 3.0, 0, 1 / 2.0, 0, 1 / 2.0};
    static const double fans[] = {180, 30, 0};
    (void)state;
    for (size_t f = 0; f < 3; f++) {
        char keys[100];
        oct_bodies b;
        snprintf(keys, sizeof keys, "{systems: 7, bodies: 4, planes: 3, fan: %g}", fans[f]);
        make(&b, 1, keys);
        assert_int_equal(b.n, 29);
        for (size_t s = 0; s < 7; s++) {
            star_system at = system_at(&b, 1 + 4 * s);
            double tilt = fans[f] / 3 * (double)planes[s] * pi / 180, normal[3];
            cross(normal, at.x, at.v);
            double length = sqrt(dot(normal, normal)), r = sqrt(dot(at.x, at.x));
            assert_true(fabs(r / (100 + 30 * (double)planes[s]) - 1) < 3e-15); /* seen: 2e-16 */
            double angle = 2 * pi * turns[s] + pi * (3 - sqrt(5)) * (double)planes[s];
            assert_true(fabs(at.x[0] / r - cos(angle)) < 1e-14);       /* seen: 7e-16 */
            assert_true(fabs(normal[0] / length) < 3e-15);             /* seen: 8e-24 */
            assert_true(fabs(normal[1] / length + sin(tilt)) < 3e-15); /* seen: 1e-16 */
            assert_true(fabs(normal[2] / length - cos(tilt)) < 3e-15); /* seen: 2e-16 */
            for (size_t i = at.first + 1; i < at.end; i++)
                assert_true(fabs(orbit_of(&b, at.first, i).inclination - tilt) <
                            1e-13); /* seen: 6e-17 */
        }
        oct_bodies_clear(&b);
    }
}

/* Two spheres, 1000 and 1100 AU: evenly covered, orbits in all directions. */
static void spheres_are_covered_evenly(void **state)
{
    enum { SYSTEMS = 1500, EACH = 750 };
    oct_bodies b;
    double least = INFINITY, mean[3] = {0}, z2 = 0;
    (void)state;
    make(&b, 1,
         "{systems: 1500, bodies: 2, arrangement: sphere, planes: 2, distance: 1000 AU, "
         "plane_distance: 100 AU, black_hole: held}");
    for (size_t s = 0; s < SYSTEMS; s++) {
        star_system at = system_at(&b, 1 + 2 * s);
        double r = s < EACH ? 1000 : 1100, normal[3], from_pole = 0;
        cross(normal, at.x, at.v);
        double length = sqrt(dot(normal, normal));
        assert_true(fabs(sqrt(dot(at.x, at.x)) / r - 1) < 5e-15); /* seen: 4e-16 */
        assert_true(fabs(dot(at.x, at.v)) < 1e-14 * length);      /* seen: 6e-16 in all */
        for (int k = 0; k < 3; k++)
            mean[k] += normal[k] / length / SYSTEMS;
        z2 += at.x[2] * at.x[2] / (r * r) / SYSTEMS;
        from_pole = acos(fmin(1, fabs(normal[2]) / length));
        assert_true(fabs(sin(orbit_of(&b, at.first, at.first + 1).inclination) - sin(from_pole)) <
                    1e-11); /* seen: 1.4e-13 */
        for (size_t other = 0; other < s; other++) {
            const double *y = b.position + 3 * (1 + 2 * other), *x = b.position + 3 * at.first;
            const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
            least = fmin(least, sqrt(dot(d, d)));
        }
    }
    print_message("least distance %.7f AU, <z^2> %.6f, mean normal (%.4f, %.4f, %.4f)\n", least, z2,
                  mean[0], mean[1], mean[2]);
    assert_true(least > 100 - 2e-5);        /* seen: 99.999994, stars being off their centres */
    assert_true(fabs(z2 - 1.0 / 3) < 5e-6); /* seen: 6e-7 */
    assert_true(sqrt(dot(mean, mean)) < 2 / sqrt(SYSTEMS)); /* seen: 0.032 */
    oct_bodies_clear(&b);
}

/* No lone pair is unbound, and with what all others pull no system escapes a light black hole. */
static void orbits_are_bound(void **state)
{
    static const char *const galaxies[] = {
        "{systems: 10, bodies: 2}", "{systems: 10, bodies: 2, mass_ratio: 1}",
        "{systems: 40, bodies: {min: 1, max: 9}, planes: 4, plane_distance: 40 AU, "
        "black_hole: free, eccentricity: 0.9, "
        "distance: 200 AU, star_radius: 1e5 km}",
        "{systems: 30, bodies: 9, arrangement: sphere, planets: solar-system, distance: 1000 AU}"};
    double G = gauss * gauss / sun;
    (void)state;
    for (size_t g = 0; g < 4; g++) {
        oct_bodies b;
        make(&b, 1, galaxies[g]);
        for (size_t i = 1; i < b.n;) {
            star_system at = system_at(&b, i);
            double potential = 0;
            for (size_t j = 0; j < b.n; j++) {
                const double *y = b.position + 3 * j;
                const double d[3] = {at.x[0] - y[0], at.x[1] - y[1], at.x[2] - y[2]};
                if (b.system[j] != b.system[i])
                    potential -= G * b.mass[j] / sqrt(dot(d, d));
            }
            assert_true(dot(at.v, at.v) / 2 + potential < 0);
            for (i = at.first + 1; i < at.end; i++)
                assert_true(orbit_of(&b, at.first, i).eccentricity < 0.91);
        }
        oct_bodies_clear(&b);
    }
}

static void systems_can_be_solar_systems(void **state)
{
    static const double table[][3] = {{0.0553, 0.387, 0.205}, {0.815, 0.723, 0.007},
                                      {1, 1, 0.017},          {0.107, 1.524, 0.094},
                                      {317.8, 5.204, 0.049},  {95.2, 9.582, 0.057},
                                      {14.5, 19.201, 0.046},  {17.1, 30.047, 0.011}};
    oct_bodies b;
    (void)state;
    make(&b, 1, "{systems: 5, bodies: 9, planets: solar-system}");
    assert_int_equal(b.n, 46);
    for (size_t i = 1; i < b.n; i++) {
        size_t planet = (i - 1) % 9;
        if (planet == 0) {
            assert_true(fabs(b.mass[i] - sun) < 1e-8); /* seen: 2e-10 */
            continue;
        }
        const double *want = table[planet - 1];
        oct_elements orbit = orbit_of(&b, i - planet, i);
        assert_true(fabs(b.mass[i] / want[0] - 1) < 1e-14);             /* seen: 7e-16 */
        assert_true(fabs(orbit.semi_major_axis / want[1] - 1) < 2e-13); /* seen: 1.4e-14 */
        assert_true(fabs(orbit.eccentricity - want[2]) < 2e-13);        /* seen: 1.4e-14 */
    }
    oct_bodies_clear(&b);
}

static void sizes_can_differ(void **state)
{
    enum { SYSTEMS = 2000 };
    size_t counts[10] = {0}, systems = 0;
    oct_bodies b, far;
    (void)state;
    make(&b, 1, "{systems: 2000, bodies: {min: 2, max: 9}, distance: 1e5 AU}");
    make(&far, 1, "{systems: 2000, bodies: {min: 2, max: 9}, distance: 2e5 AU, mass_ratio: 3}");
    assert_int_equal(b.n, far.n);
    assert_memory_equal(b.system, far.system, b.n * sizeof *b.system);
    for (size_t i = 1; i < b.n;) {
        star_system at = system_at(&b, i);
        assert_int_equal(b.system[i], ++systems);
        assert_int_equal(b.type[i], OCT_TYPE_STAR);
        assert_true(at.end - at.first <= 9);
        counts[at.end - at.first]++;
        i = at.end;
    }
    assert_int_equal(systems, SYSTEMS);
    assert_true(counts[0] == 0 && counts[1] == 0);
    for (size_t n = 2; n < 10; n++)
        assert_true(fabs((double)counts[n] - 250) < 4 * sqrt(250)); /* seen: 24 */
    oct_bodies_clear(&b);
    oct_bodies_clear(&far);
}

/* Mean anomalies are uniform; a system's are its own, however many others there are. */
static void start_angles_are_random(void **state)
{
    enum { SYSTEMS = 2000 };
    oct_bodies b, more;
    double c = 0, s = 0;
    (void)state;
    make(&b, 1, "{systems: 2000, bodies: 2, distance: 1e4 AU, eccentricity: 0.6}");
    make(&more, 1, "{systems: 3000, bodies: 4, distance: 1e5 AU, eccentricity: 0.6}");
    for (size_t i = 0; i < SYSTEMS; i++) {
        double angle = orbit_of(&b, 1 + 2 * i, 2 + 2 * i).mean_anomaly;
        double same = orbit_of(&more, 1 + 4 * i, 2 + 4 * i).mean_anomaly;
        c += cos(angle) / SYSTEMS;
        s += sin(angle) / SYSTEMS;
        assert_true(fabs(sin(angle - same)) < 1e-9); /* seen: 3e-11, positions being 1e5 AU */
    }
    print_message("<cos M> %.4f, <sin M> %.4f\n", c, s);
    assert_true(hypot(c, s) < 3 / sqrt(SYSTEMS)); /* seen: 0.007 */
    oct_bodies_clear(&b);
    oct_bodies_clear(&more);
}

static void seeds_and_entries_differ(void **state)
{
    const char *one = "{galaxy-of-systems: {systems: 300, bodies: 5, distance: 1e4 AU}}";
    char both[200];
    oct_bodies a, again, other, two;
    (void)state;
    snprintf(both, sizeof both, "%s, %s", one, one);
    ref_ok(try_galaxy(&a, "solar", 1, one));
    ref_ok(try_galaxy(&again, "solar", 1, one));
    ref_ok(try_galaxy(&other, "solar", 2, one));
    ref_ok(try_galaxy(&two, "solar", 1, both));
    assert_memory_equal(a.position, again.position, 3 * a.n * sizeof(double));
    assert_memory_equal(a.velocity, again.velocity, 3 * a.n * sizeof(double));
    assert_memory_equal(a.position, two.position, 3 * a.n * sizeof(double));
    for (size_t i = 2; i < a.n; i++) {
        if (a.type[i] == OCT_TYPE_STAR)
            continue;
        assert_true(a.position[3 * i] != other.position[3 * i]);
        assert_true(a.position[3 * i] != two.position[3 * (i + a.n)]);
        assert_int_equal(two.system[i + a.n], a.system[i] + 300);
    }
    oct_bodies_clear(&a);
    oct_bodies_clear(&again);
    oct_bodies_clear(&other);
    oct_bodies_clear(&two);
}

static void a_free_black_hole_moves(void **state)
{
    oct_bodies b;
    double x[3] = {0}, v[3] = {0};
    (void)state;
    /* Five systems in two planes leave the black hole off the centre. */
    make(&b, 1, "{systems: 5, planes: 2, bodies: 3, black_hole: free}");
    assert_int_equal(b.type[0], OCT_TYPE_BLACK_HOLE);
    for (size_t i = 0; i < b.n; i++)
        for (size_t k = 0; k < 3; k++) {
            x[k] += b.mass[i] * b.position[3 * i + k] / (15 * sun);
            v[k] += b.mass[i] * b.velocity[3 * i + k] / (15 * sun);
        }
    assert_true(sqrt(dot(x, x)) < 1e-13); /* seen: 1.7e-15 */
    assert_true(sqrt(dot(v, v)) < 1e-18); /* seen: 7e-20 */
    assert_true(dot(b.velocity, b.velocity) > 0);
    oct_bodies_clear(&b);
}

static void refuse(const char *units, const char *keys, const char *part)
{
    char models[400];
    oct_bodies b;
    snprintf(models, sizeof models, "{galaxy-of-systems: %s}", keys);
    assert_int_equal(try_galaxy(&b, units, 1, models), OCT_STATUS_INPUT);
    ref_says(part);
    assert_null(strchr(oct_last_error(), '\n'));
}

static void bad_galaxies_are_refused(void **state)
{
    (void)state;
    refuse("solar", "{star_radius: 0.99 AU}", "planet 1 would be inside its star");
    refuse("solar", "{eccentricity: 0.999}", "planet 1 would be inside its star");
    refuse("solar", "{eccentricity: 1}", "eccentricity: '1' is out of range");
    refuse("solar", "{eccentricity: -0.1}", "eccentricity: '-0.1' is out of range");
    refuse("solar", "{bodies: 0}", "bodies.value: '0' is out of range");
    refuse("solar", "{bodies: {min: 0, max: 4}}", "bodies.min is 0 and bodies.max 4");
    refuse("solar", "{bodies: {min: 5, max: 4}}", "bodies.min is 5 and bodies.max 4");
    refuse("solar", "{bodies: {min: 5}}", "bodies.min is 5 and bodies.max 0");
    refuse("solar", "{planes: 0}", "planes: '0' is out of range");
    refuse("solar", "{systems: 0}", "systems: '0' is out of range");
    refuse("solar", "{mass_ratio: 0}", "mass_ratio: '0' is out of range");
    refuse("solar", "{mass_ratio: -1}", "mass_ratio: '-1' is out of range");
    refuse("solar", "{spacing: 0}", "spacing: '0' is out of range");
    refuse("solar", "{planets: solar-system, bodies: 10}", "expected at most 9");
    refuse("solar", "{systems: 2e9, bodies: {min: 2, max: 3}}", "are too many");
    refuse("solar", "{systems: 45}", "systems would overlap");
    refuse("solar", "{planes: 2, plane_distance: 14 AU}", "systems would overlap");
    refuse("solar", "{arrangement: sphere, systems: 400}", "systems would overlap");
    refuse("solar", "{distance: 7 AU, systems: 1}", "so the black hole");
    refuse("nbody",
           "{distance: 100, plane_distance: 1, star_mass: 1, star_radius: 0, planet_mass: 1e-6, "
           "planet_radius: 0, axis: 1, spacing: 1, planets: solar-system}",
           "units of a physical size (si, solar or galactic), not nbody");
}

/* What is at the border of the refused is made. */
static void tight_galaxies_are_made(void **state)
{
    static const char *const galaxies[] = {"{systems: 44}",
                                           "{planes: 2, plane_distance: 14.3 AU}",
                                           "{arrangement: sphere, systems: 300}",
                                           "{distance: 8 AU, systems: 1}",
                                           "{bodies: 1}",
                                           "{systems: 1, planes: 3, plane_distance: 1 AU}"};
    oct_bodies b;
    (void)state;
    for (size_t i = 0; i < sizeof galaxies / sizeof galaxies[0]; i++) {
        make(&b, 1, galaxies[i]);
        oct_bodies_clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_thesis),
        cmocka_unit_test(systems_circle_the_black_hole),
        cmocka_unit_test(planes_are_tilted_and_apart),
        cmocka_unit_test(spheres_are_covered_evenly),
        cmocka_unit_test(orbits_are_bound),
        cmocka_unit_test(systems_can_be_solar_systems),
        cmocka_unit_test(sizes_can_differ),
        cmocka_unit_test(start_angles_are_random),
        cmocka_unit_test(seeds_and_entries_differ),
        cmocka_unit_test(a_free_black_hole_moves),
        cmocka_unit_test(bad_galaxies_are_refused),
        cmocka_unit_test(tight_galaxies_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
