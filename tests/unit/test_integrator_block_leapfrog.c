/* Leapfrog with a step of its own for each body: against a scalar loop, against leapfrog where all
 * steps are dt, resumed and looked at in the middle of a block; and what is refused. */
#include "files.h"

#include <math.h>

#include "core/look.h"
#include "scene_sim.h"
#include "selftest/oracle_block.h"
#include "tree/tree.h"

#define CLUSTER                                                                                    \
    "units: nbody\nseed: 5\nmodels: [plummer: {n: 199, scale: 0.4}, cold-sphere: {n: 1, mass: "    \
    "0.2, radius: 0.01}]\nrun: {until: 1}\n"
#define DIRECT "gravity: {method: direct, softening: 0.03}\n"
#define TREE   "gravity: {method: tree, theta: 0.5, softening: 0.03}\n"
#define BLOCK  "integrator: {method: block-leapfrog, dt: 0.0625, levels: 9, eta: 0.3%s}\n"

static oct_sim *block_sim(oct_precision precision, const char *gravity, const char *more)
{
    return ref_sim(precision, CLUSTER "%s" BLOCK, gravity, more);
}

static bool is_within(const oct_sim *sim)
{
    return oct_steps_differ(sim->setup, &sim->clock);
}

static void step_into_a_block(oct_sim *sim)
{
    do
        ref_ok(oct_sim_step(sim, 1));
    while (!is_within(sim));
}

static void *read_all(oct_buffer *buffer)
{
    void *rows = malloc(buffer->count * buffer->element);
    assert_non_null(rows);
    ref_ok(oct_buffer_read(rows, buffer, 0, buffer->count));
    return rows;
}

static void assert_same_array(oct_buffer *a, oct_buffer *b)
{
    void *one = read_all(a), *other = read_all(b);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(one, other, a->count * a->element);
    free(one);
    free(other);
}

/* Where no level but one is there, or wanted, it is leapfrog to the bit. */
static void one_level_is_leapfrog(void **state)
{
    static const char *const gravities[] = {DIRECT, TREE};
    static const char *const ways[] = {"levels: 0", "eta: 900", "eta: 900, steps: shared"};
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
        for (size_t g = 0; g < 2; g++) {
            oct_sim *sim =
                ref_sim((oct_precision)p, CLUSTER "%sintegrator: {method: leapfrog, dt: 0.0625}\n",
                        gravities[g]);
            ref_ok(oct_sim_step(sim, 20));
            for (size_t w = 0; w < 3; w++) {
                oct_sim *other =
                    ref_sim((oct_precision)p,
                            CLUSTER "%sintegrator: {method: block-leapfrog, dt: 0.0625, %s}\n",
                            gravities[g], ways[w]);
                ref_ok(oct_sim_step(other, 20));
                assert_true(oct_sim_time(other) == oct_sim_time(sim));
                assert_same_array(other->domain->position, sim->domain->position);
                assert_same_array(other->domain->velocity, sim->domain->velocity);
                assert_same_array(other->domain->acceleration, sim->domain->acceleration);
                oct_sim_free(other);
            }
            oct_sim_free(sim);
        }
}

/* Levels of all, and where and how fast an onlooker sees them. */
static double compare(oct_sim *sim, const oct_oracle_block *block)
{
    oct_bodies b = {0};
    uint8_t *rungs = read_all(oct_domain_array(sim->domain, "block.rung"));
    double worst = 0, *velocity = malloc(3 * block->n * sizeof *velocity);
    assert_non_null(velocity);
    ref_ok(oct_sim_bodies(&b, sim));
    ref_ok(oct_sim_read(velocity, OCT_ELEMENT_DOUBLE, sim, "velocity", NULL));
    assert_int_equal(sim->clock.tick, block->now);
    for (size_t i = 0; i < block->n; i++) {
        double x[3], v[3];
        oct_oracle_block_now(x, v, block, i);
        assert_int_equal(rungs[i] - 1, oct_oracle_block_level(block, i));
        for (size_t k = 0; k < 3; k++) {
            worst = fmax(worst, fabs(b.position[3 * i + k] - x[k]));
            worst = fmax(worst, fabs(b.velocity[3 * i + k] - v[k]));
            assert_true(velocity[3 * i + k] == b.velocity[3 * i + k]);
        }
    }
    free(rungs);
    free(velocity);
    oct_bodies_clear(&b);
    return worst;
}

/* Every step of it for some dt. */
static void follow(const char *more, oct_oracle_block_rules rules)
{
    oct_sim *sim = block_sim(OCT_PRECISION_DOUBLE, DIRECT, more);
    oct_bodies b = {0};
    oct_oracle_block block;
    double worst = 0;
    int deepest = 0;
    uint64_t within = 0;
    rules = (oct_oracle_block_rules){.dt = 0.0625,
                                     .eta = rules.eta,
                                     .length = rules.length,
                                     .softening = 0.03,
                                     .heavy = 20 * 1.2 / 200,
                                     .orbit = rules.orbit,
                                     .patience = rules.patience,
                                     .levels = 9,
                                     .gadget = rules.gadget,
                                     .escape = rules.escape,
                                     .shared = rules.shared,
                                     .symmetric = rules.symmetric};
    ref_ok(oct_sim_bodies(&b, sim));
    ref_ok(oct_oracle_block_start(&block, &b, &rules));
    oct_bodies_clear(&b);
    while (block.now < 3 * OCT_ORACLE_BLOCK_TICKS) {
        ref_ok(oct_sim_step(sim, 1));
        oct_oracle_block_step(&block);
        worst = fmax(worst, compare(sim, &block));
        within += is_within(sim);
        for (size_t i = 0; i < block.n; i++)
            deepest = oct_oracle_block_level(&block, i) > deepest
                          ? oct_oracle_block_level(&block, i)
                          : deepest;
    }
    print_message("%s: %llu steps, deepest level %d, off by %.1e\n", more,
                  (unsigned long long)oct_sim_steps(sim), deepest, worst);
    assert_true(worst < 1e-11); /* seen: 1.5e-14 */
    assert_true(deepest >= 2 && (within > 0) == !rules.shared);
    assert_true(ref_measure(sim, "forces_found") == (double)block.forces / (double)block.n);
    oct_oracle_block_clear(&block);
    oct_sim_free(sim);
}

static void steps_are_those_of_a_scalar_loop(void **state)
{
    (void)state;
    follow("", (oct_oracle_block_rules){.eta = 0.3, .length = 0.03});
    follow(", length: 0.01", (oct_oracle_block_rules){.eta = 0.3, .length = 0.01});
    follow(", criterion: gadget, length: 0.001",
           (oct_oracle_block_rules){.eta = 0.3, .length = 0.001, .gadget = true});
    follow(", criterion: escape",
           (oct_oracle_block_rules){.eta = 0.3, .length = 0.03, .escape = true});
    follow(", criterion: escape, symmetric: true",
           (oct_oracle_block_rules){.eta = 0.3, .length = 0.03, .escape = true, .symmetric = true});
    follow(", symmetric: true",
           (oct_oracle_block_rules){.eta = 0.3, .length = 0.03, .symmetric = true});
    follow(", length: 0.01, patience: 0.375",
           (oct_oracle_block_rules){.eta = 0.3, .length = 0.01, .patience = 0.375});
    follow(", orbit: 0.05", (oct_oracle_block_rules){.eta = 0.3, .length = 0.03, .orbit = 0.05});
    follow(", orbit: 0.05, symmetric: true",
           (oct_oracle_block_rules){.eta = 0.3, .length = 0.03, .orbit = 0.05, .symmetric = true});
    follow(", orbit: 0.1, steps: shared",
           (oct_oracle_block_rules){.eta = 0.3, .length = 0.03, .orbit = 0.1, .shared = true});
    follow(", steps: shared", (oct_oracle_block_rules){.eta = 0.3, .length = 0.03, .shared = true});
}

static void look(oct_sim *sim)
{
    double values[128], x[600];
    oct_bodies bodies = {0};
    ref_ok(oct_sim_measure(values, sim));
    ref_ok(oct_sim_bodies(&bodies, sim));
    ref_ok(oct_sim_read(x, OCT_ELEMENT_DOUBLE, sim, "velocity", NULL));
    oct_bodies_clear(&bodies);
}

/* Seen at every step or never, in the middle of blocks too. */
static void onlookers_change_no_bit(void **state)
{
    static const char *const gravities[] = {DIRECT, TREE};
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
        for (size_t g = 0; g < 2; g++) {
            oct_sim *seen = block_sim((oct_precision)p, gravities[g], ", symmetric: true");
            oct_sim *alone = block_sim((oct_precision)p, gravities[g], ", symmetric: true");
            for (int i = 0; i < 90; i++) {
                look(seen);
                ref_ok(oct_sim_step(seen, 1));
            }
            step_into_a_block(seen);
            ref_ok(oct_sim_step(alone, oct_sim_steps(seen)));
            assert_true(ref_hash(seen) == ref_hash(alone));
            oct_sim_free(seen);
            oct_sim_free(alone);
        }
}

/* Energy in the middle of a block is that of velocities of now: half-kicked ones are off by more.
 */
static void energies_are_of_now(void **state)
{
    (void)state;
    double worst = 0;
    oct_sim *sim = block_sim(OCT_PRECISION_DOUBLE, DIRECT, ", length: 0.005");
    for (int i = 0; i < 100; i++) {
        step_into_a_block(sim);
        worst = fmax(worst, fabs(ref_measure(sim, "energy_error")));
    }
    print_message("energy error within blocks: %.1e at most\n", worst);
    assert_true(worst < 2e-5); /* seen: 9.9e-6; 8.6e-5 with those of the middle of steps */
    oct_sim_free(sim);
}

static void a_block_is_resumed_in_its_middle(void **state)
{
    static const char *const gravities[] = {DIRECT, TREE};
    static const char *const ways[] = {"",
                                       ", symmetric: true",
                                       ", steps: shared",
                                       ", spread: 0",
                                       ", orbit: 0.05, symmetric: true",
                                       ", patience: 0.4",
                                       ", criterion: escape, symmetric: true"};
    (void)state;
    assert_int_equal(scratch_make(NULL), 0);
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
        for (size_t g = 0; g < 2; g++)
            for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
                oct_sim *sim = block_sim((oct_precision)p, gravities[g], ways[w]);
                for (int i = 0; i < 3; i++) {
                    char path[128];
                    scratch_path(path, "block.hdf5");
                    ref_ok(oct_sim_step(sim, 7));
                    if (w != 2)
                        step_into_a_block(sim);
                    oct_sim_free(ref_resume(sim, path, 40));
                }
                oct_sim_free(sim);
            }
    scratch_remove(NULL);
}

/* In every group of neighbours nobody is further above the deepest than allowed. */
static uint32_t farthest_apart(oct_sim *sim)
{
    oct_tree *tree = sim->domain->tree;
    uint32_t n = sim->domain->n, worst = 0;
    uint32_t *order = read_all(tree->order);
    uint8_t *rungs = read_all(oct_domain_array(sim->domain, "block.rung"));
    for (uint32_t first = 0; first < n; first += OCT_TREE_GROUP) {
        uint32_t low = 255, high = 0;
        for (uint32_t i = first; i < n && i < first + OCT_TREE_GROUP; i++) {
            low = rungs[order[i]] < low ? rungs[order[i]] : low;
            high = rungs[order[i]] > high ? rungs[order[i]] : high;
        }
        worst = high - low > worst ? high - low : worst;
    }
    free(order);
    free(rungs);
    return worst;
}

static void neighbours_differ_by_few(void **state)
{
    static const uint32_t allowed[] = {0, 1, 2, 20};
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        char more[48];
        snprintf(more, sizeof more, ", length: 0.005, spread: %u", (unsigned)allowed[k]);
        oct_sim *sim = block_sim(OCT_PRECISION_MIXED, TREE, more);
        for (int block = 0; block < 3; block++) {
            step_into_a_block(sim);
            while (is_within(sim))
                ref_ok(oct_sim_step(sim, 1));
            uint32_t apart = farthest_apart(sim);
            print_message("spread %u: %u levels apart\n", (unsigned)allowed[k], (unsigned)apart);
            assert_true(allowed[k] == 20 ? apart > 2 : apart <= allowed[k]);
        }
        oct_sim_free(sim);
    }
}

static void assert_refused_within(oct_status status)
{
    assert_int_equal(status, OCT_STATUS_INPUT);
    ref_says("in the middle of steps of their own");
}

/* Whoever would change bodies or steps is told when that can be done. */
static void bodies_stay_as_they_are_within_a_block(void **state)
{
    (void)state;
    double v[3] = {0};
    uint64_t id = 7;
    oct_bodies b = {0};
    oct_column_buffer buffer = {.size = sizeof buffer};
    const oct_selection one = {.n = 1};
    oct_sim *sim = block_sim(OCT_PRECISION_MIXED, TREE, "");
    step_into_a_block(sim);
    uint64_t hash = ref_hash(sim);
    ref_ok(oct_sim_bodies(&b, sim));
    assert_refused_within(oct_sim_write(sim, "velocity", &one, v, OCT_ELEMENT_DOUBLE));
    assert_refused_within(oct_sim_written(sim, "position"));
    assert_refused_within(oct_sim_buffer(&buffer, sim, "velocity"));
    assert_refused_within(oct_sim_set_bodies(sim, &b));
    assert_refused_within(oct_sim_remove(sim, &id, 1));
    assert_refused_within(oct_sim_add(sim, &b));
    assert_refused_within(oct_sim_set(sim, "integrator.dt=0.03"));
    assert_refused_within(oct_sim_set(sim, "integrator.levels=3"));
    assert_true(ref_hash(sim) == hash);
    ref_ok(oct_sim_set(sim, "gravity.theta=0.4"));
    while (is_within(sim))
        ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_sim_write(sim, "velocity", &one, v, OCT_ELEMENT_DOUBLE));
    ref_ok(oct_sim_remove(sim, &id, 1));
    ref_ok(oct_sim_set(sim, "integrator.dt=0.03"));
    step_into_a_block(sim);
    assert_int_equal(oct_sim_count(sim), b.n - 1);
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

/* Bodies that join a run get levels of their own, and so do those of another integrator's. */
static void who_joins_gets_a_level(void **state)
{
    (void)state;
    oct_bodies b = {0};
    ref_ok(oct_bodies_resize(&b, 1));
    b.mass[0] = 0.5;
    b.position[0] = 0.01;
    oct_sim *sim = block_sim(OCT_PRECISION_MIXED, TREE, "");
    ref_ok(oct_sim_add(sim, &b));
    for (int i = 0; i < 2; i++) {
        step_into_a_block(sim);
        uint8_t *rungs = read_all(oct_domain_array(sim->domain, "block.rung"));
        for (uint32_t k = 0; k < sim->domain->n; k++)
            assert_true(rungs[k] >= 1 && rungs[k] <= 11);
        free(rungs);
        while (is_within(sim))
            ref_ok(oct_sim_step(sim, 1));
        ref_ok(oct_sim_set(sim, "integrator.method=leapfrog"));
        ref_ok(oct_sim_step(sim, 1));
        ref_ok(oct_sim_set(sim, "integrator.method=block-leapfrog"));
    }
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

static void assert_scene_refused(const char *part, const char *scene)
{
    assert_int_equal(ref_sim_status(OCT_PRECISION_MIXED, "%s", scene), OCT_STATUS_INPUT);
    ref_says(part);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
#define OF(rest) CLUSTER rest
    assert_scene_refused(
        "chooses steps by the softening, which is 0",
        OF("gravity: {method: direct}\nintegrator: {method: block-leapfrog, dt: 1}\n"));
    assert_scene_refused("expected collisions.method: none",
                         OF(DIRECT "collisions: {method: direct}\n"
                                   "integrator: {method: block-leapfrog, dt: 1}\n"));
    assert_scene_refused("levels",
                         OF(DIRECT "integrator: {method: block-leapfrog, dt: 1, levels: 21}\n"));
    assert_scene_refused("levels",
                         OF(DIRECT "integrator: {method: block-leapfrog, dt: 1, levels: -1}\n"));
    assert_scene_refused("eta", OF(DIRECT "integrator: {method: block-leapfrog, dt: 1, eta: 0}\n"));
    assert_scene_refused("spread",
                         OF(DIRECT "integrator: {method: block-leapfrog, dt: 1, spread: 21}\n"));
    assert_scene_refused(
        "criterion", OF(DIRECT "integrator: {method: block-leapfrog, dt: 1, criterion: other}\n"));
    assert_scene_refused("goes by a potential that is 0 far away",
                         OF("box: {boundary: periodic, size: [9, 9, 9]}\n" DIRECT
                            "integrator: {method: block-leapfrog, dt: 1, criterion: escape}\n"));
    assert_scene_refused("expected 0 with steps: shared",
                         OF(DIRECT "integrator: {method: block-leapfrog, dt: 1, steps: shared, "
                                   "patience: 4}\n"));
    assert_scene_refused("gravity systems is for all bodies at once",
                         "units: solar\nmodels: [galaxy-of-systems: {systems: 3, bodies: 2}]\n"
                         "gravity: {method: systems, softening: 0.1}\nrun: {until: 1}\n"
                         "integrator: {method: block-leapfrog, dt: 1}\n");
    ref_ok(ref_sim_status(OCT_PRECISION_MIXED,
                          OF("gravity: {method: direct}\n"
                             "integrator: {method: block-leapfrog, dt: 1, length: 0.1}\n")));
    ref_ok(ref_sim_status(OCT_PRECISION_MIXED,
                          OF("gravity: {method: direct}\n"
                             "integrator: {method: block-leapfrog, dt: 1, levels: 0}\n")));
#undef OF
}

/* Steps go by a body's own softening; those who are not on the deepest level are where they were
 * first put, by accelerations of the start. */
static void softenings_of_their_own_count(void **state)
{
    (void)state;
    for (int own = 0; own < 2; own++) {
        oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE,
                               "units: nbody\nmodels: [plummer: {n: 60, softening: 0.08}, "
                               "plummer: {n: 60, offset: [1, 0, 0], softening: 0.005}]\n"
                               "gravity: {method: direct, softening: 0.03}\n"
                               "integrator: {method: block-leapfrog, dt: 0.25, levels: 12, eta: "
                               "0.02, criterion: gadget%s}\nrun: {until: 1}\n",
                               own ? "" : ", length: 0.03");
        oct_bodies b = {0};
        int deepest = 0, compared = 0;
        ref_ok(oct_sim_bodies(&b, sim));
        ref_ok(oct_sim_step(sim, 1));
        uint8_t *rungs = read_all(oct_domain_array(sim->domain, "block.rung"));
        for (size_t i = 0; i < b.n; i++)
            deepest = rungs[i] > deepest ? rungs[i] : deepest;
        for (size_t i = 0; i < b.n; i++) {
            const double *a = b.acceleration + 3 * i;
            double length = own ? (i < 60 ? 0.08 : 0.005) : 0.03;
            double step = sqrt(2 * 0.02 * length / sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
            int level = (int)fmax(0, ceil(log2(0.25 / step)));
            if (rungs[i] == deepest)
                continue;
            assert_int_equal(rungs[i] - 1, level);
            compared++;
        }
        assert_true(compared > 60);
        free(rungs);
        oct_bodies_clear(&b);
        oct_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softenings_of_their_own_count),
        cmocka_unit_test(one_level_is_leapfrog),
        cmocka_unit_test(steps_are_those_of_a_scalar_loop),
        cmocka_unit_test(onlookers_change_no_bit),
        cmocka_unit_test(energies_are_of_now),
        cmocka_unit_test(a_block_is_resumed_in_its_middle),
        cmocka_unit_test(neighbours_differ_by_few),
        cmocka_unit_test(bodies_stay_as_they_are_within_a_block),
        cmocka_unit_test(who_joins_gets_a_level),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
