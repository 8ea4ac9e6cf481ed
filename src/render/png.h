/* PNG files: 8 bits a channel, sRGB, the same bytes for the same picture. */
#ifndef OCT_RENDER_PNG_H
#define OCT_RENDER_PNG_H

#include "render/canvas.h"
#include "util/text.h"

/* Appends a PNG file of the part from the first two of `box`, left and top, up to the others. */
oct_status oct_png_encode(oct_text *out, const oct_canvas *canvas, const int box[4]);
/* Writes the picture; the file appears whole or not at all. */
oct_status oct_png_write(const oct_canvas *canvas, const char *path);

#endif
