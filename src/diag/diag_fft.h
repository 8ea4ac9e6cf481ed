/* Fourier transforms of a row of numbers on the host. */
#ifndef OCT_DIAG_FFT_H
#define OCT_DIAG_FFT_H

#include <complex.h>
#include <stddef.h>

enum { OCT_FFT_MOST = 1024 };

/* A product without C's look for infinities, which takes as long again. */
double complex oct_times(double complex a, double complex b);

/* What a transform of so many numbers multiplies with: made once for many. */
typedef struct oct_fft_factors {
    size_t n;
    double complex factors[OCT_FFT_MOST]; /* those of a pass over halves of h numbers from h on */
} oct_fft_factors;
void oct_fft_prepare(oct_fft_factors *out, size_t n, int sign);
void oct_fft_with(double complex *data, const oct_fft_factors *factors);

/* Transforms n numbers, a power of two and no more than the above, in place: sums of
 * data exp(sign 2 pi i j k / n). Going there (sign -1) and back (1) multiplies by n. */
void oct_fft(double complex *data, size_t n, int sign);

#endif
