/* What is drawn around and over a plot, kept as a list of marks: a picture of pixels draws them
 * with its own strokes, a file of vectors names them. */
#ifndef OCT_RENDER_DRAWING_H
#define OCT_RENDER_DRAWING_H

#include "render/colormap.h"
#include "render/font.h"

typedef enum oct_mark_kind {
    OCT_MARK_RECTANGLE, /* with two corners */
    OCT_MARK_LINE,      /* with two ends */
    OCT_MARK_DISC,      /* around (x0, y0) */
    OCT_MARK_SCALE,     /* a rectangle with a colour map, from below to above */
    OCT_MARK_TEXT       /* on the baseline through (x0, y0) */
} oct_mark_kind;

enum { OCT_MARK_BYTES = 256 };

typedef struct oct_mark {
    oct_mark_kind kind;
    double x0, y0, x1, y1; /* pixels, y down */
    double width;          /* of a line; of a disc its radius */
    oct_rgb colour;
    double alpha;
    const oct_colormap *map;
    oct_font_style style;
    char text[OCT_MARK_BYTES];
} oct_mark;

/* A list that grows; `failed` is set when memory ran out. Start from {0}. */
typedef struct oct_drawing {
    oct_mark *marks;
    size_t count, capacity;
    bool failed;
} oct_drawing;

void oct_drawing_rectangle(oct_drawing *drawing, double left, double top, double right,
                           double bottom, oct_rgb colour, double alpha);
void oct_drawing_line(oct_drawing *drawing, double x0, double y0, double x1, double y1,
                      double width, oct_rgb colour);
void oct_drawing_disc(oct_drawing *drawing, double x, double y, double radius, oct_rgb colour);
void oct_drawing_scale(oct_drawing *drawing, double left, double top, double right, double bottom,
                       const oct_colormap *map);
void oct_drawing_text(oct_drawing *drawing, const char *text, double x, double y,
                      const oct_font_style *style);

/* Draws all marks in their order. */
void oct_drawing_paint(oct_canvas *canvas, const oct_drawing *drawing);
void oct_drawing_clear(oct_drawing *drawing);

#endif
