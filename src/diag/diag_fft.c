/* A radix-2 transform in place, in double. */
#include "diag/diag_fft.h"

#include <math.h>
#include <string.h>

/* Swaps each number with the one at its index read backwards in binary. */
static void reverse_bits(double complex *data, size_t n)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double complex swap = data[i];
            data[i] = data[j];
            data[j] = swap;
        }
    }
}

/* A product of C looks for infinities, at twice the time. A complex number is an array of two
 * (C11 6.2.5); not every compiler has CMPLX. */
double complex oct_times(double complex a, double complex b)
{
    double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);
    const double parts[2] = {ar * br - ai * bi, ar * bi + ai * br};
    double complex product;
    memcpy(&product, parts, sizeof product);
    return product;
}

void oct_fft_prepare(oct_fft_factors *out, size_t n, int sign)
{
    out->n = n;
    for (size_t half = 1; half < n; half *= 2) {
        double complex turn = cexp(I * (sign * acos(-1.0) / (double)half));
        double complex *factors = out->factors + half;
        factors[0] = 1;
        for (size_t j = 1; j < half; j++)
            factors[j] = oct_times(factors[j - 1], turn);
    }
}

void oct_fft_with(double complex *data, const oct_fft_factors *f)
{
    reverse_bits(data, f->n);
    for (size_t half = 1; half < f->n; half *= 2)
        for (size_t i = 0; i < f->n; i += 2 * half)
            for (size_t j = 0; j < half; j++) {
                double complex odd = oct_times(f->factors[half + j], data[i + j + half]);
                data[i + j + half] = data[i + j] - odd;
                data[i + j] += odd;
            }
}

void oct_fft(double complex *data, size_t n, int sign)
{
    oct_fft_factors factors;
    oct_fft_prepare(&factors, n, sign);
    oct_fft_with(data, &factors);
}
