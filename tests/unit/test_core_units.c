/* Quantities with units, and the unit systems themselves. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/units.h"
#include "util/number.h"

#define assert_near(value, expected, tolerance)                                                    \
    assert_true(fabs((value) - (expected)) <= (tolerance))

static const oct_dimension surface_density = {-2, 1, 0};

static double read_in(const char *system, const char *text, oct_dimension dimension)
{
    double value = NAN;
    if (oct_units_parse(&value, text, dimension, oct_units_find(system), 0) != OCT_STATUS_OK)
        fail_msg("'%s': %s", text, oct_last_error());
    return value;
}

static void quantities_in_si(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        oct_dimension dimension;
        double value;
    } cases[] = {
        {"100 m", {1, 0, 0}, 100},
        {"100m", {1, 0, 0}, 100},
        {" -2.5e3 km ", {1, 0, 0}, -2.5e6},
        {"400 kg/m^2", {-2, 1, 0}, 400},
        {"1 g/cm^3", {-3, 1, 0}, 1000},
        {"0.0077 cm/s", {1, 0, -1}, 7.7e-5},
        {"1.3143527e-4 /s", {0, 0, -1}, 1.3143527e-4},
        {"2/min", {0, 0, -1}, 2.0 / 60},
        {"10 yr", {0, 0, 1}, 315576000},
        {"1 AU", {1, 0, 0}, 149597870700},
        {"1 pc", {1, 0, 0}, 3.0856775814913673e16},
        {"1 Msun", {0, 1, 0}, 1.98840987e30},
        {"3 m s^-2", {1, 0, -2}, 3},
        {"3 m*m/s/s", {2, 0, -2}, 3},
        {"12", {0, 1, 0}, 12},
    };
    /* measured: at most 1e-9 off, in the solar mass, which is given to 9 digits here */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_near(read_in("si", cases[i].text, cases[i].dimension) / cases[i].value, 1, 2e-9);
}

static void quantities_of_any_dimension(void **state)
{
    (void)state;
    const oct_units *solar = oct_units_find("solar");
    double value = 0;
    assert_int_equal(oct_units_parse_any(&value, "2 AU^3/day^2", solar, 0), OCT_STATUS_OK);
    assert_near(value, 2, 1e-15); /* measured: 0 */
    assert_int_equal(oct_units_parse_any(&value, "1 km/h", solar, 0), OCT_STATUS_OK);
    assert_near(value / (24e3 / 149597870700.0), 1, 1e-15); /* measured: 0 */
    assert_int_equal(oct_units_parse_any(&value, "-7.5", solar, 0), OCT_STATUS_OK);
    assert_true(value == -7.5);
    assert_int_equal(oct_units_parse_any(&value, "0.5 orbit", oct_units_find("nbody"), 8),
                     OCT_STATUS_OK);
    assert_true(value == 4);
    static const char *const bad[] = {"", "fast", "1 mm/sec", "1 m^99", "1e300 kpc^3"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(oct_units_parse_any(&value, bad[i], oct_units_find("si"), 0),
                         OCT_STATUS_INPUT);
    assert_int_equal(oct_units_parse_any(&value, "1 m", oct_units_find("nbody"), 0),
                     OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), "numbers have none; expected a plain number"));
}

static void quantities_in_other_systems(void **state)
{
    (void)state;
    assert_true(read_in("solar", "1 AU", OCT_LENGTH) == 1);
    assert_true(read_in("solar", "10 yr", OCT_TIME) == 3652.5);
    assert_true(read_in("solar", "4 d", OCT_TIME) == 4);
    assert_true(read_in("solar", "2 Mearth", OCT_MASS) == 2);
    assert_near(read_in("galactic", "220 km/s", OCT_SPEED), 220, 1e-12); /* 0 */
    assert_near(read_in("galactic", "1e10 Msun", OCT_MASS), 1, 1e-15);   /* 0 */
    assert_near(read_in("galactic", "1 Gyr", OCT_TIME), 1.02271, 1e-5);  /* 2e-6 */
    assert_true(read_in("nbody", "0.25", OCT_TIME) == 0.25);
}

/* Kepler's third law holds in solar units with Gauss's constant, and G is the SI one elsewhere. */
static void constants_of_gravity(void **state)
{
    (void)state;
    const oct_units *solar = oct_units_find("solar"), *galactic = oct_units_find("galactic");
    double k = 0.01720209895;
    assert_near(solar->G * 332946 / (k * k), 1, 1e-15); /* 0 */
    assert_near(galactic->G, 43009.17, 0.01);           /* 0.003 */
    assert_true(oct_units_find("si")->G == 6.67430e-11);
    assert_true(oct_units_find("nbody")->G == 1);
    const oct_dimension g = {3, -1, -2};
    assert_near(galactic->G / (6.67430e-11 * oct_units_from_si(galactic, g)), 1, 1e-14);
    assert_null(oct_units_find("imperial"));
    for (const char *const *name = oct_units_names(); *name; name++)
        assert_string_equal(oct_units_find(*name)->name, *name);
}

static void orbits_are_times_of_the_box(void **state)
{
    (void)state;
    double value;
    const oct_units *nbody = oct_units_find("nbody"), *solar = oct_units_find("solar");
    assert_int_equal(oct_units_parse(&value, "1e-3 orbit", OCT_TIME, nbody, 50), 0);
    assert_near(value, 0.05, 1e-16); /* 0 */
    assert_int_equal(oct_units_parse(&value, "2 orbit", OCT_TIME, solar, 10), 0);
    assert_near(value, 20, 1e-14); /* 0 */
    assert_int_equal(oct_units_parse(&value, "2 orbit", OCT_TIME, solar, 0), OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), "omega"));
}

static void refusals_say_what_was_expected(void **state)
{
    (void)state;
    static const struct {
        const char *system, *text, *part;
        oct_dimension dimension;
    } cases[] = {
        {"si", "10 kgs", "did you mean 'kg'?", {0, 1, 0}},
        {"si", "10 kg", "is a mass; expected length, such as '1 m'", {1, 0, 0}},
        {"si", "10 m", "expected surface density, such as '1 kg/m^2'", {-2, 1, 0}},
        {"si", "10 m", "expected a plain number", {0, 0, 0}},
        {"nbody", "10 m", "with units: nbody", {1, 0, 0}},
        {"si", "nan", "is not a number", {1, 0, 0}},
        {"si", "0x10", "is not a number", {1, 0, 0}},
        {"si", "1e999", "is not a number", {1, 0, 0}},
        {"si", "", "is not a number", {1, 0, 0}},
        {"si", "1 2", "not a number with a unit", {1, 0, 0}},
        {"si", "1 m^x", "bad power", {1, 0, 0}},
        {"si", "1 m^99", "bad power", {1, 0, 0}},
        {"si", "1 m/", "not a number with a unit", {1, 0, 0}},
        {"si", "1e300 Mpc", "too large", {1, 0, 0}},
        {"si", "1 s s s s s s s s s s", "too many units", {1, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = -1;
        assert_int_equal(oct_units_parse(&value, cases[i].text, cases[i].dimension,
                                         oct_units_find(cases[i].system), 0),
                         OCT_STATUS_INPUT);
        if (!strstr(oct_last_error(), cases[i].part))
            fail_msg("'%s' gave: %s", cases[i].text, oct_last_error());
        assert_true(value == -1);
    }
}

static void dimensions_as_text(void **state)
{
    (void)state;
    static const struct {
        const char *system, *text;
        oct_dimension dimension;
    } cases[] = {
        {"si", "kg/m^2", {-2, 1, 0}},
        {"si", "1", {0, 0, 0}},
        {"solar", "AU/day", {1, 0, -1}},
        {"galactic", "km/s", {1, 0, -1}},
        {"galactic", "kpc/(km/s)", {0, 0, 1}},
        {"galactic", "1e10 Msun (km/s)^2", {2, 1, -2}},
        {"nbody", "mass length^2/time^2", {2, 1, -2}},
    };
    char text[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        oct_units_describe(text, sizeof text, oct_units_find(cases[i].system), cases[i].dimension);
        assert_string_equal(text, cases[i].text);
    }
    oct_units file = {.name = "file", .physical = true, .length = 1000, .mass = 1, .time = 1};
    oct_units_describe(text, sizeof text, &file, OCT_SPEED);
    assert_string_equal(text, "1000 m/s");
    oct_units_dimension(text, sizeof text, surface_density);
    assert_string_equal(text, "surface density");
}

static void units_are_written_as_they_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *again;
    } cases[] = {
        {"si", "si"},
        {" galactic ", "galactic"},
        {"nbody, G 39.5", "nbody, G 39.5"},
        {"solar,G=1e-4", "solar, G 0.0001"},
        {"m, kg, s", "1 m, 1 kg, 1 s"},
        {"2 t, 3 km, 1.5 km/s", "3000 m, 2000 kg, 2 s"},
        {"1e3 kpc, Msun, Gyr", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        oct_units units, again;
        char text[160];
        assert_int_equal(oct_units_from_text(&units, cases[i].text), OCT_STATUS_OK);
        oct_units_to_text(text, sizeof text, &units);
        if (cases[i].again)
            assert_string_equal(text, cases[i].again);
        assert_int_equal(oct_units_from_text(&again, text), OCT_STATUS_OK);
        assert_true(units.length == again.length && units.mass == again.mass);
        assert_true(units.time == again.time && units.G == again.G);
        assert_true(oct_units_same(&units, &again));
    }
    /* Kepler's law: in AU, solar masses and years G is (2 pi)^2 but for the length of the year. */
    oct_units kepler;
    assert_int_equal(oct_units_from_text(&kepler, "AU, Msun, yr"), OCT_STATUS_OK);
    assert_near(kepler.G, 39.4769, 1e-4); /* 3e-5 */
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    static const double values[] = {0.1, 1.0 / 3, 6.67430e-11, -1e300, 4096, 5e-324, INFINITY};
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"};
    for (size_t l = 0; l < 3; l++) {
        setlocale(LC_ALL, locales[l]); /* stays as it is where this machine has no such locale */
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            char text[OCT_NUMBER_BYTES];
            double again;
            const char *end;
            oct_number_write(text, values[i]);
            assert_null(strchr(text, ','));
            assert_true(oct_number_read(&again, &end, text));
            assert_true(again == values[i] && *end == '\0');
        }
        char text[OCT_NUMBER_BYTES];
        oct_number_write(text, 0.1);
        assert_string_equal(text, "0.1");
    }
    setlocale(LC_ALL, "C");
}

static void quantities_are_read_for_users_of_the_library(void **state)
{
    (void)state;
    const oct_units *units = oct_units_find("si");
    double out;
    assert_int_equal(oct_units_read(&out, "2 km", units, 1, 0, 0), OCT_STATUS_OK);
    assert_true(out == 2000);
    assert_int_equal(oct_units_read(&out, "0.3 t/m^2", units, -2, 1, 0), OCT_STATUS_OK);
    assert_true(fabs(out - 300) < 1e-12);
    assert_int_equal(oct_units_read(&out, "7", units, 1, 0, -1), OCT_STATUS_OK);
    assert_true(out == 7);
    assert_int_equal(oct_units_read(&out, "7 kg", units, 1, 0, 0), OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), "length"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_in_si),
        cmocka_unit_test(quantities_of_any_dimension),
        cmocka_unit_test(quantities_in_other_systems),
        cmocka_unit_test(constants_of_gravity),
        cmocka_unit_test(orbits_are_times_of_the_box),
        cmocka_unit_test(refusals_say_what_was_expected),
        cmocka_unit_test(dimensions_as_text),
        cmocka_unit_test(units_are_written_as_they_are_read),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(quantities_are_read_for_users_of_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
