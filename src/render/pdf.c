/* A page of PDF 1.4 (ISO 32000-1): the image is the compressed data of a PNG file as it is, since
 * FlateDecode knows the filters of PNG (section 7.4.4.4). */
#include <math.h>
#include <string.h>

#include "render/helvetica.h"
#include "render/png.h"
#include "render/sheet.h"

/* The objects of the file. Each scale has two more behind them: its shading and its colours. */
enum {
    CATALOG = 1,
    PAGES,
    PAGE,
    CONTENT,
    IMAGE,
    HELVETICA,
    SYMBOL,
    INFO,
    STATES,
    OBJECTS = STATES
};
enum { SAMPLES = 257, SCALES_MOST = 4, NUMBER_OF_ALPHAS = 101 };

typedef struct writer {
    oct_text *out;
    size_t start; /* of the file in the text */
    size_t offsets[OBJECTS + 2 * SCALES_MOST + 1];
    int objects;
} writer;

static void begin_object(writer *w, int number)
{
    w->offsets[number] = w->out->length - w->start;
    if (number > w->objects)
        w->objects = number;
    oct_text_add(w->out, "%d 0 obj\n", number);
}

static void add_stream(writer *w, const oct_text *data)
{
    oct_text_add(w->out, "/Length %zu >>\nstream\n", data->length);
    oct_text_add_bytes(w->out, data->data, data->length);
    oct_text_add(w->out, "\nendstream\nendobj\n");
}

/* Numbers with a space behind each. */
static void add_numbers(oct_text *out, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        oct_sheet_number(out, values[i]);
        oct_text_add(out, " ");
    }
}

#define ADD(out, ...)                                                                              \
    add_numbers(out, (const double[]){__VA_ARGS__},                                                \
                (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

static void add_colour(oct_text *out, oct_rgb colour, const char *operator)
{
    unsigned char c[3];
    oct_sheet_colour(c, colour);
    ADD(out, c[0] / 255.0, c[1] / 255.0, c[2] / 255.0);
    oct_text_add(out, "%s ", operator);
}

static void add_code(oct_text *out, unsigned code)
{
    if (code >= 0x10000)
        oct_text_add(out, "%04X%04X", 0xd800 + ((code - 0x10000) >> 10 & 0x3ff),
                     0xdc00 + (code & 0x3ff));
    else
        oct_text_add(out, "%04X", code);
}

/* A sign that no font has, at (x, y) along the text; strokes of a tenth of a capital's height. */
static void add_strokes(oct_text *out, const oct_type_sign *sign, double x, double y, double size)
{
    oct_stroke_point points[OCT_FONT_POINTS];
    double advanced, unit = oct_type_capital(size) * sign->scale;
    size_t count = oct_font_strokes(points, &advanced, sign->base);
    ADD(out, 0.1 * unit);
    oct_text_add(out, "w 1 J 1 j ");
    for (size_t i = 0; i < count; i++) {
        ADD(out, x + unit * points[i].x, y + unit * points[i].y);
        oct_text_add(out, i == 0 || points[i].start ? "m " : "l ");
    }
    oct_text_add(out, "S\n");
}

/* Signs that are set in the same way, one string; those that stand for others, as a small raised 2
 * stands for a superscript, tell readers that copy and search what was written. */
static const char *add_run(oct_text *out, const char *text, double *along, double size)
{
    static const char *const fonts[] = {"/F1", "/F2"};
    const char *end = text, *next = text;
    oct_type_sign first = oct_type_next(&next), sign = first;
    double start = *along;
    bool other = first.base != first.code || first.font == OCT_TYPE_STROKES;
    oct_text_add(out, "%s", other ? "/Span << /ActualText <FEFF" : "");
    do {
        if (other)
            add_code(out, sign.code);
        *along += sign.advance * size;
        end = next;
        sign = *next ? oct_type_next(&next) : (oct_type_sign){0};
    } while (*end && first.font != OCT_TYPE_STROKES && sign.font == first.font &&
             sign.scale == first.scale && sign.rise == first.rise &&
             (sign.base != sign.code) == other);
    oct_text_add(out, "%s", other ? "> >> BDC\n" : "");
    if (first.font == OCT_TYPE_STROKES) {
        add_strokes(out, &first, start, first.rise * size, size);
    } else {
        oct_text_add(out, "BT %s ", fonts[first.font]);
        ADD(out, first.scale * size);
        oct_text_add(out, "Tf ");
        ADD(out, start, first.rise * size);
        oct_text_add(out, "Td <");
        while (text < end)
            oct_text_add(out, "%02X", oct_type_next(&text).byte);
        oct_text_add(out, "> Tj ET\n");
    }
    oct_text_add(out, "%s", other ? "EMC\n" : "");
    return end;
}

static void add_text(oct_text *out, const oct_mark *mark)
{
    const oct_font_style *style = &mark->style;
    double along = -style->anchor * oct_type_width(mark->text, style->size);
    oct_text_add(out, "q ");
    if (style->upwards)
        ADD(out, 0, -1, -1, 0, mark->x0, mark->y0);
    else
        ADD(out, 1, 0, 0, -1, mark->x0, mark->y0);
    oct_text_add(out, "cm ");
    add_colour(out, style->colour, "rg");
    add_colour(out, style->colour, "RG");
    oct_text_add(out, "\n");
    for (const char *text = mark->text; *text;)
        text = add_run(out, text, &along, style->size);
    oct_text_add(out, "Q\n");
}

/* Four cubics (the usual 4 (sqrt(2) - 1) / 3 of the radius) around the centre. */
static void add_disc(oct_text *out, const oct_mark *mark)
{
    const double x = mark->x0, y = mark->y0, r = mark->width, k = 0.5522847498 * r;
    add_colour(out, mark->colour, "rg");
    ADD(out, x + r, y);
    oct_text_add(out, "m ");
    ADD(out, x + r, y + k, x + k, y + r, x, y + r);
    oct_text_add(out, "c ");
    ADD(out, x - k, y + r, x - r, y + k, x - r, y);
    oct_text_add(out, "c ");
    ADD(out, x - r, y - k, x - k, y - r, x, y - r);
    oct_text_add(out, "c ");
    ADD(out, x + k, y - r, x + r, y - k, x + r, y);
    oct_text_add(out, "c f\n");
}

/* The name of a state of the page with this alpha is /A0 to /A100. */
static int percent(double alpha)
{
    return (int)lrint(100 * fmin(fmax(alpha, 0), 1));
}

static void add_mark(oct_text *out, const oct_mark *mark, int scale)
{
    switch (mark->kind) {
    case OCT_MARK_RECTANGLE:
        oct_text_add(out, "q /A%d gs ", percent(mark->alpha));
        add_colour(out, mark->colour, "rg");
        ADD(out, mark->x0, mark->y0, mark->x1 - mark->x0, mark->y1 - mark->y0);
        oct_text_add(out, "re f Q\n");
        break;
    case OCT_MARK_LINE:
        add_colour(out, mark->colour, "RG");
        ADD(out, mark->width);
        oct_text_add(out, "w 1 J ");
        ADD(out, mark->x0, mark->y0);
        oct_text_add(out, "m ");
        ADD(out, mark->x1, mark->y1);
        oct_text_add(out, "l S\n");
        break;
    case OCT_MARK_DISC:
        add_disc(out, mark);
        break;
    case OCT_MARK_SCALE:
        oct_text_add(out, "q ");
        ADD(out, mark->x0, mark->y0, mark->x1 - mark->x0, mark->y1 - mark->y0);
        oct_text_add(out, "re W n ");
        ADD(out, 1, 0, 0, mark->y0 - mark->y1, mark->x0, mark->y1);
        oct_text_add(out, "cm /S%d sh Q\n", scale);
        break;
    case OCT_MARK_TEXT:
        add_text(out, mark);
        break;
    }
}

/* What the page shows, in pixels from its upper left corner. */
static void add_content(oct_text *out, const oct_sheet *sheet)
{
    const int *plot = sheet->plot;
    int width = sheet->canvas->width, height = sheet->canvas->height, scales = 0;
    ADD(out, 0.75, 0, 0, -0.75, 0, 0.75 * height);
    oct_text_add(out, "cm\n");
    add_colour(out, sheet->page, "rg");
    ADD(out, 0, 0, width, height);
    oct_text_add(out, "re f\nq ");
    ADD(out, plot[2] - plot[0], 0, 0, plot[1] - plot[3], plot[0], plot[3]);
    oct_text_add(out, "cm /Plot Do Q\n");
    for (size_t i = 0; i < sheet->drawing->count; i++) {
        const oct_mark *mark = &sheet->drawing->marks[i];
        bool scale = mark->kind == OCT_MARK_SCALE;
        if (!scale || scales < SCALES_MOST)
            add_mark(out, mark, scale ? scales++ : 0);
    }
}

/* The chunks of a PNG file that hold the pixels, one after another. */
static void add_pixels(oct_text *out, const oct_text *png)
{
    const unsigned char *at = (const unsigned char *)png->data + 8;
    const unsigned char *end = (const unsigned char *)png->data + png->length;
    while (end - at >= 12) {
        size_t length = (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
        if (memcmp(at + 4, "IDAT", 4) == 0)
            oct_text_add_bytes(out, (const char *)at + 8, length);
        at += 12 + length;
    }
}

static oct_status add_image(writer *w, const oct_sheet *sheet)
{
    const int *plot = sheet->plot;
    oct_text png = {0}, pixels = {0};
    oct_status status = oct_png_encode(&png, sheet->canvas, plot);
    if (status == OCT_STATUS_OK)
        add_pixels(&pixels, &png);
    begin_object(w, IMAGE);
    oct_text_add(
        w->out,
        "<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB\n"
        "/BitsPerComponent 8 /Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors 3\n"
        "/BitsPerComponent 8 /Columns %d >> ",
        plot[2] - plot[0], plot[3] - plot[1], plot[2] - plot[0]);
    add_stream(w, &pixels);
    if (png.failed || pixels.failed)
        w->out->failed = true;
    oct_text_clear(&png);
    oct_text_clear(&pixels);
    return status;
}

/* A scale's colours by a table of samples, from 0 below to 1 above. */
static void add_scale(writer *w, const oct_mark *mark, int scale)
{
    oct_text samples = {0};
    int number = OBJECTS + 1 + 2 * scale;
    for (int i = 0; i < SAMPLES; i++) {
        unsigned char c[3];
        oct_sheet_colour(c, oct_colormap_at(mark->map, i / (SAMPLES - 1.0)));
        oct_text_add_bytes(&samples, (const char *)c, 3);
    }
    begin_object(w, number);
    oct_text_add(w->out,
                 "<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 0 1]\n"
                 "/Extend [true true] /Function %d 0 R >>\nendobj\n",
                 number + 1);
    begin_object(w, number + 1);
    oct_text_add(w->out,
                 "<< /FunctionType 0 /Domain [0 1] /Range [0 1 0 1 0 1] /Size [%d]\n"
                 "/BitsPerSample 8 ",
                 SAMPLES);
    add_stream(w, &samples);
    if (samples.failed)
        w->out->failed = true;
    oct_text_clear(&samples);
}

static void add_font(writer *w, int number, const char *name, const char *more)
{
    begin_object(w, number);
    oct_text_add(w->out, "<< /Type /Font /Subtype /Type1 /BaseFont /%s%s >>\nendobj\n", name, more);
}

/* The states of the page that its marks need, one for each alpha. */
static void add_states(writer *w, const oct_drawing *drawing)
{
    bool used[NUMBER_OF_ALPHAS] = {0};
    for (size_t i = 0; i < drawing->count; i++)
        used[percent(drawing->marks[i].alpha)] = true;
    begin_object(w, STATES);
    oct_text_add(w->out, "<<");
    for (int i = 0; i < NUMBER_OF_ALPHAS; i++)
        if (used[i])
            oct_text_add(w->out, " /A%d << /ca %d.%02d >>", i, i / 100, i % 100);
    oct_text_add(w->out, " >>\nendobj\n");
}

static void add_page(writer *w, const oct_sheet *sheet, int scales)
{
    oct_text *out = w->out;
    begin_object(w, CATALOG);
    oct_text_add(out, "<< /Type /Catalog /Pages %d 0 R >>\nendobj\n", PAGES);
    begin_object(w, PAGES);
    oct_text_add(out, "<< /Type /Pages /Kids [%d 0 R] /Count 1 >>\nendobj\n", PAGE);
    begin_object(w, PAGE);
    oct_text_add(out, "<< /Type /Page /Parent %d 0 R /MediaBox [0 0 ", PAGES);
    ADD(out, 0.75 * sheet->canvas->width, 0.75 * sheet->canvas->height);
    oct_text_add(out,
                 "]\n/Contents %d 0 R /Resources << /XObject << /Plot %d 0 R >>\n"
                 "/Font << /F1 %d 0 R /F2 %d 0 R >> /ExtGState %d 0 R /Shading <<",
                 CONTENT, IMAGE, HELVETICA, SYMBOL, STATES);
    for (int i = 0; i < scales; i++)
        oct_text_add(out, " /S%d %d 0 R", i, OBJECTS + 1 + 2 * i);
    oct_text_add(out, " >> >> >>\nendobj\n");
}

static void add_ending(writer *w)
{
    oct_text *out = w->out;
    size_t table = out->length - w->start;
    oct_text_add(out, "xref\n0 %d\n0000000000 65535 f \n", w->objects + 1);
    for (int i = 1; i <= w->objects; i++)
        oct_text_add(out, "%010zu 00000 n \n", w->offsets[i]);
    oct_text_add(out,
                 "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%zu\n%%%%EOF\n",
                 w->objects + 1, CATALOG, INFO, table);
}

oct_status oct_pdf_encode(oct_text *out, const oct_sheet *sheet)
{
    writer w = {.out = out, .start = out->length};
    const oct_drawing *drawing = sheet->drawing;
    oct_text content = {0};
    int scales = 0;
    /* Bytes above 127 tell programs that move files that this is no text. */
    oct_text_add(out, "%%PDF-1.4\n%%\xe2\xe3\xcf\xd3\n");
    for (size_t i = 0; i < drawing->count && scales < SCALES_MOST; i++)
        if (drawing->marks[i].kind == OCT_MARK_SCALE)
            add_scale(&w, &drawing->marks[i], scales++);
    add_page(&w, sheet, scales);
    add_font(&w, HELVETICA, "Helvetica", " /Encoding /WinAnsiEncoding");
    add_font(&w, SYMBOL, "Symbol", "");
    add_states(&w, drawing);
    begin_object(&w, INFO);
    oct_text_add(out, "<< /Producer (Octant %s) /Title <FEFF", oct_version());
    for (const char *text = sheet->title; *text;)
        add_code(out, oct_font_code(&text));
    oct_text_add(out, "> >>\nendobj\n");
    add_content(&content, sheet);
    begin_object(&w, CONTENT);
    oct_text_add(out, "<< ");
    add_stream(&w, &content);
    if (content.failed)
        out->failed = true;
    oct_text_clear(&content);
    OCT_TRY(add_image(&w, sheet));
    add_ending(&w);
    return OCT_STATUS_OK;
}
