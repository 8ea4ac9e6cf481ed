/* What surrounds a plot: border, ticks, axis labels, title, time, scale bar, colour bar, legend. */
#ifndef OCT_RENDER_PLOT_FRAME_H
#define OCT_RENDER_PLOT_FRAME_H

#include "render/drawing.h"
#include "render/face.h"
#include "render/label.h"
#include "render/theme.h"
#include "render/view.h"

typedef struct oct_plot_frame {
    oct_view view; /* with the plot's rectangle */
    double rise;   /* full height shown, in units of the bodies; 0: as the plot's shape has it */
    double asked;  /* for the next; 0: one that suits the picture's size */
    double font;   /* size of plain labels, pixels */
    oct_face face;
    oct_theme theme;
    double width;  /* of the picture */
    double pad[2]; /* left free beside and above what is drawn, where the plot's shape is given */
    bool bare;     /* the plot is all there is */
    double inset;  /* of what is written into a plot that fills the picture; 0 in others */
    oct_units units;
} oct_plot_frame;

/* A scale of colours beside the plot. */
typedef struct oct_plot_frame_bar {
    const oct_colormap *map;
    double low, high;
    bool logarithmic;
    char label[OCT_LABEL_BYTES];
} oct_plot_frame_bar;

enum { OCT_PLOT_FRAME_NAME = 32 };

typedef struct oct_plot_frame_entry {
    char name[OCT_PLOT_FRAME_NAME];
    oct_rgb colour;
    uint64_t count;
} oct_plot_frame_entry;

/* Finds room for the plot; call again when view.extent is known, for the labels' widths. */
void oct_plot_frame_layout(oct_plot_frame *frame, int width, int height, bool bar);
/* Changes the size of a picture so that a plot of view.extent by rise fills it: the plot keeps its
 * area, the labels their size. */
void oct_plot_frame_size(oct_plot_frame *frame, int *width, int *height, bool bar);
/* The border of the plot, with ticks where coordinates grow along it. */
void oct_plot_frame_axes(oct_drawing *drawing, const oct_plot_frame *frame);
void oct_plot_frame_scale_bar(oct_drawing *drawing, const oct_plot_frame *frame);
void oct_plot_frame_header(oct_drawing *drawing, const oct_plot_frame *frame, const char *title,
                           const char *subtitle, const char *time);
void oct_plot_frame_colour_bar(oct_drawing *drawing, const oct_plot_frame *frame,
                               const oct_plot_frame_bar *bar);
/* A line of text in the lower right corner. */
void oct_plot_frame_caption(oct_drawing *drawing, const oct_plot_frame *frame, const char *text);
void oct_plot_frame_legend(oct_drawing *drawing, const oct_plot_frame *frame,
                           const oct_plot_frame_entry *entries, size_t count);

#endif
