/* Every public call that takes a struct with a size looks at it before anything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "octant/octant.h"

#define REFUSED(type, call)                                                                        \
    do {                                                                                           \
        assert_int_equal((call), OCT_STATUS_INPUT);                                                \
        assert_non_null(strstr(oct_last_error(), "{.size = sizeof(" #type ")}"));                  \
    } while (0)

/* Each is all zero: nothing that follows the size may be looked at, nor the objects, which are not
 * there. */
static void test_a_struct_without_a_size_is_refused(void **state)
{
    (void)state;
    oct_viewer *viewer;
    uint64_t steps;
    static const oct_file_info about = {.size = sizeof about};
    oct_render_options picture = {.size = sizeof picture};
    REFUSED(oct_run_options, oct_run(NULL, &(oct_run_options){0}));
    REFUSED(oct_compare_options, oct_compare(NULL, NULL, &(oct_compare_options){0}));
    REFUSED(oct_stability, oct_stability_watch(&(oct_stability){0}, NULL, NULL));
    REFUSED(oct_stability_options,
            oct_stability_watch(&(oct_stability){.size = sizeof(oct_stability)}, NULL,
                                &(oct_stability_options){0}));
    if (oct_feature_present("viewer")) {
        REFUSED(oct_viewer_options, oct_viewer_open(&viewer, &(oct_viewer_options){0}));
        assert_null(viewer);
        REFUSED(oct_run_record, oct_viewer_attend(NULL, NULL, &(oct_run_record){0}, &steps));
    }
    REFUSED(oct_trust_watch,
            oct_scene_trust(NULL, NULL, OCT_PRECISION_AUTO, &(oct_trust_watch){0}));
    REFUSED(oct_plan, oct_scene_plan(&(oct_plan){0}, NULL));
    REFUSED(oct_estimate, oct_scene_estimate(&(oct_estimate){0}, NULL, NULL, OCT_PRECISION_AUTO));
    REFUSED(oct_forecast,
            oct_scene_forecast(&(oct_forecast){0}, NULL, NULL, OCT_PRECISION_AUTO, 1));
    REFUSED(oct_render_options, oct_render(NULL, &about, &(oct_render_options){0}, "a.png"));
    REFUSED(oct_file_info, oct_render(NULL, &(oct_file_info){0}, &picture, "a.png"));
    REFUSED(oct_render_options, oct_render_fit(&(oct_render_options){0}, NULL, &about));
    REFUSED(oct_file_info, oct_render_fit(&picture, NULL, &(oct_file_info){0}));
    REFUSED(oct_render_options, oct_film_add(NULL, NULL, &about, &(oct_render_options){0}));
    REFUSED(oct_file_info, oct_film_add(NULL, NULL, &(oct_file_info){0}, &picture));
    REFUSED(oct_file_info, oct_bodies_read(NULL, &(oct_file_info){0}, "a.csv", NULL));
    REFUSED(oct_file_info, oct_bodies_write(NULL, &(oct_file_info){0}, "a.csv"));
}

static void test_calls_that_return_no_status_do_nothing(void **state)
{
    (void)state;
    oct_render_options picture = {.azimuth = 5};
    oct_path *path = NULL;
    assert_int_equal(oct_path_create(&path), OCT_STATUS_OK);
    assert_int_equal(oct_path_add(path, "turn=360"), OCT_STATUS_OK);
    oct_path_apply(&picture, path, 0.5);
    assert_true(picture.azimuth == 5);
    assert_non_null(strstr(oct_last_error(), "oct_render_options"));
    picture.size = sizeof picture;
    picture.aimed = true;
    oct_path_apply(&picture, path, 0.5);
    assert_true(picture.azimuth == 185);
    assert_false(oct_sim_relaxed(&(oct_relaxation){0}, NULL));
    assert_non_null(strstr(oct_last_error(), "oct_relaxation"));
    oct_path_free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_struct_without_a_size_is_refused),
        cmocka_unit_test(test_calls_that_return_no_status_do_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
