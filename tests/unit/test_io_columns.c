/* Columns of the user's in files: what comes back, what is looked for, and what is refused. */
#include "files.h"

#include "core/units.h"

#include <hdf5.h>
#include <math.h>

#define HEAD "mass,x,y,z,vx,vy,vz"
#define BODY "1,0,0,0,0,0,0"

static const char *const kinds[] = {"b.csv", "b.hdf5"};

/* Three columns, of which one is of vectors and one of integers. */
static void add_columns(oct_bodies *b)
{
    const double initial[] = {7};
    assert_int_equal(oct_bodies_add_column(b, "charge", "C", 1, false, initial), OCT_STATUS_OK);
    assert_int_equal(oct_bodies_add_column(b, "moment", "A m^2", 3, false, NULL), OCT_STATUS_OK);
    assert_int_equal(oct_bodies_add_column(b, "group", "", 1, true, NULL), OCT_STATUS_OK);
}

static void sample_columns(oct_bodies *b, size_t n, const char *types)
{
    sample_bodies(b, n, types);
    add_columns(b);
    for (size_t i = 0; i < n; i++) {
        b->columns[0].data[i] = (double)i / 3 - 5;
        b->columns[2].data[i] = (i % 2 ? -1 : 1) * ldexp(1, 53) + (double)i * (i % 2 ? 1 : -1);
        for (size_t k = 0; k < 3; k++)
            b->columns[1].data[3 * i + k] = 1 / (double)(3 * i + k + 7);
    }
    b->columns[0].data[0] = -0.0;
}

static void assert_same_columns(const oct_bodies *a, const oct_bodies *b)
{
    assert_same_bodies(a, b);
    assert_int_equal(a->n_columns, b->n_columns);
    for (size_t c = 0; c < a->n_columns; c++) {
        const oct_user_column *x = &a->columns[c], *y = &b->columns[c];
        assert_string_equal(x->name, y->name);
        assert_string_equal(x->unit, y->unit);
        assert_true(x->width == y->width && x->integer == y->integer);
        assert_memory_equal(x->data, y->data, a->n * x->width * sizeof(double));
    }
}

static void columns_come_back_bit_for_bit(void **state)
{
    (void)state;
    char path[128];
    for (size_t t = 0; t < 2; t++)
        for (size_t k = 0; k < 2; k++) {
            oct_bodies b = {0}, again = {0};
            oct_file_info info = {.size = sizeof info, .units = *oct_units_find("si")};
            scratch_path(path, kinds[k]);
            sample_columns(&b, 500, t ? "1451" : "1");
            assert_int_equal(oct_bodies_write(&b, &info, path), OCT_STATUS_OK);
            assert_int_equal(oct_bodies_read(&again, &info, path, NULL), OCT_STATUS_OK);
            assert_same_columns(&b, &again);
            /* They are never converted. */
            oct_units solar = *oct_units_find("solar");
            assert_int_equal(oct_bodies_read(&again, &info, path, &solar), OCT_STATUS_OK);
            assert_true(again.mass[0] != b.mass[0]);
            assert_memory_equal(again.columns[1].data, b.columns[1].data, 1500 * sizeof(double));
            oct_bodies_clear(&b);
            oct_bodies_clear(&again);
        }
}

static void data_sets_say_what_they_are(void **state)
{
    (void)state;
    char path[128], unit[8] = "";
    oct_bodies b = {0};
    oct_file_info info = {.size = sizeof info, .units = *oct_units_find("si")};
    scratch_path(path, "b.hdf5");
    sample_columns(&b, 5, "1");
    assert_int_equal(oct_bodies_write(&b, &info, path), OCT_STATUS_OK);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "PartType1/moment", H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t shape[2];
    assert_int_equal(H5Sget_simple_extent_dims(space, shape, NULL), 2);
    assert_true(shape[0] == 5 && shape[1] == 3);
    hid_t attribute = H5Aopen(set, "Unit", H5P_DEFAULT), type = H5Aget_type(attribute);
    assert_int_equal(H5Tget_size(type), strlen("A m^2"));
    assert_true(H5Aread(attribute, type, unit) >= 0);
    assert_string_equal(unit, "A m^2");
    hid_t group = H5Dopen2(file, "PartType1/group", H5P_DEFAULT), whole = H5Dget_type(group);
    assert_int_equal(H5Tget_class(whole), H5T_INTEGER);
    int64_t values[5];
    assert_true(H5Dread(group, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_true(values[0] == INT64_C(9007199254740992) && values[1] == -INT64_C(9007199254740991));
    H5Tclose(whole);
    H5Dclose(group);
    H5Tclose(type);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    oct_bodies_clear(&b);
}

static oct_status read_text(oct_bodies *out, const char *text)
{
    char path[128];
    scratch_path(path, "b.csv");
    spill(path, text, strlen(text));
    return oct_bodies_read(out, NULL, path, NULL);
}

/* Whoever declares columns finds them in a file that says nothing about them. */
static void wanted_columns_are_looked_for(void **state)
{
    (void)state;
    oct_bodies b = {0};
    add_columns(&b);
    assert_int_equal(read_text(&b, HEAD ",moment_z,moment_x,moment_y,group\n" BODY ",3,1,2,-4\n"),
                     OCT_STATUS_OK);
    const double moment[] = {1, 2, 3};
    assert_memory_equal(oct_bodies_column(&b, "moment")->data, moment, sizeof moment);
    assert_true(oct_bodies_column(&b, "group")->data[0] == -4);
    assert_true(oct_bodies_column(&b, "charge")->data[0] == 7);
    assert_string_equal(oct_bodies_column(&b, "charge")->unit, "C");
    oct_bodies_clear(&b);
    assert_int_equal(read_text(&b, "# column charge: real in e\n# column of words: yes\n" HEAD
                                   ",charge\n" BODY ",0.5\n"),
                     OCT_STATUS_OK);
    assert_int_equal(b.n_columns, 1);
    assert_true(b.columns[0].data[0] == 0.5);
    assert_string_equal(b.columns[0].unit, "e");
    oct_bodies_clear(&b);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word, *other;
    } cases[] = {
        {HEAD ",chrage\n" BODY ",1\n", "csv:1", "did you mean 'charge'?"},
        {HEAD ",moment_x,moment_y\n" BODY ",1,2\n", "csv:1", "'moment_z' is missing"},
        {HEAD ",moment_y,moment_z\n" BODY ",1,2\n", "csv:1", "'moment_x' is missing"},
        {HEAD ",charge,charge\n" BODY ",1,2\n", "csv:1", "twice"},
        {HEAD ",charge\n" BODY ",nan\n", "csv:2", "'nan' is not a finite number"},
        {HEAD ",group\n" BODY ",1.5\n", "'group'", "whole number"},
        {HEAD ",group\n" BODY ",9007199254740994\n", "'group'", "53 bits"},
        {"# column charge: real in e\n" HEAD ",charge\n" BODY ",1\n", "'C'", "'e'"},
        {"# column charge: real vector\n" HEAD "\n" BODY "\n", "1 numbers", "3 there"},
        {"# column mass: real\n" HEAD "\n" BODY "\n", "csv:1", "'mass'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        oct_bodies b = {0};
        add_columns(&b);
        assert_refused(read_text(&b, cases[i].text), cases[i].word, cases[i].other);
        /* What was asked for is as it was. */
        assert_true(b.n == 0 && b.n_columns == 3);
        oct_bodies_clear(&b);
    }
    oct_bodies b = {0};
    assert_refused(read_text(&b, HEAD ",charge\n" BODY ",1\n"), "csv:1", "no column 'charge'");
}

/* A snapshot with a column of another width, or whose data set is too short, is not believed. */
static void snapshots_that_differ_are_refused(void **state)
{
    (void)state;
    char path[128];
    oct_bodies b = {0}, wanted = {0};
    oct_file_info info = {.size = sizeof info, .units = *oct_units_find("si")};
    scratch_path(path, "b.hdf5");
    sample_columns(&b, 6, "14");
    assert_int_equal(oct_bodies_write(&b, &info, path), OCT_STATUS_OK);
    assert_int_equal(oct_bodies_add_column(&wanted, "charge", "", 3, false, NULL), OCT_STATUS_OK);
    assert_refused(oct_bodies_read(&wanted, NULL, path, NULL), "'charge'", "3 numbers");
    oct_bodies_clear(&wanted);
    assert_int_equal(oct_bodies_add_column(&wanted, "charge", "e", 1, false, NULL), OCT_STATUS_OK);
    assert_refused(oct_bodies_read(&wanted, NULL, path, NULL), "'C'", "'e'");
    oct_bodies_clear(&wanted);
    oct_bodies_clear(&b);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(columns_come_back_bit_for_bit),     CASE(data_sets_say_what_they_are),
        CASE(wanted_columns_are_looked_for),     CASE(what_does_not_fit_is_refused),
        CASE(snapshots_that_differ_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
