/* Bodies that a scene takes from a file. */
#include "model_ref.h"
#include "util/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

extern const oct_model oct_model_file;

/* Stands for the reader: "three" and "none" are files, and the number of bodies grows by one with
 * every reading of "growing". */
static size_t readings;

static oct_status read_bodies(oct_bodies *out, oct_file_info *info, const char *path,
                              const oct_units *from, const oct_units *into)
{
    assert_null(info);
    assert_null(from);
    assert_string_equal(into->name, "solar");
    readings++;
    OCT_CHECK(strcmp(path, "lost") != 0, OCT_STATUS_MISSING, "there is no file %s", path);
    size_t n = strcmp(path, "three") == 0 ? 3 : strcmp(path, "none") == 0 ? 0 : readings;
    OCT_TRY(oct_bodies_resize(out, n));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++) {
            out->position[3 * i + k] = (double)(10 * i + k);
            out->velocity[3 * i + k] = (double)(100 * i + k);
            out->acceleration[3 * i + k] = 7;
        }
        out->mass[i] = (double)i + 0.5;
        out->radius[i] = (double)i + 0.25;
        out->potential[i] = 7;
        out->id[i] = 1000 - i;
        out->type[i] = i ? OCT_TYPE_STAR : OCT_TYPE_BLACK_HOLE;
    }
    return OCT_STATUS_OK;
}

static void init(ref_model *model, const char *path)
{
    ref_model_init(model, &oct_model_file, "solar", 1, (const char *[]){"path", path, NULL});
    model->setup.read_bodies = read_bodies;
    readings = 0;
}

/* The bodies land behind those of another model, ids and types included. */
static void bodies_are_copied(void **state)
{
    (void)state;
    ref_model model;
    init(&model, "three");
    oct_model_context context = {.setup = &model.setup};
    uint64_t n = 0;
    assert_int_equal(model.table->count(&n, model.state, &context), OCT_STATUS_OK);
    assert_int_equal(n, 3);
    assert_true(model.table->keeps_ids);
    oct_bodies bodies = {0};
    assert_int_equal(oct_bodies_resize(&bodies, 5), OCT_STATUS_OK);
    assert_int_equal(model.table->generate(&bodies, 2, 3, model.state, &context), OCT_STATUS_OK);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            assert_true(bodies.position[3 * (i + 2) + k] == (double)(10 * i + k));
            assert_true(bodies.velocity[3 * (i + 2) + k] == (double)(100 * i + k));
            assert_true(bodies.acceleration[3 * (i + 2) + k] == 0);
        }
        assert_true(bodies.mass[i + 2] == (double)i + 0.5);
        assert_true(bodies.radius[i + 2] == (double)i + 0.25);
        assert_true(bodies.potential[i + 2] == 0);
        assert_int_equal(bodies.id[i + 2], 1000 - i);
        assert_int_equal(bodies.type[i + 2], i ? OCT_TYPE_STAR : OCT_TYPE_BLACK_HOLE);
    }
    for (size_t i = 0; i < 2; i++)
        assert_true(bodies.mass[i] == 0 && bodies.id[i] == 0);
    oct_bodies_clear(&bodies);
    ref_model_clear(&model);
}

static void refuse(const char *path, oct_status expected, const char *word)
{
    ref_model model;
    init(&model, path);
    oct_model_context context = {.setup = &model.setup};
    uint64_t n = 0;
    assert_int_equal(model.table->count(&n, model.state, &context), expected);
    assert_non_null(strstr(oct_last_error(), word));
    ref_model_clear(&model);
}

static void bad_files_are_refused(void **state)
{
    (void)state;
    refuse("lost", OCT_STATUS_MISSING, "no file lost");
    refuse("none", OCT_STATUS_INPUT, "'none' holds no bodies");
}

static void a_file_that_changes_is_refused(void **state)
{
    (void)state;
    ref_model model;
    init(&model, "growing");
    oct_model_context context = {.setup = &model.setup};
    uint64_t n = 0;
    oct_bodies bodies = {0};
    assert_int_equal(model.table->count(&n, model.state, &context), OCT_STATUS_OK);
    assert_int_equal(n, 1);
    assert_int_equal(oct_bodies_resize(&bodies, 1), OCT_STATUS_OK);
    assert_int_equal(model.table->generate(&bodies, 0, 1, model.state, &context), OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), "had 1 bodies and now has 2"));
    oct_bodies_clear(&bodies);
    ref_model_clear(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_copied),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(a_file_that_changes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
