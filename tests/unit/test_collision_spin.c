/* Spin: friction and mergers against rigid bodies in the inertial frame, what a crowd keeps, how
 * spins turn with the frame, and how they are measured and kept. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "collision/collision.h"
#include "files.h"
#include "scene_sim.h"
#include "util/random.h"

#define OMEGA 0.3
#define SHEAR "{boundary: shear, size: [20, 30, 10], ghosts: [1, 1, 1], omega: 0.3}"
#define OPEN  "{boundary: open}"

/* The box itself. */
static const oct_image here;

static void cross(double out[3], const double a[3], const double b[3])
{
    const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    memcpy(out, c, sizeof c);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A sphere in the inertial frame, whose axes are those of the box at this moment. */
typedef struct ball {
    double x[3], v[3], w[3], m, r;
} ball;

static double moment(const ball *b)
{
    return 0.4 * b->m * b->r * b->r;
}

/* A body of the simulation, seen in an image of the box. */
static ball ball_of(const oct_bodies *b, size_t i, const oct_image *image, double omega)
{
    ball out = {.m = b->mass[i], .r = b->radius[i]};
    double turn[3];
    for (size_t k = 0; k < 3; k++) {
        out.x[k] = b->position[3 * i + k] + image->shift[k];
        out.v[k] = b->velocity[3 * i + k] + image->velocity[k];
        out.w[k] = b->spin[3 * i + k];
    }
    cross(turn, (double[3]){0, 0, omega}, out.x);
    for (int k = 0; k < 3; k++)
        out.v[k] += turn[k];
    return out;
}

static double energy_of(const ball *b)
{
    return b->m * dot(b->v, b->v) / 2 + moment(b) * dot(b->w, b->w) / 2;
}

static void add_angular(double out[3], const ball *b)
{
    double l[3];
    cross(l, b->x, b->v);
    for (int k = 0; k < 3; k++)
        out[k] += b->m * l[k] + moment(b) * b->w[k];
}

/* An impulse at a point. */
static void strike(ball *b, const double point[3], const double impulse[3])
{
    double arm[3], torque[3];
    for (int k = 0; k < 3; k++)
        arm[k] = point[k] - b->x[k];
    cross(torque, arm, impulse);
    for (int k = 0; k < 3; k++) {
        b->v[k] += impulse[k] / b->m;
        b->w[k] += torque[k] / moment(b);
    }
}

/* How fast b's surface slides past a's at a point. */
static void slip(double out[3], const ball *a, const ball *b, const double point[3])
{
    const ball *const both[2] = {a, b};
    for (int s = 0; s < 2; s++) {
        double arm[3], turn[3];
        for (int k = 0; k < 3; k++)
            arm[k] = point[k] - both[s]->x[k];
        cross(turn, both[s]->w, arm);
        for (int k = 0; k < 3; k++)
            out[k] = s ? out[k] + both[s]->v[k] + turn[k] : -both[s]->v[k] - turn[k];
    }
}

/* Cramer's rule; the columns of the matrix are k[0], k[1], k[2]. */
static void solve(double out[3], double k[3][3], const double right[3])
{
    double c[3], whole;
    cross(c, k[1], k[2]);
    whole = dot(k[0], c);
    for (int i = 0; i < 3; i++) {
        double m[3][3];
        memcpy(m, k, sizeof m);
        memcpy(m[i], right, sizeof m[i]);
        cross(c, m[1], m[2]);
        out[i] = dot(m[0], c) / whole;
    }
}

/* Two rigid spheres touch in the point that divides their distance as the radii do. The one impulse
 * is sought after which the slip along n is -e and that across it e_t of what it was. */
static void bounce(ball *a, ball *b, double restitution, double tangential)
{
    double n[3], point[3], before[3], wanted[3], response[3][3], impulse[3];
    for (int k = 0; k < 3; k++) {
        n[k] = b->x[k] - a->x[k];
        point[k] = a->x[k] + n[k] * a->r / (a->r + b->r);
    }
    double distance = sqrt(dot(n, n));
    slip(before, a, b, point);
    for (int k = 0; k < 3; k++)
        n[k] /= distance;
    double normal = dot(before, n);
    for (int k = 0; k < 3; k++) {
        ball c = *a, d = *b;
        double unit[3] = {0}, back[3] = {0}, after[3];
        unit[k] = 1;
        back[k] = -1;
        strike(&c, point, back);
        strike(&d, point, unit);
        slip(after, &c, &d, point);
        for (int i = 0; i < 3; i++)
            response[k][i] = after[i] - before[i];
        wanted[k] = -restitution * normal * n[k] + tangential * (before[k] - normal * n[k]);
        wanted[k] -= before[k];
    }
    solve(impulse, response, wanted);
    strike(b, point, impulse);
    for (int k = 0; k < 3; k++)
        impulse[k] = -impulse[k];
    strike(a, point, impulse);
}

/* Two spinning spheres that overlap a little and approach, the second one across the face x of the
 * box where there is one. */
typedef struct meeting {
    oct_sim *sim;
    oct_bodies before, after;
    oct_image image;
    double omega;
    ball balls[2];
} meeting;

static meeting meet(oct_precision precision, const char *box, const char *contact)
{
    meeting m = {.omega = strstr(box, "shear") ? OMEGA : 0};
    m.sim = ref_sim(precision,
                    "units: nbody\nbox: %s\nmodels: [plummer: {n: 2}]\ngravity: {method: none}\n"
                    "collisions: {method: direct, %s}\nintegrator: {method: %s, dt: 1e-6}\n"
                    "run: {until: 1}\n",
                    box, contact, m.omega > 0 ? "sei" : "leapfrog");
    ref_ok(oct_sim_bodies(&m.before, m.sim));
    const oct_boundary *boundary = (const oct_boundary *)m.sim->setup->boundary.module;
    m.sim->clock.time = 3.7;
    ref_ok(oct_images_update(m.sim->domain));
    if (boundary->image)
        m.image = boundary->image(m.sim->domain->boundary.state, (int32_t[3]){1, 0, 0}, 3.7);
    const double first[9] = {9.5, 0.1, -0.2, 0.05, 0.1, 0.15, 0.7, -0.4, 0.9};
    const double u[3] = {-0.3, -0.2, 0.1}, n[3] = {2.0 / 3, 2.0 / 3, 1.0 / 3};
    const double w[3] = {-0.5, 0.6, 0.2};
    for (size_t k = 0; k < 3; k++) {
        m.before.position[k] = first[k];
        m.before.velocity[k] = first[3 + k];
        m.before.spin[k] = first[6 + k];
        m.before.position[3 + k] = first[k] + 1.79 * n[k] - m.image.shift[k];
        m.before.velocity[3 + k] = first[3 + k] + u[k] - m.image.velocity[k];
        m.before.spin[3 + k] = w[k];
    }
    m.before.mass[0] = 2;
    m.before.mass[1] = 3;
    m.before.radius[0] = 1;
    m.before.radius[1] = 0.8;
    ref_ok(oct_sim_set_bodies(m.sim, &m.before));
    m.balls[0] = ball_of(&m.before, 0, &here, m.omega);
    m.balls[1] = ball_of(&m.before, 1, &m.image, m.omega);
    ref_ok(oct_sim_collide(m.sim, 1e-6));
    ref_ok(oct_sim_bodies(&m.after, m.sim));
    return m;
}

static void forget(meeting *m)
{
    oct_bodies_clear(&m->before);
    oct_bodies_clear(&m->after);
    oct_sim_free(m->sim);
}

static double difference(const double *a, const double *b)
{
    return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
}

static void friction_is_that_of_rigid_bodies(void **state)
{
    (void)state;
    const char *const boxes[] = {OPEN, SHEAR};
    double worst[4] = {0};
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
        for (int box = 0; box < 2; box++)
            for (double tangential = -1; tangential < 1; tangential += 0.4) {
                char contact[64];
                oct_impacts impacts;
                snprintf(contact, sizeof contact, "restitution: 0.6, tangential: %g", tangential);
                meeting m = meet((oct_precision)p, boxes[box], contact);
                double before = energy_of(&m.balls[0]) + energy_of(&m.balls[1]), error = 0;
                bounce(&m.balls[0], &m.balls[1], 0.6, tangential);
                double lost = before - energy_of(&m.balls[0]) - energy_of(&m.balls[1]);
                for (size_t i = 0; i < 2; i++) {
                    ball got = ball_of(&m.after, i, i ? &m.image : &here, m.omega);
                    error = fmax(error, difference(got.v, m.balls[i].v));
                    error = fmax(error, difference(got.w, m.balls[i].w));
                }
                ref_ok(
                    oct_collider_impacts(&impacts, m.sim->domain->collisions.state, m.sim->domain));
                error = fmax(error, fabs(impacts.energy - lost));
                /* Seen: 3.2e-7 in single, 1.0e-14 in the others. */
                if (!(error < (p == OCT_PRECISION_SINGLE ? 5e-6 : 1e-13)))
                    fail_msg("%s, tangential %g: off by %.1e", boxes[box], tangential, error);
                worst[p] = fmax(worst[p], error);
                forget(&m);
            }
    print_message("off by %.1e in single, %.1e, %.1e\n", worst[1], worst[2], worst[3]);
}

static void mergers_keep_angular_momentum(void **state)
{
    (void)state;
    const char *const boxes[] = {OPEN, SHEAR};
    for (int box = 0; box < 2; box++) {
        meeting m = meet(OCT_PRECISION_DOUBLE, boxes[box], "outcome: merge");
        double before[3] = {0}, after[3] = {0};
        add_angular(before, &m.balls[0]);
        add_angular(before, &m.balls[1]);
        assert_int_equal(m.after.n, 1);
        /* The heavier one stays where it is: in the image, seen from the other. */
        ball whole = ball_of(&m.after, 0, &m.image, m.omega);
        add_angular(after, &whole);
        print_message("off by %.1e\n", difference(before, after));
        assert_true(difference(before, after) < 1e-13); /* seen: 2.8e-14 */
        forget(&m);
    }
}

static oct_sim *crowd(oct_precision precision, const char *box, const char *contact, int n)
{
    oct_sim *sim =
        ref_sim(precision,
                "units: nbody\nbox: %s\nmodels: [plummer: {n: %d}]\ngravity: {method: none}\n"
                "collisions: {method: tree, %s}\nintegrator: {method: %s, dt: 1e-9}\n"
                "run: {until: 1}\n",
                box, n, contact, strstr(box, "shear") ? "sei" : "leapfrog");
    oct_bodies b = {0};
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t i = 0; i < b.n; i++) {
        oct_random random = oct_random_start(5, 0, i);
        for (size_t k = 0; k < 3; k++) {
            b.position[3 * i + k] = 8 * (oct_random_uniform(&random) - 0.5);
            b.velocity[3 * i + k] = oct_random_normal(&random);
            b.spin[3 * i + k] = 2 * oct_random_normal(&random);
        }
        b.radius[i] = 0.2 + 0.4 * oct_random_uniform(&random);
        b.mass[i] = pow(b.radius[i], 3);
    }
    ref_ok(oct_sim_set_bodies(sim, &b));
    oct_bodies_clear(&b);
    return sim;
}

/* Angular momentum and kinetic energy summed here; in a frame that rotates, as it sees them. */
static void sum_up(double momentum[3], double *energy, oct_sim *sim, double omega)
{
    oct_bodies b = {0};
    *energy = 0;
    memset(momentum, 0, 3 * sizeof *momentum);
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t i = 0; i < b.n; i++) {
        ball one = ball_of(&b, i, &here, 0);
        one.w[2] -= omega;
        add_angular(momentum, &one);
        *energy += energy_of(&one);
    }
    oct_bodies_clear(&b);
}

static void a_crowd_keeps_angular_momentum_and_accounts_for_energy(void **state)
{
    (void)state;
    const char *const contacts[] = {"tangential: 0.3", "tangential: -0.7, restitution: 0.2",
                                    "tangential: 0.5, minimum_speed: 1", "outcome: merge"};
    for (int box = 0; box < 2; box++)
        for (int i = 0; i < 4; i++) {
            double omega = box ? OMEGA : 0, l[2][3], k[2], seen[3];
            oct_sim *sim = crowd(OCT_PRECISION_DOUBLE, box ? SHEAR : OPEN, contacts[i], 600);
            sum_up(l[0], &k[0], sim, omega);
            ref_ok(oct_sim_collide(sim, 1e-9));
            sum_up(l[1], &k[1], sim, omega);
            double lost = ref_measure(sim, "energy_lost");
            print_message("%s: L off by %.1e, energy by %.1e of %.3g lost\n", contacts[i],
                          difference(l[0], l[1]), k[0] - k[1] - lost, lost);
            assert_true(fabs(lost) > 1);
            assert_true(fabs(k[0] - k[1] - lost) < 1e-12 * k[0]); /* seen: 1.5e-13 of 28 */
            if (box == 0)
                assert_true(difference(l[0], l[1]) < 1e-12); /* seen: 1.4e-14 */
            /* What is measured is what was summed here. */
            ref_ok(oct_sim_measure_one(seen, sim, "angular_momentum"));
            assert_true(difference(l[1], seen) < 1e-12);                          /* 4e-14 */
            assert_true(fabs(ref_measure(sim, "kinetic") - k[1]) < 1e-12 * k[1]); /* 1e-15 */
            oct_sim_free(sim);
        }
}

/* Also spins of smooth spheres, which collisions leave alone. */
static void free_spins_keep_their_direction_in_space(void **state)
{
    (void)state;
    const char *const contacts[] = {"tangential: 0.3", "tangential: 1"};
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
        for (int c = 0; c < 2; c++) {
            oct_sim *sim = ref_sim((oct_precision)p,
                                   "units: nbody\nbox: %s\ngravity: {method: none}\n"
                                   "models: [body: {mass: 1, radius: 1, spin: [0.5, -2, 3]}]\n"
                                   "collisions: {method: tree, %s}\n"
                                   "integrator: {method: sei, dt: 0.01}\nrun: {until: 1}\n",
                                   SHEAR, contacts[c]);
            oct_bodies b = {0};
            ref_ok(oct_sim_step(sim, 5000));
            ref_ok(oct_sim_bodies(&b, sim));
            double angle = OMEGA * 50, s = sin(angle), k = cos(angle);
            const double expected[3] = {k * 0.5 - s * 2, -k * 2 - s * 0.5, 3};
            double error = difference(b.spin, expected);
            print_message("turned by %.3g: off by %.1e\n", angle, error);
            /* Seen: 5.1e-6 in single, 3.6e-14 in the others. */
            assert_true(error < (p == OCT_PRECISION_SINGLE ? 1e-4 : 1e-12));
            oct_bodies_clear(&b);
            oct_sim_free(sim);
        }
}

static void spins_are_measured(void **state)
{
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
        oct_sim *sim = crowd((oct_precision)p, OPEN, "tangential: 0.3", 600);
        double mean[3] = {0}, squares[3] = {0}, energy = 0, seen[3], spread[3];
        oct_bodies b = {0};
        ref_ok(oct_sim_bodies(&b, sim));
        for (size_t i = 0; i < b.n; i++) {
            ball one = ball_of(&b, i, &here, 0);
            energy += moment(&one) * dot(one.w, one.w) / 2;
            for (int k = 0; k < 3; k++) {
                mean[k] += one.w[k] / 600;
                squares[k] += one.w[k] * one.w[k] / 600;
            }
        }
        for (int k = 0; k < 3; k++)
            squares[k] = sqrt(squares[k] - mean[k] * mean[k]);
        ref_ok(oct_sim_measure_one(seen, sim, "spin"));
        ref_ok(oct_sim_measure_one(spread, sim, "spin_dispersion"));
        /* Seen: 4e-8 in single, 4e-16 in the others. */
        double tolerance = p == OCT_PRECISION_SINGLE ? 1e-6 : 1e-13;
        assert_true(difference(seen, mean) < tolerance);
        assert_true(difference(spread, squares) < tolerance);
        assert_true(fabs(ref_measure(sim, "kinetic_spin") / energy - 1) < tolerance);
        oct_bodies_clear(&b);
        oct_sim_free(sim);
    }
}

/* A state without spins can be gone on with in a scene that needs them, and the other way round. */
static void spins_outlive_a_change_of_the_scene(void **state)
{
    (void)state;
    oct_sim *rough = crowd(OCT_PRECISION_MIXED, OPEN, "tangential: 0.3", 50);
    oct_sim *smooth = crowd(OCT_PRECISION_MIXED, OPEN, "tangential: 1", 50);
    oct_bodies b = {0}, again = {0};
    oct_state saved;
    ref_ok(oct_sim_bodies(&b, rough));
    ref_ok(oct_sim_export(&saved, rough));
    ref_ok(oct_sim_import(smooth, &saved));
    ref_ok(oct_sim_bodies(&again, smooth));
    assert_memory_equal(b.spin, again.spin, 3 * b.n * sizeof *b.spin);
    oct_state_clear(&saved);
    oct_sim_free(smooth);
    /* One whose bodies have never spun. */
    smooth = ref_sim(OCT_PRECISION_MIXED, "units: nbody\nmodels: [plummer: {n: 50}]\n"
                                          "gravity: {method: none}\ncollisions: {method: tree}\n"
                                          "integrator: {dt: 1e-9}\nrun: {until: 1}\n");
    ref_ok(oct_sim_export(&saved, smooth));
    assert_null(oct_state_find(&saved, "spin"));
    ref_ok(oct_sim_import(rough, &saved));
    ref_ok(oct_sim_bodies(&again, rough));
    for (size_t i = 0; i < 3 * again.n; i++)
        assert_true(again.spin[i] == 0);
    oct_state_clear(&saved);
    oct_bodies_clear(&b);
    oct_bodies_clear(&again);
    oct_sim_free(rough);
    oct_sim_free(smooth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_is_that_of_rigid_bodies),
        cmocka_unit_test(mergers_keep_angular_momentum),
        cmocka_unit_test(a_crowd_keeps_angular_momentum_and_accounts_for_energy),
        cmocka_unit_test(free_spins_keep_their_direction_in_space),
        cmocka_unit_test(spins_are_measured),
        cmocka_unit_test(spins_outlive_a_change_of_the_scene),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
