/* Numbers as text, whatever the locale of the process is. */
#ifndef OCT_UTIL_NUMBER_H
#define OCT_UTIL_NUMBER_H

#include <stdbool.h>

enum { OCT_NUMBER_BYTES = 40 };

/* Reads the decimal number that text starts with: no hexadecimal, no nan; "inf" and ".inf" are
 * infinite. *end is set to what follows. False where there is none, or where it overflows. */
bool oct_number_read(double *out, const char **end, const char *text);
/* The shortest decimal that reads back as the same number. */
void oct_number_write(char out[OCT_NUMBER_BYTES], double value);

#endif
