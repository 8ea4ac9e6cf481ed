/* Names that nothing else has: 128 bits from the system's random source. */
#ifndef OCT_UTIL_IDENTITY_H
#define OCT_UTIL_IDENTITY_H

#include "util/status.h"

enum { OCT_IDENTITY_DIGITS = 32, OCT_IDENTITY_TEXT = OCT_IDENTITY_DIGITS + 1 };

/* Draws one, as hexadecimal digits. */
oct_status oct_identity_draw(char out[OCT_IDENTITY_TEXT]);
/* Takes one from the beginning of a text; "" where there is none. */
bool oct_identity_read(char out[OCT_IDENTITY_TEXT], const char *text);

#endif
