/* Solar systems that ranks share: whole ones have one owner each, and all pull at each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sim.h"
#include "scene_sim.h"
#include "shared_sim.h"

/* Systems of three so near each other that some are opened, and two bodies that have none. */
#define SYSTEMS                                                                                    \
    "units: solar\nmodels: [galaxy-of-systems: {systems: 9, bodies: 3, distance: 15 AU, "          \
    "mass_ratio: 10}, body: {mass: 3, offset: [40 AU, 0, 0]}, body: {mass: 2, offset: [0, 50 AU, " \
    "0]}]\n"                                                                                       \
    "run: {until: 100 yr}\noutput: {kepler_error: true}\n"
enum { BODIES = 9 * 3 + 1 + 2, SCENE_BYTES = 1024 };

static void write_scene(char out[SCENE_BYTES], const char *gravity, const char *integrator)
{
    snprintf(out, SCENE_BYTES, SYSTEMS "gravity: {method: systems%s}\nintegrator: {%s}\n", gravity,
             integrator);
}

/* The largest difference of positions, over the largest distance. */
static double apart(const oct_bodies *a, const oct_bodies *b)
{
    double largest = 0, difference = 0;
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->id, b->id, a->n * sizeof *a->id);
    for (size_t i = 0; i < 3 * a->n; i++) {
        largest = fmax(largest, fabs(a->position[i]));
        difference = fmax(difference, fabs(a->position[i] - b->position[i]));
    }
    return difference / largest;
}

static double compare(const char *scene, uint64_t steps, bool same)
{
    ref_shared one = {.precision = OCT_PRECISION_DOUBLE, .steps = steps, .scene = scene};
    double worst = 0;
    ref_ok(ref_share(&one));
    assert_int_equal(one.bodies.n, BODIES);
    for (uint32_t ranks = 2; ranks <= 4; ranks++) {
        ref_shared many = {
            .precision = OCT_PRECISION_DOUBLE, .ranks = ranks, .steps = steps, .scene = scene};
        ref_shared again = many;
        ref_ok(ref_share(&many));
        ref_ok(ref_share(&again));
        assert_true(many.hash == again.hash);
        assert_true(!same || many.hash == one.hash);
        worst = fmax(worst, apart(&one.bodies, &many.bodies));
        worst = fmax(worst, ref_force_difference(&one.bodies, &many.bodies));
        worst = fmax(worst, fabs(one.energy / many.energy - 1));
        for (size_t i = 0; i < one.n_values; i++)
            assert_true(isnan(one.values[i]) || !isnan(many.values[i]));
        oct_bodies_clear(&many.bodies);
        oct_bodies_clear(&again.bodies);
    }
    oct_bodies_clear(&one.bodies);
    return worst;
}

static const char *const integrators[] = {
    "method: wh, dt: 5 day", "method: respa, dt: 5 day, substeps: 4",
    "method: two-rate, dt: 1 day, substeps: 3", "method: leapfrog, dt: 2 day"};

/* Systems of other ranks pull, some of them body by body. */
static void forces_of_all(void **state)
{
    (void)state;
    static const char *const ways[] = {", opening: 0.05", ", opening: 0.05, far: bodies",
                                       ", order: monopole, opening: 0"};
    char scene[SCENE_BYTES];
    double worst = 0;
    for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; i++) {
        write_scene(scene, ways[i % 3], integrators[i]);
        worst = fmax(worst, compare(scene, 12, false));
    }
    print_message("    differs by %.2g\n", worst);
    assert_true(worst < 1e-12); /* measured: 1.4e-15 */
}

/* Systems that do not know of each other have the bits of one domain, in bursts too. */
static void systems_alone(void **state)
{
    (void)state;
    char scene[SCENE_BYTES];
    for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; i++) {
        write_scene(scene, ", far: none", integrators[i]);
        assert_true(compare(scene, 150, true) < 1e-14); /* energies, which are sums: 3e-16 */
    }
}

/* Tells what the ranks have. */
typedef struct owned {
    uint64_t counts[4];
    bool split;
} owned;

static oct_status look(oct_sim *sim, void *context)
{
    owned *out = context;
    uint32_t numbers[BODIES];
    if (oct_comm_rank(sim->comm) > 0)
        return OCT_STATUS_OK;
    memcpy(out->counts, sim->owners.counts, oct_comm_size(sim->comm) * sizeof *out->counts);
    oct_status status =
        oct_buffer_read(numbers, sim->domain->system_table.number, 0, sim->domain->n);
    /* The hole comes first, then systems of three. */
    out->split = (sim->domain->n - 1) % 3 != 0 || numbers[0] != 0;
    return status;
}

static void shares_are_whole_systems(void **state)
{
    (void)state;
    char scene[SCENE_BYTES];
    write_scene(scene, "", integrators[0]);
    owned even = {0}, uneven = {0};
    ref_shared run = {.precision = OCT_PRECISION_DOUBLE,
                      .ranks = 2,
                      .scene = scene,
                      .visit = look,
                      .context = &even};
    ref_ok(ref_share(&run));
    oct_bodies_clear(&run.bodies);
    run.shares = (const double[]){1, 3};
    run.context = &uneven;
    run.n_values = 0;
    ref_ok(ref_share(&run));
    oct_bodies_clear(&run.bodies);
    assert_false(even.split || uneven.split);
    assert_int_equal(even.counts[0], 16);
    assert_int_equal(even.counts[1], 14);
    assert_int_equal(uneven.counts[0], 10);
    assert_int_equal(uneven.counts[1], 20);
}

static void they_go_on(void **state)
{
    (void)state;
    static const char path[] = "test_cluster_systems.hdf5";
    char scene[SCENE_BYTES];
    write_scene(scene, "", integrators[0]);
    for (uint32_t ranks = 3; ranks <= 4; ranks++) {
        ref_shared whole = {
            .precision = OCT_PRECISION_DOUBLE, .ranks = 3, .steps = 12, .scene = scene};
        ref_shared half = whole, rest = whole;
        half.steps = rest.steps = 6;
        half.save = rest.checkpoint = path;
        rest.ranks = ranks;
        ref_ok(ref_share(&whole));
        ref_ok(ref_share(&half));
        ref_ok(ref_share(&rest));
        assert_true((rest.hash == whole.hash) == (ranks == 3));
        assert_true(apart(&whole.bodies, &rest.bodies) < 1e-13);
        oct_bodies_clear(&whole.bodies);
        oct_bodies_clear(&half.bodies);
        oct_bodies_clear(&rest.bodies);
        unlink(path);
    }
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *scene;
        uint32_t ranks;
        const char *sentence;
    } cases[] = {
        {SYSTEMS "gravity: {method: systems, threshold: 1 AU}\n"
                 "integrator: {method: wh, dt: 5 day}\n",
         2, "gravity.threshold does not work with more than one domain yet"},
        {"units: solar\nmodels: [solar-system: {}]\ngravity: {method: systems}\n"
         "integrator: {method: wh, dt: 5 day}\nrun: {until: 1 yr}\n",
         2, "1 solar systems cannot be shared among 2 domains"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ref_shared run = {
            .precision = OCT_PRECISION_DOUBLE, .ranks = cases[i].ranks, .scene = cases[i].scene};
        assert_int_equal(ref_share(&run), OCT_STATUS_INPUT);
        assert_non_null(strstr(oct_last_error(), cases[i].sentence));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_of_all),
        cmocka_unit_test(systems_alone),
        cmocka_unit_test(shares_are_whole_systems),
        cmocka_unit_test(they_go_on),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
