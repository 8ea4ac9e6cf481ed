/* The stroke font: every sign there, as wide as it says. */
#include "render/font.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/face.h"

static const oct_rgb black = {0, 0, 0}, white = {1, 1, 1};

/* The columns and rows that text lights up. */
typedef struct ink {
    int left, right, top, bottom;
} ink;

static ink draw(const char *text, double x, double y, oct_font_style style)
{
    oct_canvas canvas;
    ink out = {400, -1, 400, -1};
    assert_int_equal(oct_canvas_init(&canvas, 400, 400, black), OCT_STATUS_OK);
    style.colour = white;
    style.alpha = 1;
    oct_font_draw(&canvas, text, x, y, &style);
    for (int j = 0; j < 400; j++)
        for (int i = 0; i < 400; i++)
            if (canvas.pixels[400 * j + i].g > 0.4f) {
                out.left = i < out.left ? i : out.left;
                out.right = i > out.right ? i : out.right;
                out.top = j < out.top ? j : out.top;
                out.bottom = j > out.bottom ? j : out.bottom;
            }
    oct_canvas_clear(&canvas);
    return out;
}

static void every_printable_character_has_a_glyph(void **state)
{
    (void)state;
    for (unsigned code = 32; code < 127; code++)
        assert_true(oct_font_has(code));
    const unsigned signs[] = {0xb5,   0x3bc,  0xd7,   0xb2,   0xb3,   0xb9,   0xb7,   0x2212,
                              0x2070, 0x2074, 0x2079, 0x207b, 0x2609, 0x2295, 0x2026, 0x2009};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        assert_true(oct_font_has(signs[i]));
    assert_false(oct_font_has(0x4e2d));
    for (char c = '!'; c < 127; c++) {
        ink seen = draw((const char[]){c, '\0'}, 200, 200, (oct_font_style){.size = 40});
        assert_true(seen.right >= seen.left);
    }
}

static void text_is_as_wide_as_it_says(void **state)
{
    (void)state;
    const char *const words[] = {"HH", "surface density", "10\xe2\x81\xbb\xc2\xb3", "x / AU"};
    for (size_t i = 0; i < 4; i++)
        for (double size = 12; size < 30; size += 5) {
            double width = oct_font_width(words[i], size);
            ink seen = draw(words[i], 30, 100, (oct_font_style){.size = size});
            /* A stroke has half its width on either side; measured: at most 3.0 pixels at 27. */
            assert_true(fabs(seen.right - seen.left - width) < 0.15 * size);
        }
    assert_true(oct_font_width("", 20) == 0);
    /* Digits have one width, so that labels do not dance. */
    for (char c = '1'; c <= '9'; c++)
        assert_true(oct_font_width((const char[]){c, '\0'}, 20) == oct_font_width("0", 20));
    assert_true(fabs(oct_font_width("mm", 50) / oct_font_width("mm", 25) - 2) < 1e-9);
}

static void anchors_place_text(void **state)
{
    (void)state;
    double width = oct_font_width("HOH", 20);
    ink left = draw("HOH", 200, 200, (oct_font_style){.size = 20});
    ink middle = draw("HOH", 200, 200, (oct_font_style){.size = 20, .anchor = 0.5});
    ink right = draw("HOH", 200, 200, (oct_font_style){.size = 20, .anchor = 1});
    assert_true(abs(left.left - 200) <= 1);
    assert_true(fabs(left.left - middle.left - 0.5 * width) <= 1);
    assert_true(abs(right.right - 200) <= 1);
    assert_int_equal(left.bottom, 200);
    assert_true(fabs(left.bottom - left.top - oct_font_capital(20)) <= 1);
}

static void turned_text_reads_upwards(void **state)
{
    (void)state;
    ink flat = draw("HOLE", 200, 200, (oct_font_style){.size = 20});
    ink turned = draw("HOLE", 200, 200, (oct_font_style){.size = 20, .upwards = true});
    assert_true(abs((turned.bottom - turned.top) - (flat.right - flat.left)) <= 1);
    assert_true(abs(turned.bottom - 200) <= 1);
    assert_true(turned.right <= 201 && turned.left < 190);
}

static void unknown_and_broken_text_is_shown_as_boxes(void **state)
{
    (void)state;
    double box = oct_font_width("\xe4\xb8\xad", 20);
    assert_true(box > 0);
    /* U+0441 looks like U+0041 to who loses the top bit of its first byte. */
    assert_true(oct_font_width("\xd1\x81", 20) == box);
    /* A cut-off sequence, a stray continuation and an impossible byte: one box each. */
    const char *const broken[] = {"\xe4", "\x80", "\xff"};
    for (size_t i = 0; i < 3; i++)
        assert_true(oct_font_width(broken[i], 20) == box);
}

static void long_text_is_shortened_between_characters(void **state)
{
    (void)state;
    char out[64];
    oct_face_shorten(out, sizeof out, OCT_FACE_STROKES, "short", 20, 500);
    assert_string_equal(out, "short");
    oct_face_shorten(out, sizeof out, OCT_FACE_STROKES,
                     "\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5", 20, 50);
    assert_true(oct_font_width(out, 20) <= 50);
    size_t length = strlen(out);
    assert_true(length > 5 && length % 2 == 1);
    assert_string_equal(out + length - 3, "\xe2\x80\xa6");
    oct_face_shorten(out, 8, OCT_FACE_STROKES, "a title that is too long for the buffer", 20, 1e9);
    assert_string_equal(out, "a ti\xe2\x80\xa6");
    oct_face_shorten(out, sizeof out, OCT_FACE_STROKES, "no room", 20, 0);
    assert_true(strlen(out) <= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_printable_character_has_a_glyph),
        cmocka_unit_test(text_is_as_wide_as_it_says),
        cmocka_unit_test(anchors_place_text),
        cmocka_unit_test(turned_text_reads_upwards),
        cmocka_unit_test(unknown_and_broken_text_is_shown_as_boxes),
        cmocka_unit_test(long_text_is_shortened_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
