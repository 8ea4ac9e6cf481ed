/* Widths of the standard fonts. */
#include "render/helvetica.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void widths_are_those_of_the_font(void **state)
{
    (void)state;
    /* Added up by hand from the font's metrics, in thousandths: O 778, c 500, t 278, a and n 556; a
     * digit 556; ü 556 as u, é 556 as e; … 1000. */
    static const struct {
        const char *text;
        double width;
    } cases[] = {{"Octant", 2946},           {"0123456789", 5560},   {"", 0},
                 {"\xc3\xbc\xc3\xa9", 1112}, {"\xe2\x80\xa6", 1000}, {"x / m", 2167}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_true(fabs(oct_type_width(cases[i].text, 1000) - cases[i].width) < 1e-9);
    /* m is 833: x, space, slash, space and m are 500 + 278 + 278 + 278 + 833. */
    assert_true(fabs(oct_type_capital(1000) - 718) < 1e-9);
}

static void every_sign_is_set_somehow(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        oct_type_font font;
        unsigned char byte;
        int rise; /* above, on or below the line */
    } cases[] = {{"A", OCT_TYPE_HELVETICA, 'A', 0},
                 {"\xc2\xb5", OCT_TYPE_HELVETICA, 0xb5, 0},
                 {"\xc2\xb2", OCT_TYPE_HELVETICA, '2', 1},
                 {"\xe2\x81\xb6", OCT_TYPE_HELVETICA, '6', 1},
                 {"\xe2\x81\xbb", OCT_TYPE_SYMBOL, 0x2d, 1},
                 {"\xe2\x88\x92", OCT_TYPE_SYMBOL, 0x2d, 0},
                 {"\xce\xa9", OCT_TYPE_SYMBOL, 'W', 0},
                 {"\xe2\x8a\x95", OCT_TYPE_SYMBOL, 0xc5, -1},
                 {"\xe2\x98\x89", OCT_TYPE_STROKES, 0, -1},
                 {"\xe4\xb8\xad", OCT_TYPE_STROKES, 0, 0},
                 {"\xe2\x80\x89", OCT_TYPE_HELVETICA, ' ', 0},
                 {"\n", OCT_TYPE_STROKES, 0, 0},
                 {"\xff", OCT_TYPE_HELVETICA, 0xff, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *at = cases[i].text;
        oct_type_sign sign = oct_type_next(&at);
        assert_int_equal(sign.font, cases[i].font);
        if (sign.font != OCT_TYPE_STROKES)
            assert_int_equal(sign.byte, cases[i].byte);
        assert_int_equal((sign.rise > 0) - (sign.rise < 0), cases[i].rise);
        assert_true(sign.advance > 0 && sign.advance < 1.1);
        assert_int_equal(*at, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_are_those_of_the_font),
        cmocka_unit_test(every_sign_is_set_somehow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
