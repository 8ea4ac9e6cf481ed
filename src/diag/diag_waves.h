/* The density of a sheared patch on a grid, and how it correlates with itself. */
#ifndef OCT_DIAG_WAVES_H
#define OCT_DIAG_WAVES_H

#include <complex.h>
#include <stdint.h>

#include "diag/diag_fft.h"
#include "util/status.h"

enum { OCT_WAVES_MOST = OCT_FFT_MOST }; /* cells along a side */

typedef struct oct_waves {
    uint32_t cells[2]; /* in x and y; powers of two */
    double size[2];
    double turns; /* shift of the next box outward along y, in units of the side along y */
    double complex *values;
    bool alone; /* transformed by the calling thread, which has time, and leaves cores to others */
} oct_waves;

/* What bodies at random would do to the mean square of a density. */
typedef struct oct_waves_chance {
    double level;    /* its expectation */
    double variance; /* of what is left of the mean square when the level has been taken off */
} oct_waves_chance;

/* In place of a density s of mean 1, to which each body gave shares of itself by its distance from
 * the nearest cells ("cloud in cell"): the mean of s(r) s(r + lag) - 1 for every lag, with s seen
 * through a Gaussian of this standard deviation and without the part of each body with itself.
 * shot is the sum of squares of the masses over the square of their sum. */
oct_status oct_waves_correlate(oct_waves_chance *out, oct_waves *waves, double blur, double shot);

/* A lag or a frequency: the upper half of the indices are the negative ones. */
static inline double oct_waves_signed(size_t i, size_t n)
{
    return i < n / 2 ? (double)i : (double)i - (double)n;
}

#endif
