/* What criteria cost at the same angle, and what they bring: Bonsai (Bedorf et al. 2012, section
 * 3.3) has errors 10 to 50 % smaller by the smallest distance, at almost 3 times the time. The
 * relative one has no angle but for the first forces, and the α that errs as 0.75 does. */
#include <stdio.h>
#include <string.h>

#include "figure.h"

static const char *const criteria[] = {"offset", "geometric", "min-distance",
                                       "relative, alpha: 0.01"};

static oct_status bench_angle(const oct_bench_run *run, const char *models, double theta,
                              const oct_bench_exact *exact)
{
    oct_status status = OCT_STATUS_OK;
    double offset_ms = 0;
    for (size_t i = 0; i < sizeof criteria / sizeof criteria[0] && status == OCT_STATUS_OK; i++) {
        oct_bench_result result;
        char name[32], gravity[48];
        snprintf(name, sizeof name, "criteria-%.*s", (int)strcspn(criteria[i], ","), criteria[i]);
        snprintf(gravity, sizeof gravity, "criterion: %s", criteria[i]);
        const oct_bench_figure figure = {
            .name = name, .models = models, .gravity = gravity, .theta = theta};
        status = oct_bench_measure(&result, run, &figure, exact);
        if (status != OCT_STATUS_OK)
            break;
        if (offset_ms > 0) {
            result.ratio = result.ms_step / offset_ms;
            snprintf(result.reference, sizeof result.reference,
                     "times that of offset at this angle");
        } else {
            offset_ms = result.ms_step;
        }
        run->add(run->context, &result);
    }
    return status;
}

static oct_status criteria_run(const oct_bench_run *run)
{
    static const double angles[] = {0.5, 0.75};
    bool gpu = strcmp(oct_device_describe(run->device)->kind, "gpu") == 0;
    uint64_t n = run->n ? run->n : gpu ? 1 << 20 : 1 << 17;
    char models[64];
    oct_bench_exact exact;
    snprintf(models, sizeof models, "[plummer: {n: %llu, truncation: 20}]", (unsigned long long)n);
    oct_status status = oct_bench_sum(&exact, run, models);
    if (run->theta > 0 && status == OCT_STATUS_OK)
        status = bench_angle(run, models, run->theta, &exact);
    for (size_t i = 0; i < 2 && run->theta <= 0 && status == OCT_STATUS_OK; i++)
        status = bench_angle(run, models, angles[i], &exact);
    oct_bench_exact_clear(&exact);
    return status;
}

const oct_bench oct_bench_criteria = {
    .name = "criteria",
    .doc = "what the criteria of the tree cost and bring at the same angle",
    .run = criteria_run,
};
