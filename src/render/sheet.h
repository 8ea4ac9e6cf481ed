/* A picture as a file of vectors: the plot is an image in it, all else lines and text. */
#ifndef OCT_RENDER_SHEET_H
#define OCT_RENDER_SHEET_H

#include "render/drawing.h"
#include "util/text.h"

typedef struct oct_sheet {
    const oct_canvas *canvas; /* has the size of the sheet, and the plot in its place */
    int plot[4];              /* left, top, right and bottom of the plot */
    oct_rgb page;             /* the colour around it */
    const oct_drawing *drawing;
    const char *title;
} oct_sheet;

/* Appends the whole file. A pixel is 1/96 inch. The same sheet always gives the same bytes. */
oct_status oct_svg_encode(oct_text *out, const oct_sheet *sheet);
/* PDF 1.4, in the standard fonts Helvetica and Symbol. */
oct_status oct_pdf_encode(oct_text *out, const oct_sheet *sheet);

/* A number with up to three decimals, whatever the locale is: neither format may have exponents. */
void oct_sheet_number(oct_text *out, double value);
/* A colour as the three bytes of sRGB. */
void oct_sheet_colour(unsigned char out[3], oct_rgb colour);

#endif
