/* What requests say, and the rows of charts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene_sim.h"
#include "view/form.h"
#include "view/series.h"

static void lines_are_taken_apart(void **state)
{
    char text[] = "gravity.theta=0.5\r\n\nbox=1 2 3\nempty=\nlast=a=b";
    oct_form form;
    (void)state;
    ref_ok(oct_form_read(&form, text));
    assert_int_equal(form.n, 4);
    assert_string_equal(oct_form_get(&form, "gravity.theta"), "0.5");
    assert_string_equal(oct_form_get(&form, "box"), "1 2 3");
    assert_string_equal(oct_form_get(&form, "empty"), "");
    assert_string_equal(oct_form_get(&form, "last"), "a=b");
    assert_null(oct_form_get(&form, "other"));
}

static void bad_lines_are_refused(void **state)
{
    static const char *const bad[] = {"a", "=1", "a=1\nb", "a=\t", "a=1\rb=2"};
    oct_form form;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[16];
        snprintf(text, sizeof text, "%s", bad[i]);
        assert_int_equal(oct_form_read(&form, text), OCT_STATUS_INPUT);
    }
    char many[4 * (OCT_FORM_LINES + 1) + 1];
    for (int i = 0; i <= OCT_FORM_LINES; i++)
        memcpy(many + 4 * i, "a=1\n", 5);
    assert_int_equal(oct_form_read(&form, many), OCT_STATUS_INPUT);
    many[4 * OCT_FORM_LINES] = '\0';
    for (int i = 0; i < OCT_FORM_LINES; i++)
        memcpy(many + 4 * i, "a=1\n", 4);
    assert_int_equal(oct_form_read(&form, many), OCT_STATUS_OK);
}

static void keys_are_those_expected_once(void **state)
{
    static const char *const names[] = {"colour", "most", NULL};
    char good[] = "most=1", unknown[] = "color=red", twice[] = "most=1\nmost=2";
    oct_form form;
    (void)state;
    ref_ok(oct_form_read(&form, good));
    ref_ok(oct_form_check(&form, names));
    ref_ok(oct_form_read(&form, unknown));
    assert_int_equal(oct_form_check(&form, names), OCT_STATUS_INPUT);
    ref_says("did you mean 'colour'?");
    ref_ok(oct_form_read(&form, twice));
    assert_int_equal(oct_form_check(&form, names), OCT_STATUS_INPUT);
    ref_says("twice");
}

static void numbers_have_ranges(void **state)
{
    char text[] = "a=2.5\nb=7\nc=-1\nd=1e400\ne=nan\nf=12x\ng=99999999999999999999";
    static const char *const bad[] = {"c", "d", "e", "f"};
    oct_form form;
    double real = 4;
    uint64_t count = 5;
    (void)state;
    ref_ok(oct_form_read(&form, text));
    ref_ok(oct_form_number(&real, &form, "missing", 0, 10));
    assert_true(real == 4);
    ref_ok(oct_form_number(&real, &form, "a", 0, 10));
    assert_true(real == 2.5);
    assert_int_equal(oct_form_number(&real, &form, "a", 3, 10), OCT_STATUS_INPUT);
    ref_ok(oct_form_count(&count, &form, "b", 0, 10));
    assert_int_equal(count, 7);
    assert_int_equal(oct_form_count(&count, &form, "a", 0, 10), OCT_STATUS_INPUT);
    assert_int_equal(oct_form_count(&count, &form, "g", 0, UINT64_MAX), OCT_STATUS_INPUT);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(oct_form_number(&real, &form, bad[i], 0, 1e300), OCT_STATUS_INPUT);
        assert_int_equal(oct_form_count(&count, &form, bad[i], 0, UINT64_MAX), OCT_STATUS_INPUT);
    }
    assert_true(real == 2.5 && count == 7);
}

static char *columns(const char *text)
{
    char *copy;
    ref_ok(oct_text_copy(&copy, text));
    return copy;
}

static void rows_are_given_in_pieces_and_thinned_out(void **state)
{
    oct_series series = {0}, copy;
    size_t first;
    (void)state;
    oct_series_start(&series, columns("[1]"), 2);
    uint64_t epoch = series.epoch;
    for (int i = 0; i < 700; i++)
        ref_ok(oct_series_add(&series, (const double[]){i, 2 * i}));
    ref_ok(oct_series_copy(&copy, &first, &series, epoch, 600));
    assert_true(first == 600 && copy.n == 100 && copy.rows[0] == 600 && copy.rows[199] == 1398);
    oct_series_clear(&copy);
    ref_ok(oct_series_copy(&copy, &first, &series, epoch, 9999));
    assert_true(first == 700 && copy.n == 0);
    oct_series_clear(&copy);
    ref_ok(oct_series_copy(&copy, &first, &series, epoch + 1, 600)); /* of another epoch: all */
    assert_true(first == 0 && copy.n == OCT_SERIES_GIVEN);
    oct_series_clear(&copy);
    for (int i = 700; i <= OCT_SERIES_ROWS; i++)
        ref_ok(oct_series_add(&series, (const double[]){i, 2 * i}));
    assert_int_equal(series.epoch, epoch + 1);
    assert_int_equal(series.n, OCT_SERIES_ROWS / 2 + 1);
    assert_true(series.rows[2] == 2 && series.rows[2 * (series.n - 1)] == OCT_SERIES_ROWS);
    oct_series_start(&series, columns("[2]"), 3);
    assert_true(series.n == 0 && series.epoch == epoch + 2);
    oct_series_clear(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_taken_apart),
        cmocka_unit_test(bad_lines_are_refused),
        cmocka_unit_test(keys_are_those_expected_once),
        cmocka_unit_test(numbers_have_ranges),
        cmocka_unit_test(rows_are_given_in_pieces_and_thinned_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
