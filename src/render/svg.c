/* Pictures as SVG. */
#include <string.h>

#include "render/font.h"
#include "render/png.h"
#include "render/sheet.h"

enum { STOPS = 64 }; /* colours of a scale, which are as good as all of them */

static void add_base64(oct_text *out, const oct_text *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes->length; i += 3) {
        unsigned group = 0;
        size_t count = bytes->length - i < 3 ? bytes->length - i : 3;
        for (size_t k = 0; k < 3; k++)
            group = group << 8 | (k < count ? (unsigned char)bytes->data[i + k] : 0u);
        char four[4];
        for (unsigned k = 0; k < 4; k++)
            four[k] = k <= count ? digits[group >> (18 - 6 * k) & 63] : '=';
        oct_text_add_bytes(out, four, 4);
    }
}

/* name="1.5", with a space before it. */
static void add_value(oct_text *out, const char *name, double value)
{
    oct_text_add(out, " %s=\"", name);
    oct_sheet_number(out, value);
    oct_text_add(out, "\"");
}

static void add_colour(oct_text *out, const char *name, oct_rgb colour)
{
    unsigned char c[3];
    oct_sheet_colour(c, colour);
    oct_text_add(out, " %s=\"#%02x%02x%02x\"", name, c[0], c[1], c[2]);
}

static void add_box(oct_text *out, double left, double top, double right, double bottom)
{
    add_value(out, "x", left);
    add_value(out, "y", top);
    add_value(out, "width", right - left);
    add_value(out, "height", bottom - top);
}

static void add_image(oct_text *out, const oct_sheet *sheet, const oct_text *png)
{
    const int *plot = sheet->plot;
    oct_text_add(out, "<image");
    add_box(out, plot[0], plot[1], plot[2], plot[3]);
    oct_text_add(out, " xlink:href=\"data:image/png;base64,");
    add_base64(out, png);
    oct_text_add(out, "\"/>\n");
}

static void add_scale(oct_text *out, const oct_mark *mark, size_t index)
{
    oct_text_add(out, "<linearGradient id=\"scale%zu\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">\n",
                 index);
    for (int i = 0; i <= STOPS; i++) {
        double at = (double)i / STOPS;
        oct_text_add(out, "<stop");
        add_value(out, "offset", at);
        add_colour(out, "stop-color", oct_colormap_at(mark->map, at));
        oct_text_add(out, "/>\n");
    }
    oct_text_add(out, "</linearGradient>\n<rect");
    add_box(out, mark->x0, mark->y0, mark->x1, mark->y1);
    oct_text_add(out, " fill=\"url(#scale%zu)\"/>\n", index);
}

/* Adds what XML 1.0 takes of a text: most control characters are not allowed even as references,
 * and no byte outside UTF-8 is. */
static void add_escaped(oct_text *out, const char *from, size_t length, unsigned code)
{
    char sign[8] = {0};
    bool whole = length > 1 || code < 0x80;
    bool printed = code >= ' ' && code != 0x7f && code != 0xfffe && code != 0xffff &&
                   (code < 0xd800 || (code > 0xdfff && code <= 0x10ffff));
    if (!whole || !printed) {
        oct_text_add(out, "\xef\xbf\xbd"); /* the sign for what cannot be shown */
        return;
    }
    memcpy(sign, from, length);
    oct_text_add_html(out, sign);
}

/* Superscripts are raised digits: few fonts have them all. The signs of the Sun and the Earth only
 * ever stand below an M. */
static void add_signs(oct_text *out, const char *text, double size)
{
    double shift = 0;
    while (*text) {
        const char *from = text;
        unsigned code = oct_font_code(&text), base = oct_font_superscript(code);
        bool below = code == 0x2609 || code == 0x2295;
        double wanted = base ? -0.33 * size : below ? 0.13 * size : 0;
        if (wanted != shift || base || below) {
            oct_text_add(out, "<tspan");
            add_value(out, "dy", wanted - shift);
            if (base || below)
                add_value(out, "font-size", (base ? 0.62 : 0.7) * size);
            oct_text_add(out, ">");
        }
        if (base == 0x2212)
            oct_text_add(out, "\xe2\x88\x92");
        else if (base)
            oct_text_add(out, "%c", (int)base);
        else
            add_escaped(out, from, (size_t)(text - from), code);
        if (wanted != shift || base || below)
            oct_text_add(out, "</tspan>");
        shift = wanted;
    }
}

static void add_text(oct_text *out, const oct_mark *mark)
{
    const oct_font_style *style = &mark->style;
    const char *anchor = style->anchor > 0.75 ? "end" : style->anchor > 0.25 ? "middle" : "start";
    oct_text_add(out, "<text");
    add_value(out, "x", mark->x0);
    add_value(out, "y", mark->y0);
    add_value(out, "font-size", style->size);
    oct_text_add(out, " text-anchor=\"%s\"", anchor);
    add_colour(out, "fill", style->colour);
    if (style->upwards) {
        oct_text_add(out, " transform=\"rotate(-90 ");
        oct_sheet_number(out, mark->x0);
        oct_text_add(out, " ");
        oct_sheet_number(out, mark->y0);
        oct_text_add(out, ")\"");
    }
    oct_text_add(out, ">");
    add_signs(out, mark->text, style->size);
    oct_text_add(out, "</text>\n");
}

static void add_line(oct_text *out, const oct_mark *mark)
{
    oct_text_add(out, "<line");
    add_value(out, "x1", mark->x0);
    add_value(out, "y1", mark->y0);
    add_value(out, "x2", mark->x1);
    add_value(out, "y2", mark->y1);
    add_value(out, "stroke-width", mark->width);
    add_colour(out, "stroke", mark->colour);
    oct_text_add(out, " stroke-linecap=\"round\"/>\n");
}

static void add_mark(oct_text *out, const oct_mark *mark, size_t index)
{
    switch (mark->kind) {
    case OCT_MARK_RECTANGLE:
        oct_text_add(out, "<rect");
        add_box(out, mark->x0, mark->y0, mark->x1, mark->y1);
        add_colour(out, "fill", mark->colour);
        add_value(out, "fill-opacity", mark->alpha);
        oct_text_add(out, "/>\n");
        break;
    case OCT_MARK_LINE:
        add_line(out, mark);
        break;
    case OCT_MARK_DISC:
        oct_text_add(out, "<circle");
        add_value(out, "cx", mark->x0);
        add_value(out, "cy", mark->y0);
        add_value(out, "r", mark->width);
        add_colour(out, "fill", mark->colour);
        oct_text_add(out, "/>\n");
        break;
    case OCT_MARK_SCALE:
        add_scale(out, mark, index);
        break;
    case OCT_MARK_TEXT:
        add_text(out, mark);
        break;
    }
}

oct_status oct_svg_encode(oct_text *out, const oct_sheet *sheet)
{
    oct_text png = {0};
    int width = sheet->canvas->width, height = sheet->canvas->height;
    OCT_TRY(oct_png_encode(&png, sheet->canvas, sheet->plot));
    oct_text_add(out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                 "xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\" width=\"%d\" "
                 "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, 'Liberation "
                 "Sans', 'DejaVu Sans', sans-serif\" style=\"white-space:pre\" "
                 "xml:space=\"preserve\">\n<title>",
                 width, height, width, height);
    for (const char *c = sheet->title, *next = c; *c; c = next) {
        unsigned code = oct_font_code(&next);
        add_escaped(out, c, (size_t)(next - c), code);
    }
    oct_text_add(out, "</title>\n<rect");
    add_box(out, 0, 0, width, height);
    add_colour(out, "fill", sheet->page);
    oct_text_add(out, "/>\n");
    add_image(out, sheet, &png);
    oct_text_clear(&png);
    for (size_t i = 0; i < sheet->drawing->count; i++)
        add_mark(out, &sheet->drawing->marks[i], i);
    oct_text_add(out, "</svg>\n");
    return OCT_STATUS_OK;
}
