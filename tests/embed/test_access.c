/* Parts of columns, read and written between steps. */
#include "files.h"

#include "scene_sim.h"

#include <math.h>

enum { N = 50 };

#define SCENE                                                                                      \
    "units: nbody\nmodels: [plummer: {n: 50}]\ngravity: {method: direct, softening: 0.1}\n"        \
    "integrator: {dt: 0.01}\nrun: {until: 1}\n"

static const oct_precision precisions[] = {OCT_PRECISION_SINGLE, OCT_PRECISION_MIXED,
                                           OCT_PRECISION_DOUBLE};
enum { PRECISIONS = sizeof precisions / sizeof precisions[0] };

static void columns_are_those_of_the_bodies(void **state)
{
    (void)state;
    for (size_t p = 0; p < PRECISIONS; p++) {
        oct_sim *sim = ref_sim(precisions[p], SCENE), *other = ref_sim(precisions[p], SCENE);
        oct_bodies b = {0};
        double position[3 * N], mass[N], acceleration[3 * N], potential[N], spin[3 * N];
        uint64_t id[N];
        uint8_t type[N];
        uint32_t systems[N];
        ref_ok(oct_sim_step(sim, 5));
        ref_ok(oct_sim_step(other, 5));
        ref_ok(oct_sim_read(position, OCT_ELEMENT_DOUBLE, sim, "position", NULL));
        ref_ok(oct_sim_read(mass, OCT_ELEMENT_DOUBLE, sim, "mass", NULL));
        ref_ok(oct_sim_read(acceleration, OCT_ELEMENT_DOUBLE, sim, "acceleration", NULL));
        ref_ok(oct_sim_read(potential, OCT_ELEMENT_DOUBLE, sim, "potential", NULL));
        ref_ok(oct_sim_read(spin, OCT_ELEMENT_DOUBLE, sim, "spin", NULL));
        ref_ok(oct_sim_read(id, OCT_ELEMENT_UINT64, sim, "id", NULL));
        ref_ok(oct_sim_read(type, OCT_ELEMENT_UINT8, sim, "type", NULL));
        ref_ok(oct_sim_read(systems, OCT_ELEMENT_UINT32, sim, "system", NULL));
        ref_ok(oct_sim_bodies(&b, sim));
        assert_memory_equal(position, b.position, sizeof position);
        assert_memory_equal(mass, b.mass, sizeof mass);
        assert_memory_equal(acceleration, b.acceleration, sizeof acceleration);
        assert_memory_equal(potential, b.potential, sizeof potential);
        assert_memory_equal(spin, b.spin, sizeof spin);
        assert_memory_equal(id, b.id, sizeof id);
        assert_memory_equal(type, b.type, sizeof type);
        assert_memory_equal(systems, b.system, sizeof systems);
        /* Who only looks changes nothing. */
        ref_ok(oct_sim_step(sim, 5));
        ref_ok(oct_sim_step(other, 5));
        assert_true(ref_hash(sim) == ref_hash(other));
        oct_bodies_clear(&b);
        oct_sim_free(sim);
        oct_sim_free(other);
    }
}

/* Forces on some bodies have the bits of those on all, before and after steps. */
static void forces_on_some_are_those_on_all(void **state)
{
    (void)state;
    static const uint32_t list[] = {49, 3, 17};
    const oct_selection some = {.n = 3, .list = list}, beyond = {.first = 40, .n = 11};
    static const char *const scenes[] = {
        SCENE, SCENE "box: {boundary: periodic, size: [9, 9, 9]}\n",
        "units: nbody\nmodels: [plummer: {n: 50}]\ngravity: {method: direct, kernel: tiles}\n"
        "integrator: {dt: 0.01}\nrun: {until: 1}\n",
        "units: nbody\nmodels: [plummer: {n: 50}]\ngravity: {method: tree, theta: 0.6}\n"
        "integrator: {dt: 0.01}\nrun: {until: 1}\n"};
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++)
        for (size_t p = 0; p < PRECISIONS; p++) {
            oct_sim *sim = ref_sim(precisions[p], "%s", scenes[s]);
            oct_sim *other = ref_sim(precisions[p], "%s", scenes[s]);
            for (int steps = 0; steps < 2; steps++) {
                double some_a[9], some_p[3], again[9], a[3 * N], potential[N], untouched[3 * N];
                /* A new mass: what the last step has found is not of now. */
                double mass = 0.1 + steps;
                const oct_selection first = {.n = 1};
                ref_ok(oct_sim_write(sim, "mass", &first, &mass, OCT_ELEMENT_DOUBLE));
                ref_ok(oct_sim_write(other, "mass", &first, &mass, OCT_ELEMENT_DOUBLE));
                ref_ok(oct_sim_forces_on(some_a, some_p, sim, &some));
                ref_ok(oct_sim_read(a, OCT_ELEMENT_DOUBLE, sim, "acceleration", NULL));
                ref_ok(oct_sim_read(potential, OCT_ELEMENT_DOUBLE, sim, "potential", NULL));
                ref_ok(oct_sim_read(untouched, OCT_ELEMENT_DOUBLE, other, "acceleration", NULL));
                assert_memory_equal(a, untouched, sizeof a);
                ref_ok(oct_sim_forces_on(again, NULL, sim, &some));
                assert_memory_equal(some_a, again, sizeof again);
                for (size_t i = 0; i < 3; i++) {
                    assert_memory_equal(some_a + 3 * i, a + 3 * list[i], 3 * sizeof *a);
                    assert_true(some_p[i] == potential[list[i]]);
                }
                ref_ok(oct_sim_step(sim, 3));
                ref_ok(oct_sim_step(other, 3));
                assert_true(ref_hash(sim) == ref_hash(other));
            }
            assert_int_equal(oct_sim_forces_on(NULL, NULL, sim, &beyond), OCT_STATUS_INPUT);
            oct_sim_free(sim);
            oct_sim_free(other);
        }
}

/* Milliseconds that kernels of direct summation have taken since the profiler was switched on. */
static double direct_ms(void)
{
    oct_kernel_time *times = NULL;
    size_t n = 0;
    double ms = 0;
    ref_ok(oct_device_times(&times, &n, ref_device()));
    for (size_t i = 0; i < n; i++)
        ms += strncmp(times[i].name, "force_direct_", 13) == 0 ? times[i].ms : 0;
    oct_device_times_free(times);
    ref_ok(oct_device_profile(ref_device(), false));
    return ms;
}

/* From the start on: no one else's forces are found. */
static void forces_on_some_cost_as_much_as_those(void **state)
{
    (void)state;
    /* A GPU does 16,384² in 0.3 ms, hardly more than one row takes. */
    const bool gpu = strcmp(oct_device_describe(ref_device())->kind, "gpu") == 0;
    char text[128];
    snprintf(text, sizeof text,
             "units: nbody\nmodels: [plummer: {n: %d}]\n"
             "gravity: {method: direct}\nintegrator: {dt: 0.01}\n",
             gpu ? 262144 : 16384);
    const oct_sim_options options = {
        .size = sizeof options, .precision = OCT_PRECISION_SINGLE, .unmeasured = true};
    const oct_selection few = {.first = 5, .n = 16};
    oct_scene *scene;
    oct_sim *sim;
    double a[48], some, all;
    ref_ok(oct_scene_parse(&scene, text, strlen(text), "test"));
    ref_ok(oct_device_profile(ref_device(), true));
    ref_ok(oct_sim_create_with(&sim, ref_device(), scene, &options));
    ref_ok(oct_sim_forces_on(a, NULL, sim, &few));
    some = direct_ms();
    ref_ok(oct_device_profile(ref_device(), true));
    ref_ok(oct_sim_read(a, OCT_ELEMENT_DOUBLE, sim, "acceleration", &few));
    all = direct_ms();
    print_message("%.3f ms for 16 bodies, %.3f for all\n", some, all);
    assert_true(some > 0 && 8 * some < all); /* seen: 0.1 and 300 on PoCL */
    oct_sim_free(sim);
    oct_scene_free(scene);
}

static void all_columns_are_told(void **state)
{
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_SINGLE, SCENE "columns: {charge: {unit: C, width: 3}, "
                                                       "kind: {type: integer}}\n");
    static const char *const names[] = {"position",  "velocity", "acceleration", "id",   "type",
                                        "system",    "spin",     "softening",    "mass", "radius",
                                        "potential", "charge",   "kind"};
    double numbers[3 * N], again[3 * N];
    oct_body_column column = {.size = sizeof column};
    size_t n = 0;
    for (; oct_sim_body_column(&column, sim, n); n++) {
        assert_string_equal(column.name, names[n]);
        assert_int_equal(column.size, sizeof column);
        ref_ok(oct_sim_read(numbers, OCT_ELEMENT_DOUBLE, sim, column.name, NULL));
        /* The type that is told holds them. */
        ref_ok(oct_sim_read(again, column.element, sim, column.name, NULL));
        bool writes = oct_sim_write(sim, column.name, NULL, numbers, OCT_ELEMENT_DOUBLE) == 0;
        assert_int_equal(writes, column.writable);
        assert_int_equal(column.unit != NULL, n >= 11);
    }
    assert_int_equal(n, 13);
    assert_true(oct_sim_body_column(&column, sim, 1));
    assert_int_equal(column.width, 3);
    assert_int_equal(column.length, 1);
    assert_int_equal(column.time, -1);
    assert_true(oct_sim_body_column(&column, sim, 11));
    assert_string_equal(column.unit, "C");
    assert_int_equal(column.width, 3);
    assert_true(oct_sim_body_column(&column, NULL, 10));
    assert_string_equal(column.name, "potential");
    assert_false(oct_sim_body_column(&column, NULL, 11));
    column.size = 1;
    assert_false(oct_sim_body_column(&column, sim, 0));
    oct_sim_free(sim);
}

static void some_bodies_and_other_types(void **state)
{
    const uint32_t list[] = {7, 0, 49, 7};
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO, SCENE);
    oct_bodies b = {0};
    double some[4 * 3], ids[4];
    float narrow[2 * 3];
    int64_t whole[4];
    uint8_t bytes[4];
    (void)state;
    ref_ok(oct_sim_bodies(&b, sim));
    ref_ok(oct_sim_read(some, OCT_ELEMENT_DOUBLE, sim, "velocity",
                        &(oct_selection){.n = 4, .list = list}));
    for (size_t i = 0; i < 4; i++)
        assert_memory_equal(some + 3 * i, b.velocity + 3 * list[i], 3 * sizeof *some);
    ref_ok(oct_sim_read(narrow, OCT_ELEMENT_FLOAT, sim, "position",
                        &(oct_selection){.first = 48, .n = 2}));
    for (size_t i = 0; i < 6; i++)
        assert_true(narrow[i] == (float)b.position[3 * 48 + i]);
    ref_ok(
        oct_sim_read(ids, OCT_ELEMENT_DOUBLE, sim, "id", &(oct_selection){.n = 4, .list = list}));
    ref_ok(
        oct_sim_read(whole, OCT_ELEMENT_INT64, sim, "id", &(oct_selection){.n = 4, .list = list}));
    ref_ok(oct_sim_read(bytes, OCT_ELEMENT_UINT8, sim, "type",
                        &(oct_selection){.n = 4, .list = list}));
    for (size_t i = 0; i < 4; i++)
        assert_true(ids[i] == list[i] + 1.0 && whole[i] == (int64_t)list[i] + 1 &&
                    bytes[i] == OCT_TYPE_STAR);
    ref_ok(oct_sim_read(NULL, OCT_ELEMENT_DOUBLE, sim, "mass", &(oct_selection){.first = N}));
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

/* More than go at a time. */
static void many_bodies_come_in_parts(void **state)
{
    enum { MANY = 600001 };
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO, "units: nbody\nmodels: [cold-sphere: {n: 600001}]\n"
                                               "gravity: {method: none}\nintegrator: {dt: 1}\n"
                                               "run: {until: 1}\n");
    oct_bodies b = {0};
    uint32_t *list = calloc(MANY, sizeof *list);
    double *position = calloc(MANY, 3 * sizeof *position), *mass = calloc(MANY, sizeof *mass);
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) {
        list[i] = MANY - 1 - i;
        mass[i] = i;
    }
    ref_ok(oct_sim_write(sim, "mass", &(oct_selection){.n = MANY, .list = list}, mass,
                         OCT_ELEMENT_DOUBLE));
    ref_ok(oct_sim_bodies(&b, sim));
    ref_ok(oct_sim_read(position, OCT_ELEMENT_DOUBLE, sim, "position",
                        &(oct_selection){.n = MANY, .list = list}));
    for (uint32_t i = 0; i < MANY; i++) {
        assert_memory_equal(position + 3 * (size_t)i, b.position + 3 * (size_t)list[i],
                            3 * sizeof *position);
        assert_true(b.mass[i] == list[i]);
    }
    free(list);
    free(position);
    free(mass);
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

static void what_is_wrong_is_said(void **state)
{
    const uint32_t outside[] = {1, N}, twice[] = {3, 4, 3};
    const double numbers[9] = {0}, bad[3] = {0, NAN, 0}, huge[3] = {0, 1e39, 0}, below[1] = {-1};
    const uint8_t type[1] = {7};
    oct_sim *sim = ref_sim(OCT_PRECISION_SINGLE, SCENE);
    double out[9];
    uint32_t words[3];
    uint64_t before = ref_hash(sim);
    const struct {
        oct_status status;
        const char *says;
    } rows[] = {
        {oct_sim_read(out, OCT_ELEMENT_DOUBLE, sim, "positon", NULL), NULL},
        {oct_sim_read(words, OCT_ELEMENT_UINT32, sim, "position", NULL), "real numbers"},
        {oct_sim_read(out, OCT_ELEMENT_FLOAT, sim, "id", NULL), "integers"},
        {oct_sim_read(out, (oct_element)77, sim, "id", NULL), "no type of numbers 77"},
    };
    (void)state;
    assert_int_equal(rows[0].status, OCT_STATUS_MISSING);
    for (size_t i = 1; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(rows[i].status, OCT_STATUS_INPUT);
    assert_refused(
        oct_sim_read(out, OCT_ELEMENT_DOUBLE, sim, "mass", &(oct_selection){.first = 49, .n = 2}),
        "2 bodies from 49 on", "has 50");
    assert_refused(oct_sim_read(out, OCT_ELEMENT_DOUBLE, sim, "mass",
                                &(oct_selection){.n = 2, .list = outside}),
                   "body 50", "has 50");
    assert_refused(oct_sim_write(sim, "position", &(oct_selection){.n = 3, .list = twice}, numbers,
                                 OCT_ELEMENT_DOUBLE),
                   "body 3", "twice");
    assert_refused(
        oct_sim_write(sim, "velocity", &(oct_selection){.n = 1}, bad, OCT_ELEMENT_DOUBLE),
        "velocity nan", "at 1");
    assert_refused(
        oct_sim_write(sim, "velocity", &(oct_selection){.n = 1}, huge, OCT_ELEMENT_DOUBLE),
        "velocity 1e+39", "single precision");
    assert_refused(oct_sim_write(sim, "mass", &(oct_selection){.n = 1}, below, OCT_ELEMENT_DOUBLE),
                   "mass -1", "not below 0");
    assert_refused(oct_sim_write(sim, "type", &(oct_selection){.n = 1}, type, OCT_ELEMENT_UINT8),
                   "type at 0", "1 to 5");
    assert_refused(oct_sim_write(sim, "id", NULL, numbers, OCT_ELEMENT_DOUBLE), "'id'", "written");
    assert_refused(oct_sim_write(sim, "potential", NULL, numbers, OCT_ELEMENT_DOUBLE),
                   "'potential'", "follows from others");
    assert_true(ref_hash(sim) == before);
    oct_sim_free(sim);
}

/* As if all bodies had been replaced. */
static void a_write_is_as_good_as_all_bodies(void **state)
{
    const uint32_t list[] = {40, 3};
    const double place[] = {1, 2, 3, -4, 5, -6}, mass[] = {0.5, 0.25};
    (void)state;
    for (size_t p = 0; p < PRECISIONS; p++) {
        const oct_selection of = {.n = 2, .list = list};
        oct_sim *sim = ref_sim(precisions[p], SCENE), *other = ref_sim(precisions[p], SCENE);
        oct_bodies b = {0};
        double got[6];
        ref_ok(oct_sim_bodies(&b, other));
        for (size_t i = 0; i < 2; i++) {
            memcpy(b.position + 3 * list[i], place + 3 * i, 3 * sizeof *place);
            memcpy(b.velocity + 3 * list[i], place + 3 * i, 3 * sizeof *place);
            b.mass[list[i]] = mass[i];
            b.type[list[i]] = OCT_TYPE_STAR | OCT_TYPE_HELD;
        }
        ref_ok(oct_sim_set_bodies(other, &b));
        ref_ok(oct_sim_write(sim, "position", &of, place, OCT_ELEMENT_DOUBLE));
        ref_ok(oct_sim_write(sim, "velocity", &of, place, OCT_ELEMENT_DOUBLE));
        ref_ok(oct_sim_write(sim, "mass", &of, mass, OCT_ELEMENT_DOUBLE));
        ref_ok(oct_sim_write(sim, "type", &of, (uint64_t[]){20, 20}, OCT_ELEMENT_UINT64));
        ref_ok(oct_sim_read(got, OCT_ELEMENT_DOUBLE, sim, "position", &of));
        assert_memory_equal(got, place, sizeof place);
        ref_ok(oct_sim_step(sim, 4));
        ref_ok(oct_sim_step(other, 4));
        assert_true(ref_hash(sim) == ref_hash(other));
        oct_bodies_clear(&b);
        oct_sim_free(sim);
        oct_sim_free(other);
    }
}

/* A write between steps must be seen by the forces, and leave no rounding of what was there. */
static void forces_follow_a_write(void **state)
{
    const double far[] = {1e3, 0, 0}, heavy[] = {100};
    (void)state;
    for (size_t p = 0; p < PRECISIONS; p++) {
        oct_sim *sim = ref_sim(precisions[p], SCENE);
        double before[3], after[3];
        const oct_selection one = {.first = 1, .n = 1};
        ref_ok(oct_sim_step(sim, 3));
        ref_ok(oct_sim_read(before, OCT_ELEMENT_DOUBLE, sim, "acceleration", &one));
        ref_ok(oct_sim_write(sim, "mass", &(oct_selection){.n = 1}, heavy, OCT_ELEMENT_DOUBLE));
        ref_ok(oct_sim_read(after, OCT_ELEMENT_DOUBLE, sim, "acceleration", &one));
        assert_true(hypot(after[0], after[1]) > 2 * hypot(before[0], before[1]));
        ref_ok(oct_sim_write(sim, "position", &one, far, OCT_ELEMENT_DOUBLE));
        ref_ok(oct_sim_read(after, OCT_ELEMENT_DOUBLE, sim, "acceleration", &one));
        /* Of a mass of 100.98 at a distance of 1000, less where body 0 is: measured -1.00565e-4. */
        assert_true(fabs(after[0] + 1.0098e-4) < 1e-6);
        oct_sim_free(sim);
    }
}

static void positions_are_in_the_box(void **state)
{
    const double out[] = {7.25, -0.75, 0};
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO,
                           "units: nbody\nmodels: [uniform-sphere: {n: 9, radius: 0.4}]\n"
                           "box: {boundary: periodic, size: [2, 2, 2]}\ngravity: {method: none}\n"
                           "integrator: {dt: 0.01}\nrun: {until: 1}\n");
    double got[3];
    (void)state;
    ref_ok(oct_sim_write(sim, "position", &(oct_selection){.n = 1}, out, OCT_ELEMENT_DOUBLE));
    ref_ok(oct_sim_read(got, OCT_ELEMENT_DOUBLE, sim, "position", &(oct_selection){.n = 1}));
    assert_true(got[0] == -0.75 && got[1] == -0.75);
    oct_sim_free(sim);
}

static void bodies_are_found_by_their_ids(void **state)
{
    const uint64_t wanted[] = {50, 1, 99, 50, 17}, leave[] = {17, 3};
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO, SCENE);
    uint32_t index[5];
    (void)state;
    ref_ok(oct_sim_find(index, sim, wanted, 5));
    assert_true(index[0] == 49 && index[1] == 0 && index[2] == UINT32_MAX && index[3] == 49 &&
                index[4] == 16);
    ref_ok(oct_sim_remove(sim, leave, 2));
    ref_ok(oct_sim_find(index, sim, wanted, 5));
    assert_true(index[0] == 47 && index[1] == 0 && index[4] == UINT32_MAX);
    assert_int_equal(oct_sim_size(sim), 48);
    ref_ok(oct_sim_find(NULL, sim, NULL, 0));
    oct_sim_free(sim);
}

/* A body that has left the region keeps its place for a while, and stays gone. */
static void a_removed_body_is_not_written(void **state)
{
    const double far[] = {100, 0, 0};
    uint8_t type[2];
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO,
                           "units: nbody\nmodels: [plummer: {n: 50}]\ngravity: {method: none}\n"
                           "box: {boundary: open, removal_radius: 50}\n"
                           "integrator: {dt: 0.01}\nrun: {until: 1}\n");
    (void)state;
    ref_ok(oct_sim_write(sim, "position", &(oct_selection){.first = 4, .n = 1}, far,
                         OCT_ELEMENT_DOUBLE));
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(
        oct_sim_read(type, OCT_ELEMENT_UINT8, sim, "type", &(oct_selection){.first = 3, .n = 2}));
    assert_true(type[0] == OCT_TYPE_STAR && type[1] == OCT_TYPE_REMOVED);
    assert_refused(oct_sim_write(sim, "position", &(oct_selection){.first = 3, .n = 2},
                                 (double[6]){0}, OCT_ELEMENT_DOUBLE),
                   "body 4", "removed");
    oct_sim_free(sim);
}

static void the_scenes_own_columns_too(void **state)
{
    const uint32_t list[] = {9, 2};
    const double charge[] = {-1.5, 2.5}, pull[] = {1, 2, 3};
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO,
                           "columns: {charge: {unit: C, default: 0.5}, kind: {type: integer},\n"
                           "  pull: {width: 3}}\n" SCENE);
    oct_bodies b = {0};
    double got[2], vector[3];
    int64_t kind[2];
    (void)state;
    ref_ok(oct_sim_write(sim, "charge", &(oct_selection){.n = 2, .list = list}, charge,
                         OCT_ELEMENT_DOUBLE));
    ref_ok(oct_sim_write(sim, "kind", &(oct_selection){.first = 2, .n = 1}, (int64_t[]){-7},
                         OCT_ELEMENT_INT64));
    ref_ok(
        oct_sim_write(sim, "pull", &(oct_selection){.first = 3, .n = 1}, pull, OCT_ELEMENT_DOUBLE));
    ref_ok(
        oct_sim_read(got, OCT_ELEMENT_DOUBLE, sim, "charge", &(oct_selection){.first = 1, .n = 2}));
    assert_true(got[0] == 0.5 && got[1] == 2.5);
    ref_ok(
        oct_sim_read(kind, OCT_ELEMENT_INT64, sim, "kind", &(oct_selection){.n = 2, .list = list}));
    assert_true(kind[0] == 0 && kind[1] == -7);
    assert_refused(
        oct_sim_read(kind, OCT_ELEMENT_UINT32, sim, "kind", &(oct_selection){.first = 2, .n = 1}),
        "kind -7", "too large");
    ref_ok(oct_sim_read(vector, OCT_ELEMENT_DOUBLE, sim, "pull",
                        &(oct_selection){.first = 3, .n = 1}));
    assert_memory_equal(vector, pull, sizeof pull);
    ref_ok(oct_sim_bodies(&b, sim));
    assert_true(oct_bodies_column(&b, "charge")->data[9] == -1.5);
    assert_true(oct_bodies_column(&b, "kind")->data[2] == -7);
    assert_int_equal(oct_sim_read(got, OCT_ELEMENT_DOUBLE, sim, "chrge", NULL), OCT_STATUS_MISSING);
    ref_says("did you mean 'charge'?");
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_those_of_the_bodies),
        cmocka_unit_test(forces_on_some_are_those_on_all),
        cmocka_unit_test(forces_on_some_cost_as_much_as_those),
        cmocka_unit_test(all_columns_are_told),
        cmocka_unit_test(some_bodies_and_other_types),
        cmocka_unit_test(many_bodies_come_in_parts),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(a_write_is_as_good_as_all_bodies),
        cmocka_unit_test(forces_follow_a_write),
        cmocka_unit_test(positions_are_in_the_box),
        cmocka_unit_test(bodies_are_found_by_their_ids),
        cmocka_unit_test(a_removed_body_is_not_written),
        cmocka_unit_test(the_scenes_own_columns_too),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
