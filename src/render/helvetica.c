/* Widths of Helvetica's and Symbol's signs, and which font has which. */
#include "render/helvetica.h"

#include <stddef.h>

#include "render/font.h"

#define CAPITAL 0.718 /* of the size */

/* Widths in thousandths of the size, from Adobe's metrics of the standard fonts. */
static const short ascii[] = {
    278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, /* space */
    556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, /* 0 */
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, /* @ */
    667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, /* P */
    333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, /* ` */
    556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,      /* p */
};
static const short latin[] = {
    278, 333, 556, 556, 556, 556, 260,  556, 333, 737, 370, 556, 584, 333, 737, 333, /* U+00A0 */
    400, 584, 333, 333, 333, 556, 537,  278, 333, 333, 365, 556, 834, 834, 834, 611, /* U+00B0 */
    667, 667, 667, 667, 667, 667, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278, /* U+00C0 */
    722, 722, 778, 778, 778, 778, 778,  584, 778, 722, 722, 722, 722, 667, 667, 611, /* U+00D0 */
    556, 556, 556, 556, 556, 556, 889,  500, 556, 556, 556, 556, 278, 278, 278, 278, /* U+00E0 */
    556, 556, 556, 556, 556, 556, 556,  584, 611, 556, 556, 556, 556, 500, 556, 500, /* U+00F0 */
};

typedef struct odd_sign {
    unsigned code;
    unsigned char byte;
    short width;
} odd_sign;

/* What else WinAnsiEncoding has. */
static const odd_sign others[] = {
    {0x0152, 0x8c, 1000}, {0x0153, 0x9c, 944},  {0x0160, 0x8a, 667},  {0x0161, 0x9a, 500},
    {0x0178, 0x9f, 667},  {0x017d, 0x8e, 611},  {0x017e, 0x9e, 500},  {0x0192, 0x83, 556},
    {0x2013, 0x96, 556},  {0x2014, 0x97, 1000}, {0x2018, 0x91, 222},  {0x2019, 0x92, 222},
    {0x201c, 0x93, 333},  {0x201d, 0x94, 333},  {0x2020, 0x86, 556},  {0x2022, 0x95, 350},
    {0x2026, 0x85, 1000}, {0x20ac, 0x80, 556},  {0x2122, 0x99, 1000},
};

static const odd_sign symbols[] = {
    {0x0391, 'A', 722},  {0x0392, 'B', 667},  {0x0393, 'G', 603},  {0x0394, 'D', 612},
    {0x0395, 'E', 611},  {0x0396, 'Z', 611},  {0x0397, 'H', 722},  {0x0398, 'Q', 741},
    {0x0399, 'I', 333},  {0x039a, 'K', 722},  {0x039b, 'L', 686},  {0x039c, 'M', 889},
    {0x039d, 'N', 722},  {0x039e, 'X', 645},  {0x039f, 'O', 722},  {0x03a0, 'P', 768},
    {0x03a1, 'R', 556},  {0x03a3, 'S', 592},  {0x03a4, 'T', 611},  {0x03a5, 'U', 690},
    {0x03a6, 'F', 763},  {0x03a7, 'C', 722},  {0x03a8, 'Y', 795},  {0x03a9, 'W', 768},
    {0x03b1, 'a', 631},  {0x03b2, 'b', 549},  {0x03b3, 'g', 411},  {0x03b4, 'd', 494},
    {0x03b5, 'e', 439},  {0x03b6, 'z', 494},  {0x03b7, 'h', 603},  {0x03b8, 'q', 521},
    {0x03b9, 'i', 329},  {0x03ba, 'k', 549},  {0x03bb, 'l', 549},  {0x03bc, 'm', 576},
    {0x03bd, 'n', 521},  {0x03be, 'x', 493},  {0x03bf, 'o', 549},  {0x03c0, 'p', 549},
    {0x03c1, 'r', 549},  {0x03c2, 'V', 439},  {0x03c3, 's', 603},  {0x03c4, 't', 439},
    {0x03c5, 'u', 576},  {0x03c6, 'f', 521},  {0x03c7, 'c', 549},  {0x03c8, 'y', 686},
    {0x03c9, 'w', 686},  {0x2126, 'W', 768},  {0x2192, 0xae, 987}, {0x2202, 0xb6, 494},
    {0x2212, 0x2d, 549}, {0x221a, 0xd6, 549}, {0x221d, 0xb5, 713}, {0x221e, 0xa5, 713},
    {0x223c, 0x7e, 549}, {0x2248, 0xbb, 549}, {0x2260, 0xb9, 549}, {0x2264, 0xa3, 549},
    {0x2265, 0xb3, 549}, {0x2295, 0xc5, 768},
};

static const odd_sign *find(const odd_sign *list, size_t count, unsigned code)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].code == code)
            return &list[i];
    return NULL;
}

/* Puts the font, the byte and the width of the sign's base. */
static void set(oct_type_sign *sign)
{
    unsigned code = sign->base;
    const odd_sign *other = find(others, sizeof others / sizeof others[0], code);
    const odd_sign *symbol = find(symbols, sizeof symbols / sizeof symbols[0], code);
    sign->byte = (unsigned char)code;
    if (code >= ' ' && code <= '~') {
        sign->advance = ascii[code - ' '] / 1000.0;
    } else if (code >= 0xa0 && code <= 0xff) {
        sign->advance = latin[code - 0xa0] / 1000.0;
    } else if (other) {
        sign->byte = other->byte;
        sign->advance = other->width / 1000.0;
    } else if (symbol) {
        sign->font = OCT_TYPE_SYMBOL;
        sign->byte = symbol->byte;
        sign->advance = symbol->width / 1000.0;
    } else {
        oct_stroke_point points[OCT_FONT_POINTS];
        sign->font = OCT_TYPE_STROKES;
        oct_font_strokes(points, &sign->advance, code);
        sign->advance *= CAPITAL;
    }
}

oct_type_sign oct_type_next(const char **text)
{
    unsigned code = oct_font_code(text), base = oct_font_superscript(code);
    oct_type_sign sign = {.code = code, .base = base ? base : code, .scale = 1};
    if (code == 0x2009) { /* a thin space */
        sign.base = ' ';
        sign.scale = 0.6;
    } else if (base) {
        sign.scale = 0.62;
        sign.rise = 0.33;
    } else if (code == 0x2609 || code == 0x2295) {
        sign.scale = 0.7;
        sign.rise = -0.13;
    }
    set(&sign);
    sign.advance *= sign.scale;
    return sign;
}

double oct_type_width(const char *text, double size)
{
    double width = 0;
    while (*text)
        width += oct_type_next(&text).advance;
    return width * size;
}

double oct_type_capital(double size)
{
    return CAPITAL * size;
}
