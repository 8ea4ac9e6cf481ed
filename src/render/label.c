/* Chooses steps of 1, 2 and 5, prefixes of units, and as many digits as a step needs. */
#include "render/label.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define THIN_SPACE "\xe2\x80\x89"
#define MINUS      "\xe2\x88\x92"

/* SI values (IAU 2012 and 2015). */
#define AU          149597870700.0
#define PARSEC      3.0856775814913673e16
#define SOLAR_MASS  1.98841e30
#define EARTH_MASS  5.97217e24
#define JULIAN_YEAR (365.25 * 86400)

static const char *const superscripts[10] = {
    "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
    "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};

typedef struct named_unit {
    const char *name;
    double si;
} named_unit;

double oct_label_below(double value)
{
    /* The slack keeps 0.1 + 0.2 and the like at the step they stand for. */
    double power = pow(10, floor(log10(value * (1 + 1e-9))));
    double mantissa = value / power * (1 + 1e-9);
    return power * (mantissa >= 5 ? 5 : mantissa >= 2 ? 2 : 1);
}

double oct_label_above(double value)
{
    double below = oct_label_below(value);
    if (below * (1 + 1e-9) >= value)
        return below;
    /* 1, 2 and 5 are at most 2.5 apart, and 2.5 times any of them is below the next but one. */
    return oct_label_below(2.5 * below);
}

/* The last unit of an ascending list that is not above value; the first when all are. */
static named_unit choose(const named_unit *list, size_t count, double value)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (list[i].si <= value * (1 + 1e-9))
            best = i;
    return list[best];
}

static void append_superscript(char *out, size_t bytes, int exponent)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", exponent);
    for (const char *d = digits; *d != '\0'; d++) {
        size_t used = strlen(out);
        snprintf(out + used, bytes - used, "%s",
                 *d == '-' ? "\xe2\x81\xbb" : superscripts[*d - '0']);
    }
}

/* A power of a thousand as the unit, for numbers that no unit brings near 1. */
static oct_label_unit thousands(const char *name, double size, double value)
{
    oct_label_unit unit = {.size = size};
    double order = floor(log10(value / size) / 3 + 1e-9);
    if (value / size >= 1 && value / size < 1e4)
        order = 0;
    if (value / size >= 0.01 && *name == '\0' && order < 0)
        order = 0;
    if (order != 0) {
        snprintf(unit.name, sizeof unit.name, "10");
        append_superscript(unit.name, sizeof unit.name, (int)(3 * order));
        unit.size *= pow(1000, order);
    }
    size_t used = strlen(unit.name);
    snprintf(unit.name + used, sizeof unit.name - used, "%s%s",
             used > 0 && *name != '\0' ? " " : "", name);
    return unit;
}

oct_label_unit oct_label_length(const oct_units *units, double length)
{
    static const named_unit list[] = {{"mm", 1e-3},         {"m", 1},       {"km", 1e3},
                                      {"AU", AU},           {"pc", PARSEC}, {"kpc", 1e3 * PARSEC},
                                      {"Mpc", 1e6 * PARSEC}};
    if (!units->physical)
        return thousands("", 1, length);
    named_unit best = choose(list, sizeof list / sizeof list[0], length * units->length);
    return thousands(best.name, best.si / units->length, length);
}

oct_label_unit oct_label_surface(const oct_units *units, double length, bool count)
{
    oct_label_unit out = {.name = "", .size = 1};
    if (!units->physical)
        return out;
    double si = length * units->length;
    const char *mass = "kg", *area = "m\xc2\xb2";
    double mass_si = 1, length_si = 1;
    if (si >= 1e3 * AU) {
        mass = "M\xe2\x98\x89", mass_si = SOLAR_MASS;
        area = "pc\xc2\xb2", length_si = PARSEC;
    } else if (si >= 0.01 * AU) {
        mass = "M\xe2\x8a\x95", mass_si = EARTH_MASS;
        area = "AU\xc2\xb2", length_si = AU;
    }
    snprintf(out.name, sizeof out.name, "%s/%s", count ? "1" : mass, area);
    out.size = (count ? 1 : mass_si / units->mass) * pow(units->length / length_si, 2);
    return out;
}

oct_label_unit oct_label_speed(const oct_units *units)
{
    oct_label_unit out = {.name = "", .size = 1};
    if (!units->physical)
        return out;
    bool metres = units->length == 1 && units->time == 1;
    snprintf(out.name, sizeof out.name, metres ? "m/s" : "km/s");
    out.size = (metres ? 1 : 1e3) * units->time / units->length;
    return out;
}

/* Digits are counted as an integer: printf would follow the locale's decimal point. */
static void fixed_point(char out[OCT_LABEL_BYTES], double value, int decimals)
{
    double scaled = round(fabs(value) * pow(10, decimals));
    if (!(scaled < 1e17)) {
        snprintf(out, OCT_LABEL_BYTES, "%.3e", value);
        return;
    }
    uint64_t digits = (uint64_t)scaled, power = 1;
    for (int i = 0; i < decimals; i++)
        power *= 10;
    const char *sign = value < 0 && digits > 0 ? MINUS : "";
    if (decimals == 0)
        snprintf(out, OCT_LABEL_BYTES, "%s%llu", sign, (unsigned long long)digits);
    else
        snprintf(out, OCT_LABEL_BYTES, "%s%llu.%0*llu", sign, (unsigned long long)(digits / power),
                 decimals, (unsigned long long)(digits % power));
}

static int decimals_of(double step)
{
    double order = floor(log10(step) + 1e-9);
    return order < 0 ? (int)fmin(-order, 15) : 0;
}

void oct_label_number(char out[OCT_LABEL_BYTES], double value, double step)
{
    fixed_point(out, value, decimals_of(step));
}

/* "1.52×10⁸" */
static void scientific(char out[OCT_LABEL_BYTES], double value, int decimals)
{
    int exponent = (int)floor(log10(fabs(value)) + 1e-12);
    fixed_point(out, value / pow(10, exponent), decimals);
    size_t used = strlen(out);
    snprintf(out + used, OCT_LABEL_BYTES - used,
             "\xc3\x97"
             "10");
    append_superscript(out, OCT_LABEL_BYTES, exponent);
}

void oct_label_value(char out[OCT_LABEL_BYTES], double value, double step)
{
    double size = fabs(value);
    if (size >= 1e-3 && size < 1e4)
        oct_label_number(out, value, step);
    else
        scientific(out, value, decimals_of(step / pow(10, floor(log10(size) + 1e-12))));
}

void oct_label_power(char out[OCT_LABEL_BYTES], int exponent)
{
    if (exponent >= -2 && exponent <= 3) {
        fixed_point(out, pow(10, exponent), exponent < 0 ? -exponent : 0);
        return;
    }
    snprintf(out, OCT_LABEL_BYTES, "10");
    append_superscript(out, OCT_LABEL_BYTES, exponent);
}

void oct_label_count(char out[OCT_LABEL_BYTES], uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < length; i++) {
        const char *gap = i > 0 && (length - i) % 3 == 0 && length > 4 ? THIN_SPACE : "";
        used += (size_t)snprintf(out + used, OCT_LABEL_BYTES - used, "%s%c", gap, digits[i]);
    }
}

void oct_label_time(char out[OCT_LABEL_BYTES], const oct_units *units, double orbit, double time)
{
    static const named_unit list[] = {{"s", 1},
                                      {"h", 3600},
                                      {"d", 86400},
                                      {"yr", JULIAN_YEAR},
                                      {"kyr", 1e3 * JULIAN_YEAR},
                                      {"Myr", 1e6 * JULIAN_YEAR},
                                      {"Gyr", 1e9 * JULIAN_YEAR}};
    named_unit best = {"", 1};
    if (units->physical && time != 0)
        best = choose(list, sizeof list / sizeof list[0], fabs(time) * units->time);
    double value = units->physical ? time * units->time / best.si : time;
    if (orbit > 0) {
        best.name = "orbits";
        value = time / orbit;
    }
    char number[OCT_LABEL_BYTES];
    if (fabs(value) >= 1e6 || (value != 0 && fabs(value) < 1e-3)) {
        scientific(number, value, 2);
    } else {
        double order = value != 0 ? floor(log10(fabs(value))) : 2;
        fixed_point(number, value, (int)fmax(0, 2 - order));
    }
    snprintf(out, OCT_LABEL_BYTES, "t = %.64s%s%s", number, best.name[0] != '\0' ? " " : "",
             best.name);
}

void oct_label_axis(char out[OCT_LABEL_BYTES], const char *name, const oct_label_unit *unit)
{
    snprintf(out, OCT_LABEL_BYTES, "%s%s%s", name, unit->name[0] != '\0' ? " / " : "", unit->name);
}
