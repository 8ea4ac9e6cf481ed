/* Numbers, ticks and units as labels show them. */
#ifndef OCT_RENDER_LABEL_H
#define OCT_RENDER_LABEL_H

#include "octant/octant.h"

enum { OCT_LABEL_BYTES = 96 };

/* A unit to show a quantity in: value in the bodies' units / size. */
typedef struct oct_label_unit {
    char name[32]; /* "" where there is none */
    double size;
} oct_label_unit;

/* The next of 1, 2 and 5 times powers of ten that is not above, or not below, value > 0. */
double oct_label_below(double value);
double oct_label_above(double value);

/* Unit of length in which `length` is at least 1, and below 1000 where that is possible. */
oct_label_unit oct_label_length(const oct_units *units, double length);
/* Unit of surface density to go with pictures of that size; `count`: of bodies, not of mass. */
oct_label_unit oct_label_surface(const oct_units *units, double length, bool count);
oct_label_unit oct_label_speed(const oct_units *units);

/* A multiple of step, with the decimals that the step has. */
void oct_label_number(char out[OCT_LABEL_BYTES], double value, double step);
/* The same, as "5×10⁶" where the digits would be many. */
void oct_label_value(char out[OCT_LABEL_BYTES], double value, double step);
/* Power of ten: "0.01", "1", "100", "10⁶". */
void oct_label_power(char out[OCT_LABEL_BYTES], int exponent);
/* "1 000 000", in groups of three. */
void oct_label_count(char out[OCT_LABEL_BYTES], uint64_t count);
/* "t = 12.3 Myr"; three or more digits. orbit: a time to count in, "t = 2.50 orbits"; 0: none. */
void oct_label_time(char out[OCT_LABEL_BYTES], const oct_units *units, double orbit, double time);
/* "x / AU", or the name alone where there is no unit. */
void oct_label_axis(char out[OCT_LABEL_BYTES], const char *name, const oct_label_unit *unit);

#endif
