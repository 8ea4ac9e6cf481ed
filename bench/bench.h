/* The benchmarks. One is one file, bench/bench_<name>.c, that defines oct_bench_<name>; the build
 * finds it. */
#ifndef OCT_BENCH_BENCH_H
#define OCT_BENCH_BENCH_H

#include "octant/octant.h"

enum { OCT_BENCH_PHASES = 32 };

/* One row of the table. */
typedef struct oct_bench_result {
    char name[48];
    uint64_t n;
    double theta; /* NaN where it has no meaning */
    char precision[8];
    double ms_step;
    size_t n_phases;
    oct_kernel_time phases[OCT_BENCH_PHASES]; /* a step, device time */
    oct_device_work work;                     /* of all steps of a burst; 0: not counted */
    uint64_t burst;                           /* steps in it */
    double interactions_per_s;                /* NaN where it has no meaning */
    double ratio;                             /* to the reference beside it; NaN without */
    char reference[96];                       /* what that was */
    double force_error;                       /* mean relative error; 0 where not measured */
} oct_bench_result;

typedef struct oct_bench_run {
    oct_device *device;
    uint64_t n;              /* 0: the benchmark's own sizes */
    oct_precision precision; /* AUTO: the benchmark's own list */
    double theta;            /* 0: the benchmark's own */
    double seconds;          /* to spend on each row */
    const char *peer;        /* another code to run beside ours; may be NULL */
    void (*add)(void *context, const oct_bench_result *result);
    void *context;
} oct_bench_run;

typedef struct oct_bench {
    const char *name, *doc;
    oct_status (*run)(const oct_bench_run *run);
} oct_bench;

extern const oct_bench *const oct_benches[];

#endif
