/* Octrees in the memory of accelerations: steps, looks and changes of bodies have the same bits as
 * with trees in memory of their own. */
#include "files.h"

#include "core/sim.h"
#include "scene_sim.h"
#include "tree/room.h"

#define SCENE                                                                                      \
    "units: nbody\nseed: 5\nmodels: [plummer: {n: 4000}]\nrun: {until: 9}\n"                       \
    "gravity: {method: tree, softening: 0.01, %s%s}\nintegrator: {dt: 0.01%s}\n%s"

typedef struct trial {
    const char *gravity, *integrator, *more;
    bool lends; /* where it may */
} trial;

#define DRAG                                                                                       \
    "forces:\n  - custom: {code: 'real4 octant_force(real3 x, real3 v, real m, ulong id, real t) " \
    "{ return (real4)(-v * (real)(1 + id % 3), 0); }'}\n"

static const trial trials[] = {
    {", theta: 0.6", "", "", true},
    {", criterion: relative", "", "", true},
    {", criterion: geometric, shift: true", "", DRAG, true},
    {"", ", method: symplectic-euler", "", false},
};

enum { NEVER = UINT32_MAX, STAGES = 6 };

/* From how many bodies on the tree, which is built anew, may be lent memory. */
static void let(oct_sim *sim, uint32_t from)
{
    assert_non_null(sim->domain->tree);
    sim->domain->tree->lent_from = from;
    oct_tree_lose_room(sim->domain->tree);
}

static void change_bodies(oct_sim *sim)
{
    oct_bodies bodies = {0};
    const uint64_t leave[] = {7, 3999};
    ref_ok(oct_sim_bodies(&bodies, sim));
    bodies.id[0] = bodies.id[1] = 0;
    bodies.n = 2;
    bodies.position[0] += 0.1;
    bodies.position[4] -= 0.1;
    ref_ok(oct_sim_add(sim, &bodies));
    assert_true(bodies.id[0] == 4001 && bodies.id[1] == 4002);
    bodies.n = 4000;
    oct_bodies_clear(&bodies);
    ref_ok(oct_sim_remove(sim, leave, 2));
}

static void look(oct_sim *sim)
{
    double values[128];
    ref_ok(oct_sim_measure(values, sim));
}

/* Fills in hashes of the state as it goes on, and the accelerations that it ends with. */
static oct_bodies go(uint64_t hashes[STAGES], oct_precision precision, const trial *t,
                     const char *walk, uint32_t from)
{
    char path[128];
    oct_bodies bodies = {0};
    bool lends = t->lends && from == 0;
    oct_sim *sim = ref_sim(precision, SCENE, walk, t->gravity, t->integrator, t->more), *resumed;
    let(sim, from);
    look(sim);
    ref_ok(oct_sim_step(sim, 2));
    hashes[0] = ref_hash(sim);
    assert_true(sim->domain->lends == lends);
    look(sim);
    assert_true(ref_hash(sim) == hashes[0]);
    ref_ok(oct_sim_step(sim, 3));
    hashes[1] = ref_hash(sim);
    ref_ok(oct_sim_bodies(&bodies, sim));
    bodies.velocity[15] *= 1.25;
    bodies.position[29] += 0.25;
    ref_ok(oct_sim_upload(sim, &bodies));
    oct_bodies_clear(&bodies);
    look(sim);
    ref_ok(oct_sim_step(sim, 2));
    hashes[2] = ref_hash(sim);
    change_bodies(sim);
    let(sim, from);
    hashes[3] = ref_hash(sim);
    ref_ok(oct_sim_step(sim, 1));
    look(sim);
    ref_ok(oct_sim_step(sim, 1));
    hashes[4] = ref_hash(sim);
    assert_true(sim->domain->lends == lends);
    scratch_path(path, "lent.hdf5");
    resumed = ref_resume(sim, path, 2);
    look(resumed);
    hashes[5] = ref_hash(resumed);
    ref_ok(oct_sim_bodies(&bodies, resumed));
    oct_sim_free(resumed);
    oct_sim_free(sim);
    return bodies;
}

static void compare(oct_precision precision, const trial *t, const char *walk)
{
    uint64_t lent[STAGES], own[STAGES];
    oct_bodies with = go(lent, precision, t, walk, 0), without = go(own, precision, t, walk, NEVER);
    for (size_t i = 0; i < STAGES; i++)
        assert_true(lent[i] == own[i]);
    assert_true(with.n == 4000 && without.n == with.n);
    assert_memory_equal(with.id, without.id, with.n * sizeof *with.id);
    assert_memory_equal(with.acceleration, without.acceleration,
                        3 * with.n * sizeof *with.acceleration);
    oct_bodies_clear(&with);
    oct_bodies_clear(&without);
}

/* The first with each walk, the others with the device's own: each is a program to compile. */
static void the_bits_are_the_same(void **state)
{
    (void)state;
    for (size_t w = 0; ref_walk(w); w++)
        compare(w % 2 ? OCT_PRECISION_SINGLE : OCT_PRECISION_MIXED, trials, ref_walk(w));
    for (size_t i = 1; i < sizeof trials / sizeof trials[0]; i++)
        compare(OCT_PRECISION_MIXED, &trials[i], ref_walk(0));
}

/* Takes steps, between which somebody asks for cells, or for forces of some bodies alone. */
static uint64_t go_with_others(uint32_t from, bool sets)
{
    const oct_tree_options options = {.theta = 1, .leaf = 16, .cells = true};
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, SCENE, ref_walk(0), "", "", "");
    oct_set *set = NULL;
    oct_tree *tree = NULL;
    let(sim, from);
    ref_ok(oct_sim_step(sim, 2));
    assert_true(sim->domain->lends == (from == 0));
    if (sets)
        ref_ok(oct_set_create(&set, sim->domain));
    else
        ref_ok(oct_tree_share(&tree, sim->domain, &options));
    ref_ok(oct_sim_step(sim, 2));
    assert_false(sim->domain->lends);
    uint64_t hash = ref_hash(sim);
    oct_set_free(set);
    oct_tree_free(tree);
    oct_sim_free(sim);
    return hash;
}

static void a_loan_ends(void **state)
{
    (void)state;
    for (int sets = 0; sets < 2; sets++)
        assert_true(go_with_others(0, sets) == go_with_others(NEVER, sets));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_are_the_same),
        cmocka_unit_test(a_loan_ends),
    };
    int failed = cmocka_run_group_tests(tests, scratch_make, scratch_remove);
    ref_device_close();
    return failed;
}
