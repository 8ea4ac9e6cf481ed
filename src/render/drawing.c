/* Keeps marks in the order they were added, and paints them onto a canvas. */
#include "render/drawing.h"

#include <stdio.h>
#include <stdlib.h>

/* Room for one more mark; NULL where there is none. */
static oct_mark *add(oct_drawing *drawing, oct_mark_kind kind)
{
    if (drawing->failed)
        return NULL;
    if (drawing->count == drawing->capacity) {
        size_t capacity = 2 * drawing->capacity + 32;
        drawing->failed = oct_realloc(&drawing->marks, capacity, sizeof *drawing->marks,
                                      "the labels of a picture") != OCT_STATUS_OK;
        if (drawing->failed)
            return NULL;
        drawing->capacity = capacity;
    }
    oct_mark *mark = &drawing->marks[drawing->count++];
    *mark = (oct_mark){.kind = kind, .alpha = 1};
    return mark;
}

static oct_mark *add_box(oct_drawing *drawing, oct_mark_kind kind, double x0, double y0, double x1,
                         double y1)
{
    oct_mark *mark = add(drawing, kind);
    if (mark) {
        mark->x0 = x0;
        mark->y0 = y0;
        mark->x1 = x1;
        mark->y1 = y1;
    }
    return mark;
}

void oct_drawing_rectangle(oct_drawing *drawing, double left, double top, double right,
                           double bottom, oct_rgb colour, double alpha)
{
    oct_mark *mark = add_box(drawing, OCT_MARK_RECTANGLE, left, top, right, bottom);
    if (mark) {
        mark->colour = colour;
        mark->alpha = alpha;
    }
}

void oct_drawing_line(oct_drawing *drawing, double x0, double y0, double x1, double y1,
                      double width, oct_rgb colour)
{
    oct_mark *mark = add_box(drawing, OCT_MARK_LINE, x0, y0, x1, y1);
    if (mark) {
        mark->width = width;
        mark->colour = colour;
    }
}

void oct_drawing_disc(oct_drawing *drawing, double x, double y, double radius, oct_rgb colour)
{
    oct_mark *mark = add_box(drawing, OCT_MARK_DISC, x, y, x, y);
    if (mark) {
        mark->width = radius;
        mark->colour = colour;
    }
}

void oct_drawing_scale(oct_drawing *drawing, double left, double top, double right, double bottom,
                       const oct_colormap *map)
{
    oct_mark *mark = add_box(drawing, OCT_MARK_SCALE, left, top, right, bottom);
    if (mark)
        mark->map = map;
}

void oct_drawing_text(oct_drawing *drawing, const char *text, double x, double y,
                      const oct_font_style *style)
{
    oct_mark *mark = add_box(drawing, OCT_MARK_TEXT, x, y, x, y);
    if (mark) {
        mark->style = *style;
        snprintf(mark->text, sizeof mark->text, "%s", text);
    }
}

static void paint_scale(oct_canvas *canvas, const oct_mark *mark)
{
    double height = mark->y1 - mark->y0;
    for (int row = 0; row < (int)height; row++)
        oct_canvas_rectangle(canvas, mark->x0, mark->y0 + row, mark->x1, mark->y0 + row + 1,
                             oct_colormap_at(mark->map, 1 - (row + 0.5) / height), 1);
}

static void paint(oct_canvas *canvas, const oct_mark *mark)
{
    switch (mark->kind) {
    case OCT_MARK_RECTANGLE:
        oct_canvas_rectangle(canvas, mark->x0, mark->y0, mark->x1, mark->y1, mark->colour,
                             mark->alpha);
        break;
    case OCT_MARK_LINE:
        oct_canvas_line(canvas, mark->x0, mark->y0, mark->x1, mark->y1, mark->width, mark->colour,
                        mark->alpha);
        break;
    case OCT_MARK_DISC:
        oct_canvas_disc(canvas, mark->x0, mark->y0, mark->width, mark->colour, mark->alpha);
        break;
    case OCT_MARK_SCALE:
        paint_scale(canvas, mark);
        break;
    case OCT_MARK_TEXT:
        oct_font_draw(canvas, mark->text, mark->x0, mark->y0, &mark->style);
        break;
    }
}

void oct_drawing_paint(oct_canvas *canvas, const oct_drawing *drawing)
{
    for (size_t i = 0; i < drawing->count; i++)
        paint(canvas, &drawing->marks[i]);
}

void oct_drawing_clear(oct_drawing *drawing)
{
    free(drawing->marks);
    *drawing = (oct_drawing){0};
}
