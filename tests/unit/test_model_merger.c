/* Models placed, turned, named and put on orbits round each other, against vectors and matrices in
 * plain doubles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/scene.h"
#include "scene_sim.h"

static const double pi = 3.14159265358979323846;

#define REST                                                                                       \
    "gravity: {method: direct}\nintegrator: {dt: 0.01}\nrun: {until: 1}\n"                         \
    "units: nbody\n"

static oct_setup *setup_of(const char *format, va_list arguments)
{
    char models[1500], text[2000];
    oct_scene *scene = NULL;
    oct_setup *setup = NULL;
    vsnprintf(models, sizeof models, format, arguments);
    snprintf(text, sizeof text, REST "models: [%s]\n", models);
    ref_ok(oct_scene_parse(&scene, text, strlen(text), "test"));
    ref_ok(oct_scene_setup(&setup, scene));
    oct_scene_free(scene);
    return setup;
}

static oct_bodies make(const char *format, ...)
{
    oct_bodies bodies = {0};
    va_list arguments;
    va_start(arguments, format);
    oct_setup *setup = setup_of(format, arguments);
    va_end(arguments);
    ref_ok(oct_setup_bodies(&bodies, setup));
    oct_setup_free(setup);
    return bodies;
}

static void refuse(const char *models, const char *part)
{
    char text[2000];
    oct_scene *scene = NULL;
    oct_setup *setup = NULL;
    oct_bodies bodies = {0};
    snprintf(text, sizeof text, REST "models: [%s]\n", models);
    ref_ok(oct_scene_parse(&scene, text, strlen(text), "test"));
    oct_status status = oct_scene_setup(&setup, scene);
    if (status == OCT_STATUS_OK)
        status = oct_setup_bodies(&bodies, setup);
    assert_int_equal(status, OCT_STATUS_INPUT);
    ref_says(part);
    oct_setup_free(setup);
    oct_scene_free(scene);
}

static void cross(double out[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Rodrigues: v cos + (axis x v) sin + axis (axis . v)(1 - cos), right-handed. */
static void turn(double v[3], const double axis[3], double degrees)
{
    double c = cos(degrees * pi / 180), s = sin(degrees * pi / 180), across[3];
    double along = dot(axis, v) * (1 - c);
    cross(across, axis, v);
    for (int k = 0; k < 3; k++)
        v[k] = c * v[k] + s * across[k] + along * axis[k];
}

static void models_are_turned_and_moved(void **state)
{
    (void)state;
    const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    const double offset[3] = {5, -6, 7}, velocity[3] = {0.5, 0.25, -2};
    const char pair[] = "two-body: {mass1: 2, mass2: 1, semi_major_axis: 3, eccentricity: 0.4, "
                        "anomaly: 50";
    oct_bodies plain = make("%s}", pair);
    oct_bodies moved = make("%s, rotation: [10, 20, 30], inclination: 40, node: 250, "
                            "offset: [5, -6, 7], velocity: [0.5, 0.25, -2]}",
                            pair);
    for (size_t i = 0; i < 2; i++) {
        double position[3], speed[3];
        memcpy(position, plain.position + 3 * i, sizeof position);
        memcpy(speed, plain.velocity + 3 * i, sizeof speed);
        double *const vectors[] = {position, speed};
        for (int j = 0; j < 2; j++) {
            turn(vectors[j], x, 10);
            turn(vectors[j], y, 20);
            turn(vectors[j], z, 30);
            turn(vectors[j], x, 40);
            turn(vectors[j], z, 250);
        }
        for (size_t k = 0; k < 3; k++) {
            assert_true(fabs(moved.position[3 * i + k] - position[k] - offset[k]) < 1e-14);
            assert_true(fabs(moved.velocity[3 * i + k] - speed[k] - velocity[k]) < 1e-14);
        }
    }
    oct_bodies_clear(&plain);
    oct_bodies_clear(&moved);
}

/* Angular momentum of bodies [first, end) about their centre, as a direction. */
static void axis_of(double out[3], const oct_bodies *b, size_t first, size_t end)
{
    double mass = 0, centre[6] = {0};
    for (size_t i = first; i < end; i++) {
        mass += b->mass[i];
        for (size_t k = 0; k < 3; k++) {
            centre[k] += b->mass[i] * b->position[3 * i + k];
            centre[k + 3] += b->mass[i] * b->velocity[3 * i + k];
        }
    }
    memset(out, 0, 3 * sizeof *out);
    for (size_t i = first; i < end; i++) {
        double r[3], v[3], l[3];
        for (size_t k = 0; k < 3; k++) {
            r[k] = b->position[3 * i + k] - centre[k] / mass;
            v[k] = b->velocity[3 * i + k] - centre[k + 3] / mass;
        }
        cross(l, r, v);
        for (int k = 0; k < 3; k++)
            out[k] += b->mass[i] * l[k];
    }
    double length = sqrt(dot(out, out));
    for (int k = 0; k < 3; k++)
        out[k] /= length;
}

/* The axis of a disk is (sin i sin node, -sin i cos node, cos i) in a frame whose x points to where
 * the other passes the pericentre: along x for the first, against it for the second. */
static void disks_are_inclined_to_the_orbit(void **state)
{
    (void)state;
    const double inclination[2] = {30, 110}, node[2] = {-45, 200};
    char galaxies[2][300];
    for (int k = 0; k < 2; k++)
        snprintf(galaxies[k], sizeof galaxies[k],
                 "disk-galaxy: {disk: {n: 2000}, halo: {n: 0}, inclination: %g, node: %g}",
                 inclination[k], node[k]);
    oct_bodies b = make("merger: {first: {%s}, second: {%s}, pericentre: 1, separation: 20}",
                        galaxies[0], galaxies[1]);
    assert_int_equal(b.n, 4000);
    for (size_t k = 0; k < 2; k++) {
        double i = inclination[k] * pi / 180, o = node[k] * pi / 180, axis[3];
        double sign = k ? -1 : 1;
        double expected[3] = {sign * sin(i) * sin(o), -sign * sin(i) * cos(o), cos(i)};
        axis_of(axis, &b, 2000 * k, 2000 * (k + 1));
        double off = acos(fmin(dot(axis, expected), 1));
        print_message("axis of galaxy %zu off by %.1e\n", k, off);
        assert_true(off < 0.02); /* measured 7.4e-3, the noise of 2000 particles */
    }
    /* The same model twice, but not the same particles. */
    assert_true(b.position[2] != b.position[3 * 2000 + 2]);
    oct_bodies_clear(&b);
}

typedef struct orbit {
    double position[3], velocity[3]; /* of the second from the first */
    double eccentricity, pericentre, energy;
} orbit;

/* Elements from the state: h = r x v, e = (v x h)/mu - r/|r|, q = h^2 / (mu (1 + e)). */
static orbit orbit_of(const oct_bodies *b, double mu)
{
    orbit o;
    double h[3], e[3];
    for (int k = 0; k < 3; k++) {
        o.position[k] = b->position[3 + k] - b->position[k];
        o.velocity[k] = b->velocity[3 + k] - b->velocity[k];
    }
    double r = sqrt(dot(o.position, o.position));
    cross(h, o.position, o.velocity);
    cross(e, o.velocity, h);
    for (int k = 0; k < 3; k++)
        e[k] = e[k] / mu - o.position[k] / r;
    o.eccentricity = sqrt(dot(e, e));
    o.pericentre = dot(h, h) / (mu * (1 + o.eccentricity));
    o.energy = dot(o.velocity, o.velocity) / 2 - mu / r;
    assert_true(fabs(e[1]) < 1e-13 && e[0] > -1e-13 && h[2] >= 0 && h[0] == 0 && h[1] == 0);
    return o;
}

static orbit check_orbit(const char *how, double separation)
{
    oct_bodies b = make("merger: {first: {body: {mass: 3}}, second: {body: {mass: 1}}, %s, "
                        "separation: %.17g}",
                        how, separation);
    orbit o = orbit_of(&b, 4);
    assert_true(fabs(sqrt(dot(o.position, o.position)) / separation - 1) < 1e-14);
    assert_true(dot(o.position, o.velocity) < 1e-13); /* inward */
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(3 * b.position[k] + b.position[3 + k]) < 1e-14);
        assert_true(fabs(3 * b.velocity[k] + b.velocity[3 + k]) < 1e-14);
    }
    oct_bodies_clear(&b);
    return o;
}

static void orbits_have_their_elements(void **state)
{
    (void)state;
    const double eccentricities[] = {0, 0.3, 0.95, 1, 1.00001, 2, 30};
    for (int i = 0; i < 7; i++)
        for (double far = 1; far < 100; far *= i == 0 ? 100 : i < 2 ? 1.3 : 3) {
            double e = eccentricities[i], q = 0.7;
            if (e < 1 && q * far > q * (1 + e) / (1 - e))
                break;
            char how[80];
            snprintf(how, sizeof how, "pericentre: 0.7, eccentricity: %.17g", e);
            orbit o = check_orbit(how, q * far);
            assert_true(fabs(o.eccentricity - e) < 1e-13 * (1 + e));
            assert_true(fabs(o.pericentre / q - 1) < 1e-13);
        }
    for (double energy = -1.2; energy < 3; energy += 0.6) {
        char how[80];
        snprintf(how, sizeof how, "pericentre: 0.5, energy: %.17g", energy);
        orbit o = check_orbit(how, 1.3);
        assert_true(fabs(o.energy - energy) < 1e-13 && fabs(o.pericentre / 0.5 - 1) < 1e-13);
    }
    /* Head on, with the speed of a fall from rest at infinity, and with more. */
    orbit fall = check_orbit("pericentre: 0", 8);
    assert_true(fabs(fall.velocity[0] - 1) < 1e-15 && fall.position[0] == -8);
    assert_true(fabs(check_orbit("pericentre: 0, energy: 1.5", 8).velocity[0] - 2) < 1e-15);
}

static void add_pull(double out[4], const double s[4], double scale, const double rate[4])
{
    double at[4];
    for (int k = 0; k < 4; k++)
        at[k] = s[k] + scale * rate[k];
    double r2 = at[0] * at[0] + at[1] * at[1], pull = -4 / (r2 * sqrt(r2));
    out[0] = at[2];
    out[1] = at[3];
    out[2] = pull * at[0];
    out[3] = pull * at[1];
}

/* Runge and Kutta's fourth order, from the start until the distance grows. */
static double least_distance(const orbit *o)
{
    double s[4] = {o->position[0], o->position[1], o->velocity[0], o->velocity[1]};
    const double zero[4] = {0};
    for (double last = INFINITY, r = hypot(s[0], s[1]); r < last;) {
        double h = 1e-3 * r * sqrt(r), k[4][4];
        add_pull(k[0], s, 0, zero);
        add_pull(k[1], s, h / 2, k[0]);
        add_pull(k[2], s, h / 2, k[1]);
        add_pull(k[3], s, h, k[2]);
        for (int i = 0; i < 4; i++)
            s[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        last = r;
        r = hypot(s[0], s[1]);
        if (r >= last)
            return last;
    }
    return NAN;
}

static void points_reach_the_pericentre(void **state)
{
    (void)state;
    const double eccentricities[] = {0.8, 1, 1.7};
    for (int i = 0; i < 3; i++) {
        char how[80];
        snprintf(how, sizeof how, "pericentre: 0.7, eccentricity: %.17g", eccentricities[i]);
        orbit o = check_orbit(how, 5);
        double least = least_distance(&o);
        print_message("e = %.1f: pericentre 0.7, reached %.8f\n", eccentricities[i], least);
        assert_true(fabs(least / 0.7 - 1) < 1e-6); /* measured 4.8e-7, part of a step from it */
    }
}

static void the_second_is_scaled(void **state)
{
    (void)state;
    const char spheres[] = "first: {plummer: {n: 100, mass: 6}}, second: {plummer: {n: 50}}";
    oct_bodies given = make("merger: {%s, pericentre: 1, separation: 90}", spheres);
    oct_bodies scaled = make(
        "merger: {%s, pericentre: 1, separation: 90, mass_ratio: 1.5, size_slope: 0.25}", spheres);
    double length = sqrt(2), speed = sqrt(4 / length), mass = 0;
    for (size_t i = 101; i < 150; i++)
        for (size_t k = 0; k < 3; k++) {
            /* Relative to another of its bodies. */
            double r = given.position[3 * i + k] - given.position[300 + k];
            double v = given.velocity[3 * i + k] - given.velocity[300 + k];
            double r2 = scaled.position[3 * i + k] - scaled.position[300 + k];
            double v2 = scaled.velocity[3 * i + k] - scaled.velocity[300 + k];
            assert_true(fabs(r2 - length * r) < 1e-12 && fabs(v2 - speed * v) < 1e-12);
        }
    for (size_t i = 100; i < 150; i++)
        mass += scaled.mass[i];
    assert_true(fabs(mass - 4) < 1e-13 && scaled.mass[0] == given.mass[0]);
    oct_bodies_clear(&given);
    oct_bodies_clear(&scaled);
}

static void names_and_types_reach_the_bodies(void **state)
{
    (void)state;
    const char models[] =
        "merger: {name: pair, pericentre: 1, separation: 9, "
        "first: {two-body: {mass1: 1, mass2: 1, semi_major_axis: 1, name: big}}, "
        "second: {two-body: {mass1: 1, mass2: 1, semi_major_axis: 1, type: disk}}}, "
        "body: {mass: 1, type: black-hole}, body: {mass: 1, name: big, type: star}";
    const double components[] = {2, 2, 1, 1, 0, 2};
    const unsigned types[] = {1, 1, 2, 2, 5, 4}, systems[] = {1, 1, 2, 2, 0, 0};
    oct_bodies b = make("%s", models);
    const oct_user_column *column = oct_bodies_column(&b, "component");
    assert_non_null(column);
    assert_int_equal(b.n, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_true(column->data[i] == components[i]);
        assert_int_equal(b.type[i], types[i]);
        assert_int_equal(b.system[i], systems[i]);
        assert_int_equal(b.id[i], i + 1);
    }
    oct_bodies_clear(&b);
    b = make("plummer: {n: 3}");
    assert_null(oct_bodies_column(&b, "component"));
    oct_bodies_clear(&b);
}

/* A scene as resolved gives the same bodies, names included. */
static void resolved_scenes_are_the_same(void **state)
{
    (void)state;
    const char text[] = REST "models: [merger: {pericentre: 1, separation: 30, mass_ratio: 3, "
                             "first: {merger: {first: {plummer: {n: 40, name: a}}, second: "
                             "{hernquist: {n: 30}}, pericentre: 2, separation: 5, name: b}}, "
                             "second: {king: {n: 20, inclination: 20}}}]\n";
    oct_bodies bodies[2] = {{0}};
    char *resolved = NULL;
    for (int i = 0; i < 2; i++) {
        oct_scene *scene = NULL;
        oct_setup *setup = NULL;
        const char *now = i ? resolved : text;
        ref_ok(oct_scene_parse(&scene, now, strlen(now), "test"));
        ref_ok(oct_scene_setup(&setup, scene));
        ref_ok(oct_setup_bodies(&bodies[i], setup));
        assert_int_equal(oct_setup_component(setup, "b"), 1);
        assert_int_equal(oct_setup_component(setup, "a"), 2);
        assert_int_equal(oct_setup_component(setup, "c"), 0);
        if (!i) {
            resolved = malloc(strlen(setup->resolved) + 1);
            assert_non_null(resolved);
            strcpy(resolved, setup->resolved);
        }
        oct_setup_free(setup);
        oct_scene_free(scene);
    }
    assert_int_equal(bodies[0].n, 90);
    assert_int_equal(bodies[1].n, 90);
    assert_memory_equal(bodies[0].position, bodies[1].position, 270 * sizeof(double));
    assert_memory_equal(bodies[0].columns[0].data, bodies[1].columns[0].data, 90 * sizeof(double));
    free(resolved);
    oct_bodies_clear(&bodies[0]);
    oct_bodies_clear(&bodies[1]);
}

static void bad_mergers_are_refused(void **state)
{
    (void)state;
#define PAIR "first: {body: {mass: 3}}, second: {body: {mass: 1}}"
    refuse("merger: {" PAIR ", pericentre: 2, separation: 1}", "less than the pericentre");
    refuse("merger: {" PAIR ", pericentre: 1, separation: 4, eccentricity: 0.5}",
           "beyond the apocentre 3");
    refuse("merger: {" PAIR ", pericentre: 1, separation: 2, eccentricity: 0}", "apocentre");
    refuse("merger: {" PAIR ", pericentre: 1, separation: 2, energy: -3}",
           "below that of a circle");
    refuse("merger: {" PAIR ", pericentre: 1, separation: 2, energy: -3, eccentricity: 0.5}",
           "expected one of them");
    refuse("merger: {" PAIR ", pericentre: 0, separation: 2, eccentricity: 0.5}",
           "expected energy in its place");
    refuse("merger: {first: {body: {mass: 3}}, pericentre: 1, separation: 2}",
           "second: missing; expected a model");
    refuse("merger: {first: {body: {mass: 3, offset: [1, 0, 0]}}, second: {body: {mass: 1}}, "
           "pericentre: 1, separation: 2}",
           "first has an offset");
    refuse("merger: {first: 3, second: {body: {mass: 1}}, pericentre: 1, separation: 2}",
           "models.0.merger.first: the entry does not name a module");
    refuse("merger: {first: {bodi: {mass: 1}}, second: {body: {mass: 1}}, pericentre: 1, "
           "separation: 2}",
           "did you mean 'body'?");
    refuse("merger: {first: {body: {mass: 1}}, second: {body: {mass: 1, density: 1}}, "
           "pericentre: 1, separation: 2}",
           "models.0.merger.second.body: each of mass and density");
    refuse("merger: {first: {body: {mass: 1, columns: {q: 1}}}, second: {body: {mass: 1}}, "
           "pericentre: 1, separation: 2}",
           "models.0.merger.first.body.columns.q: the scene has no such column");
    refuse("body: {mass: 1, name: 'a b'}", "test:5: models.0.body.name: 'a b' is no name for");
    refuse("merger: {first: {body: {mass: 1, name: half}}, second: {body: {mass: 1}}, "
           "pericentre: 1, separation: 2}",
           "models.0.merger.first.body.name: 'half' is no name for a component");
    refuse("body: {mass: 1, type: planet}", "unknown value 'planet'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_turned_and_moved),
        cmocka_unit_test(disks_are_inclined_to_the_orbit),
        cmocka_unit_test(orbits_have_their_elements),
        cmocka_unit_test(points_reach_the_pericentre),
        cmocka_unit_test(the_second_is_scaled),
        cmocka_unit_test(names_and_types_reach_the_bodies),
        cmocka_unit_test(resolved_scenes_are_the_same),
        cmocka_unit_test(bad_mergers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
