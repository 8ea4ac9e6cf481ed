/* Reads and writes in the C locale, with as many digits as give the number back. */
#include "util/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
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

/* So many digits; a locale's decimal point may be any byte, or several. */
static void print(char out[OCT_NUMBER_BYTES], double value, int digits)
{
    char text[OCT_NUMBER_BYTES], *to = out;
    snprintf(text, sizeof text, "%.*g", digits, value);
    for (const char *from = text; *from; from++) {
        bool digit = *from >= '0' && *from <= '9';
        if (digit || strchr("+-einfa.", *from))
            *to++ = *from;
        else if (to == out || to[-1] != '.')
            *to++ = '.';
    }
    *to = '\0';
}

/* The 17 digits of a number without its sign, and the power of ten of the first. */
typedef struct decimal {
    uint64_t digits;
    int power;
} decimal;

static decimal decimal_of(double value)
{
    char text[OCT_NUMBER_BYTES];
    decimal found = {0};
    snprintf(text, sizeof text, "%.16e", fabs(value));
    const char *c = text;
    for (; *c && *c != 'e'; c++)
        if (*c >= '0' && *c <= '9')
            found.digits = 10 * found.digits + (uint64_t)(*c - '0');
    found.power = *c ? (int)strtol(c + 1, NULL, 10) : 0;
    return found;
}

/* Whether 15 or 16 digits are enough, which are printed then. Where they are a whole number that a
 * double holds and the power of ten is one too, a product or a quotient reads them as strtod would
 * (Clinger 1990). */
static bool is_enough(char out[OCT_NUMBER_BYTES], double value, decimal all, int digits)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { MOST_POWER = 22 };
    uint64_t unit = digits == 15 ? 100 : 10, rest = all.digits % unit;
    uint64_t whole = all.digits / unit + (2 * rest > unit);
    int power = all.power - digits + 1;
    /* Half the distance to the next double is 11.1 of the 17th digits at most. */
    if (digits == 15 && rest > 12 && rest < 88 && fabs(value) >= DBL_MIN)
        return false;
    if (FLT_EVAL_METHOD == 0 && 2 * rest != unit && whole <= UINT64_C(1) << 53 &&
        power >= -MOST_POWER && power <= MOST_POWER) {
        double again = power < 0 ? (double)whole / powers[-power] : (double)whole * powers[power];
        if (again != fabs(value))
            return false;
        print(out, value, digits);
        return true;
    }
    double again;
    const char *end;
    print(out, value, digits);
    return oct_number_read(&again, &end, out) && again == value;
}

void oct_number_write(char out[OCT_NUMBER_BYTES], double value)
{
    enum { FEWEST = 15, MOST = 17 };
    if (!isfinite(value) || (fabs(value) < 1e15 && value == floor(value))) {
        print(out, value, FEWEST);
        return;
    }
    const decimal all = decimal_of(value);
    for (int digits = FEWEST; digits < MOST; digits++)
        if (is_enough(out, value, all, digits))
            return;
    print(out, value, MOST);
}
