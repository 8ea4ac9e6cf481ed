/* octant convert: bodies from one kind of file and system of units into another. */
#include <stdio.h>

#include "command.h"

static const oct_option options[] = {
    {.name = "units",
     .value = "UNITS",
     .doc = "write si, nbody, solar, galactic or other units, such as 'AU, Msun, yr'"},
    {.name = "from", .value = "UNITS", .doc = "what IN is in, where it does not say"},
    {.name = "to", .value = "KIND", .doc = "the kind of file to write, whatever the ending of OUT"},
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

static const char *name_of(const oct_units *units)
{
    return units->name ? units->name : "";
}

static void print_text(const char *out, const oct_file_kind *kind, const oct_bodies *bodies,
                       const oct_units *units)
{
    printf("%s: %zu particles written", OCT_SHOW(out), bodies->n);
    if (!kind->says_units && units->physical)
        printf("; the file does not say that its units are %.9g m, %.9g kg and %.9g s",
               units->length, units->mass, units->time);
    else if (!kind->says_units)
        printf("; the file does not say that its units are %s", OCT_SHOW(name_of(units)));
    if (kind->lost)
        printf("; it has no place for %s", kind->lost);
    printf("\n");
}

static void print_json(const char *in, const char *out, const oct_file_kind *kind,
                       const oct_bodies *bodies, const oct_file_info *info)
{
    printf("{\"in\": ");
    oct_json_text(in);
    printf(", \"kind\": \"%s\", \"out\": ", info->kind);
    oct_json_text(out);
    printf(", \"to\": \"%s\", \"units\": ", kind->name);
    oct_json_text(name_of(&info->units));
    printf(", \"n\": %zu}\n", bodies->n);
}

static int run(const oct_call *call)
{
    const char *in = call->arguments[0], *out = call->arguments[1];
    const char *to = oct_call_option(call, "to");
    oct_units units[2];
    const oct_units *from = NULL, *into = NULL;
    oct_bodies bodies = {0};
    oct_file_info info = {.size = sizeof info};
    const oct_file_kind *kind = NULL;
    oct_status status = oct_file_kind_for(&kind, to, out);
    if (status == OCT_STATUS_OK)
        status = read_units(&from, &units[0], call, "from");
    if (status == OCT_STATUS_OK)
        status = read_units(&into, &units[1], call, "units");
    if (status == OCT_STATUS_OK)
        status = oct_bodies_read_from(&bodies, &info, in, from, into);
    if (status == OCT_STATUS_OK)
        status = oct_bodies_write_as(&bodies, &info, out, to);
    int result = status == OCT_STATUS_OK ? 0 : oct_report_failure(status);
    if (result == 0 && oct_call_option(call, "json"))
        print_json(in, out, kind, &bodies, &info);
    else if (result == 0)
        print_text(out, kind, &bodies, &info.units);
    oct_bodies_clear(&bodies);
    return result;
}

static bool kind_at(size_t index, const char **name, const char **doc)
{
    const oct_file_kind *kind;
    for (size_t i = 0; (kind = oct_file_kind_at(i)); i++)
        if (kind->written && index-- == 0)
            break;
    *name = kind ? kind->name : NULL;
    *doc = kind ? kind->doc : NULL;
    return kind != NULL;
}

const oct_command oct_cmd_convert = {
    .name = "convert",
    .arguments = "IN OUT",
    .doc = "convert a file of bodies to a snapshot (.hdf5), CSV (.csv), Tipsy (.tipsy) or another "
           "kind",
    .example = "octant convert octant-plummer/checkpoint.hdf5 particles.csv",
    .options = options,
    .min_arguments = 2,
    .max_arguments = 2,
    .leaves_files = true,
    .topics = "kinds of files to write",
    .topic = kind_at,
    .run = run,
};
