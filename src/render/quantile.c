/* Sorts a sample and reads a quantile between two of its members. */
#include "render/quantile.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_SAMPLES = 100000 };

size_t oct_quantile_stride(size_t n)
{
    return n / MAX_SAMPLES + 1;
}

size_t oct_quantile_samples(size_t n)
{
    return n / oct_quantile_stride(n) + 1;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void oct_quantile_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
}

double oct_quantile(const double *sorted, size_t count, double fraction)
{
    if (count == 0)
        return 0;
    double rank = ceil(fraction * (double)count);
    return sorted[rank < 1 ? 0 : (size_t)rank - 1];
}
