/* What surrounds a plot leaves it its shape. */
#include "render/plot_frame.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const oct_units si = {"si", true, 1, 1, 1, 6.6743e-11};

static oct_plot_frame frame_of(double extent, double rise)
{
    oct_plot_frame frame = {.units = si, .rise = rise};
    assert_int_equal(oct_view_init(&frame.view, 'z'), OCT_STATUS_OK);
    frame.view.extent = extent;
    return frame;
}

static bool has_text(const oct_drawing *drawing, const char *text)
{
    for (size_t i = 0; i < drawing->count; i++)
        if (drawing->marks[i].kind == OCT_MARK_TEXT && strcmp(drawing->marks[i].text, text) == 0)
            return true;
    return false;
}

static void a_plot_gets_the_shape_asked_for(void **state)
{
    (void)state;
    const double shapes[] = {0.1, 0.5, 1, 3, 10};
    for (size_t i = 0; i < 5; i++) {
        oct_plot_frame frame = frame_of(100 * shapes[i], 100), free = frame_of(100, 0);
        oct_plot_frame_layout(&frame, 900, 700, true);
        oct_plot_frame_layout(&free, 900, 700, true);
        const oct_view *view = &frame.view, *room = &free.view;
        /* To a pixel, in the middle of the room there is, and as large as that. */
        assert_true(fabs(view->width - shapes[i] * view->height) <= fmax(1, shapes[i]));
        assert_true(fabs(view->width - room->width) < 40 || view->height == room->height);
        assert_true(fabs(view->top - room->top - (room->height - view->height) / 2) <= 1);
        /* And a size that was chosen for the shape leaves no more than a few pixels. */
        int width = 1200, height = 1000;
        frame = frame_of(100 * shapes[i], 100);
        oct_plot_frame_size(&frame, &width, &height, true);
        oct_plot_frame_layout(&frame, width, height, true);
        oct_plot_frame_layout(&frame, width, height, true);
        assert_true(frame.pad[0] <= 2 && frame.pad[1] <= 2);
        assert_true(width % 2 == 0 && height % 2 == 0);
        assert_true(fabs(frame.view.width * frame.view.height / (959 * 852.0) - 1) < 0.05);
    }
}

static void a_colour_bar_has_two_labels_at_least(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        const char *labels[2];
    } cases[] = {{1, 1e4, {"100", "10\xe2\x81\xb4"}},
                 {150, 800, {"200", "500"}},
                 {3e6,
                  4e7,
                  {"5\xc3\x97"
                   "10\xe2\x81\xb6",
                   "10\xe2\x81\xb7"}},
                 {300, 340, {"310", "330"}},
                 {0.151, 0.1515, {"0.15120", "0.15140"}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        oct_colormap map;
        oct_drawing drawing = {0};
        oct_plot_frame frame = frame_of(100, 0);
        assert_int_equal(oct_colormap_init(&map, "grey", OCT_THEME_DARK), OCT_STATUS_OK);
        oct_plot_frame_layout(&frame, 900, 700, true);
        oct_plot_frame_bar bar = {
            .map = &map, .low = cases[i].low, .high = cases[i].high, .logarithmic = true};
        oct_plot_frame_colour_bar(&drawing, &frame, &bar);
        assert_false(drawing.failed);
        for (int k = 0; k < 2; k++)
            if (!has_text(&drawing, cases[i].labels[k]))
                fail_msg("from %g to %g there is no %s", bar.low, bar.high, cases[i].labels[k]);
        oct_drawing_clear(&drawing);
    }
}

static void a_narrow_plot_keeps_its_title(void **state)
{
    (void)state;
    oct_drawing drawing = {0};
    int width = 1200, height = 1000;
    oct_plot_frame frame = frame_of(10, 40);
    oct_plot_frame_size(&frame, &width, &height, true);
    oct_plot_frame_layout(&frame, width, height, true);
    oct_plot_frame_header(&drawing, &frame, "A title that is as long as many", "N = 3",
                          "t = 5.00 orbits");
    assert_true(has_text(&drawing, "A title that is as long as many"));
    for (size_t i = 0; i < drawing.count; i++) {
        const oct_mark *mark = &drawing.marks[i];
        double wide = oct_font_width(mark->text, mark->style.size);
        assert_true(mark->x0 - mark->style.anchor * wide >= 0);
        assert_true(mark->x0 + (1 - mark->style.anchor) * wide <= width);
    }
    oct_drawing_clear(&drawing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plot_gets_the_shape_asked_for),
        cmocka_unit_test(a_colour_bar_has_two_labels_at_least),
        cmocka_unit_test(a_narrow_plot_keeps_its_title),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
