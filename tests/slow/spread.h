/* How numbers of many ranks are spread, as a row of a table. */
#ifndef OCT_TESTS_SPREAD_H
#define OCT_TESTS_SPREAD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void print_spread_head(const char *what)
{
    printf("%-26s %13s %13s %13s %13s\n", what, "mean", "median", "99 %", "largest");
}

/* Puts the values in order. */
static inline void print_spread(const char *what, double *values, uint32_t n)
{
    double sum = 0;
    qsort(values, n, sizeof *values, ascending);
    for (uint32_t i = 0; i < n; i++)
        sum += values[i];
    printf("%-26s %13.0f %13.0f %13.0f %13.0f\n", what, sum / n, values[n / 2],
           values[(uint32_t)(0.99 * (n - 1) + 0.5)], values[n - 1]);
}

/* How many of the values, the largest ones, make nine tenths of their sum; puts them in order. */
static inline double count_most(double *values, uint32_t n)
{
    double sum = 0, part = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += values[i];
    qsort(values, n, sizeof *values, ascending);
    while (part < 0.9 * sum)
        part += values[n - ++count];
    return count;
}

#endif
