/* Text in the standard fonts of PDF, which need not be in the file: Helvetica, and Symbol for Greek
 * and some signs. What neither has is drawn in the strokes of render/font.h. */
#ifndef OCT_RENDER_HELVETICA_H
#define OCT_RENDER_HELVETICA_H

#include "util/status.h"

typedef enum oct_type_font { OCT_TYPE_HELVETICA, OCT_TYPE_SYMBOL, OCT_TYPE_STROKES } oct_type_font;

/* A sign as it is set: superscripts are their base sign, smaller and raised; the signs of the Sun
 * and the Earth only ever stand below an M. */
typedef struct oct_type_sign {
    oct_type_font font;
    unsigned char byte;  /* in WinAnsiEncoding, or in Symbol's own */
    unsigned code, base; /* Unicode: as written, and what is set for it */
    double scale, rise;  /* its size and the height of its baseline, in sizes of the text */
    double advance;      /* to the next sign, in sizes of the text */
} oct_type_sign;

/* The next sign of UTF-8 text, which is moved past it. */
oct_type_sign oct_type_next(const char **text);
double oct_type_width(const char *text, double size);
/* Height of a capital letter. */
double oct_type_capital(double size);

#endif
