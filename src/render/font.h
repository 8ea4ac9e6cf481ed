/* A stroke font: ASCII and the signs that labels need, at any size, upright or turned. */
#ifndef OCT_RENDER_FONT_H
#define OCT_RENDER_FONT_H

#include "render/canvas.h"

enum { OCT_FONT_POINTS = 160 }; /* the most that a sign has */

typedef struct oct_font_style {
    double size;   /* pixels; capitals are 0.72 of it high, rounded to whole pixels */
    double anchor; /* 0: the text starts at x; 0.5: is centred there; 1: ends there */
    bool upwards;  /* turned by 90 degrees, to be read from below to above */
    oct_rgb colour;
    double alpha;
} oct_font_style;

/* Width of UTF-8 text in pixels, from the first stroke to the last. */
double oct_font_width(const char *text, double size);
/* Height of a capital letter in pixels. */
double oct_font_capital(double size);
/* Draws one line of text on the baseline through (x, y). */
void oct_font_draw(oct_canvas *canvas, const char *text, double x, double y,
                   const oct_font_style *style);
/* Whether there is a glyph for this code point; text shows an empty box for others. */
bool oct_font_has(unsigned code);

/* The next code point of UTF-8 text, which is moved past it; a malformed byte stands for itself. */
unsigned oct_font_code(const char **text);
/* The sign that a superscript is a small copy of; 0 for any other code point. */
unsigned oct_font_superscript(unsigned code);
/* The strokes of a sign in heights of a capital, y up from the baseline, and how far it is from
 * there to the next sign; returns the number of points. */
size_t oct_font_strokes(oct_stroke_point out[OCT_FONT_POINTS], double *advanced, unsigned code);

#endif
