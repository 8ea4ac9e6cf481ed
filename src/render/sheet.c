/* Numbers and colours as files of vectors write them. */
#include "render/sheet.h"

#include <math.h>

void oct_sheet_number(oct_text *out, double value)
{
    long long scaled = llround(fmin(fmax(value, -1e12), 1e12) * 1000);
    unsigned long long size = (unsigned long long)(scaled < 0 ? -scaled : scaled);
    unsigned fraction = (unsigned)(size % 1000);
    int digits = 3;
    oct_text_add(out, "%s%llu", scaled < 0 ? "-" : "", size / 1000);
    if (fraction == 0)
        return;
    while (fraction % 10 == 0) {
        fraction /= 10;
        digits--;
    }
    oct_text_add(out, ".%0*u", digits, fraction);
}

void oct_sheet_colour(unsigned char out[3], oct_rgb colour)
{
    out[0] = (unsigned char)lrint(255 * oct_srgb_encode((double)colour.r));
    out[1] = (unsigned char)lrint(255 * oct_srgb_encode((double)colour.g));
    out[2] = (unsigned char)lrint(255 * oct_srgb_encode((double)colour.b));
}
