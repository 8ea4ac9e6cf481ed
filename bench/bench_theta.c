/* Time by opening angle: Nakasato's Table 5 (arXiv 1112.4539), a sphere of uniform density with
 * 800 x 1024 bodies, by his monopoles and criterion and by ours. */
#include <math.h>
#include <stdio.h>

#include "figure.h"

enum { N = 800 * 1024 };

/* Angle, and seconds of his for forces on one Cypress (Radeon HD 5870), tree included. */
static const double table[][2] = {{0.2, 16.5},  {0.3, 5.24},  {0.4, 2.24},
                                  {0.5, 1.14},  {0.6, 0.682}, {0.7, 0.492},
                                  {0.8, 0.398}, {0.9, 0.343}, {1.0, 0.310}};

static oct_status bench_angle(const oct_bench_run *run, const char *models, double theta,
                              double seconds, const oct_bench_exact *exact)
{
    static const char *const ways[][2] = {
        {"theta-monopole", "order: monopole, criterion: geometric"}, {"theta", ""}};
    oct_status status = OCT_STATUS_OK;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0] && status == OCT_STATUS_OK; w++) {
        oct_bench_result result;
        const oct_bench_figure figure = {
            .name = ways[w][0],
            .models = models,
            .gravity = ways[w][1],
            .theta = theta,
            .published_ms = 1e3 * seconds,
            .published = "Nakasato's Table 5, one Cypress GPU, this angle, 800 K bodies"};
        status = oct_bench_measure(&result, run, &figure, exact);
        if (status == OCT_STATUS_OK)
            run->add(run->context, &result);
    }
    return status;
}

static oct_status theta_run(const oct_bench_run *run)
{
    char models[64];
    uint64_t n = run->n ? run->n : N;
    oct_bench_exact exact;
    snprintf(models, sizeof models, "[uniform-sphere: {n: %llu}]", (unsigned long long)n);
    oct_status status = oct_bench_sum(&exact, run, models);
    bool listed = false;
    for (size_t i = 0; i < sizeof table / sizeof table[0] && status == OCT_STATUS_OK; i++) {
        bool wanted = run->theta <= 0 || fabs(run->theta - table[i][0]) < 1e-9;
        listed = listed || wanted;
        if (wanted)
            status = bench_angle(run, models, table[i][0], n == N ? table[i][1] : 0, &exact);
    }
    if (status == OCT_STATUS_OK && !listed)
        status = bench_angle(run, models, run->theta, 0, &exact);
    oct_bench_exact_clear(&exact);
    return status;
}

const oct_bench oct_bench_theta = {
    .name = "theta",
    .doc = "tree gravity by opening angle, with the error, as in Nakasato's Table 5",
    .run = theta_run,
};
