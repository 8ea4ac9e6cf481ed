/* PNG files: 8 bits a channel, sRGB, the same bytes for the same picture. */
#ifndef OCT_RENDER_PNG_H
#define OCT_RENDER_PNG_H

#include "render/canvas.h"

/* Writes the picture; the file appears whole or not at all. */
oct_status oct_png_write(const oct_canvas *canvas, const char *path);

#endif
