/* octant convert: bodies from one kind of file and system of units into another. */
#include <stdio.h>

#include "command.h"

static const oct_option options[] = {
    {.name = "units",
     .value = "UNITS",
     .doc = "write si, nbody, solar, galactic or other units, such as 'AU, Msun, yr'"},
    {.name = "from", .value = "UNITS", .doc = "what IN is in, where it does not say"},
    OCT_OPTION_JSON,
    {0}};

/* The units that an option names; *out is NULL where it is not given. */
static oct_status read_units(const oct_units **out, oct_units *units, const oct_call *call,
                             const char *name)
{
    const char *text = oct_call_option(call, name);
    *out = text ? units : NULL;
    return text ? oct_units_from_text(units, text) : OCT_STATUS_OK;
}

static int run(const oct_call *call)
{
    const char *in = call->arguments[0], *out = call->arguments[1];
    oct_units units[2];
    const oct_units *from = NULL, *into = NULL;
    oct_bodies bodies = {0};
    oct_file_info info = {.size = sizeof info};
    oct_status status = read_units(&from, &units[0], call, "from");
    if (status == OCT_STATUS_OK)
        status = read_units(&into, &units[1], call, "units");
    if (status == OCT_STATUS_OK)
        status = oct_bodies_read_from(&bodies, &info, in, from, into);
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
        printf("%s: %zu particles written\n", OCT_SHOW(out), bodies.n);
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
    .leaves_files = true,
    .run = run,
};
