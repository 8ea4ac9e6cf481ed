/* Bodies as CSV: bit for bit, in any units, and every bad line with its number. */
#include "files.h"

#include "scene_sim.h"

#include "core/units.h"
#include "io/csv.h"

#include <float.h>
#include <math.h>

static void test_bodies_come_back_bit_for_bit(void **state)
{
    (void)state;
    char path[128], *text;
    static const char *const types[] = {"1", "1451"};
    scratch_path(path, "b.csv");
    for (size_t t = 0; t < 2; t++) {
        oct_bodies bodies = {0}, again = {0};
        oct_file_info info = {.size = sizeof info,
                              .title = "two\nlines",
                              .time = 1.5,
                              .units = *oct_units_find("si")};
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
        assert_true((strstr(text, ",wx,wy,wz\n") != NULL) == (t == 1));
        free(text);
        oct_bodies_clear(&bodies);
        oct_bodies_clear(&again);
    }
}

static void test_the_run_is_named_in_its_own_files_only(void **state)
{
    (void)state;
    char path[128];
    oct_bodies bodies = {0};
    oct_file_info info = {.size = sizeof info,
                          .run = "0123456789abcdef0123456789abcdef",
                          .units = *oct_units_find("si")};
    scratch_path(path, "b.csv");
    sample_bodies(&bodies, 2, "1");
    snprintf(info.components, sizeof info.components, "primary secondary");
    assert_int_equal(oct_csv_write(&bodies, &info, path), OCT_STATUS_OK);
    info.components[0] = '\0';
    assert_int_equal(oct_bodies_read(&bodies, &info, path, NULL), OCT_STATUS_OK);
    assert_string_equal(info.components, "primary secondary");
    assert_string_equal(info.run, "0123456789abcdef0123456789abcdef");
    assert_int_equal(oct_bodies_write(&bodies, &info, path), OCT_STATUS_OK);
    assert_int_equal(oct_bodies_read(&bodies, &info, path, NULL), OCT_STATUS_OK);
    assert_string_equal(info.run, "");
    oct_bodies_clear(&bodies);
}

static oct_status read_text(oct_bodies *out, const char *text)
{
    char path[128];
    scratch_path(path, "b.csv");
    spill(path, text, strlen(text));
    return oct_bodies_read(out, NULL, path, NULL);
}

/* The sizes of the units in SI, not taken from the code: the IAU's AU and parsec, the masses from
 * the IAU's GM over CODATA's G, and seconds. */
static const struct {
    const char *name;
    double length, mass, time;
} sizes[] = {
    {"si", 1, 1, 1},
    {"solar", 149597870700.0, 3.986004e14 / 6.67430e-11, 86400},
    {"galactic", 3.0856775814913673e19, 1e10 * 1.3271244e20 / 6.67430e-11, 3.0856775814913673e16},
};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Measured: at most 6e-16. */
static void assert_ratio(double found, double before, double ratio)
{
    assert_true(fabs(found / (before * ratio) - 1) < 2e-15);
}

static void test_units_are_read_and_converted(void **state)
{
    (void)state;
    char path[128];
    oct_bodies bodies = {0}, again = {0};
    scratch_path(path, "b.csv");
    sample_bodies(&bodies, 20, "14");
    for (size_t k = 0; k < 2 * SIZES * SIZES; k++) {
        size_t a = k % SIZES, b = k / SIZES % SIZES;
        oct_file_info info = {
            .size = sizeof info, .time = 1.5, .step = 3, .units = *oct_units_find(sizes[a].name)};
        oct_units into = *oct_units_find(sizes[b].name);
        double length = sizes[a].length / sizes[b].length, mass = sizes[a].mass / sizes[b].mass;
        double time = sizes[a].time / sizes[b].time;
        if (k >= SIZES * SIZES)
            info.units.G = 0.125; /* which changes no size */
        snprintf(info.title, sizeof info.title, "a time 9, step 8, units nbody: b");
        assert_int_equal(oct_bodies_write(&bodies, &info, path), OCT_STATUS_OK);
        assert_int_equal(oct_bodies_read(&again, &info, path, NULL), OCT_STATUS_OK);
        assert_same_bodies(&bodies, &again);
        assert_string_equal(info.units.name, sizes[a].name);
        assert_true(info.time == 1.5 && info.step == 3);
        assert_string_equal(info.title, "a time 9, step 8, units nbody: b");
        assert_true((info.units.G == 0.125) == (k >= SIZES * SIZES));
        assert_int_equal(oct_bodies_read(&again, &info, path, &into), OCT_STATUS_OK);
        for (size_t i = 0; i < 3 * bodies.n; i++) {
            assert_ratio(again.position[i], bodies.position[i], length);
            assert_ratio(again.velocity[i], bodies.velocity[i], length / time);
        }
        for (size_t i = 0; i < bodies.n; i++) {
            assert_ratio(again.mass[i], bodies.mass[i], mass);
            assert_ratio(again.radius[i], bodies.radius[i], length);
        }
        assert_ratio(info.time, 1.5, time);
    }
    oct_bodies_clear(&bodies);
    oct_bodies_clear(&again);
}

#define ROW "mass,x,y,z,vx,vy,vz\n2,3,0,0,5,0,0\n"

/* Reads text whose units are said to be `from`, into others; either may be "". */
static oct_status read_units(oct_bodies *out, oct_file_info *info, const char *text,
                             const char *from, const char *into)
{
    char path[128];
    oct_units units[2];
    scratch_path(path, "b.csv");
    spill(path, text, strlen(text));
    if (*from)
        assert_int_equal(oct_units_from_text(&units[0], from), OCT_STATUS_OK);
    if (*into)
        assert_int_equal(oct_units_from_text(&units[1], into), OCT_STATUS_OK);
    return oct_bodies_read_from(out, info, path, *from ? &units[0] : NULL,
                                *into ? &units[1] : NULL);
}

static void test_what_says_the_units(void **state)
{
    (void)state;
    static const struct {
        const char *text, *from, *into;
        double mass, x, vx; /* what 2, 3 and 5 become */
    } cases[] = {
        {ROW, "", "", 2, 3, 5},
        {ROW, "", "solar", 2, 3, 5},
        {ROW, "", "nbody, G 7", 2, 3, 5},
        {"# positions in units of AU, one a line\n" ROW, "", "solar", 2, 3, 5},
        {ROW "# units: solar\n", "", "si", 2, 3, 5},
        {"# units: unknown to me\n# units" ROW, "", "", 0, 0, 0},
        {"# units: solar\r\n" ROW, "", "si", 2 * 3.986004e14 / 6.67430e-11, 3 * 149597870700.0,
         5 * 149597870700.0 / 86400},
        {"#Units = km, kg, h\n" ROW, "", "si", 2, 3000, 5000 / 3600.0},
        {"# units: 2 kg, 0.5 km/s, 3 km\n" ROW, "", "si", 4, 9000, 2500},
        {ROW, "km, t, min", "si", 2000, 3000, 5000 / 60.0},
        {"# units: solar\n" ROW, "AU, Mearth, day", "solar", 2, 3, 5},
        {"# units: nbody\n" ROW, "km, kg, s", "si", 2, 3000, 5000},
        {"# units: nbody, G 7\n" ROW, "", "nbody, G 7", 2, 3, 5},
        {"# units: nbody, G 7\n" ROW, "nbody", "nbody", 2, 3, 5},
        {"# time 3, step 4, units unknown\n" ROW, "", "galactic", 2, 3, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        oct_bodies b = {0};
        if (cases[i].mass == 0) {
            assert_refused(read_units(&b, NULL, cases[i].text, "", ""), "csv:1", "no units");
            continue;
        }
        assert_int_equal(read_units(&b, NULL, cases[i].text, cases[i].from, cases[i].into), 0);
        /* Measured: at most 3e-16. */
        assert_true(fabs(b.mass[0] / cases[i].mass - 1) < 1e-15);
        assert_true(fabs(b.position[0] / cases[i].x - 1) < 1e-15);
        assert_true(fabs(b.velocity[0] / cases[i].vx - 1) < 1e-15);
        oct_bodies_clear(&b);
    }
}

static void test_ambiguous_units_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *from, *into, *place, *what;
    } cases[] = {
        {"# units: solr\n" ROW, "", "si", "csv:1", "'solar'"},
        {"# units:\n" ROW, "", "si", "csv:1", "are no units"},
        {"# units: AU, Msun\n" ROW, "", "si", "csv:1", "a time"},
        {"# units: AU, Msun, lightyear\n" ROW, "", "si", "csv:1", "'lightyear' is no length"},
        {"# units: AU, pc, yr, Msun\n" ROW, "", "si", "csv:1", "length twice"},
        {"# units: solar, G 0\n" ROW, "", "si", "csv:1", "'G 0'"},
        {"# units: si\n# units: solar\n" ROW, "", "si", "csv:2", "line 1"},
        {"# time 0, step 0, units si\n# units: si\n" ROW, "", "si", "csv:2", "line 1"},
        {"# units: solar\n" ROW, "si", "si", "units are solar", "not si"},
        {"# units: solar\n" ROW, "nbody", "nbody", "units are solar", "not nbody"},
        {"# units: solar\n" ROW, "", "nbody", "in units of solar", "nbody units have no size"},
        {"# units: nbody\n" ROW, "", "solar", "in nbody units", "solar is wanted"},
        {"# units: nbody, G 7\n" ROW, "", "nbody", "G = 7", "G is 1 here"},
        {"# units: nbody\n" ROW, "", "nbody, G 7", "G = 1", "G is 7 here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        oct_bodies b = {0};
        assert_refused(read_units(&b, NULL, cases[i].text, cases[i].from, cases[i].into),
                       cases[i].place, cases[i].what);
        assert_null(b.position);
    }
}

/* What is converted without being asked for other units stays in those of the file. */
static void test_units_without_a_name_come_back(void **state)
{
    (void)state;
    char path[128];
    oct_bodies b = {0};
    oct_file_info first = {.size = sizeof first}, second = {.size = sizeof second};
    scratch_path(path, "c.csv");
    assert_int_equal(read_units(&b, &first, "# units: AU, Msun, yr, G 2\n" ROW, "", ""), 0);
    assert_int_equal(oct_bodies_write(&b, &first, path), OCT_STATUS_OK);
    assert_int_equal(oct_bodies_read(&b, &second, path, NULL), OCT_STATUS_OK);
    assert_true(second.units.length == 149597870700.0 && second.units.time == 365.25 * 86400);
    assert_true(second.units.mass == first.units.mass && second.units.G == 2);
    assert_int_equal(read_units(&b, &first, ROW, "", ""), 0);
    assert_string_equal(first.units.name, "unknown");
    scratch_path(path, "c.hdf5");
    ref_ok(oct_bodies_write(&b, &first, path));
    assert_int_equal(oct_bodies_read(&b, &second, path, oct_units_find("solar")), OCT_STATUS_OK);
    assert_true(b.mass[0] == 2 && b.position[0] == 3);
    oct_bodies_clear(&b);
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
        {"1,1,2,3,4,5,6,7\n", "csv:1", "no column '1'; expected some of id, mass, x,"},
        {"m,x,y,z,vx,vy,vz\n", "csv:1", "mean 'mass'"},
        {"mass,px,y,z,vx,vy,vz\n", "csv:1", "no column 'px'; expected some of"},
        {"mass,q,y,z,vx,vy,vz\n", "csv:1", "no column 'q'; expected some of"},
        {"mass,X,y,z,vx,vy,vz\n", "csv:1", "mean 'x'"},
        {"mass,x,y,z,VX,vy,vz\n", "csv:1", "mean 'vx'"},
        {"mass,x,y,z,vxx,vy,vz\n", "csv:1", "mean 'vx'"},
        {"mass,x [AU],y,z,vx,vy,vz\n", "csv:1", "no column 'x [AU]'; expected some of"},
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
        CASE(test_the_run_is_named_in_its_own_files_only),
        CASE(test_units_are_read_and_converted),
        CASE(test_what_says_the_units),
        CASE(test_ambiguous_units_are_refused),
        CASE(test_units_without_a_name_come_back),
        CASE(test_any_order_comments_and_defaults),
        CASE(test_bad_text_is_refused_by_line_and_column),
        CASE(test_long_lines_and_binary_data_are_refused),
        CASE(test_a_failed_read_leaves_the_bodies_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
