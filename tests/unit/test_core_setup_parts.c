/* Bodies made a part at a time are those made at once, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/sim.h"
#include "scene_sim.h"

static const char *const models[] = {
    "plummer: {n: 100}",
    "hernquist: {n: 100, truncation: 20}",
    "king: {n: 20, depth: 5}",
    "nfw: {n: 5}",
    "cold-sphere: {n: 100}",
    "uniform-cube: {n: 100}",
    "disk-galaxy: {disk: {n: 3}, bulge: {n: 2}, halo: {n: 3}, black_hole: 0.01}",
    "uniform-cube: {n: 100, dispersion: 0.3, offset: [1, 2, 3], velocity: [4, 5, 6], type: disk}",
};

static oct_sim *make_sim(const char *list, oct_precision precision)
{
    return ref_sim(precision,
                   "units: nbody\nmodels: [%s]\ngravity: {method: none}\n"
                   "integrator: {dt: 1}\nrun: {until: 1}\n",
                   list);
}

/* In parts of several sizes, the last of them smaller or not. */
static void check(oct_sim *sim)
{
    static const size_t sizes[] = {1, 7, 50, 99, 100, 500};
    uint64_t expected = ref_hash(sim);
    double length = sim->length_scale, mass = sim->mass_scale;
    assert_true(oct_setup_in_parts(sim->setup));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (uint32_t c = 0; c < sim->domain->n_columns; c++)
            if (sim->domain->columns[c].buffer)
                ref_ok(oct_buffer_fill(sim->domain->columns[c].buffer, 0x11));
        assert_true(ref_hash(sim) != expected);
        oct_sim_set_scales(sim, 1, 1);
        ref_ok(oct_sim_fill(sim, sizes[i]));
        assert_true(ref_hash(sim) == expected);
        assert_true(sim->length_scale == length && sim->mass_scale == mass);
    }
}

static void of_every_model(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_MIXED; p++) {
            if (p == OCT_PRECISION_MIXED && !oct_device_describe(ref_device())->fp64)
                continue;
            oct_sim *sim = make_sim(models[i], (oct_precision)p);
            check(sim);
            oct_sim_free(sim);
        }
}

static void of_a_ring(void **state)
{
    (void)state;
    oct_sim *sim =
        ref_sim(OCT_PRECISION_SINGLE,
                "models: [ring: {n: 100, density: 500, radius: {law: power, min: 1, max: "
                "3}}]\nbox: {boundary: shear, size: [60, 60, 60], omega: 1.3e-4}\n"
                "gravity: {method: none}\nintegrator: {method: sei, dt: 1}\n"
                "run: {until: 1}\n");
    check(sim);
    oct_sim_free(sim);
}

static void of_several_models(void **state)
{
    (void)state;
    oct_sim *sim = make_sim("plummer: {n: 130}, uniform-cube: {n: 70, offset: [3, 0, 0]}, "
                            "cold-sphere: {n: 30, velocity: [0, 1, 0]}",
                            OCT_PRECISION_SINGLE);
    check(sim);
    oct_sim_free(sim);
}

/* Who takes parts of a portion, and those that are due. */
typedef struct taker {
    const oct_bodies *all;
    uint64_t next;
} taker;

static oct_status take(void *context, uint64_t first, const oct_bodies *part)
{
    taker *t = context;
    assert_int_equal(first, t->next);
    assert_memory_equal(part->id, t->all->id + first, part->n * sizeof *part->id);
    assert_memory_equal(part->position, t->all->position + 3 * first,
                        3 * part->n * sizeof *part->position);
    t->next += part->n;
    return OCT_STATUS_OK;
}

/* Runs of bodies that begin and end in any of three models. */
static void a_portion_alone(void **state)
{
    (void)state;
    oct_bodies all = {0};
    oct_sim *sim = make_sim("uniform-cube: {n: 5}, uniform-cube: {n: 4, offset: [3, 0, 0]}, "
                            "uniform-cube: {n: 6}",
                            OCT_PRECISION_SINGLE);
    ref_ok(oct_setup_bodies(&all, sim->setup));
    for (uint64_t first = 0; first < all.n; first++)
        for (uint64_t count = 1; first + count <= all.n; count++) {
            taker t = {.all = &all, .next = first};
            ref_ok(oct_setup_make_parts(
                sim->setup, &(oct_portion){.first = first, .count = count, .most = 3}, take, &t));
            assert_int_equal(t.next, first + count);
        }
    oct_bodies_clear(&all);
    oct_sim_free(sim);
}

/* What follows from all bodies, or is one's own, is made at once. */
static void others_are_made_at_once(void **state)
{
    static const char *const whole[] = {
        "uniform-sphere: {n: 10, radius: 1}", "plummer: {n: 10, softening: 0.1}",
        "plummer: {n: 10}, two-body: {mass1: 1, mass2: 1, semi_major_axis: 1}"};
    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        oct_sim *sim = make_sim(whole[i], OCT_PRECISION_SINGLE);
        assert_false(oct_setup_in_parts(sim->setup));
        oct_sim_free(sim);
    }
}

/* The hash of a state that passes through a few bytes of the host is that of the whole, bodies in
 * the order of their ids or not. */
static void hashes_need_not_hold_all(void **state)
{
    static const size_t sizes[] = {64, 100, 1000, 4096};
    (void)state;
    oct_sim *sim = make_sim(models[0], OCT_PRECISION_SINGLE);
    for (int turned = 0; turned < 2; turned++) {
        uint64_t expected = ref_hash(sim);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            uint64_t hash;
            ref_ok(oct_sim_hash_by(&hash, sim, sizes[i]));
            assert_true(hash == expected);
        }
        ref_ok(oct_buffer_write(sim->domain->id, (uint64_t[]){2, 1}, 0, 2));
    }
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_every_model),          cmocka_unit_test(of_a_ring),
        cmocka_unit_test(of_several_models),       cmocka_unit_test(a_portion_alone),
        cmocka_unit_test(others_are_made_at_once), cmocka_unit_test(hashes_need_not_hold_all),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
