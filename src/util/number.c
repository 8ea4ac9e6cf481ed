/* Reads and writes in the C locale, with as many digits as give the number back. */
#include "util/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_digits(const char *c)
{
    while (*c >= '0' && *c <= '9')
        c++;
    return c;
}

/* The end of the decimal number at c, or c itself where there is none. */
static const char *number_end(const char *start)
{
    const char *c = start + (*start == '+' || *start == '-');
    const char *whole = c;
    c = skip_digits(c);
    size_t digits = (size_t)(c - whole);
    if (*c == '.') {
        const char *fraction = c + 1;
        c = skip_digits(fraction);
        digits += (size_t)(c - fraction);
    }
    if (digits == 0 || ((*c == 'x' || *c == 'X') && c == whole + 1))
        return start;
    if (*c == 'e' || *c == 'E') {
        const char *exponent = c + 1 + (c[1] == '+' || c[1] == '-');
        if (skip_digits(exponent) > exponent)
            c = skip_digits(exponent);
    }
    return c;
}

/* strtod with a decimal point; the thread's locale is put back. */
static double read_in_c_locale(const char *text, char **end)
{
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        *end = NULL;
        return 0;
    }
    locale_t before = uselocale(plain);
    double value = strtod(text, end);
    uselocale(before);
    freelocale(plain);
    return value;
}

bool oct_number_read(double *out, const char **end, const char *text)
{
    const char *word = text + (*text == '+' || *text == '-');
    word += *word == '.';
    if (strncmp(word, "inf", 3) == 0) {
        *out = *text == '-' ? -INFINITY : INFINITY;
        *end = word + 3;
        return true;
    }
    const char *stop = number_end(text);
    if (stop == text)
        return false;
    char *reached;
    double value = strtod(text, &reached);
    if (reached != stop)
        value = read_in_c_locale(text, &reached);
    if (reached != stop || !isfinite(value))
        return false;
    *out = value;
    *end = stop;
    return true;
}

void oct_number_write(char out[OCT_NUMBER_BYTES], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        char text[OCT_NUMBER_BYTES];
        snprintf(text, sizeof text, "%.*g", digits, value);
        /* A locale's decimal point may be any byte, or several. */
        char *to = out;
        for (const char *from = text; *from; from++) {
            if (strchr("0123456789+-einfa.", *from))
                *to++ = *from;
            else if (to == out || to[-1] != '.')
                *to++ = '.';
        }
        *to = '\0';
        double again;
        const char *end;
        if (!isfinite(value) || (oct_number_read(&again, &end, out) && again == value))
            return;
    }
}
