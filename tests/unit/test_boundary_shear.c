/* The shearing box: where its images are, wrapping, gravity of images, resuming, bad input. */
#include <float.h>
#include <math.h>

#include "core/sim.h"
#include "files.h"
#include "scene_sim.h"
#include "selftest/oracle.h"
#include "sheet_ref.h"

static const oct_precision precisions[] = {OCT_PRECISION_SINGLE, OCT_PRECISION_MIXED,
                                           OCT_PRECISION_DOUBLE};

static oct_image image_of(const oct_sim *sim, int x, int y, int z, double time)
{
    const oct_boundary *boundary = (const oct_boundary *)sim->setup->boundary.module;
    return boundary->image(sim->domain->boundary.state, (const int32_t[3]){x, y, z}, time);
}

static void images_slide_with_the_shear(void **state)
{
    const oct_oracle_sheet sheet = {{3, 4, 5}, 0.7, 0.7};
    (void)state;
    oct_sim *sim = ref_sheet(&sheet, OCT_PRECISION_DOUBLE, 1, 1);
    for (int i = 0; i < 1000; i++) {
        double time = 0.37 * i, lag = oct_oracle_lag(&sheet, time);
        for (int x = -3; x <= 3; x++) {
            oct_image image = image_of(sim, x, 1, -2, time);
            oct_image opposite = image_of(sim, -x, -1, 2, time);
            double along = image.shift[1] - 4;
            assert_true(fabs(along) <= 2);
            assert_true(fabs(remainder(along + 4 * x * lag, 4)) < 1e-12); /* seen: 3.6e-15 */
            assert_true(image.shift[0] == 3 * x && image.shift[2] == -10);
            assert_true(fabs(image.velocity[1] + 1.5 * 0.7 * 3 * x) < 1e-14);
            assert_true(image.velocity[0] == 0 && image.velocity[2] == 0);
            for (int k = 0; k < 3; k++)
                assert_true(image.shift[k] == -opposite.shift[k]);
        }
    }
    oct_sim_free(sim);
}

/* With steps of 1/1024 the offset is 3/4096 of a box a step: whole numbers tell what it is. */
static void old_times_are_as_good_as_new_ones(void **state)
{
    const oct_oracle_sheet sheet = {{8, 8, 8}, 0.5, 0.5}, saturn = {{200, 150, 1}, 1.3143527e-4, 1};
    (void)state;
    oct_sim *sim = ref_sheet(&sheet, OCT_PRECISION_DOUBLE, 1, 1);
    for (int64_t k = 1000000000; k < 1000005000; k++) {
        int64_t part = 3 * k % 4096;
        double shift = image_of(sim, -1, 0, 0, (double)k / 1024).shift[1];
        assert_true(shift == (double)(part <= 2048 ? part : part - 4096) / 512 ||
                    (part == 2048 && shift == -4));
    }
    oct_sim_free(sim);
    if (LDBL_MANT_DIG < 64)
        return;
    sim = ref_sheet(&saturn, OCT_PRECISION_DOUBLE, 1, 1);
    double worst = 0;
    for (int64_t k = 1000000000; k < 1000005000; k++) {
        double time = 47.8 * (double)k;
        double along = image_of(sim, 1, 0, 0, time).shift[1];
        worst = fmax(worst, fabs(remainder(along + 150 * oct_oracle_lag(&saturn, time), 150)));
    }
    print_message("after 1e9 steps: %.1e m of 150 m\n", worst);
    assert_true(worst < 1e-9); /* seen: 6.8e-11 */
    oct_sim_free(sim);
}

/* On the edges, next to them, and many boxes away; the step is too short to matter. */
static void what_leaves_comes_back_inside(void **state)
{
    const oct_oracle_sheet sheet = {{3, 4.75, 5.25}, 0.7, 1.1};
    (void)state;
    for (int p = 0; p < 3; p++) {
        oct_bodies before = {0}, after = {0};
        double ulp = precisions[p] == OCT_PRECISION_SINGLE ? FLT_EPSILON : DBL_EPSILON;
        oct_sim *sim = ref_sheet(&sheet, precisions[p], 900, 1e-30);
        ref_ok(oct_sim_bodies(&before, sim));
        for (size_t i = 0; i < 3 * before.n; i++) {
            int side = (int)(i / 3 % 3) - 1, step = (int)(i / 9 % 3) - 1;
            int boxes = (int)(i / 27 % 7) - 3;
            double size = sheet.size[i % 3];
            before.position[i] = side * size / 2 * (1 + step * ulp / 2) + boxes * size;
        }
        ref_ok(oct_sim_set_bodies(sim, &before));
        ref_ok(oct_sim_bodies(&before, sim));
        ref_ok(oct_sim_step(sim, 1));
        ref_ok(oct_sim_bodies(&after, sim));
        double error = oct_oracle_sheet_error(&after, &before, &sheet, 1e-30);
        print_message("%s: %.1e\n", oct_precision_name(precisions[p]), error);
        /* Seen: 1.8e-6 in single, 1.3e-15 in the others. */
        assert_true(error < (precisions[p] == OCT_PRECISION_SINGLE ? 1e-5 : 1e-13));
        oct_bodies_clear(&before);
        oct_bodies_clear(&after);
        oct_sim_free(sim);
    }
}

/* Whether bodies are put back where they drift, or by a pass of its own over all of them. */
static void a_drift_puts_back_what_the_boundary_would(void **state)
{
    const oct_oracle_sheet sheet = {{3, 4, 5}, 0.7, 0.7};
    (void)state;
    for (size_t p = 0; p < sizeof precisions / sizeof precisions[0]; p++) {
        uint64_t hash[2];
        for (int apart = 0; apart < 2; apart++) {
            oct_sim *sim = ref_sheet(&sheet, precisions[p], 500, 0.25);
            assert_non_null(sim->domain->faces);
            if (apart)
                sim->domain->faces = NULL;
            ref_ok(oct_sim_step(sim, 20));
            ref_ok(oct_sim_hash(&hash[apart], sim));
            oct_sim_free(sim);
        }
        assert_true(hash[0] == hash[1]);
    }
}

static oct_sim *heavy_sheet(const char *gravity, const int ghosts[3], oct_precision precision)
{
    return ref_sim(precision,
                   "units: nbody\n"
                   "box: {boundary: shear, size: [5, 3, 4], ghosts: [%d, %d, %d], omega: 0.7, "
                   "beyond: nothing}\n"
                   "models: [uniform-sphere: {n: 300, radius: 1.4}]\n"
                   "gravity: {%s, softening: 0.05}\n"
                   "integrator: {method: sei, dt: 0.0625}\nrun: {until: 1}\n",
                   ghosts[0], ghosts[1], ghosts[2], gravity);
}

/* Largest relative difference of forces from a sum over replicas, after these steps. */
static double force_error(const char *gravity, const int ghosts[3], uint64_t steps)
{
    const oct_oracle_sheet sheet = {{5, 3, 4}, 0.7, 0.7};
    oct_bodies got = {0}, expected = {0};
    oct_sim *sim = heavy_sheet(gravity, ghosts, OCT_PRECISION_DOUBLE);
    ref_ok(oct_sim_step(sim, steps));
    ref_ok(oct_sim_bodies(&got, sim));
    ref_ok(oct_sim_bodies(&expected, sim));
    oct_oracle_gravity replicas = {.G = 1, .softening = 0.05};
    memcpy(replicas.size, sheet.size, sizeof sheet.size);
    memcpy(replicas.ghosts, ghosts, 3 * sizeof *ghosts);
    replicas.lag = oct_oracle_lag(&sheet, oct_sim_time(sim));
    oct_oracle_forces(&expected, &replicas);
    double error = oct_oracle_vector_error(got.acceleration, expected.acceleration, got.n);
    double total[3] = {0}, all = 0;
    for (size_t i = 0; i < 3 * got.n; i++) {
        total[i % 3] += got.mass[i / 3] * got.acceleration[i];
        all += got.mass[i / 3] * fabs(got.acceleration[i]);
    }
    double bias = fmax(fabs(total[0]), fmax(fabs(total[1]), fabs(total[2]))) / all;
    print_message("%s, ghosts [%d, %d, %d], step %d: error %.1e, total force %.1e\n", gravity,
                  ghosts[0], ghosts[1], ghosts[2], (int)steps, error, bias);
    oct_bodies_clear(&got);
    oct_bodies_clear(&expected);
    oct_sim_free(sim);
    return fmax(error, bias);
}

static void images_attract_like_replicas(void **state)
{
    static const int wide[3] = {2, 1, 1}, usual[3] = {1, 1, 0};
    (void)state;
    assert_true(force_error("method: direct", usual, 0) < 1e-12);           /* seen: 5.1e-15 */
    assert_true(force_error("method: direct", usual, 11) < 1e-12);          /* seen: 2.3e-14 */
    assert_true(force_error("method: direct", wide, 5) < 1e-12);            /* seen: 9.0e-15 */
    assert_true(force_error("method: tree, theta: 0.02", usual, 0) < 1e-7); /* seen: 5.6e-15 */
    assert_true(force_error("method: tree, theta: 0.02", wide, 5) < 1e-7);  /* seen: 9.7e-10 */
}

static void a_resumed_run_has_the_same_bits(void **state)
{
    static const int ghosts[3] = {1, 1, 0};
    (void)state;
    for (int p = 0; p < 2; p++) {
        char path[128];
        oct_sim *whole = heavy_sheet("method: tree", ghosts, precisions[p]);
        oct_sim *again = heavy_sheet("method: tree", ghosts, precisions[p]);
        ref_ok(oct_sim_step(whole, 60));
        ref_ok(oct_sim_step(again, 23));
        scratch_path(path, "checkpoint.hdf5");
        oct_sim_free(ref_resume(again, path, 37));
        assert_true(ref_hash(again) == ref_hash(whole));
        oct_sim_free(whole);
        oct_sim_free(again);
    }
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const struct {
        const char *box, *integrator, *sentence;
    } rows[] = {
        {"shear, size: [1, 1, 1]", "sei", "omega"},
        {"shear, size: [1, 1, 1], omega: 0", "sei", "expected a number above 0"},
        {"shear, size: [1, 1, 1], omega: nan", "sei", "not a number"},
        {"shear, size: [1, 0, 1], omega: 1", "sei", "expected a number above 0"},
        {"shear, size: [1, 1, 1], omega: 1, omega_z: -1", "sei", "out of range"},
        {"shear, size: [1, 1, 1], omega: 1, ghosts: [17, 1, 0]", "sei", "from 0 to 16"},
        {"shear, size: [1, 1, 1], omega: 1, ghosts: [16, 16, 1]", "sei",
         "ghosts [16, 16, 1] make 3267 boxes; expected 1089 or fewer"},
        {"shear, size: [1, 1, 1], omega: 1", "leapfrog", "expected integrator.method: sei"},
        {"open", "sei", "expected box.boundary: shear"},
        {"periodic, size: [1, 1, 1]", "sei", "expected box.boundary: shear"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(ref_sim_status(OCT_PRECISION_DOUBLE,
                                        "units: nbody\nbox: {boundary: %s}\n"
                                        "models: [plummer: {n: 2}]\ngravity: {method: none}\n"
                                        "integrator: {method: %s, dt: 1}\nrun: {until: 1}\n",
                                        rows[i].box, rows[i].integrator),
                         OCT_STATUS_INPUT);
        ref_says(rows[i].sentence);
    }
}

/* A sheet with an integrator and a gravity of a program's own. */
static oct_scene *with_own(const oct_integrator *integrator, const oct_force *gravity)
{
    static const char text[] =
        "units: nbody\nbox: {boundary: shear, size: [9, 9, 9], omega: 1, ghosts: [1, 1, 0]}\n"
        "models: [plummer: {n: 20000}]\ngravity: {method: own, softening: 1}\n"
        "integrator: {method: own, dt: 1}\nrun: {until: 1}\n";
    oct_scene *scene = NULL;
    ref_ok(oct_scene_parse(&scene, text, strlen(text), "test"));
    ref_ok(oct_scene_add_module(scene, OCT_FAMILY_INTEGRATOR, integrator, OCT_MODULE_VERSION));
    ref_ok(oct_scene_add_module(scene, OCT_FAMILY_FORCE, gravity, OCT_MODULE_VERSION));
    return scene;
}

static void note_problem(void *context, bool problem, const char *sentence)
{
    if (problem && strstr(sentence, "own sums 3.6e+09 pairs"))
        ++*(int *)context;
}

/* The box asks what modules can do, not what they are called. */
static void modules_of_others_are_known_by_their_tables(void **state)
{
    oct_integrator integrator = *(const oct_integrator *)oct_module_find(oct_integrators, "sei");
    oct_force gravity = *(const oct_force *)oct_module_find(oct_forces, "direct");
    oct_scene *scene;
    char *text = NULL;
    int problems = 0;
    (void)state;
    integrator.name = gravity.name = "own";
    scene = with_own(&integrator, &gravity);
    ref_ok(oct_scene_review(scene, note_problem, &problems));
    assert_int_equal(problems, 1);
    oct_scene_free(scene);
    gravity.all_pairs = false;
    scene = with_own(&integrator, &gravity);
    ref_ok(oct_scene_review(scene, note_problem, &problems));
    assert_int_equal(problems, 1);
    oct_scene_free(scene);
    integrator.rotates = false;
    scene = with_own(&integrator, &gravity);
    assert_int_equal(oct_scene_resolve(&text, scene), OCT_STATUS_INPUT);
    ref_says("integrator own knows no Coriolis and tidal forces");
    oct_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_slide_with_the_shear),
        cmocka_unit_test(old_times_are_as_good_as_new_ones),
        cmocka_unit_test(what_leaves_comes_back_inside),
        cmocka_unit_test(a_drift_puts_back_what_the_boundary_would),
        cmocka_unit_test(images_attract_like_replicas),
        cmocka_unit_test_setup_teardown(a_resumed_run_has_the_same_bits, scratch_make,
                                        scratch_remove),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(modules_of_others_are_known_by_their_tables),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
