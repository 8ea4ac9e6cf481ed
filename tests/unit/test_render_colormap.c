/* Colour maps: even in lightness, without jumps. */
#include "render/colormap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES = 64 };

static double lightness_at(const oct_colormap *map, int sample)
{
    return oct_rgb_lightness(oct_colormap_at(map, sample / (double)SAMPLES));
}

static void lightness_rises_evenly(void **state)
{
    (void)state;
    for (size_t k = 0; oct_render_map(k) != NULL; k++) {
        oct_colormap map;
        assert_int_equal(oct_colormap_init(&map, oct_render_map(k), OCT_THEME_DARK), OCT_STATUS_OK);
        bool diverging = oct_colormap_diverging(oct_render_map(k));
        double least = INFINITY, most = 0;
        for (int i = 0; i < SAMPLES; i++) {
            double step = lightness_at(&map, i + 1) - lightness_at(&map, i);
            /* A diverging map falls in its second half. */
            step = diverging && i >= SAMPLES / 2 ? -step : step;
            least = fmin(least, step);
            most = fmax(most, step);
        }
        /* Measured: the steps of each map are within a factor 1.0013 of each other. */
        if (!(least > 0 && most < 1.01 * least))
            fail_msg("%s: steps of L* from %g to %g", oct_render_map(k), least, most);
    }
}

static void sequential_maps_go_from_dark_to_bright(void **state)
{
    (void)state;
    int sequential = 0, diverging = 0;
    for (size_t k = 0; oct_render_map(k) != NULL; k++) {
        oct_colormap map;
        assert_int_equal(oct_colormap_init(&map, oct_render_map(k), OCT_THEME_DARK), OCT_STATUS_OK);
        if (oct_colormap_diverging(oct_render_map(k))) {
            diverging++;
            continue;
        }
        sequential++;
        assert_true(lightness_at(&map, 0) < 5 && lightness_at(&map, SAMPLES) > 90);
    }
    assert_true(sequential >= 5 && diverging >= 1);
}

static void on_white_maps_go_from_white_to_dark(void **state)
{
    (void)state;
    for (size_t k = 0; oct_render_map(k) != NULL; k++) {
        oct_colormap light, dark;
        const char *name = oct_render_map(k);
        assert_int_equal(oct_colormap_init(&light, name, OCT_THEME_LIGHT), OCT_STATUS_OK);
        assert_int_equal(oct_colormap_init(&dark, name, OCT_THEME_DARK), OCT_STATUS_OK);
        if (oct_colormap_diverging(name)) {
            assert_memory_equal(&light, &dark, sizeof light);
            continue;
        }
        double end = lightness_at(&dark, 0);
        for (int i = 0; i <= SAMPLES; i++) {
            double line = 100 + (end - 100) * i / SAMPLES;
            /* Measured: 0.003. */
            assert_true(fabs(lightness_at(&light, i) - line) < 0.02);
        }
    }
}

static void colours_change_without_jumps(void **state)
{
    (void)state;
    for (size_t k = 0; oct_render_map(k) != NULL; k++) {
        oct_colormap map;
        assert_int_equal(oct_colormap_init(&map, oct_render_map(k), OCT_THEME_DARK), OCT_STATUS_OK);
        for (int i = 1; i < OCT_COLORMAP_SIZE; i++) {
            oct_rgb a = map.colours[i - 1], b = map.colours[i];
            double jump = fmax(fabs(oct_srgb_encode((double)a.r) - oct_srgb_encode((double)b.r)),
                               fabs(oct_srgb_encode((double)a.b) - oct_srgb_encode((double)b.b)));
            /* Measured: at most 2.1 of 255 from one of the 512 entries to the next. */
            if (!(jump < 4.0 / 255))
                fail_msg("%s jumps by %g of 255 at %d", oct_render_map(k), 255 * jump, i);
        }
    }
}

static void ends_are_clamped(void **state)
{
    (void)state;
    oct_colormap map;
    assert_int_equal(oct_colormap_init(&map, "grey", OCT_THEME_DARK), OCT_STATUS_OK);
    oct_rgb below = oct_colormap_at(&map, -3), first = map.colours[0];
    oct_rgb above = oct_colormap_at(&map, 3), last = map.colours[OCT_COLORMAP_SIZE - 1];
    assert_memory_equal(&below, &first, sizeof first);
    assert_true(fabsf(above.r - last.r) < 1e-6f);
}

static void trimming_drops_the_dark_end(void **state)
{
    (void)state;
    oct_colormap map;
    assert_int_equal(oct_colormap_init(&map, "grey", OCT_THEME_DARK), OCT_STATUS_OK);
    double lowest = lightness_at(&map, 0), highest = lightness_at(&map, SAMPLES);
    oct_colormap_trim(&map, 0.25);
    /* Measured: 1e-3 off, from interpolating in linear light. */
    assert_true(fabs(lightness_at(&map, 0) - (0.75 * lowest + 0.25 * highest)) < 0.02);
    assert_true(fabs(lightness_at(&map, SAMPLES) - highest) < 1e-3);
}

static void an_unknown_name_is_refused_with_the_nearest(void **state)
{
    (void)state;
    oct_colormap map;
    assert_int_equal(oct_colormap_init(&map, "embers", OCT_THEME_DARK), OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), "embers"));
    assert_non_null(strstr(oct_last_error(), "`ember`"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lightness_rises_evenly),
        cmocka_unit_test(sequential_maps_go_from_dark_to_bright),
        cmocka_unit_test(on_white_maps_go_from_white_to_dark),
        cmocka_unit_test(colours_change_without_jumps),
        cmocka_unit_test(ends_are_clamped),
        cmocka_unit_test(trimming_drops_the_dark_end),
        cmocka_unit_test(an_unknown_name_is_refused_with_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
