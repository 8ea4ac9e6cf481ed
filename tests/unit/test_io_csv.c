#include "files.h"

#include "core/units.h"

#include <float.h>

static void test_bodies_come_back_bit_for_bit(void **state)
{
    (void)state;
    char path[128], *text;
    static const char *const types[] = {"1", "1451"};
    scratch_path(path, "b.csv");
    for (size_t t = 0; t < 2; t++) {
        oct_bodies bodies = {0}, again = {0};
        oct_file_info info = {.title = "two\nlines", .time = 1.5, .units = *oct_units_find("si")};
        sample_bodies(&bodies, 3000, types[t]);
        bodies.position[0] = -0.0;
        bodies.position[1] = DBL_MAX;
        bodies.position[2] = DBL_TRUE_MIN;
        bodies.id[0] = UINT64_MAX;
        assert_int_equal(oct_bodies_write(&bodies, &info, path), OCT_STATUS_OK);
        assert_int_equal(oct_bodies_read(&again, &info, path, NULL), OCT_STATUS_OK);
        assert_same_bodies(&bodies, &again);
        assert_string_equal(info.kind, "csv");
        slurp(&text, path);
        assert_true((strstr(text, ",radius,type,system,wx,wy,wz\n") != NULL) == (t == 1));
        free(text);
        oct_bodies_clear(&bodies);
        oct_bodies_clear(&again);
    }
}

static oct_status read_text(oct_bodies *out, const char *text)
{
    char path[128];
    scratch_path(path, "b.csv");
    spill(path, text, strlen(text));
    return oct_bodies_read(out, NULL, path, NULL);
}

static void test_any_order_comments_and_defaults(void **state)
{
    (void)state;
    oct_bodies b = {0};
    assert_int_equal(read_text(&b, "\xef\xbb\xbf# made by hand\r\n\r\n vz, vy ,vx,z,y,x,mass\r\n"
                                   "3,2,1,6,5,4,.5\r\n  # between\n-3,+2.,1e-3,6,5,4,7E2"),
                     OCT_STATUS_OK);
    assert_int_equal(b.n, 2);
    assert_true(b.position[0] == 4 && b.velocity[2] == 3 && b.mass[0] == 0.5);
    assert_true(b.velocity[3] == 1e-3 && b.velocity[4] == 2 && b.mass[1] == 700);
    assert_int_equal(b.id[0], 1);
    assert_int_equal(b.id[1], 2);
    assert_true(b.radius[1] == 0 && b.type[1] == OCT_TYPE_BODY);
    oct_bodies_clear(&b);
}

#define HEAD "id,mass,x,y,z,vx,vy,vz,radius,type\n"

static void test_bad_text_is_refused_by_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place, *what;
    } cases[] = {
        {"\n# nothing\n", "b.csv'", "no header"},
        {HEAD, "b.csv'", "no bodies"},
        {"mass,x,y,z,vx,vy\n", "csv:1", "'vz' is missing"},
        {"mass,x,y,z,vx,vy,vz,x\n", "csv:1", "'x' is there twice"},
        {"mass,x,y,z,vx,vy,vz,radios\n", "csv:1", "mean 'radius'"},
        {"mass,x,y,z,vx,vy,vz,\n", "csv:1", "no column ''"},
        {"1,1,2,3,4,5,6,7\n", "csv:1", "no column '1'"},
        {"id,mass,x,y,z,vx,vy,vz,radius,type,,,,\n", "csv:1", "no column ''"},
        {HEAD "1,1,0,0,0,0,0,0,0\n", "csv:2", "9 fields"},
        {HEAD "1,1,0,0,0,0,0,0,0,1,1\n", "csv:2", "11 fields"},
        {HEAD "1,1,0,0,0,0,0,0,0,1\n2,1,0,0,0,0,0,,0,1\n", "csv:3: column vz", "''"},
        {HEAD "1,nan,0,0,0,0,0,0,0,1\n", "csv:2: column mass", "'nan'"},
        {HEAD "1,1,-inf,0,0,0,0,0,0,1\n", "csv:2: column x", "'-inf'"},
        {HEAD "1,1,0,1e999,0,0,0,0,0,1\n", "csv:2: column y", "'1e999'"},
        {HEAD "1,1,0,0,0x10,0,0,0,0,1\n", "csv:2: column z", "'0x10'"},
        {HEAD "1,1,0,0,0,1 2,0,0,0,1\n", "csv:2: column vx", "'1 2'"},
        {HEAD "-1,1,0,0,0,0,0,0,0,1\n", "csv:2: column id", "'-1'"},
        {HEAD "1.5,1,0,0,0,0,0,0,0,1\n", "csv:2: column id", "'1.5'"},
        {HEAD "18446744073709551616,1,0,0,0,0,0,0,0,1\n", "csv:2: column id", "'1844"},
        {HEAD "1,1,0,0,0,0,0,0,0,0\n", "csv:2: column type", "'0'"},
        {HEAD "1,1,0,0,0,0,0,0,0,255\n", "csv:2: column type", "'255'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        oct_bodies b = {0};
        assert_refused(read_text(&b, cases[i].text), cases[i].place, cases[i].what);
        assert_null(b.position);
    }
}

static void test_long_lines_and_binary_data_are_refused(void **state)
{
    (void)state;
    char path[128], *text = malloc(10000001);
    oct_bodies b = {0};
    memset(text, '7', 10000000);
    text[10000000] = '\0';
    assert_refused(read_text(&b, text), "csv:1", "longer than 65535");
    free(text);
    scratch_path(path, "b.csv");
    spill(path, "mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\0008", 35);
    assert_refused(oct_bodies_read(&b, NULL, path, NULL), "csv:2", "binary");
}

static void test_a_failed_read_leaves_the_bodies_alone(void **state)
{
    (void)state;
    oct_bodies b = {0};
    sample_bodies(&b, 4, "1");
    double first = b.position[0];
    assert_refused(read_text(&b, HEAD "x\n"), "csv:2", "1 fields");
    assert_int_equal(b.n, 4);
    assert_true(b.position[0] == first);
    oct_bodies_clear(&b);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_bodies_come_back_bit_for_bit),
        CASE(test_any_order_comments_and_defaults),
        CASE(test_bad_text_is_refused_by_line_and_column),
        CASE(test_long_lines_and_binary_data_are_refused),
        CASE(test_a_failed_read_leaves_the_bodies_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
