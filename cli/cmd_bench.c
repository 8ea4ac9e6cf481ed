#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "command.h"

static const oct_option options[] = {
    {.name = "n", .value = "N", .doc = "number of particles; several sizes without it"},
    {.name = "seconds", .value = "S", .doc = "time to spend on each row (default 2)"},
    OCT_OPTION_DEVICE,
    OCT_OPTION_PRECISION,
    OCT_OPTION_JSON,
    {0},
};

typedef struct table {
    bool json;
    size_t rows;
    const char *device;
} table;

static void add_json(table *t, const oct_bench_result *r)
{
    printf("%s\n  {\"name\": \"%s\", \"n\": %" PRIu64 ", \"theta\": ", t->rows ? "," : "", r->name,
           r->n);
    oct_json_number(r->theta);
    printf(", \"device\": ");
    oct_json_text(t->device);
    printf(", \"precision\": \"%s\", \"ms_step\": ", r->precision);
    oct_json_number(r->ms_step);
    printf(", \"phases\": {");
    for (size_t i = 0; i < r->n_phases; i++) {
        printf("%s\"%s\": ", i ? ", " : "", r->phases[i].name);
        oct_json_number(r->phases[i].ms);
    }
    printf("}, \"interactions_per_s\": ");
    oct_json_number(r->interactions_per_s);
    printf(", \"ratio\": ");
    oct_json_number(r->ratio);
    printf(", \"reference\": ");
    oct_json_text(r->reference);
    printf("}");
}

static void add_row(table *t, const oct_bench_result *r)
{
    if (t->rows == 0)
        printf("%-10s %9s  %-7s %10s %10s %9s  %s\n", "benchmark", "n", "prec.", "ms/step",
               "G int/s", "ratio", "device time by kernel, ms");
    printf("%-10s %9" PRIu64 "  %-7s %10.3f %10.2f %9.1f  ", r->name, r->n, r->precision,
           r->ms_step, 1e-9 * r->interactions_per_s, r->ratio);
    for (size_t i = 0; i < r->n_phases; i++)
        printf("%s%s %.3f", i ? ", " : "", r->phases[i].name, r->phases[i].ms);
    printf("\n");
    if (isfinite(r->ratio) && t->rows == 0)
        printf("%57s   (ratio to: %s)\n", "", r->reference);
}

static void add(void *context, const oct_bench_result *result)
{
    table *t = context;
    if (t->json)
        add_json(t, result);
    else
        add_row(t, result);
    fflush(stdout);
    t->rows++;
}

static bool wanted(const oct_call *call, const char *name)
{
    for (int i = 0; i < call->n_arguments; i++)
        if (strcmp(call->arguments[i], name) == 0)
            return true;
    return call->n_arguments == 0;
}

/* The first argument that names no benchmark; NULL when all do. */
static const char *unknown(const oct_call *call)
{
    for (int i = 0; i < call->n_arguments; i++) {
        size_t b = 0;
        while (oct_benches[b] && strcmp(oct_benches[b]->name, call->arguments[i]) != 0)
            b++;
        if (!oct_benches[b])
            return call->arguments[i];
    }
    return NULL;
}

static int run(const oct_call *call)
{
    bool bad = false;
    table t = {.json = oct_call_option(call, "json") != NULL};
    oct_bench_run bench = {.n = oct_call_count(call, "n", 0, &bad),
                           .precision = oct_call_precision(call, &bad),
                           .seconds = oct_call_number(call, "seconds", 2, &bad),
                           .add = add,
                           .context = &t};
    if (bad)
        return 2;
    if (unknown(call))
        return oct_report_usage("there is no benchmark '%s': see 'octant bench --help'",
                                unknown(call));
    oct_status status = oct_device_open(&bench.device, oct_call_option(call, "device"));
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    t.device = oct_device_describe(bench.device)->name;
    printf(t.json ? "[" : "%s\n", t.device);
    for (size_t i = 0; oct_benches[i] && status == OCT_STATUS_OK; i++)
        if (wanted(call, oct_benches[i]->name))
            status = oct_benches[i]->run(&bench);
    if (t.json)
        printf("\n]\n");
    oct_device_free(bench.device);
    return status == OCT_STATUS_OK ? 0 : oct_report_failure(status);
}

const oct_command oct_cmd_bench = {
    .name = "bench",
    .arguments = "[NAME...]",
    .doc = "Times the kernels on a device, against a reference in the same run. Benchmarks: direct "
           "(all pairs).",
    .example = "octant bench direct --device gpu",
    .options = options,
    .max_arguments = -1,
    .run = run,
};
