#include <stdio.h>

#include "command.h"

static const oct_option options[] = {
    {.name = "units", .value = "SYSTEM", .doc = "write si, nbody, solar or galactic units"},
    OCT_OPTION_JSON,
    {0}};

static const oct_units *find_units(const char *name)
{
    const oct_units *units = oct_units_find(name);
    if (units)
        return units;
    const char *const *names = oct_units_names();
    size_t n = 0;
    while (names[n])
        n++;
    const char *nearest = oct_text_nearest(name, names, n);
    oct_report_usage("there are no units `%s`; %s%s%s", name,
                     nearest ? "did you mean " : "choose si, nbody, solar or galactic",
                     nearest ? nearest : "", nearest ? "?" : "");
    return NULL;
}

static int run(const oct_call *call)
{
    const char *in = call->arguments[0], *out = call->arguments[1];
    const char *name = oct_call_option(call, "units");
    const oct_units *units = name ? find_units(name) : NULL;
    if (name && !units)
        return 2;
    oct_bodies bodies = {0};
    oct_file_info info = {0};
    oct_status status = oct_bodies_read(&bodies, &info, in, units);
    if (status == OCT_STATUS_OK)
        status = oct_bodies_write(&bodies, &info, out);
    int result = status == OCT_STATUS_OK ? 0 : oct_report_failure(status);
    if (result == 0 && oct_call_option(call, "json")) {
        printf("{\"in\": ");
        oct_json_text(in);
        printf(", \"kind\": \"%s\", \"out\": ", info.kind);
        oct_json_text(out);
        printf(", \"n\": %zu}\n", bodies.n);
    } else if (result == 0) {
        printf("%s: %zu particles written\n", out, bodies.n);
    }
    oct_bodies_clear(&bodies);
    return result;
}

const oct_command oct_cmd_convert = {
    .name = "convert",
    .arguments = "IN OUT",
    .doc = "convert a snapshot, a checkpoint or a CSV file to a snapshot (.hdf5) or CSV (.csv)",
    .example = "octant convert octant-plummer/checkpoint.hdf5 particles.csv",
    .options = options,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = run,
};
