#include "diag/diag_fft.h"

#include <math.h>

/* Swaps each number with the one at its index read backwards in binary. */
static void reverse_bits(double complex *data, size_t n, size_t stride)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double complex swap = data[i * stride];
            data[i * stride] = data[j * stride];
            data[j * stride] = swap;
        }
    }
}

void oct_fft(double complex *data, size_t n, size_t stride, int sign)
{
    reverse_bits(data, n, stride);
    for (size_t half = 1; half < n; half *= 2) {
        double complex turn = cexp(I * (sign * acos(-1.0) / (double)half)), factor = 1;
        for (size_t j = 0; j < half; j++, factor *= turn)
            for (size_t i = j; i < n; i += 2 * half) {
                double complex *a = data + i * stride, *b = data + (i + half) * stride;
                double complex odd = factor * *b;
                *b = *a - odd;
                *a += odd;
            }
    }
}
