/* octant selftest: every kernel against its oracle, with the errors that were found. */
#include <stdio.h>

#include "cache.h"
#include "command.h"

static const oct_option options[] = {OCT_OPTION_DEVICE, OCT_OPTION_JSON, {0}};

typedef struct case_tally {
    bool json;
    size_t n, failed;
} case_tally;

static void report(void *context, const char *name, bool passed, double error, double tolerance)
{
    case_tally *tally = context;
    if (tally->json) {
        printf("%s\n    {\"name\": ", tally->n ? "," : "");
        oct_json_text(name);
        printf(", \"passed\": %s, \"error\": ", passed ? "true" : "false");
        oct_json_number(error);
        printf(", \"tolerance\": ");
        oct_json_number(tolerance);
        printf("}");
    } else {
        printf("%-32s  %-10.3e  %-10.3e  %s\n", name, error, tolerance, passed ? "ok" : "FAILED");
        fflush(stdout);
    }
    tally->n++;
    tally->failed += !passed;
}

static int run(const oct_call *call)
{
    case_tally tally = {.json = oct_call_option(call, "json") != NULL};
    oct_device *device = NULL;
    oct_status status = oct_call_device(&device, call);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    const oct_device_info *about = oct_device_describe(device);
    if (tally.json) {
        printf("{\"device\": ");
        oct_json_text(about->name);
        printf(", \"driver\": ");
        oct_json_text(about->driver);
        printf(", \"cases\": [");
    } else {
        printf("%s, driver %s\n\n%-32s  %-10s  %-10s\n", OCT_SHOW(about->name),
               OCT_SHOW(about->driver), "case", "error", "tolerance");
    }
    status = oct_selftest(device, report, &tally);
    if (tally.json)
        printf("\n  ], \"passed\": %s}\n", status == OCT_STATUS_OK ? "true" : "false");
    else
        printf("\n%zu passed, %zu failed\n", tally.n - tally.failed, tally.failed);
    int result = status == OCT_STATUS_OK ? 0 : oct_report_failure(status);
    oct_device_free(device);
    return result;
}

const oct_command oct_cmd_selftest = {
    .name = "selftest",
    .arguments = "",
    .doc = "run every kernel against its scalar oracle on a device",
    .example = "octant selftest --device cpu",
    .options = options,
    .run = run,
};
