/* Makes a table of colours once, with chroma cut where a screen cannot show it. */
#include "render/colormap.h"

#include <math.h>
#include <string.h>

#include "util/text.h"

enum { MAX_POINTS = 8 };

/* CIE lightness, and hue (degrees) and chroma at evenly spaced points. */
typedef struct design {
    const char *name;
    double first, last; /* lightness at the ends; a diverging map has `last` in its middle */
    bool diverging;
    size_t count;
    double hue[MAX_POINTS], chroma[MAX_POINTS];
} design;

static const design designs[] = {
    {"dusk", 2, 93, false, 7, {285, 305, 338, 12, 46, 76, 98}, {12, 52, 60, 68, 72, 68, 52}},
    {"ember", 1, 98, false, 6, {20, 30, 40, 58, 80, 98}, {2, 45, 74, 76, 66, 8}},
    {"ice", 1, 98, false, 6, {292, 288, 276, 260, 245, 225}, {5, 30, 42, 36, 24, 3}},
    {"lagoon", 2, 94, false, 6, {262, 232, 205, 180, 150, 112}, {3, 14, 23, 33, 46, 48}},
    {"nebula", 1, 96, false, 6, {285, 297, 318, 355, 45, 85}, {5, 44, 58, 48, 34, 8}},
    {"grey", 1, 98, false, 2, {270, 270}, {0, 0}},
    {"tide", 18, 95, true, 7, {276, 264, 250, 0, 60, 46, 38}, {26, 34, 30, 0, 38, 62, 42}},
};

enum { DESIGNS = sizeof designs / sizeof designs[0] };

static const design *find(const char *name)
{
    for (size_t i = 0; i < DESIGNS; i++)
        if (strcmp(designs[i].name, name) == 0)
            return &designs[i];
    return NULL;
}

const char *oct_render_map(size_t index)
{
    return index < DESIGNS ? designs[index].name : NULL;
}

bool oct_colormap_diverging(const char *name)
{
    const design *map = find(name);
    return map != NULL && map->diverging;
}

static double lab_inverse(double f)
{
    return f > 6.0 / 29 ? f * f * f : 3 * (6.0 / 29) * (6.0 / 29) * (f - 4.0 / 29);
}

/* L*a*b* relative to D65, to linear sRGB. */
static void lab_to_rgb(double out[3], double lightness, double a, double b)
{
    double fy = (lightness + 16) / 116;
    double x = 0.95047 * lab_inverse(fy + a / 500);
    double y = lab_inverse(fy);
    double z = 1.08883 * lab_inverse(fy - b / 200);
    out[0] = 3.2404542 * x - 1.5371385 * y - 0.4985314 * z;
    out[1] = -0.9692660 * x + 1.8760108 * y + 0.0415560 * z;
    out[2] = 0.0556434 * x - 0.2040259 * y + 1.0572252 * z;
}

static bool in_gamut(const double rgb[3])
{
    const double slack = 1e-4;
    for (int i = 0; i < 3; i++)
        if (rgb[i] < -slack || rgb[i] > 1 + slack)
            return false;
    return true;
}

/* The colour, with its chroma reduced until sRGB can show it; lightness and hue are kept. */
static oct_rgb displayable(double lightness, double a, double b)
{
    double rgb[3], low = 0, high = 1;
    lab_to_rgb(rgb, lightness, a, b);
    if (!in_gamut(rgb)) {
        for (int i = 0; i < 30; i++) {
            double middle = 0.5 * (low + high);
            lab_to_rgb(rgb, lightness, middle * a, middle * b);
            *(in_gamut(rgb) ? &low : &high) = middle;
        }
        lab_to_rgb(rgb, lightness, low * a, low * b);
    }
    return (oct_rgb){(float)fmin(fmax(rgb[0], 0), 1), (float)fmin(fmax(rgb[1], 0), 1),
                     (float)fmin(fmax(rgb[2], 0), 1)};
}

/* Catmull-Rom spline through evenly spaced values, t from 0 to 1. */
static double spline(const double *values, size_t count, double t)
{
    double s = t * (double)(count - 1);
    size_t i = (size_t)fmin(floor(s), (double)(count - 2));
    double u = s - (double)i;
    double p1 = values[i], p2 = values[i + 1];
    double p0 = i > 0 ? values[i - 1] : 2 * p1 - p2;
    double p3 = i + 2 < count ? values[i + 2] : 2 * p2 - p1;
    return p1 + 0.5 * u *
                    (p2 - p0 + u * (2 * p0 - 5 * p1 + 4 * p2 - p3 + u * (3 * (p1 - p2) + p3 - p0)));
}

/* From white to the dark end, with the hues that the map has at the same lightness. */
static void compute_on_white(oct_colormap *out, const design *map, const double *a, const double *b)
{
    const double white = 100, first = map->first;
    for (int i = 0; i < OCT_COLORMAP_SIZE; i++) {
        double lightness = white + (first - white) * i / (OCT_COLORMAP_SIZE - 1.0);
        double t = fmin((lightness - first) / (map->last - first), 1);
        out->colours[i] =
            displayable(lightness, spline(a, map->count, t), spline(b, map->count, t));
    }
}

oct_status oct_colormap_init(oct_colormap *out, const char *name, oct_theme theme)
{
    const design *map = find(name);
    if (map == NULL) {
        const char *names[DESIGNS];
        for (size_t i = 0; i < DESIGNS; i++)
            names[i] = designs[i].name;
        const char *nearest = oct_text_nearest(name, names, DESIGNS);
        return OCT_FAIL(OCT_STATUS_INPUT, "there is no colour map `%s`%s%s%s", name,
                        nearest ? "; did you mean `" : "", nearest ? nearest : "",
                        nearest ? "`?" : "");
    }
    const double radian = acos(-1.0) / 180;
    double a[MAX_POINTS], b[MAX_POINTS];
    for (size_t i = 0; i < map->count; i++) {
        a[i] = map->chroma[i] * cos(map->hue[i] * radian);
        b[i] = map->chroma[i] * sin(map->hue[i] * radian);
    }
    if (theme == OCT_THEME_LIGHT && !map->diverging) {
        compute_on_white(out, map, a, b);
        return OCT_STATUS_OK;
    }
    for (int i = 0; i < OCT_COLORMAP_SIZE; i++) {
        double t = i / (OCT_COLORMAP_SIZE - 1.0);
        double rise = map->diverging ? 1 - fabs(2 * t - 1) : t;
        out->colours[i] = displayable(map->first + (map->last - map->first) * rise,
                                      spline(a, map->count, t), spline(b, map->count, t));
    }
    return OCT_STATUS_OK;
}

oct_rgb oct_colormap_at(const oct_colormap *map, double t)
{
    double s = fmin(fmax(t, 0), 1) * (OCT_COLORMAP_SIZE - 1);
    int i = (int)fmin(s, OCT_COLORMAP_SIZE - 2);
    float u = (float)(s - i);
    oct_rgb a = map->colours[i], b = map->colours[i + 1];
    return (oct_rgb){a.r + u * (b.r - a.r), a.g + u * (b.g - a.g), a.b + u * (b.b - a.b)};
}

void oct_colormap_trim(oct_colormap *map, double from)
{
    const oct_colormap whole = *map;
    for (int i = 0; i < OCT_COLORMAP_SIZE; i++)
        map->colours[i] =
            oct_colormap_at(&whole, from + (1 - from) * i / (OCT_COLORMAP_SIZE - 1.0));
}

double oct_rgb_lightness(oct_rgb colour)
{
    double y =
        0.2126729 * (double)colour.r + 0.7151522 * (double)colour.g + 0.0721750 * (double)colour.b;
    double f = y > 216.0 / 24389 ? cbrt(y) : (24389.0 / 27 * y + 16) / 116;
    return 116 * f - 16;
}
