/* A picture in linear light, and the few shapes that are drawn into it, anti-aliased. Pixel (i, j)
 * covers [i, i + 1] x [j, j + 1]; y points down. */
#ifndef OCT_RENDER_CANVAS_H
#define OCT_RENDER_CANVAS_H

#include "util/status.h"

typedef struct oct_rgb {
    float r, g, b; /* 0 to 1, linear light, sRGB primaries */
} oct_rgb;

typedef struct oct_canvas {
    int width, height;
    int clip[4]; /* drawing is kept to left <= x < right, top <= y < bottom */
    oct_rgb *pixels;
} oct_canvas;

/* A corner of a stroke; `start` lifts the pen before it. */
typedef struct oct_stroke_point {
    double x, y;
    bool start;
} oct_stroke_point;

oct_status oct_canvas_init(oct_canvas *canvas, int width, int height, oct_rgb fill);
void oct_canvas_clear(oct_canvas *canvas);
/* Keeps drawing to a rectangle, rounded to whole pixels; all of the canvas: 0, 0, width, height. */
void oct_canvas_clip(oct_canvas *canvas, double left, double top, double right, double bottom);

/* The pixels that a shape in this rectangle may touch, inside the clip: the first of a row and of a
 * column, and one past the last of each. */
void oct_canvas_bounds(int out[4], const oct_canvas *canvas, double left, double top, double right,
                       double bottom);

/* Mixes a colour in; coverage 0 leaves the pixel, 1 replaces it. */
void oct_canvas_blend(oct_canvas *canvas, int x, int y, oct_rgb colour, double coverage);
void oct_canvas_rectangle(oct_canvas *canvas, double left, double top, double right, double bottom,
                          oct_rgb colour, double alpha);
void oct_canvas_disc(oct_canvas *canvas, double x, double y, double radius, oct_rgb colour,
                     double alpha);
/* Adds light that fades as a Gaussian of this width. */
void oct_canvas_glow(oct_canvas *canvas, double x, double y, double sigma, oct_rgb colour,
                     double strength);
/* Strokes with round ends, all with one coverage, so that crossings are no brighter. */
void oct_canvas_strokes(oct_canvas *canvas, const oct_stroke_point *points, size_t count,
                        double width, oct_rgb colour, double alpha);
void oct_canvas_line(oct_canvas *canvas, double x0, double y0, double x1, double y1, double width,
                     oct_rgb colour, double alpha);

/* A row of the picture as sRGB, three bytes a pixel. */
void oct_canvas_row(unsigned char *out, const oct_canvas *canvas, int y);

/* The transfer function of sRGB (IEC 61966-2-1), and a colour from its usual 0xRRGGBB. */
double oct_srgb_encode(double linear);
double oct_srgb_decode(double encoded);
oct_rgb oct_rgb_hex(unsigned rrggbb);

#endif
