/* The two ways to set text: the strokes that pixels are drawn with, and the fonts of files of
 * vectors. */
#ifndef OCT_RENDER_FACE_H
#define OCT_RENDER_FACE_H

#include "util/status.h"

typedef enum oct_face { OCT_FACE_STROKES, OCT_FACE_TYPE } oct_face;

/* Width of UTF-8 text, and height of a capital letter, in pixels. */
double oct_face_width(oct_face face, const char *text, double size);
double oct_face_capital(oct_face face, double size);
/* Copies text, shortened with an ellipsis to at most `width` pixels. */
void oct_face_shorten(char *out, size_t bytes, oct_face face, const char *text, double size,
                      double width);

#endif
