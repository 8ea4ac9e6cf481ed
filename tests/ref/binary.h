/* A close binary in a star cluster, whose axis tells how well forces know its distance. */
#ifndef OCT_TESTS_BINARY_H
#define OCT_TESTS_BINARY_H

#include <stddef.h>

/* Largest relative change of the axis over so many periods of so many steps each, in a Plummer
 * sphere of n bodies (mass and scale 1) in mixed precision with this gravity, measured once a
 * period. */
double ref_binary_drift(size_t n, const char *gravity, double axis, int periods, int steps);

#endif
