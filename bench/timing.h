/* What the benchmarks share: a scene, and how its steps are timed. */
#ifndef OCT_BENCH_TIMING_H
#define OCT_BENCH_TIMING_H

#include "bench.h"

/* Creates a simulation of models, "[plummer: {n: 1000}]", with this gravity. */
oct_status oct_bench_scene(oct_sim **out, const oct_bench_run *run, const char *models,
                           const oct_sim_options *options, const char *gravity);
/* Creates a simulation of a Plummer sphere with this gravity, "{method: direct}". */
oct_status oct_bench_plummer(oct_sim **out, const oct_bench_run *run, uint64_t n,
                             oct_precision precision, const char *gravity);
/* Takes steps for this long, at least one, and fills in the time of a step and its phases. */
oct_status oct_bench_time(oct_bench_result *out, oct_sim *sim, const oct_bench_run *run,
                          double seconds);
/* Takes bursts of steps for this long, with and without the profiler in turn, and keeps the best:
 * the time of a step on the wall, as a user waits for it, and its phases on the device. Whatever
 * else the machine does only adds to a time. A second call may improve on the first. */
oct_status oct_bench_best(oct_bench_result *out, oct_sim *sim, const oct_bench_run *run,
                          double seconds);
/* The time by kernels whose name starts so, ms a step. */
double oct_bench_phase(const oct_bench_result *result, const char *prefix);
/* A clock that only moves forward. */
double oct_bench_clock(void);

#endif
