/* A cube of uniform density, 2^20 bodies: Nakasato (arXiv 1112.4539, section 6.3) beside the fast
 * multipole method of Gumerov and Duraiswami (2008). */
#include <stdio.h>

#include "figure.h"

static oct_status cube_run(const oct_bench_run *run)
{
    enum { N = 1 << 20 };
    uint64_t n = run->n ? run->n : N;
    double theta = run->theta > 0 ? run->theta : 0.6;
    bool his = n == N && theta == 0.6;
    char models[64];
    snprintf(models, sizeof models, "[uniform-cube: {n: %llu}]", (unsigned long long)n);
    const oct_bench_figure figures[] = {
        {"cube-monopole", models, "order: monopole, criterion: geometric", theta, his ? 650 : 0,
         "Nakasato, one Cypress GPU: 650 ms"},
        {"cube", models, "", theta, n == N ? 680 : 0,
         "Gumerov and Duraiswami (2008), one GPU: 680 ms, potentials to 2e-4"}};
    oct_bench_exact exact;
    oct_status status = oct_bench_sum(&exact, run, models);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0] && status == OCT_STATUS_OK; i++) {
        oct_bench_result result;
        status = oct_bench_measure(&result, run, &figures[i], &exact);
        if (status == OCT_STATUS_OK)
            run->add(run->context, &result);
    }
    oct_bench_exact_clear(&exact);
    return status;
}

const oct_bench oct_bench_cube = {
    .name = "cube",
    .doc = "tree gravity of a uniform cube, with the error, beside that of others",
    .run = cube_run,
};
