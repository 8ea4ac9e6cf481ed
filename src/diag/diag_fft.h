/* Fourier transforms of a few thousand numbers on the host. */
#ifndef OCT_DIAG_FFT_H
#define OCT_DIAG_FFT_H

#include <complex.h>
#include <stddef.h>

/* Transforms n numbers (a power of two), `stride` apart, in place: sums of data exp(sign 2 pi i j k
 * / n). Going there (sign -1) and back (1) multiplies by n. */
void oct_fft(double complex *data, size_t n, size_t stride, int sign);

#endif
