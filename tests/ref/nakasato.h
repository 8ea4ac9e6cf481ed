/* A disk galaxy and the errors of tree forces on it that Nakasato (2012) gives in Tables 6 and 7:
 * monopoles, cells accepted when d > l / theta. */
#ifndef OCT_TESTS_NAKASATO_H
#define OCT_TESTS_NAKASATO_H

#include <stdbool.h>
#include <stddef.h>

enum { NAKASATO_SIZES = 5, NAKASATO_ANGLES = 9 };
extern const size_t nakasato_sizes[NAKASATO_SIZES];

/* Prints the errors of a column of the tables beside his: means of about this many particles in
 * each of some galaxies. Whether all are at most his times the factor. */
bool nakasato_column(int size, unsigned galaxies, size_t targets, double factor);

#endif
