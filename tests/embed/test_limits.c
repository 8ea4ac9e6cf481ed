/* What a program may get wrong, do too often, or take to its end. */
#include "files.h"

#include "scene_sim.h"

#include <math.h>

/* Spheres in pairs that meet after 2 to 14 steps of 0.01, each pair at a place of its own: in which
 * order a sphere meets two at once depends on the step. */
static void pairs(oct_bodies *out, size_t n)
{
    ref_ok(oct_bodies_resize(out, n));
    for (size_t i = 0; i < n; i++) {
        size_t pair = i / 2;
        double side = i % 2 ? 0.5 : -0.5, gap = 0.02 + 0.12 * (double)pair / (double)n * 2;
        double *x = out->position + 3 * i, *v = out->velocity + 3 * i;
        x[0] = 0.3 * (double)(pair % 4) + side * (gap + 0.04);
        x[1] = 0.3 * (double)(pair / 4 % 4);
        x[2] = 0.3 * (double)(pair / 16);
        v[0] = -side;
        v[1] = 0.1 * side;
        out->id[i] = i + 1;
        out->mass[i] = 1.0 / (double)n;
        out->radius[i] = 0.02;
    }
}

static oct_sim *make(const char *const *settings, size_t n, const oct_bodies *bodies,
                     oct_precision precision)
{
    static const char *const common[] = {"units=nbody", "gravity.method=tree", "gravity.theta=0.7",
                                         "gravity.softening=0.05", "integrator.dt=0.01"};
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    ref_ok(oct_scene_create(&scene));
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        ref_ok(oct_scene_set(scene, common[i]));
    for (size_t i = 0; i < n; i++)
        ref_ok(oct_scene_set(scene, settings[i]));
    ref_ok(oct_sim_create_with(&sim, ref_device(), scene,
                               &(oct_sim_options){.size = sizeof(oct_sim_options),
                                                  .precision = precision,
                                                  .bodies = bodies}));
    oct_scene_free(scene);
    return sim;
}

static oct_sim *small(size_t n, const char *setting)
{
    oct_bodies bodies = {0};
    pairs(&bodies, n);
    oct_sim *sim = make(&setting, setting ? 1 : 0, &bodies, OCT_PRECISION_AUTO);
    oct_bodies_clear(&bodies);
    return sim;
}

/* Settings --------------------------------------------------------------------------------------
 */

#define DRAG                                                                                       \
    "forces=[custom: {code: \"real4 octant_force(real3 x, real3 v, real m, ulong id, real t) "     \
    "{ return (real4)(-v, 0); }\"}]"

/* A simulation that is changed on its way, and one that begins there with these settings. */
static void compare(const char *first, const char *change, oct_precision precision)
{
    const char *const both[] = {first, change};
    oct_bodies start = {0}, middle = {0}, changed = {0}, fresh = {0};
    pairs(&start, 120);
    oct_sim *sim = make(both, 1, &start, precision), *unchanged = make(both, 1, &start, precision);
    ref_ok(oct_sim_step(sim, 7));
    ref_ok(oct_sim_bodies(&middle, sim));
    ref_ok(oct_sim_set(sim, change));
    oct_sim *other = make(both, 2, &middle, precision);
    ref_ok(oct_sim_step(sim, 9));
    ref_ok(oct_sim_step(other, 9));
    ref_ok(oct_sim_step(unchanged, 16));
    ref_ok(oct_sim_bodies(&changed, sim));
    ref_ok(oct_sim_bodies(&fresh, other));
    assert_same_bodies(&changed, &fresh);
    assert_true(ref_hash(sim) != ref_hash(unchanged)); /* or it would show nothing */
    oct_sim_free(sim);
    oct_sim_free(other);
    oct_sim_free(unchanged);
    oct_bodies_clear(&start);
    oct_bodies_clear(&middle);
    oct_bodies_clear(&changed);
    oct_bodies_clear(&fresh);
}

static void a_change_is_as_a_fresh_start(void **state)
{
    static const char *const rows[][2] = {
        {"gravity.leaf=1", "gravity.theta=0.2"},
        {"gravity.leaf=1", "gravity.softening=0.2"},
        {"gravity.leaf=1", "gravity={method: direct, softening: 0.05}"},
        {"gravity.leaf=1", "integrator.dt=0.003"},
        {"gravity.leaf=1", "integrator.method=euler"},
        {"gravity.leaf=1", "G=2"},
        {"gravity.leaf=1", DRAG},
        {DRAG, "forces=[]"},
        {"gravity.leaf=1", "collisions={method: tree, restitution: 0.5}"},
        {"collisions={method: tree, restitution: 0.9}", "collisions.restitution=0.1"}};
    bool fp64 = oct_device_describe(ref_device())->fp64;
    (void)state;
    for (size_t i = 0; fp64 && i < sizeof rows / sizeof rows[0]; i++)
        for (oct_precision p = OCT_PRECISION_MIXED; p <= OCT_PRECISION_DOUBLE; p++)
            compare(rows[i][0], rows[i][1], p);
}

static void settings_that_are_wrong_change_nothing(void **state)
{
    static const char *const wrong[] = {"",
                                        "=",
                                        "=1",
                                        "a=",
                                        "gravity=5",
                                        "gravity=[1]",
                                        "gravity.theta",
                                        "gravity.theta=",
                                        "gravity.theta=abc",
                                        "gravity.theta=nan",
                                        "gravity.theta=1e999",
                                        "gravity.theta={a: 1}",
                                        "gravity.theta=&a 5",
                                        "gravity.theta=0.5\nseed: 3",
                                        "gravity..theta=1",
                                        "gravity.=1",
                                        ".gravity=1",
                                        "forces.+=x",
                                        "forces.+.nosuch.a=1",
                                        "forces.7.custom.code=x",
                                        "forces.99999999999999999999.custom.code=x",
                                        "integrator.dt=0",
                                        "integrator.dt=-1",
                                        "integrator.dt=1e-320",
                                        "integrator.method=nothing",
                                        "G=0",
                                        "columns.charge.unit=C",
                                        "box.boundary=periodic",
                                        "title=\x01\xff"};
    oct_sim *sim = small(40, NULL);
    size_t bytes = 1 << 20;
    char *long_key = malloc(bytes), *scene = NULL;
    (void)state;
    assert_non_null(long_key);
    memset(long_key, 'a', bytes);
    memcpy(long_key, "gravity.", 8);
    memcpy(long_key + bytes - 3, "=1", 3);
    ref_ok(oct_sim_step(sim, 2));
    uint64_t hash = ref_hash(sim);
    size_t length = strlen(oct_sim_scene(sim));
    scene = malloc(length + 1);
    assert_non_null(scene);
    memcpy(scene, oct_sim_scene(sim), length + 1);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        oct_status status = oct_sim_set(sim, wrong[i]);
        if (status <= OCT_STATUS_OK || !*oct_last_error() || strchr(oct_last_error(), '\n'))
            fail_msg("'%s': status %d, \"%s\"", wrong[i], status, oct_last_error());
    }
    assert_refused(oct_sim_set(sim, long_key), "unknown key", "gravity");
    assert_true(strlen(oct_last_error()) < 1000);
    assert_string_equal(oct_sim_scene(sim), scene);
    assert_true(ref_hash(sim) == hash);
    free(long_key);
    free(scene);
    oct_sim_free(sim);
}

/* Bodies ----------------------------------------------------------------------------------------
 */

static void bodies_may_lack_arrays(void **state)
{
    double position[] = {1, 2, 3}, v[3], m;
    oct_bodies one = {.n = 1, .position = position}, none = {.n = 1}, all = {0};
    oct_sim *sim = small(5, NULL);
    (void)state;
    ref_ok(oct_sim_add(sim, &one));
    assert_null(one.id);
    ref_ok(oct_sim_read(v, OCT_ELEMENT_DOUBLE, sim, "velocity", &(oct_selection){5, 1, NULL}));
    ref_ok(oct_sim_read(&m, OCT_ELEMENT_DOUBLE, sim, "mass", &(oct_selection){5, 1, NULL}));
    assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0 && m == 0);
    assert_refused(oct_sim_add(sim, &none), "no positions", "");
    assert_refused(oct_sim_set_bodies(sim, &one), "lack the array", "oct_sim_bodies");
    ref_ok(oct_sim_bodies(&all, sim));
    double *mass = all.mass;
    all.mass = NULL;
    assert_refused(oct_sim_set_bodies(sim, &all), "'mass'", "lack");
    all.mass = mass;
    ref_ok(oct_sim_set_bodies(sim, &all));
    ref_ok(oct_bodies_add_column(&all, "charge", "C", 1, false, NULL));
    assert_refused(oct_sim_set_bodies(sim, &all), "'charge'", "");
    assert_refused(oct_sim_add(sim, &all), "'charge'", "does not declare");
    oct_bodies_clear(&all);
    oct_sim_free(sim);
}

static void what_is_refused_stays_the_callers(void **state)
{
    oct_sim *sim = small(5, NULL);
    oct_bodies three = {0};
    (void)state;
    ref_ok(oct_bodies_resize(&three, 3));
    three.id[1] = three.id[2] = 9;
    assert_refused(oct_sim_add(sim, &three), "a body 9 already", "");
    assert_int_equal(three.id[0], 0);
    assert_int_equal(three.type[0], 0);
    three.id[2] = UINT64_MAX;
    assert_refused(oct_sim_add(sim, &three), "no id left", "");
    three.id[2] = 0;
    ref_ok(oct_sim_add(sim, &three));
    assert_int_equal(three.id[0], 10);
    assert_int_equal(three.id[2], 11);
    assert_int_equal(three.type[0], OCT_TYPE_BODY);
    assert_int_equal(oct_sim_count(sim), 8);
    oct_bodies_clear(&three);
    oct_sim_free(sim);
}

/* All leave by the boundary; the simulation without bodies goes on, and bodies join it. */
static void nobody_is_left_and_somebody_comes(void **state)
{
    oct_sim *sim = small(20, "box.removal_radius=1e-6");
    double position[] = {1e-9, 0, 0, 0, 1e-9, 0}, mass[] = {1, 1}, values[200];
    oct_bodies two = {.n = 2, .position = position, .mass = mass}, all = {0};
    const uint64_t gone = 3;
    (void)state;
    ref_ok(oct_sim_step(sim, 130));
    ref_ok(oct_sim_wait(sim));
    assert_int_equal(oct_sim_count(sim), 0);
    ref_ok(oct_sim_bodies(&all, sim));
    assert_int_equal(all.n, 0);
    ref_ok(oct_sim_measure(values, sim));
    ref_ok(oct_sim_set(sim, "gravity.softening=1"));
    assert_int_equal(oct_sim_remove(sim, &gone, 1), OCT_STATUS_MISSING);
    ref_ok(oct_sim_add(sim, &two));
    ref_ok(oct_sim_step(sim, 2));
    ref_ok(oct_sim_wait(sim));
    assert_int_equal(oct_sim_count(sim), 2);
    oct_bodies_clear(&all);
    oct_sim_free(sim);
}

static void parts_beyond_the_end_are_refused(void **state)
{
    static const oct_selection beyond[] = {
        {6, 1, NULL}, {SIZE_MAX, 2, NULL}, {1, SIZE_MAX, NULL}, {2, 4, NULL}, {6, 0, NULL}};
    oct_sim *sim = small(5, NULL);
    double out[3] = {7, 7, 7};
    uint64_t hash = ref_hash(sim);
    (void)state;
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        assert_refused(oct_sim_read(out, OCT_ELEMENT_DOUBLE, sim, "mass", &beyond[i]),
                       "were asked for", "the simulation has 5");
        assert_refused(oct_sim_write(sim, "mass", &beyond[i], out, OCT_ELEMENT_DOUBLE),
                       "were asked for", "the simulation has 5");
    }
    ref_ok(oct_sim_read(out, OCT_ELEMENT_DOUBLE, sim, "mass", &(oct_selection){5, 0, NULL}));
    assert_true(out[0] == 7);
    assert_true(ref_hash(sim) == hash);
    oct_sim_free(sim);
}

/* What has failed -------------------------------------------------------------------------------
 */

static void what_has_failed_refuses_everything(void **state)
{
    static const char first[] = "is no number any more";
    oct_sim *sim = small(5, "integrator.dt=1e200");
    double out[200];
    uint64_t hash, id = 1;
    oct_bodies bodies = {0};
    uint32_t index;
    (void)state;
    (void)oct_sim_step(sim, 5);
    assert_int_equal(oct_sim_wait(sim), OCT_STATUS_NUMBER);
    pairs(&bodies, 5);
    const oct_status all[] = {oct_sim_step(sim, 1),
                              oct_sim_set(sim, "integrator.dt=0.01"),
                              oct_sim_add(sim, &bodies),
                              oct_sim_remove(sim, &id, 1),
                              oct_sim_set_bodies(sim, &bodies),
                              oct_sim_bodies(&bodies, sim),
                              oct_sim_read(out, OCT_ELEMENT_DOUBLE, sim, "mass", NULL),
                              oct_sim_write(sim, "mass", NULL, out, OCT_ELEMENT_DOUBLE),
                              oct_sim_find(&index, sim, &id, 1),
                              oct_sim_hash(&hash, sim),
                              oct_sim_measure(out, sim),
                              oct_sim_settle_forces(sim),
                              oct_run(sim, NULL)};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        assert_int_equal(all[i], OCT_STATUS_NUMBER);
    ref_says(first);
    /* What was known is known still. */
    assert_int_equal(oct_sim_size(sim), 5);
    assert_true(oct_sim_dt(sim) == 1e200);
    assert_true(oct_sim_can_set(sim, "gravity.theta"));
    oct_bodies_clear(&bodies);
    oct_sim_free(sim);
    /* The device is as good as before. */
    sim = small(5, NULL);
    ref_ok(oct_sim_step(sim, 5));
    ref_ok(oct_sim_wait(sim));
    oct_sim_free(sim);
}

/* Pages of memory that the process has. */
static long pages(void)
{
    long all, held = -1;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    if (fscanf(file, "%ld %ld", &all, &held) != 2)
        held = -1;
    fclose(file);
    return held;
}

static void make_and_drop(int times)
{
    for (int i = 0; i < times; i++) {
        oct_sim *sim = small(16, i % 4 == 0 ? "collisions.method=tree" : NULL);
        ref_ok(oct_sim_step(sim, 1));
        ref_ok(oct_sim_wait(sim));
        oct_sim_free(sim);
    }
}

/* Seen: 1,000 simulations, half of them with collisions, have 101,420 kB after 200, and 101,424 at
 * the end. A driver may take more for itself once, but a leak is there each time. */
static void many_simulations_leave_nothing(void **state)
{
    enum { TIMES = 120 };
    (void)state;
    make_and_drop(TIMES / 2);
    long before = pages();
    make_and_drop(TIMES);
    long between = pages();
    make_and_drop(TIMES);
    long first = between - before, second = pages() - between;
    print_message("%ld and %ld pages more\n", first, second);
    assert_true((first < second ? first : second) < TIMES / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_as_a_fresh_start),
        cmocka_unit_test(settings_that_are_wrong_change_nothing),
        cmocka_unit_test(bodies_may_lack_arrays),
        cmocka_unit_test(what_is_refused_stays_the_callers),
        cmocka_unit_test(nobody_is_left_and_somebody_comes),
        cmocka_unit_test(parts_beyond_the_end_are_refused),
        cmocka_unit_test(what_has_failed_refuses_everything),
        cmocka_unit_test(many_simulations_leave_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
