/* The memory that a scene is said to take against what the device then has in buffers: for every
 * built-in scene, every method and sets of bodies, after a step and all measurements. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/set.h"
#include "core/sim.h"
#include "scene_sim.h"

/* An octree that only measurements need is there while they are taken, and a list of pairs has more
 * room while bodies are sorted out at the start. Seen: 1.003 for a galaxy, where it is not known
 * how many packs its systems fill; else 1. */
static const double most = 1.01;
/* How fine the grid of wakes is depends on the bodies: room for the finest is counted. */
static const uint64_t finest_grid = 4 << 20;

/* The parts of an estimate, added up. */
typedef struct total {
    uint64_t bytes;
    double bytes_per_particle;
} total;

static void add_part(void *context, const char *part, uint64_t bytes, double bytes_per_particle)
{
    total *t = context;
    assert_true(part[0] != '\0' && bytes > 0 && bytes_per_particle >= 0);
    t->bytes += bytes;
    t->bytes_per_particle += bytes_per_particle;
}

static void check_parts(oct_scene *scene, oct_precision precision, const oct_estimate *whole)
{
    total t = {0};
    ref_ok(oct_scene_ledger(scene, oct_device_describe(ref_device()), precision, add_part, &t));
    assert_int_equal(t.bytes, whole->bytes_total);
    assert_true(fabs(t.bytes_per_particle - whole->bytes_per_particle) <=
                1e-9 * whole->bytes_per_particle);
}

static void check(const char *name, oct_scene *scene, oct_precision precision, bool wakes)
{
    oct_sim *sim = NULL;
    oct_estimate estimate = {.size = sizeof estimate};
    double values[128];
    const oct_device_info *info = oct_device_describe(ref_device());
    ref_ok(oct_scene_estimate(&estimate, scene, info, precision));
    check_parts(scene, precision, &estimate);
    ref_ok(oct_sim_create(&sim, ref_device(), scene, precision));
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_sim_measure(values, sim));
    oct_memory taken = oct_device_memory(ref_device());
    double slack = wakes ? (double)finest_grid : 0;
    print_message("%s, %s: %llu bytes, estimated %.4f of them, largest %.4f\n", name,
                  oct_precision_name(precision), (unsigned long long)taken.now,
                  (double)estimate.bytes_total / (double)taken.now,
                  (double)estimate.bytes_largest / (double)taken.largest);
    assert_true(estimate.bytes_total >= taken.now);
    assert_true((double)estimate.bytes_total <= most * (double)taken.most + slack);
    assert_true(estimate.bytes_largest >= taken.largest);
    assert_true((double)estimate.bytes_largest <= most * (double)taken.largest + slack);
    assert_true(estimate.fits && estimate.fitting >= estimate.n);
    oct_sim_free(sim);
    oct_scene_free(scene);
    /* It is counted anew from here on. */
    assert_int_equal(oct_device_memory(ref_device()).most, 0);
}

static void of_every_built_in_scene(void **state)
{
    const char *name, *text;
    (void)state;
    for (size_t i = 0; oct_scene_builtin(i, &name, &text); i++) {
        oct_scene *scene = NULL;
        ref_ok(oct_scene_parse(&scene, text, strlen(text), name));
        check(name, scene, OCT_PRECISION_AUTO, strstr(name, "ring") != NULL);
    }
}

#define OPEN "units: nbody\nmodels: [plummer: {n: 700}]\n"
#define PAIR                                                                                       \
    "columns: {rho: {}, flow: {width: 3}, heat: {}}\nforces:\n"                                    \
    "  - pair: {writes: [acceleration, potential, rho, flow], rates: [heat],\n"                    \
    "           code: 'void octant_pair(octant_sum *sum, octant_body i, octant_body j, "           \
    "octant_gap "                                                                                  \
    "gap) { sum->rho += 1; }'}\n"
#define TWO "units: nbody\nmodels: [two-body: {mass1: 1, mass2: 1, semi_major_axis: 1}]\n"
#define BOX "units: nbody\nbox: {boundary: periodic, size: [2, 3, 4]}\n"
#define STONES                                                                                     \
    "units: nbody\nmodels:\n"                                                                      \
    "  - two-body: {mass1: 1, mass2: 1, semi_major_axis: 1, radius1: 0.1, radius2: 0.1}\n"

/* The sections that differ; all have a step of 1e-3. */
static const struct {
    const char *text;
    bool systems; /* that the state has to be in double for */
} variants[] = {
    {OPEN "gravity: {method: direct, softening: 0.1}\n", false},
    {OPEN "gravity: {method: tree}\n", false},
    {OPEN "gravity: {method: tree, criterion: relative}\n", false},
    {OPEN "gravity: {method: auto}\n", false},
    {OPEN "gravity: {method: none}\n", false},
    {OPEN "columns: {charge: {unit: 1}, spot: {width: 3}}\n", false},
    {OPEN "gravity: {method: tree}\nintegrator: {method: symplectic-euler, dt: 1e-3}\n", false},
    {OPEN "gravity: {method: tree, softening: 0.1}\n"
          "integrator: {method: block-leapfrog, dt: 1e-3, symmetric: true, eta: 1e-4}\n",
     false},
    {OPEN "gravity: {method: direct, softening: 0.1}\n"
          "integrator: {method: block-leapfrog, dt: 1e-3, eta: 1e-4}\n",
     false},
    {OPEN PAIR "integrator: {method: leapfrog, dt: 1e-3}\n", false},
    {OPEN PAIR "integrator: {method: euler, dt: 1e-3}\n", false},
    {TWO "gravity: {method: systems}\n", false},
    {TWO "gravity: {method: systems, opening: 0.5, threshold: 0.1}\n", false},
    {TWO "gravity: {method: systems}\nintegrator: {method: two-rate, dt: 1e-3}\n", false},
    {TWO "gravity: {method: systems}\nintegrator: {method: respa, dt: 1e-3}\n", false},
    {TWO "gravity: {method: systems}\nintegrator: {method: wh, dt: 1e-3}\n", true},
    {BOX "models: [uniform-sphere: {n: 300, radius: 0.5}]\ngravity: {method: tree}\n", false},
    {BOX "models: [uniform-sphere: {n: 300, radius: 0.5}]\ngravity: {method: direct}\n", false},
    {STONES "collisions: {method: direct, restitution: 0.5}\n", false},
    {STONES "collisions: {method: tree, restitution: 0.5, tangential: 0.5}\n", false},
    {STONES "collisions: {method: tree, restitution: 0.5, outcome: merge}\n", false},
};

static void of_every_method(void **state)
{
    (void)state;
    bool fp64 = oct_device_describe(ref_device())->fp64;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        for (oct_precision p = OCT_PRECISION_SINGLE; p <= (fp64 ? OCT_PRECISION_DOUBLE : p); p++) {
            char text[1024];
            oct_scene *scene = NULL;
            const char *step =
                strstr(variants[i].text, "integrator") ? "" : "integrator: {dt: 1e-3}\n";
            if (variants[i].systems && p == OCT_PRECISION_SINGLE)
                continue;
            snprintf(text, sizeof text, "%s%srun: {until: 1}\n", variants[i].text, step);
            ref_ok(oct_scene_parse(&scene, text, strlen(text), "test"));
            check(variants[i].text + strlen("units: nbody\n"), scene, p, false);
        }
}

/* An integrator that does everything for every second body alone. */
typedef struct halves {
    oct_set *set;
} halves;

static oct_status halves_init(void *state, oct_domain *domain)
{
    halves *self = state;
    OCT_TRY(oct_set_create(&self->set, domain));
    for (uint32_t i = 0; i < domain->n; i += 2)
        OCT_TRY(oct_buffer_write(self->set->marks, "\1", i, 1));
    return OCT_STATUS_OK;
}

static oct_status halves_step(const void *state, oct_sim *sim, double dt)
{
    const halves *self = state;
    oct_domain_restrict(sim->domain, self->set);
    OCT_TRY(oct_sim_forces(sim));
    OCT_TRY(oct_sim_kick(sim, dt));
    OCT_TRY(oct_sim_collide(sim, dt));
    oct_domain_restrict(sim->domain, NULL);
    return oct_sim_drift(sim, dt);
}

static void halves_memory(oct_needs *needs, const void *state)
{
    (void)state;
    oct_set_memory(needs);
}

static void halves_free(void *state)
{
    halves *self = state;
    oct_set_free(self->set);
}

static const oct_integrator halves_integrator = {.version = OCT_MODULE_VERSION,
                                                 .name = "halves",
                                                 .doc = "Moves every second body.",
                                                 .state_size = sizeof(halves),
                                                 .init = halves_init,
                                                 .step = halves_step,
                                                 .memory = halves_memory,
                                                 .free = halves_free};

static void of_sets(void **state)
{
    static const char *const scenes[] = {
        OPEN "gravity: {method: direct}\n",
        OPEN "gravity: {method: tree}\n",
        OPEN "gravity: {method: auto}\n",
        BOX "models: [uniform-sphere: {n: 3000, radius: 0.5}]\ngravity: {method: tree}\n",
        OPEN "collisions: {method: direct, restitution: 0.5}\n",
        OPEN "collisions: {method: tree, restitution: 0.5, kernel: lanes}\n",
        OPEN "collisions: {method: tree, restitution: 0.5, kernel: portable}\n",
        OPEN "gravity: {method: tree}\ncollisions: {method: tree, restitution: 0.5}\n"};
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        char text[1024];
        oct_scene *scene = NULL;
        snprintf(text, sizeof text, "%sintegrator: {method: halves, dt: 1e-3}\nrun: {until: 1}\n",
                 scenes[i]);
        ref_ok(oct_scene_parse(&scene, text, strlen(text), "test"));
        ref_ok(oct_scene_add_module(scene, OCT_FAMILY_INTEGRATOR, &halves_integrator,
                                    OCT_MODULE_VERSION));
        check(scenes[i] + strlen("units: nbody\n"), scene, OCT_PRECISION_AUTO, false);
    }
}

/* What a GPU of 139 GiB holds with octree gravity and a leapfrog. Only counted: nothing is made. */
static void of_a_billion_bodies(void **state)
{
    static const struct {
        oct_precision precision;
        double most; /* bytes a body */
        uint64_t fitting;
    } goals[] = {{OCT_PRECISION_SINGLE, 118, 1200000000}, {OCT_PRECISION_MIXED, 160, 900000000}};
    const oct_device_info gpu = {.name = "GPU",
                                 .platform = "NVIDIA CUDA",
                                 .vendor = "NVIDIA Corporation",
                                 .kind = "gpu",
                                 .memory = UINT64_C(139) << 30,
                                 .max_buffer = UINT64_C(139) << 28,
                                 .fp64 = true,
                                 .compute_units = 132};
    static const char text[] = "units: nbody\nmodels: [plummer: {n: 800000000}]\n"
                               "gravity: {method: tree, softening: 0.01}\n"
                               "integrator: {method: leapfrog, dt: 1e-3}\nrun: {until: 1}\n";
    (void)state;
    for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++) {
        oct_scene *scene = NULL;
        oct_estimate estimate = {.size = sizeof estimate};
        ref_ok(oct_scene_parse(&scene, text, strlen(text), "test"));
        ref_ok(oct_scene_estimate(&estimate, scene, &gpu, goals[i].precision));
        print_message("%s: %.2f bytes a body, %.3g bodies fit, %.2f in one buffer\n",
                      oct_precision_name(goals[i].precision), estimate.bytes_per_particle,
                      (double)estimate.fitting, (double)estimate.bytes_largest / 8e8);
        assert_true(estimate.bytes_per_particle <= goals[i].most);
        assert_true(estimate.fitting >= goals[i].fitting);
        oct_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_every_built_in_scene),
        cmocka_unit_test(of_every_method),
        cmocka_unit_test(of_sets),
        cmocka_unit_test(of_a_billion_bodies),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
