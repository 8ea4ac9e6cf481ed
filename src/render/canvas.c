/* Shapes are blended into pixels by the part of each that they cover. */
#include "render/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

oct_status oct_canvas_init(oct_canvas *canvas, int width, int height, oct_rgb fill)
{
    *canvas = (oct_canvas){.width = width, .height = height, .clip = {0, 0, width, height}};
    size_t count = (size_t)width * (size_t)height;
    OCT_TRY(oct_alloc(&canvas->pixels, count, sizeof *canvas->pixels, "a picture"));
    for (size_t i = 0; i < count; i++)
        canvas->pixels[i] = fill;
    return OCT_STATUS_OK;
}

void oct_canvas_clear(oct_canvas *canvas)
{
    free(canvas->pixels);
    *canvas = (oct_canvas){0};
}

void oct_canvas_clip(oct_canvas *canvas, double left, double top, double right, double bottom)
{
    canvas->clip[0] = (int)clamp(round(left), 0, canvas->width);
    canvas->clip[1] = (int)clamp(round(top), 0, canvas->height);
    canvas->clip[2] = (int)clamp(round(right), 0, canvas->width);
    canvas->clip[3] = (int)clamp(round(bottom), 0, canvas->height);
}

void oct_canvas_bounds(int out[4], const oct_canvas *canvas, double left, double top, double right,
                       double bottom)
{
    const int *clip = canvas->clip;
    out[0] = (int)clamp(floor(left), clip[0], clip[2]);
    out[1] = (int)clamp(floor(top), clip[1], clip[3]);
    out[2] = (int)clamp(ceil(right), clip[0], clip[2]);
    out[3] = (int)clamp(ceil(bottom), clip[1], clip[3]);
}

static oct_rgb *pixel_at(oct_canvas *canvas, int x, int y)
{
    return &canvas->pixels[(size_t)y * (size_t)canvas->width + (size_t)x];
}

void oct_canvas_blend(oct_canvas *canvas, int x, int y, oct_rgb colour, double coverage)
{
    const int *clip = canvas->clip;
    if (x < clip[0] || x >= clip[2] || y < clip[1] || y >= clip[3])
        return;
    oct_rgb *pixel = pixel_at(canvas, x, y);
    float f = (float)coverage;
    pixel->r += f * (colour.r - pixel->r);
    pixel->g += f * (colour.g - pixel->g);
    pixel->b += f * (colour.b - pixel->b);
}

/* How much of [cell, cell + 1] lies in [low, high]. */
static double overlap(double low, double high, int cell)
{
    return clamp(fmin(high, cell + 1.0) - fmax(low, cell), 0, 1);
}

void oct_canvas_rectangle(oct_canvas *canvas, double left, double top, double right, double bottom,
                          oct_rgb colour, double alpha)
{
    int box[4];
    oct_canvas_bounds(box, canvas, left, top, right, bottom);
    for (int y = box[1]; y < box[3]; y++) {
        double rows = alpha * overlap(top, bottom, y);
        for (int x = box[0]; x < box[2]; x++)
            oct_canvas_blend(canvas, x, y, colour, rows * overlap(left, right, x));
    }
}

void oct_canvas_disc(oct_canvas *canvas, double x, double y, double radius, oct_rgb colour,
                     double alpha)
{
    /* A ramp of one pixel at the edge adds pi / 12 to the area: a smaller radius makes up for it.
     * When the ramp is all that is left, the disc fades with its area. */
    double square = radius * radius;
    if (square < 1.0 / 3)
        alpha *= 3 * square;
    double reach = sqrt(fmax(square, 1.0 / 3) - 1.0 / 12) + 0.5;
    int box[4];
    oct_canvas_bounds(box, canvas, x - reach, y - reach, x + reach, y + reach);
    for (int j = box[1]; j < box[3]; j++)
        for (int i = box[0]; i < box[2]; i++) {
            double dx = i + 0.5 - x, dy = j + 0.5 - y;
            double coverage = clamp(reach - sqrt(dx * dx + dy * dy), 0, 1);
            if (coverage > 0)
                oct_canvas_blend(canvas, i, j, colour, alpha * coverage);
        }
}

void oct_canvas_glow(oct_canvas *canvas, double x, double y, double sigma, oct_rgb colour,
                     double strength)
{
    double reach = 4 * sigma;
    int box[4];
    oct_canvas_bounds(box, canvas, x - reach, y - reach, x + reach, y + reach);
    for (int j = box[1]; j < box[3]; j++)
        for (int i = box[0]; i < box[2]; i++) {
            double dx = (i + 0.5 - x) / sigma, dy = (j + 0.5 - y) / sigma;
            float f = (float)(strength * exp(-0.5 * (dx * dx + dy * dy)));
            oct_rgb *pixel = pixel_at(canvas, i, j);
            pixel->r += f * colour.r;
            pixel->g += f * colour.g;
            pixel->b += f * colour.b;
        }
}

/* Squared distance of a point from a segment. */
static double segment_distance2(double x, double y, const oct_stroke_point *a,
                                const oct_stroke_point *b)
{
    double dx = b->x - a->x, dy = b->y - a->y;
    double length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? clamp(((x - a->x) * dx + (y - a->y) * dy) / length2, 0, 1) : 0;
    double ex = x - a->x - t * dx, ey = y - a->y - t * dy;
    return ex * ex + ey * ey;
}

static double strokes_distance(double x, double y, const oct_stroke_point *points, size_t count)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const oct_stroke_point *from = i == 0 || points[i].start ? &points[i] : &points[i - 1];
        nearest = fmin(nearest, segment_distance2(x, y, from, &points[i]));
    }
    return sqrt(nearest);
}

void oct_canvas_strokes(oct_canvas *canvas, const oct_stroke_point *points, size_t count,
                        double width, oct_rgb colour, double alpha)
{
    /* Lines thinner than a pixel fade rather than vanish. */
    if (width < 1) {
        alpha *= width;
        width = 1;
    }
    double reach = 0.5 * width + 0.5;
    double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        left = fmin(left, points[i].x - reach);
        right = fmax(right, points[i].x + reach);
        top = fmin(top, points[i].y - reach);
        bottom = fmax(bottom, points[i].y + reach);
    }
    int box[4];
    oct_canvas_bounds(box, canvas, left, top, right, bottom);
    for (int y = box[1]; count > 0 && y < box[3]; y++)
        for (int x = box[0]; x < box[2]; x++) {
            double distance = strokes_distance(x + 0.5, y + 0.5, points, count);
            if (distance < reach)
                oct_canvas_blend(canvas, x, y, colour, alpha * fmin(1, reach - distance));
        }
}

void oct_canvas_line(oct_canvas *canvas, double x0, double y0, double x1, double y1, double width,
                     oct_rgb colour, double alpha)
{
    const oct_stroke_point ends[2] = {{x0, y0, true}, {x1, y1, false}};
    oct_canvas_strokes(canvas, ends, 2, width, colour, alpha);
}

static unsigned char byte_of(float linear)
{
    return (unsigned char)lrint(255 * oct_srgb_encode((double)linear));
}

void oct_canvas_row(unsigned char *out, const oct_canvas *canvas, int y)
{
    const oct_rgb *row = canvas->pixels + (size_t)y * (size_t)canvas->width;
    for (int x = 0; x < canvas->width; x++, out += 3) {
        /* Most of a picture is plain ground, and a power is slow. */
        if (x > 0 && memcmp(&row[x], &row[x - 1], sizeof *row) == 0) {
            memcpy(out, out - 3, 3);
            continue;
        }
        out[0] = byte_of(row[x].r);
        out[1] = byte_of(row[x].g);
        out[2] = byte_of(row[x].b);
    }
}

double oct_srgb_encode(double linear)
{
    linear = clamp(linear, 0, 1);
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

double oct_srgb_decode(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

oct_rgb oct_rgb_hex(unsigned rrggbb)
{
    return (oct_rgb){.r = (float)oct_srgb_decode((rrggbb >> 16 & 0xff) / 255.0),
                     .g = (float)oct_srgb_decode((rrggbb >> 8 & 0xff) / 255.0),
                     .b = (float)oct_srgb_decode((rrggbb & 0xff) / 255.0)};
}
