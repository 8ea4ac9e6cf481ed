/* Runs along a glyph's strokes with a pen, hinted to whole pixels. */
#include "render/font.h"

#include <math.h>
#include <string.h>

#include "render/glyphs.h"

enum { GRID_CAPITAL = 42, GRID_SMALL = 30, GRID_GAP = 13 };

/* Sizes in pixels: heights are whole pixels, so that strokes meet the pixel rows alike. */
typedef struct metrics {
    double unit; /* one step of the grid across */
    double capital, small, stroke;
} metrics;

static metrics metrics_of(double size)
{
    double capital = fmax(4, round(0.72 * size));
    return (metrics){.unit = capital / GRID_CAPITAL,
                     .capital = capital,
                     .small = round(capital * GRID_SMALL / GRID_CAPITAL),
                     .stroke = fmax(1.15, 0.125 * capital)};
}

double oct_font_capital(double size)
{
    return metrics_of(size).capital;
}

unsigned oct_font_code(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    int more = s[0] >= 0xf0 ? 3 : s[0] >= 0xe0 ? 2 : s[0] >= 0xc2 ? 1 : 0;
    unsigned code = more == 0 ? s[0] : s[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            *text += 1;
            return s[0];
        }
        code = code << 6 | (s[i] & 0x3fu);
    }
    *text += 1 + more;
    return code;
}

/* A glyph as it is placed: superscripts are their base sign, smaller and raised; the signs of the
 * Sun and the Earth only ever stand below an M. */
typedef struct placed_glyph {
    const oct_glyph *glyph;
    double scale, raise; /* raise in steps of the grid */
} placed_glyph;

unsigned oct_font_superscript(unsigned code)
{
    switch (code) {
    case 0x00b9:
        return '1';
    case 0x00b2:
        return '2';
    case 0x00b3:
        return '3';
    case 0x207b:
        return 0x2212;
    default:
        return code == 0x2070 || (code >= 0x2074 && code <= 0x2079) ? '0' + (code - 0x2070) : 0;
    }
}

static placed_glyph place(unsigned code)
{
    unsigned base = oct_font_superscript(code);
    if (base != 0)
        return (placed_glyph){oct_glyph_find(base), 0.62, 20};
    if (code == 0x2609 || code == 0x2295)
        return (placed_glyph){oct_glyph_find(code), 0.7, -7};
    if (code == 0x2009 || code == 0x00a0) /* thin and fixed spaces */
        return (placed_glyph){oct_glyph_find(' '), code == 0x2009 ? 0.4 : 1, 0};
    return (placed_glyph){oct_glyph_find(code == 0x03bc ? 0x00b5 : code), 1, 0};
}

static placed_glyph place_or_box(unsigned code)
{
    placed_glyph placed = place(code);
    return placed.glyph != NULL ? placed : place(0x25a1);
}

bool oct_font_has(unsigned code)
{
    return place(code).glyph != NULL;
}

/* From the left edge of one glyph to the left edge of the next, in steps of the grid. */
static double advance(const placed_glyph *placed)
{
    return placed->scale * (placed->glyph->width + GRID_GAP);
}

double oct_font_width(const char *text, double size)
{
    double width = 0;
    placed_glyph placed = {0};
    while (*text != '\0') {
        placed = place_or_box(oct_font_code(&text));
        width += advance(&placed);
    }
    return width > 0 ? (width - placed.scale * GRID_GAP) * metrics_of(size).unit : 0;
}

/* A reader of glyph paths that collects their corners. */
typedef struct path_reader {
    const char *path;
    size_t count;
    bool lifted;
    oct_stroke_point points[OCT_FONT_POINTS];
} path_reader;

static bool read_number(path_reader *pen, double *out)
{
    const char *s = pen->path;
    while (*s == ' ')
        s++;
    bool negative = *s == '-';
    s += negative;
    if (*s < '0' || *s > '9')
        return false;
    int value = 0;
    for (; *s >= '0' && *s <= '9'; s++)
        value = 10 * value + (*s - '0');
    *out = negative ? -value : value;
    pen->path = s;
    return true;
}

static void pen_to(path_reader *pen, double x, double y)
{
    if (pen->count < OCT_FONT_POINTS)
        pen->points[pen->count++] = (oct_stroke_point){x, y, pen->lifted};
    pen->lifted = false;
}

static void pen_arc(path_reader *pen)
{
    double v[6];
    for (int i = 0; i < 6; i++)
        if (!read_number(pen, &v[i]))
            return;
    const double radian = acos(-1.0) / 180;
    int pieces = (int)ceil(fabs(v[5] - v[4]) / 15);
    for (int i = 0; i <= pieces; i++) {
        double angle = radian * (v[4] + (v[5] - v[4]) * i / pieces);
        pen_to(pen, v[0] + v[2] * cos(angle), v[1] + v[3] * sin(angle));
    }
}

static void pen_run(path_reader *pen, const char *path)
{
    pen->path = path;
    pen->count = 0;
    pen->lifted = true;
    while (*pen->path != '\0') {
        double x, y;
        switch (*pen->path++) {
        case '/':
            pen->lifted = true;
            break;
        case 'A':
            pen_arc(pen);
            break;
        case 'P':
            while (read_number(pen, &x) && read_number(pen, &y))
                pen_to(pen, x, y);
            break;
        default:
            break;
        }
    }
}

/* Height in pixels: the baseline, small letters and capitals are at whole pixels. */
static double hinted(const metrics *m, double y)
{
    if (y <= 0)
        return y * m->unit;
    if (y <= GRID_SMALL)
        return y * m->small / GRID_SMALL;
    return m->small + (y - GRID_SMALL) * (m->capital - m->small) / (GRID_CAPITAL - GRID_SMALL);
}

size_t oct_font_strokes(oct_stroke_point out[OCT_FONT_POINTS], double *advanced, unsigned code)
{
    const oct_glyph *glyph = place_or_box(code).glyph;
    path_reader pen;
    pen_run(&pen, glyph->path);
    *advanced = (glyph->width + GRID_GAP) / (double)GRID_CAPITAL;
    for (size_t i = 0; i < pen.count; i++) {
        pen.points[i].x /= GRID_CAPITAL;
        pen.points[i].y /= GRID_CAPITAL;
    }
    memcpy(out, pen.points, pen.count * sizeof *out);
    return pen.count;
}

void oct_font_draw(oct_canvas *canvas, const char *text, double x, double y,
                   const oct_font_style *style)
{
    metrics m = metrics_of(style->size);
    double along = -style->anchor * oct_font_width(text, style->size);
    /* The baseline runs through the middle of a row of pixels. */
    double baseline = floor(style->upwards ? x : y) + 0.5;
    path_reader pen;
    while (*text != '\0') {
        placed_glyph placed = place_or_box(oct_font_code(&text));
        pen_run(&pen, placed.glyph->path);
        for (size_t i = 0; i < pen.count; i++) {
            oct_stroke_point *p = &pen.points[i];
            double right = along + placed.scale * m.unit * p->x;
            double up = placed.raise != 0 ? m.unit * (placed.raise + placed.scale * p->y)
                                          : hinted(&m, p->y);
            p->x = style->upwards ? baseline - up : x + right;
            p->y = style->upwards ? y - right : baseline - up;
        }
        oct_canvas_strokes(canvas, pen.points, pen.count,
                           m.stroke * (placed.raise > 0   ? 0.85
                                       : placed.raise < 0 ? 0.65
                                                          : 1),
                           style->colour, style->alpha);
        along += m.unit * advance(&placed);
    }
}
