/* Quantiles of large sets, from a sample that is spread evenly over them. */
#ifndef OCT_RENDER_QUANTILE_H
#define OCT_RENDER_QUANTILE_H

#include <stddef.h>

/* Every which body to look at, so that at most 100 000 are. */
size_t oct_quantile_stride(size_t n);
/* How many bodies that are. */
size_t oct_quantile_samples(size_t n);

void oct_quantile_sort(double *values, size_t count);
/* The value that this fraction of a sorted list does not exceed; 0 for an empty one. */
double oct_quantile(const double *sorted, size_t count, double fraction);

#endif
