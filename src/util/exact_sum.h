/* Sums of many numbers. */
#ifndef OCT_UTIL_EXACT_SUM_H
#define OCT_UTIL_EXACT_SUM_H

#include <math.h>

/* A sum that loses nothing to round-off but its last bit (Neumaier). Start from {0}. */
typedef struct oct_exact_sum {
    double sum, lost;
} oct_exact_sum;

static inline void oct_exact_sum_add(oct_exact_sum *sum, double value)
{
    /* Knuth's two-sum: the error of the addition, whichever of the two is larger. */
    double next = sum->sum + value, added = next - sum->sum;
    sum->lost += (sum->sum - (next - added)) + (value - added);
    sum->sum = next;
}

static inline double oct_exact_sum_value(const oct_exact_sum *sum)
{
    return sum->sum + sum->lost;
}

#endif
