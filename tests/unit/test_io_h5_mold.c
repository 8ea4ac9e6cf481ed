/* Files whose numbers are put into the places of those of the one before. */
#include "files.h"

#include "core/units.h"
#include "io/h5_parts.h"
#include "io/snapshot.h"

#include <math.h>

static oct_file_info sample_info(void)
{
    oct_file_info info = {.size = sizeof info, .title = "a test", .time = 3.5, .step = 7};
    info.units = *oct_units_find("solar");
    return info;
}

/* Writes it out of what is kept, where it fits, and anew. */
static void write_both(oct_snapshot_mold **mold, bool fits, const oct_bodies *bodies,
                       const oct_file_info *info)
{
    char path[128], *first, *second;
    scratch_path(path, "kept.hdf5");
    assert_int_equal(oct_snapshot_write_again(mold, bodies, info, "x: 1\n", path), OCT_STATUS_OK);
    assert_int_equal((*mold)->at, fits ? (*mold)->n : 0);
    size_t bytes = slurp(&first, path);
    scratch_path(path, "new.hdf5");
    assert_int_equal(oct_snapshot_write(bodies, info, "x: 1\n", path), OCT_STATUS_OK);
    assert_int_equal(slurp(&second, path), bytes);
    assert_memory_equal(first, second, bytes);
    free(first);
    free(second);
}

static void test_what_is_filled_again_has_the_bytes_of_what_is_made(void **state)
{
    (void)state;
    oct_bodies bodies = {0}, fewer = {0};
    oct_file_info info = sample_info();
    oct_snapshot_mold *mold = NULL;
    sample_bodies(&bodies, 50, "145");
    sample_bodies(&fewer, 49, "145");
    write_both(&mold, false, &bodies, &info);
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < 150; i++)
            bodies.position[i] *= -1.75; /* the box grows with them */
        bodies.mass[k] *= 3;
        info.time *= 2;
        info.step += 9;
        write_both(&mold, true, &bodies, &info);
    }
    snprintf(info.title, sizeof info.title, "A TEST"); /* as long as before */
    write_both(&mold, true, &bodies, &info);
    snprintf(info.title, sizeof info.title, "a longer test");
    write_both(&mold, false, &bodies, &info);
    write_both(&mold, false, &fewer, &info);
    info.orbit = 1.5;
    write_both(&mold, false, &fewer, &info);
    info.orbit = 0;
    write_both(&mold, false, &fewer, &info);
    memset(fewer.spin, 0, 3 * fewer.n * sizeof *fewer.spin);
    write_both(&mold, false, &fewer, &info);
    write_both(&mold, true, &fewer, &info);
    oct_snapshot_forget(mold);
    oct_bodies_clear(&bodies);
    oct_bodies_clear(&fewer);
}

static void test_a_failure_leaves_nothing_to_be_filled(void **state)
{
    (void)state;
    char path[128];
    oct_bodies bodies = {0};
    oct_file_info info = sample_info();
    oct_snapshot_mold *mold = NULL;
    sample_bodies(&bodies, 3, "1");
    scratch_path(path, "no/such/folder.hdf5");
    assert_true(oct_snapshot_write_again(&mold, &bodies, &info, NULL, path) != OCT_STATUS_OK);
    write_both(&mold, false, &bodies, &info);
    double x = bodies.position[0];
    bodies.position[0] = NAN;
    assert_true(oct_snapshot_write_again(&mold, &bodies, &info, NULL, path) != OCT_STATUS_OK);
    bodies.position[0] = x;
    write_both(&mold, true, &bodies, &info);
    oct_snapshot_forget(mold);
    oct_bodies_clear(&bodies);
}

/* To keep them would take as much memory again. */
static void test_large_files_are_not_kept(void **state)
{
    (void)state;
    char path[128];
    oct_bodies bodies = {0};
    oct_file_info info = sample_info();
    oct_snapshot_mold *mold = NULL;
    sample_bodies(&bodies, 60000, "1");
    scratch_path(path, "large.hdf5");
    assert_int_equal(oct_snapshot_write_again(&mold, &bodies, &info, NULL, path), OCT_STATUS_OK);
    assert_null(mold);
    oct_bodies_clear(&bodies);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_what_is_filled_again_has_the_bytes_of_what_is_made),
        CASE(test_a_failure_leaves_nothing_to_be_filled),
        CASE(test_large_files_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
