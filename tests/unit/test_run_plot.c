/* Ticks and lines of the reports' plots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/plot.h"

static void ticks_are_round_and_inside(void **unused)
{
    (void)unused;
    const double ranges[][2] = {{0, 1},        {-3, 17},       {0.1, 0.35}, {1e-9, 5e-9},
                                {-1e12, 3e12}, {99.5, 100.25}, {-7, -6.9},  {1e-280, 3e-280}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        double low = ranges[i][0], high = ranges[i][1], span = high - low;
        oct_plot_ticks ticks = oct_plot_ticks_choose(low, high, 6);
        assert_in_range(ticks.count, 2, 7);
        double last = ticks.first + (ticks.count - 1) * ticks.step;
        assert_true(ticks.first >= low - 1e-5 * span && last <= high + 1e-5 * span);
        /* One more at either end would be outside. */
        assert_true(ticks.first - ticks.step < low && last + ticks.step > high);
        double mantissa = ticks.step / pow(10, floor(log10(ticks.step) + 1e-9));
        assert_true(fabs(mantissa - 1) < 1e-9 || fabs(mantissa - 2) < 1e-9 ||
                    fabs(mantissa - 5) < 1e-9);
        double multiple = ticks.first / ticks.step;
        assert_true(fabs(multiple - round(multiple)) < 1e-9);
    }
}

static void ticks_of_large_and_small_numbers_share_a_power(void **unused)
{
    (void)unused;
    assert_int_equal(oct_plot_ticks_choose(0, 1, 5).exponent, 0);
    assert_int_equal(oct_plot_ticks_choose(0, 20000, 5).exponent, 0);
    assert_int_equal(oct_plot_ticks_choose(0, 3.2e7, 5).exponent, 7);
    assert_int_equal(oct_plot_ticks_choose(-4e-6, 1e-6, 5).exponent, -6);
}

static void ticks_that_differ_in_late_digits_share_an_offset(void **unused)
{
    (void)unused;
    oct_plot_ticks plain = oct_plot_ticks_choose(0.25, 0.26, 5);
    assert_true(plain.offset == 0 && plain.exponent == 0);
    oct_plot_ticks close = oct_plot_ticks_choose(0.25, 0.25 + 1e-7, 5);
    assert_true(close.offset == close.first);
    assert_int_equal(close.exponent, -7);
}

/* The drawing of y over 0, 1, 2 and so on; the caller frees it. */
static char *draw_on(const double *y, size_t n, bool logarithmic)
{
    double x[4096];
    oct_text text = {0};
    char *out;
    assert_true(n <= sizeof x / sizeof x[0]);
    for (size_t i = 0; i < n; i++)
        x[i] = (double)i;
    oct_plot_lines(&text, &(oct_plot){.title = "a < b",
                                      .x_name = "time",
                                      .n = n,
                                      .stride = 1,
                                      .x = x,
                                      .y = {y},
                                      .n_lines = 1,
                                      .logarithmic = logarithmic});
    assert_int_equal(oct_text_take(&out, &text), OCT_STATUS_OK);
    return out;
}

static char *draw(const double *y, size_t n)
{
    return draw_on(y, n, false);
}

/* The path of the first line or of the bars, without its quotes. */
static void path_of(char *out, size_t bytes, const char *svg, const char *class)
{
    char start[64];
    snprintf(start, sizeof start, "<path class=\"%s\" d=\"", class);
    const char *found = strstr(svg, start);
    assert_non_null(found);
    found += strlen(start);
    size_t length = strcspn(found, "\"");
    assert_true(length < bytes);
    memcpy(out, found, length);
    out[length] = '\0';
}

static size_t count(const char *text, char wanted)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == wanted;
    return n;
}

static void a_line_goes_through_its_points(void **unused)
{
    (void)unused;
    char path[256];
    int x[3], y[3];
    char *svg = draw((const double[]){1, 3, 2}, 3);
    path_of(path, sizeof path, svg, "line line-0");
    assert_int_equal(sscanf(path, "M%d,%dL%d,%dL%d,%d", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]),
                     6);
    assert_int_equal(x[2] - x[1], x[1] - x[0]);
    /* Down is up in SVG; the middle value is halfway, to a tenth of a pixel. */
    assert_true(x[0] < x[1] && y[1] < y[2] && y[2] < y[0]);
    assert_in_range(2 * y[2] - y[0] - y[1] + 1, 0, 2);
    assert_non_null(strstr(svg, "a &#60; b"));
    free(svg);
}

static void what_is_no_number_leaves_a_gap(void **unused)
{
    (void)unused;
    char path[256];
    char *svg = draw((const double[]){1, 2, NAN, 5, INFINITY, 3, 4, NAN}, 8);
    path_of(path, sizeof path, svg, "line line-0");
    assert_int_equal(count(path, 'M'), 3);
    assert_int_equal(count(path, 'L'), 2);
    assert_int_equal(count(path, 'h'), 1); /* the 5 stands alone: a dot */
    free(svg);
}

static void nothing_to_draw_leaves_the_axes(void **unused)
{
    (void)unused;
    const double none[] = {NAN, NAN};
    for (size_t n = 0; n <= 2; n++) {
        char path[16];
        char *svg = draw(none, n);
        path_of(path, sizeof path, svg, "line line-0");
        assert_string_equal(path, "");
        assert_non_null(strstr(svg, "class=\"frame\""));
        assert_null(strstr(svg, "nan"));
        free(svg);
    }
}

static void a_constant_has_axes_too(void **unused)
{
    (void)unused;
    const double values[] = {0, 1, -1e-300, 1e299, 1e-320};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        int x[2], y[2];
        char path[256];
        char *svg = draw((const double[]){values[i], values[i]}, 2);
        path_of(path, sizeof path, svg, "line line-0");
        assert_int_equal(sscanf(path, "M%d,%dL%d,%d", &x[0], &y[0], &x[1], &y[1]), 4);
        assert_int_equal(y[0], y[1]);
        assert_in_range(y[0], 1000, 1400);
        assert_null(strstr(svg, "inf"));
        free(svg);
    }
}

static void decades_are_equal_on_a_logarithmic_axis(void **unused)
{
    (void)unused;
    int x[3], y[3];
    char path[256];
    char *svg = draw_on((const double[]){2e-9, 2e-7, 2e-5}, 3, true);
    path_of(path, sizeof path, svg, "line line-0");
    assert_int_equal(sscanf(path, "M%d,%dL%d,%dL%d,%d", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]),
                     6);
    assert_in_range(2 * y[1] - y[0] - y[2] + 1, 0, 2);
    /* From 1e-9 to 1e-4: five decades between 2050 and 280, of which the line takes four. */
    assert_int_equal(y[0] - y[2], 1416);
    assert_non_null(strstr(svg, ">10\xe2\x81\xbb\xe2\x81\xb9<"));
    free(svg);
}

static void what_has_no_logarithm_leaves_a_gap(void **unused)
{
    (void)unused;
    char path[256];
    char *svg = draw_on((const double[]){0, 1, 10, -1, 1e-310, 100, 10}, 7, true);
    path_of(path, sizeof path, svg, "line line-0");
    assert_int_equal(count(path, 'M'), 2);
    assert_int_equal(count(path, 'L'), 2);
    free(svg);
    /* Where there is nothing else the axis is linear. */
    svg = draw_on((const double[]){0, 0}, 2, true);
    path_of(path, sizeof path, svg, "line line-0");
    assert_int_equal(count(path, 'L'), 1);
    free(svg);
}

static void one_value_has_a_decade(void **unused)
{
    (void)unused;
    const double values[] = {1, 10, 3e-7, 1e-299, 9e299};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        int x, y;
        char path[256];
        char *svg = draw_on(&values[i], 1, true);
        path_of(path, sizeof path, svg, "line line-0");
        assert_int_equal(sscanf(path, "M%d,%dh0", &x, &y), 2);
        assert_in_range(y, 280, 2050);
        free(svg);
    }
}

static void long_tables_keep_their_extremes(void **unused)
{
    (void)unused;
    double y[4096];
    char *path, *svg;
    for (size_t i = 0; i < 4096; i++)
        y[i] = i == 1234 ? 10 : i == 2345 ? -10 : 0.1 * (double)(i % 7);
    svg = draw(y, 4096);
    path = malloc(strlen(svg));
    assert_non_null(path);
    path_of(path, strlen(svg), svg, "line line-0");
    assert_true(count(path, 'L') < 2000);
    /* The range is 20 wide with 6 % to spare on both sides; 280 is the top, 2050 the bottom. */
    int top = 280 + (int)lround(1770 * 0.06 / 1.12), bottom = 280 + 2050 - top;
    char wanted[16];
    snprintf(wanted, sizeof wanted, ",%dL", top);
    assert_non_null(strstr(path, wanted));
    snprintf(wanted, sizeof wanted, ",%dL", bottom);
    assert_non_null(strstr(path, wanted));
    free(path);
    free(svg);
}

static char *draw_bars(const double (*rows)[3], size_t n)
{
    oct_text text = {0};
    char *out;
    oct_plot_bars(&text, &(oct_plot){.title = "bars",
                                     .x_name = "speed",
                                     .n = n,
                                     .stride = 3,
                                     .x = &rows[0][0],
                                     .y = {&rows[0][1], &rows[0][2]}});
    assert_int_equal(oct_text_take(&out, &text), OCT_STATUS_OK);
    return out;
}

static void bars_stand_between_their_edges(void **unused)
{
    (void)unused;
    const double rows[][3] = {{0, 1, 0}, {1, 2, 5}, {2, 3, 10}, {3, 4, NAN}};
    int a[5], b[5];
    char path[256];
    char *svg = draw_bars(rows, 4);
    path_of(path, sizeof path, svg, "bar");
    assert_int_equal(sscanf(path, "M%d,%dV%dH%dV%dzM%d,%dV%dH%dV%dz", &a[0], &a[1], &a[2], &a[3],
                            &a[4], &b[0], &b[1], &b[2], &b[3], &b[4]),
                     10);
    assert_int_equal(count(path, 'z'), 2);
    assert_int_equal(a[3], b[0]);
    assert_int_equal(a[3] - a[0], b[3] - b[0]);
    assert_in_range(2 * (a[1] - a[2]) - (b[1] - b[2]) + 1, 0, 2);
    free(svg);
}

static void wide_bars_have_a_logarithmic_axis(void **unused)
{
    (void)unused;
    const double rows[][3] = {{1e-4, 1e-2, 1}, {1e-2, 1, 1}, {1, 1e9, 0}};
    int a[5], b[5];
    char path[256];
    char *svg = draw_bars(rows, 3);
    path_of(path, sizeof path, svg, "bar");
    assert_int_equal(sscanf(path, "M%d,%dV%dH%dV%dzM%d,%dV%dH%dV%dz", &a[0], &a[1], &a[2], &a[3],
                            &a[4], &b[0], &b[1], &b[2], &b[3], &b[4]),
                     10);
    assert_int_equal(a[3] - a[0], b[3] - b[0]);
    free(svg);
    svg = draw_bars(rows, 0);
    path_of(path, sizeof path, svg, "bar");
    assert_string_equal(path, "");
    free(svg);
}

static void numbers_are_short(void **unused)
{
    (void)unused;
    oct_text text = {0};
    const double values[] = {0.1, -1.0 / 3, 1.23456e-7, 48, NAN};
    for (size_t i = 0; i < 5; i++) {
        oct_plot_number(&text, values[i], 4);
        oct_text_add(&text, " ");
    }
    assert_string_equal(text.data, "0.1 -0.3333 1.235e-07 48 nan ");
    oct_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_and_inside),
        cmocka_unit_test(ticks_of_large_and_small_numbers_share_a_power),
        cmocka_unit_test(ticks_that_differ_in_late_digits_share_an_offset),
        cmocka_unit_test(a_line_goes_through_its_points),
        cmocka_unit_test(what_is_no_number_leaves_a_gap),
        cmocka_unit_test(nothing_to_draw_leaves_the_axes),
        cmocka_unit_test(a_constant_has_axes_too),
        cmocka_unit_test(decades_are_equal_on_a_logarithmic_axis),
        cmocka_unit_test(what_has_no_logarithm_leaves_a_gap),
        cmocka_unit_test(one_value_has_a_decade),
        cmocka_unit_test(long_tables_keep_their_extremes),
        cmocka_unit_test(bars_stand_between_their_edges),
        cmocka_unit_test(wide_bars_have_a_logarithmic_axis),
        cmocka_unit_test(numbers_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
