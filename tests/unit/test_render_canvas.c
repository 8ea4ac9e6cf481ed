/* Shapes cover the area that they should. */
#include "render/canvas.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const oct_rgb black = {0, 0, 0}, white = {1, 1, 1};

/* Light in the whole picture, in pixels of white. */
static double light(const oct_canvas *canvas)
{
    double sum = 0;
    for (int i = 0; i < canvas->width * canvas->height; i++)
        sum += (double)canvas->pixels[i].g;
    return sum;
}

static double at(const oct_canvas *canvas, int x, int y)
{
    return (double)canvas->pixels[y * canvas->width + x].g;
}

static void a_disc_covers_its_area(void **state)
{
    (void)state;
    const double radii[] = {0.3, 0.5, 1, 2.5, 7.3};
    for (size_t i = 0; i < 5; i++) {
        oct_canvas canvas;
        assert_int_equal(oct_canvas_init(&canvas, 40, 40, black), OCT_STATUS_OK);
        oct_canvas_disc(&canvas, 20.3, 19.6, radii[i], white, 1);
        double area = acos(-1.0) * radii[i] * radii[i];
        /* Measured over all places in a pixel: 12 % up to a radius of 0.7, 0.7 % from 2.5 on. */
        assert_true(fabs(light(&canvas) / area - 1) < (radii[i] < 2 ? 0.15 : 0.015));
        oct_canvas_clear(&canvas);
    }
}

static void rows_are_bytes_of_srgb(void **state)
{
    (void)state;
    oct_canvas canvas;
    unsigned char row[12];
    assert_int_equal(oct_canvas_init(&canvas, 4, 2, oct_rgb_hex(0x0c0f15)), OCT_STATUS_OK);
    oct_canvas_blend(&canvas, 1, 1, oct_rgb_hex(0xfe8001), 1);
    oct_canvas_row(row, &canvas, 1);
    assert_memory_equal(row, "\x0c\x0f\x15\xfe\x80\x01\x0c\x0f\x15\x0c\x0f\x15", 12);
    oct_canvas_clear(&canvas);
}

static void a_line_has_its_width_and_ends(void **state)
{
    (void)state;
    oct_canvas canvas;
    assert_int_equal(oct_canvas_init(&canvas, 60, 20, black), OCT_STATUS_OK);
    oct_canvas_line(&canvas, 10, 10.5, 50, 10.5, 3, white, 1);
    assert_true(at(&canvas, 30, 9) > 0.999 && at(&canvas, 30, 11) > 0.999);
    assert_true(at(&canvas, 30, 8) < 0.001 && at(&canvas, 30, 12) < 0.001);
    /* 40 x 3 and two half discs; measured 0.2 % off. */
    assert_true(fabs(light(&canvas) / (120 + acos(-1.0) * 2.25) - 1) < 0.01);
    oct_canvas_clear(&canvas);
}

static void a_rectangle_covers_parts_of_pixels(void **state)
{
    (void)state;
    oct_canvas canvas;
    assert_int_equal(oct_canvas_init(&canvas, 10, 10, black), OCT_STATUS_OK);
    oct_canvas_rectangle(&canvas, 2.25, 3, 5.5, 6.75, white, 1);
    assert_true(fabs(light(&canvas) - 3.25 * 3.75) < 1e-5);
    assert_true(fabs(at(&canvas, 2, 4) - 0.75) < 1e-6);
    oct_canvas_clear(&canvas);
}

static void crossing_strokes_are_no_brighter(void **state)
{
    (void)state;
    oct_canvas canvas;
    const oct_stroke_point cross[] = {
        {2, 10.5, true}, {18, 10.5, false}, {10.5, 2, true}, {10.5, 18, false}};
    assert_int_equal(oct_canvas_init(&canvas, 20, 20, black), OCT_STATUS_OK);
    oct_canvas_strokes(&canvas, cross, 4, 3, white, 0.5);
    assert_true(fabs(at(&canvas, 10, 10) - 0.5) < 1e-6);
    assert_true(fabs(at(&canvas, 5, 10) - 0.5) < 1e-6);
    /* The pen was lifted between the two strokes. */
    assert_true(at(&canvas, 15, 5) < 1e-6);
    oct_canvas_clear(&canvas);
}

static void drawing_stays_inside_the_clip(void **state)
{
    (void)state;
    oct_canvas canvas;
    assert_int_equal(oct_canvas_init(&canvas, 30, 30, black), OCT_STATUS_OK);
    oct_canvas_clip(&canvas, 10, 12, 20, 22);
    oct_canvas_disc(&canvas, 15, 15, 1e9, white, 1);
    oct_canvas_line(&canvas, -1e12, 5, 1e12, 5, 4, white, 1);
    assert_true(fabs(light(&canvas) - 100) < 1e-3);
    const int outside[][2] = {{9, 15}, {20, 15}, {15, 11}, {15, 22}, {-1, 15}, {15, 99}};
    for (size_t i = 0; i < 6; i++)
        oct_canvas_blend(&canvas, outside[i][0], outside[i][1], white, 1);
    assert_true(fabs(light(&canvas) - 100) < 1e-3);
    oct_canvas_glow(&canvas, 9, 11, 3, white, 1);
    assert_true(at(&canvas, 9, 11) == 0 && at(&canvas, 10, 12) > 1.5);
    oct_canvas_clear(&canvas);
}

static void srgb_goes_there_and_back(void **state)
{
    (void)state;
    for (int i = 0; i <= 255; i++)
        assert_int_equal(lrint(255 * oct_srgb_encode(oct_srgb_decode(i / 255.0))), i);
    assert_true(fabs(oct_srgb_encode(0.2140411) - 0.5) < 1e-6);
    assert_true(fabs(oct_srgb_encode(7) - 1) < 1e-12 && oct_srgb_encode(-1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disc_covers_its_area),
        cmocka_unit_test(rows_are_bytes_of_srgb),
        cmocka_unit_test(a_line_has_its_width_and_ends),
        cmocka_unit_test(a_rectangle_covers_parts_of_pixels),
        cmocka_unit_test(crossing_strokes_are_no_brighter),
        cmocka_unit_test(drawing_stays_inside_the_clip),
        cmocka_unit_test(srgb_goes_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
