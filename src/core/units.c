/* Systems of units, and the reading of numbers with units. */
#include "core/units.h"

#include "util/number.h"
#include "util/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CODATA 2018; the IAU's nominal GM (2015 resolution B3) give the masses, IAU 2012 B2 the AU. */
#define G_SI   6.67430e-11
#define AU     149597870700.0
#define PC     (AU * 648000.0 / 3.14159265358979323846)
#define MSUN   (1.3271244e20 / G_SI)
#define MEARTH (3.986004e14 / G_SI)
#define MJUP   (1.2668653e17 / G_SI)
#define DAY    86400.0
#define YEAR   (365.25 * DAY)

/* The Gaussian constant and the ratio of the Sun's to the Earth's mass (Celestial, B.2). */
#define GAUSS     0.01720209895
#define SUN_EARTH 332946.0

typedef struct unit {
    const char *symbol;
    oct_dimension dimension;
    double si;
} unit;

#define L                                                                                          \
    {                                                                                              \
        1, 0, 0                                                                                    \
    }
#define M                                                                                          \
    {                                                                                              \
        0, 1, 0                                                                                    \
    }
#define T                                                                                          \
    {                                                                                              \
        0, 0, 1                                                                                    \
    }

static const unit symbols[] = {
    {"mm", L, 1e-3},
    {"cm", L, 1e-2},
    {"m", L, 1},
    {"km", L, 1e3},
    {"Rearth", L, 6.3781e6},
    {"Rjup", L, 7.1492e7},
    {"Rsun", L, 6.957e8},
    {"AU", L, AU},
    {"ly", L, 9460730472580800.0},
    {"pc", L, PC},
    {"kpc", L, 1e3 * PC},
    {"Mpc", L, 1e6 * PC},
    {"mg", M, 1e-6},
    {"g", M, 1e-3},
    {"kg", M, 1},
    {"t", M, 1e3},
    {"Mearth", M, MEARTH},
    {"Mjup", M, MJUP},
    {"Msun", M, MSUN},
    {"us", T, 1e-6},
    {"ms", T, 1e-3},
    {"s", T, 1},
    {"min", T, 60},
    {"h", T, 3600},
    {"d", T, DAY},
    {"day", T, DAY},
    {"yr", T, YEAR},
    {"kyr", T, 1e3 * YEAR},
    {"Myr", T, 1e6 * YEAR},
    {"Gyr", T, 1e9 * YEAR},
    {"orbit", T, 0}, /* 2 pi / omega of the scene's box */
};

#undef L
#undef M
#undef T

enum { SYMBOLS = sizeof symbols / sizeof symbols[0], LARGEST_POWER = 9 };

static const oct_units systems[] = {
    {"si", true, 1, 1, 1, G_SI},
    {"nbody", false, 1, 1, 1, 1},
    {"solar", true, AU, MEARTH, DAY, GAUSS *GAUSS / SUN_EARTH},
    {"galactic", true, 1e3 * PC, 1e10 * MSUN, PC, 1e10 * 1.3271244e20 / (1e3 * PC * 1e6)},
};

enum { SYSTEMS = sizeof systems / sizeof systems[0] };

const oct_units *oct_units_find(const char *name)
{
    for (size_t i = 0; i < SYSTEMS; i++)
        if (strcmp(systems[i].name, name) == 0)
            return &systems[i];
    return NULL;
}

const char *const *oct_units_names(void)
{
    static const char *const names[] = {"si", "nbody", "solar", "galactic", NULL};
    return names;
}

bool oct_units_symbol(size_t index, const char **symbol, oct_dimension *dimension, double *si)
{
    if (index >= SYMBOLS)
        return false;
    *symbol = symbols[index].symbol;
    *dimension = symbols[index].dimension;
    *si = symbols[index].si;
    return true;
}

static double power(double base, int exponent)
{
    double result = 1;
    for (int i = 0; i < abs(exponent); i++)
        result *= base;
    return exponent < 0 ? 1 / result : result;
}

static double unit_size(const oct_units *units, oct_dimension d)
{
    return power(units->length, d.length) * power(units->mass, d.mass) * power(units->time, d.time);
}

double oct_units_from_si(const oct_units *units, oct_dimension dimension)
{
    return 1 / unit_size(units, dimension);
}

static bool same_dimension(oct_dimension a, oct_dimension b)
{
    return a.length == b.length && a.mass == b.mass && a.time == b.time;
}

/* Symbols with their powers: "kg m^2/s^2". */
static void describe_powers(char *out, size_t bytes, const char *const symbol[3],
                            const int exponent[3])
{
    size_t used = 0;
    out[0] = '\0';
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 3; i++) {
            int e = pass ? -exponent[i] : exponent[i];
            if (e <= 0 || used >= bytes)
                continue;
            const char *before = pass ? "/" : used ? " " : "";
            /* A symbol that is a quotient itself needs brackets when it is raised or divided by. */
            bool brackets = strchr(symbol[i], '/') && (e > 1 || pass);
            int n = snprintf(out + used, bytes - used, "%s%s%s%s", before, brackets ? "(" : "",
                             symbol[i], brackets ? ")" : "");
            used += n > 0 ? (size_t)n : 0;
            if (e > 1 && used < bytes) {
                n = snprintf(out + used, bytes - used, "^%d", e);
                used += n > 0 ? (size_t)n : 0;
            }
        }
    }
}

void oct_units_dimension(char *out, size_t bytes, oct_dimension dimension)
{
    static const struct {
        oct_dimension dimension;
        const char *name;
    } named[] = {{{0, 0, 0}, "number"},        {{1, 0, -1}, "speed"},
                 {{1, 0, -2}, "acceleration"}, {{0, 0, -1}, "rate"},
                 {{-3, 1, 0}, "density"},      {{2, 1, -2}, "energy"},
                 {{0, 0, 1}, "time"},          {{-2, 1, 0}, "surface density"}};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if (same_dimension(named[i].dimension, dimension)) {
            snprintf(out, bytes, "%s", named[i].name);
            return;
        }
    }
    describe_powers(out, bytes, (const char *const[3]){"mass", "length", "time"},
                    (const int[3]){dimension.mass, dimension.length, dimension.time});
}

void oct_units_describe(char *out, size_t bytes, const oct_units *units, oct_dimension dimension)
{
    const oct_units *known = units->name ? oct_units_find(units->name) : NULL;
    int l = dimension.length, m = dimension.mass, t = dimension.time;
    const int powers[3] = {m, l, t};
    if (same_dimension(dimension, OCT_DIMENSIONLESS)) {
        snprintf(out, bytes, "1");
    } else if (!units->physical) {
        describe_powers(out, bytes, (const char *const[3]){"mass", "length", "time"}, powers);
    } else if (known == &systems[2]) {
        describe_powers(out, bytes, (const char *const[3]){"Mearth", "AU", "day"}, powers);
    } else if (known == &systems[3]) {
        /* time = kpc/(km/s): L^l T^t = kpc^(l + t) (km/s)^-t */
        describe_powers(out, bytes, (const char *const[3]){"1e10 Msun", "kpc", "km/s"},
                        (const int[3]){m, l + t, -t});
    } else {
        /* Units of a file: their size in SI stands before the SI symbols. */
        double size = unit_size(units, dimension);
        int n = size == 1 ? 0 : snprintf(out, bytes, "%.7g ", size);
        size_t used = n > 0 ? (size_t)n : 0;
        if (used < bytes)
            describe_powers(out + used, bytes - used, (const char *const[3]){"kg", "m", "s"},
                            powers);
    }
}

/* "; expected length, such as '1 m'" */
static const char *expected(char *out, size_t bytes, oct_dimension dimension,
                            const oct_units *units)
{
    char name[64], example[64];
    oct_units_dimension(name, sizeof name, dimension);
    oct_units_describe(example, sizeof example, &systems[0], dimension);
    if (same_dimension(dimension, OCT_DIMENSIONLESS))
        snprintf(out, bytes, "; expected a plain number");
    else if (!units->physical)
        snprintf(out, bytes, "; expected %s as a plain number", name);
    else
        snprintf(out, bytes, "; expected %s, such as '1 %s'", name, example);
    return out;
}

static oct_status unknown_unit(const char *name, const char *text, const char *wanted)
{
    const char *names[SYMBOLS];
    for (size_t i = 0; i < SYMBOLS; i++)
        names[i] = symbols[i].symbol;
    const char *nearest = oct_text_nearest(name, names, SYMBOLS);
    return OCT_FAIL(OCT_STATUS_INPUT, "'%.40s' has an unknown unit '%.20s'%s%s%s%s", text, name,
                    wanted, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                    nearest ? "'?" : "");
}

/* A unit expression such as "kg/m^2" or "/s", multiplied together so far. */
typedef struct product {
    double si;
    int length, mass, time;
    bool bare; /* no units at all */
} product;

/* Reads one unit with its power at *text, which is moved past it. */
static oct_status read_factor(product *p, const char **text, bool divide, const char *whole,
                              const char *wanted, const oct_units *units, double orbit)
{
    char name[24];
    size_t n = 0;
    const char *c = *text;
    while (isalpha((unsigned char)*c) && n + 1 < sizeof name)
        name[n++] = *c++;
    name[n] = '\0';
    OCT_CHECK(n > 0, OCT_STATUS_INPUT, "'%.40s' is not a number with a unit%s", whole, wanted);
    const unit *found = NULL;
    for (size_t i = 0; i < SYMBOLS && !found; i++)
        if (strcmp(symbols[i].symbol, name) == 0)
            found = &symbols[i];
    if (!found)
        return unknown_unit(name, whole, wanted);
    double si = found->si;
    if (si == 0) {
        OCT_CHECK(orbit > 0, OCT_STATUS_INPUT,
                  "'%.40s' is in orbits, but the box has no omega to define one%s", whole, wanted);
        si = orbit * units->time;
    } else {
        OCT_CHECK(units->physical, OCT_STATUS_INPUT,
                  "'%.40s' has a unit, but with units: %s numbers have none%s", whole, units->name,
                  wanted);
    }
    long e = 1;
    if (*c == '^') {
        char *end;
        e = strtol(c + 1, &end, 10);
        OCT_CHECK(end > c + 1 && labs(e) <= LARGEST_POWER, OCT_STATUS_INPUT,
                  "'%.40s' has a bad power%s", whole, wanted);
        c = end;
    }
    int signed_power = divide ? -(int)e : (int)e;
    p->si *= power(si, signed_power);
    p->length += signed_power * found->dimension.length;
    p->mass += signed_power * found->dimension.mass;
    p->time += signed_power * found->dimension.time;
    *text = c;
    return OCT_STATUS_OK;
}

static const char *skip_blanks(const char *c)
{
    return c + strspn(c, " \t");
}

/* The number and the units that follow it. */
static oct_status read_quantity(double *number, product *p, const char *text, const char *wanted,
                                const oct_units *units, double orbit)
{
    const char *c;
    OCT_CHECK(oct_number_read(number, &c, skip_blanks(text)), OCT_STATUS_INPUT,
              "'%.40s' is not a number%s", text, wanted);
    c = skip_blanks(c);
    *p = (product){.si = 1, .bare = *c == '\0'};
    for (int factors = 0; *c; factors++) {
        OCT_CHECK(factors < LARGEST_POWER, OCT_STATUS_INPUT, "'%.40s' has too many units%s", text,
                  wanted);
        bool divide = *c == '/';
        if (divide || (*c == '*' && factors > 0))
            c = skip_blanks(c + 1);
        OCT_TRY(read_factor(p, &c, divide, text, wanted, units, orbit));
        c = skip_blanks(c);
    }
    return OCT_STATUS_OK;
}

static oct_dimension dimension_of(const product *p)
{
    return (oct_dimension){(signed char)p->length, (signed char)p->mass, (signed char)p->time};
}

/* A number that was read in SI, in units of the scene. */
static oct_status convert(double *out, double number, const product *p, const char *text,
                          const char *wanted, const oct_units *units)
{
    double value = p->bare ? number : number * (p->si / unit_size(units, dimension_of(p)));
    OCT_CHECK(isfinite(value) || isinf(number), OCT_STATUS_INPUT,
              "'%.40s' is too large a number in units of the scene%s", text, wanted);
    *out = value;
    return OCT_STATUS_OK;
}

oct_status oct_units_parse(double *out, const char *text, oct_dimension dimension,
                           const oct_units *units, double orbit)
{
    char wanted[160], name[64];
    double number;
    product p;
    expected(wanted, sizeof wanted, dimension, units);
    OCT_TRY(read_quantity(&number, &p, text, wanted, units, orbit));
    if (!p.bare && !same_dimension(dimension_of(&p), dimension)) {
        oct_units_dimension(name, sizeof name, dimension_of(&p));
        return OCT_FAIL(OCT_STATUS_INPUT, "'%.40s' is a %s%s", text, name, wanted);
    }
    return convert(out, number, &p, text, wanted, units);
}

oct_status oct_units_parse_any(double *out, const char *text, const oct_units *units, double orbit)
{
    const char *wanted = units->physical ? "; expected a number, with units where it has any"
                                         : "; expected a plain number";
    double number;
    product p;
    OCT_TRY(read_quantity(&number, &p, text, wanted, units, orbit));
    return convert(out, number, &p, text, wanted, units);
}

oct_status oct_units_read(double *out, const char *text, const oct_units *units, int length,
                          int mass, int time)
{
    oct_dimension dimension = {(signed char)length, (signed char)mass, (signed char)time};
    return oct_units_parse(out, text, dimension, units, 0);
}
