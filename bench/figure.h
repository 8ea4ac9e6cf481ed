/* Rows of figures that others have published: a scene by the tree, timed, with the error of its
 * forces beside the time. */
#ifndef OCT_BENCH_FIGURE_H
#define OCT_BENCH_FIGURE_H

#include "timing.h"

/* Forces on some of the bodies, summed over all pairs in double precision. */
typedef struct oct_bench_exact {
    size_t n;
    uint32_t *list;
    double *acceleration;
} oct_bench_exact;

/* None of a device without doubles; models as in "[plummer: {n: 1000}]". */
oct_status oct_bench_sum(oct_bench_exact *out, const oct_bench_run *run, const char *models);
void oct_bench_exact_clear(oct_bench_exact *exact);

typedef struct oct_bench_figure {
    const char *name, *models, *gravity; /* "order: monopole"; "" where nothing is to be said */
    double theta;
    double published_ms; /* of a step there; 0: none */
    const char *published;
} oct_bench_figure;

/* Fills in a row, all but the ratio where nothing was published. */
oct_status oct_bench_measure(oct_bench_result *out, const oct_bench_run *run,
                             const oct_bench_figure *figure, const oct_bench_exact *exact);

#endif
