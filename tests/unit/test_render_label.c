/* Steps, digits and prefixes of labels. */
#include "render/label.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const oct_units si = {"si", true, 1, 1, 1, 6.6743e-11};
static const oct_units nbody = {"nbody", false, 1, 1, 1, 1};
static const oct_units galactic = {.name = "galactic",
                                   .physical = true,
                                   .length = 3.0856775814913673e19,
                                   .mass = 1.98841e40,
                                   .time = 3.0856775814913673e16};

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void steps_are_1_2_5(void **state)
{
    (void)state;
    static const double cases[][3] = {/* value, below, above */
                                      {1, 1, 1},
                                      {1.5, 1, 2},
                                      {2, 2, 2},
                                      {3, 2, 5},
                                      {4.5, 2, 5},
                                      {5.1, 5, 10},
                                      {9.99, 5, 10},
                                      {0.3, 0.2, 0.5},
                                      {0.1 + 0.2 - 0.1, 0.2, 0.2},
                                      {7e-20, 5e-20, 1e-19},
                                      {1.0e30, 1e30, 1e30}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_near(oct_label_below(cases[i][0]), cases[i][1]);
        assert_near(oct_label_above(cases[i][0]), cases[i][2]);
    }
}

static void numbers_have_the_decimals_of_their_step(void **state)
{
    (void)state;
    char text[OCT_LABEL_BYTES];
    oct_label_number(text, 0.30000000000000004, 0.1);
    assert_string_equal(text, "0.3");
    oct_label_number(text, -1.5, 0.5);
    assert_string_equal(text, "\xe2\x88\x92"
                              "1.5");
    oct_label_number(text, 20, 5);
    assert_string_equal(text, "20");
    oct_label_number(text, -0.0, 0.02);
    assert_string_equal(text, "0.00");
    oct_label_number(text, -1e-17, 1);
    assert_string_equal(text, "0");
    oct_label_number(text, 149597870.7, 0.1);
    assert_string_equal(text, "149597870.7");
}

static void powers_and_counts(void **state)
{
    (void)state;
    char text[OCT_LABEL_BYTES];
    oct_label_power(text, 0);
    assert_string_equal(text, "1");
    oct_label_power(text, -2);
    assert_string_equal(text, "0.01");
    oct_label_power(text, -13);
    assert_string_equal(text, "10\xe2\x81\xbb\xc2\xb9\xc2\xb3");
    oct_label_count(text, 4096);
    assert_string_equal(text, "4096");
    oct_label_count(text, 1000000);
    assert_string_equal(text, "1\xe2\x80\x89"
                              "000\xe2\x80\x89"
                              "000");
    oct_label_count(text, 0);
    assert_string_equal(text, "0");
}

static void lengths_get_a_unit_that_suits(void **state)
{
    (void)state;
    static const struct {
        double metres, size;
        const char *name;
    } cases[] = {{0.05, 1e-3, "mm"},
                 {1, 1, "m"},
                 {250, 1, "m"},
                 {6.4e6, 1e3, "km"},
                 {4e8, 1e6, "10\xc2\xb3 km"},
                 {149597870700.0, 149597870700.0, "AU"},
                 {3.1e16, 3.0856775814913673e16, "pc"},
                 {4e20, 3.0856775814913673e19, "kpc"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        oct_label_unit unit = oct_label_length(&si, cases[i].metres);
        assert_string_equal(unit.name, cases[i].name);
        assert_near(unit.size, cases[i].size);
        assert_near(oct_label_length(&galactic, cases[i].metres / galactic.length).size,
                    cases[i].size / galactic.length);
    }
    assert_string_equal(oct_label_length(&nbody, 3).name, "");
    assert_near(oct_label_length(&nbody, 0.1).size, 1);
    assert_near(oct_label_length(&nbody, 2e7).size, 1e6);
    assert_string_equal(oct_label_length(&nbody, 2e7).name, "10\xe2\x81\xb6");
}

static void surface_densities_are_converted(void **state)
{
    (void)state;
    /* 1e10 solar masses per square kiloparsec are 1e4 per square parsec. */
    oct_label_unit unit = oct_label_surface(&galactic, 10, false);
    assert_string_equal(unit.name, "M\xe2\x98\x89/pc\xc2\xb2");
    assert_near(1 / unit.size, 1e4);
    unit = oct_label_surface(&si, 100, false);
    assert_string_equal(unit.name, "kg/m\xc2\xb2");
    assert_near(unit.size, 1);
    assert_near(1 / oct_label_surface(&galactic, 10, true).size, 1e-6);
    assert_string_equal(oct_label_surface(&nbody, 1, false).name, "");
    assert_near(oct_label_speed(&galactic).size, 1);
    assert_string_equal(oct_label_speed(&galactic).name, "km/s");
    assert_string_equal(oct_label_speed(&si).name, "m/s");
}

static void times_have_a_sensible_unit(void **state)
{
    (void)state;
    static const struct {
        const oct_units *units;
        double time;
        const char *text;
    } cases[] = {{&nbody, 12.3, "t = 12.3"},
                 {&nbody, 0, "t = 0"},
                 {&nbody, 1234.56, "t = 1235"},
                 {&nbody, 2.5e7,
                  "t = 2.50\xc3\x97"
                  "10\xe2\x81\xb7"},
                 {&si, 0, "t = 0"},
                 {&si, 30, "t = 30.0 s"},
                 {&si, 7200, "t = 2.00 h"},
                 {&si, 86400 * 3.5, "t = 3.50 d"},
                 {&si, 365.25 * 86400 * 100, "t = 100 yr"},
                 {&si, -7200,
                  "t = \xe2\x88\x92"
                  "2.00 h"},
                 {&galactic, 0.4, "t = 391 Myr"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[OCT_LABEL_BYTES];
        oct_label_time(text, cases[i].units, 0, cases[i].time);
        assert_string_equal(text, cases[i].text);
    }
}

static void patches_of_a_disk_count_orbits(void **state)
{
    (void)state;
    char text[OCT_LABEL_BYTES];
    oct_label_time(text, &si, 4000, 7200);
    assert_string_equal(text, "t = 1.80 orbits");
    oct_label_time(text, &nbody, 2, 0);
    assert_string_equal(text, "t = 0 orbits");
}

static void axes_name_their_unit(void **state)
{
    (void)state;
    char text[OCT_LABEL_BYTES];
    oct_label_axis(text, "x", &(oct_label_unit){"AU", 1});
    assert_string_equal(text, "x / AU");
    oct_label_axis(text, "x", &(oct_label_unit){"", 1});
    assert_string_equal(text, "x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_1_2_5),
        cmocka_unit_test(numbers_have_the_decimals_of_their_step),
        cmocka_unit_test(powers_and_counts),
        cmocka_unit_test(lengths_get_a_unit_that_suits),
        cmocka_unit_test(surface_densities_are_converted),
        cmocka_unit_test(times_have_a_sensible_unit),
        cmocka_unit_test(patches_of_a_disk_count_orbits),
        cmocka_unit_test(axes_name_their_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
