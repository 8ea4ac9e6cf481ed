/* octant info: what is in a snapshot, a checkpoint or a CSV file, and whether it is whole. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

static const oct_option options[] = {OCT_OPTION_JSON, {0}};

enum { TYPES = 256 };

/* What the bodies amount to. */
typedef struct summary {
    size_t of_type[TYPES];
    double mass, centre[3], min[3], max[3];
    double spin[3], fastest; /* the mean angular velocity and the largest */
} summary;

/* The least and the largest of a column's numbers k. */
static void column_range(double out[2], const oct_user_column *column, size_t k, size_t n)
{
    out[0] = out[1] = n > 0 ? column->data[k] : NAN;
    for (size_t i = 1; i < n; i++) {
        out[0] = fmin(out[0], column->data[i * column->width + k]);
        out[1] = fmax(out[1], column->data[i * column->width + k]);
    }
}

static void summarise(summary *out, const oct_bodies *bodies)
{
    *out = (summary){0};
    for (size_t i = 0; i < bodies->n; i++) {
        out->of_type[bodies->type[i]]++;
        out->mass += bodies->mass[i];
        for (int k = 0; k < 3; k++) {
            double x = bodies->position[3 * i + (size_t)k];
            out->centre[k] += bodies->mass[i] * x;
            out->min[k] = i && out->min[k] < x ? out->min[k] : x;
            out->max[k] = i && out->max[k] > x ? out->max[k] : x;
            out->spin[k] += bodies->spin[3 * i + (size_t)k];
        }
        const double *w = bodies->spin + 3 * i;
        out->fastest = fmax(out->fastest, sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    }
    for (int k = 0; k < 3; k++) {
        out->centre[k] = out->mass > 0 ? out->centre[k] / out->mass : NAN;
        out->spin[k] /= (double)bodies->n;
    }
}

/* Only Octant's own files are sealed; reading one has verified it. */
static bool has_checksum(const oct_file_info *info)
{
    return strcmp(info->kind, "snapshot") == 0 || strcmp(info->kind, "checkpoint") == 0;
}

static void json_vector(const char *name, const double v[3])
{
    printf(", \"%s\": [", name);
    for (int k = 0; k < 3; k++) {
        printf("%s", k ? ", " : "");
        oct_json_number(v[k]);
    }
    printf("]");
}

static void json_columns(const oct_bodies *bodies)
{
    printf(", \"columns\": {");
    for (size_t c = 0; c < bodies->n_columns; c++) {
        const oct_user_column *column = &bodies->columns[c];
        printf("%s\"%s\": {\"unit\": ", c ? ", " : "", column->name);
        oct_json_text(column->unit);
        printf(", \"type\": \"%s\"", column->integer ? "integer" : "real");
        for (int side = 0; side < 2; side++) {
            printf(", \"%s\": [", side ? "max" : "min");
            for (size_t k = 0; k < column->width; k++) {
                double range[2];
                column_range(range, column, k, bodies->n);
                printf("%s", k ? ", " : "");
                oct_json_number(range[side]);
            }
            printf("]");
        }
        printf("}");
    }
    printf("}");
}

static void print_columns(const oct_bodies *bodies)
{
    for (size_t c = 0; c < bodies->n_columns; c++) {
        const oct_user_column *column = &bodies->columns[c];
        for (size_t k = 0; k < column->width; k++) {
            double range[2];
            char name[sizeof column->name + 2];
            column_range(range, column, k, bodies->n);
            snprintf(name, sizeof name, column->width > 1 ? "%s_%c" : "%s", column->name, "xyz"[k]);
            printf("%-12s %.6g to %.6g%s%s\n", name, range[0], range[1], *column->unit ? " " : "",
                   OCT_SHOW(column->unit));
        }
    }
}

static void print_json(const char *path, const oct_bodies *bodies, const oct_file_info *info,
                       const summary *sum)
{
    printf("{\"file\": ");
    oct_json_text(path);
    printf(", \"kind\": \"%s\", \"title\": ", info->kind);
    oct_json_text(info->title);
    printf(", \"generator\": ");
    oct_json_text(info->generator);
    printf(", \"run\": ");
    oct_json_text(info->run);
    printf(", \"checksum\": %s, \"time\": ", has_checksum(info) ? "\"ok\"" : "null");
    oct_json_number(info->time);
    printf(", \"step\": %" PRIu64 ", \"n\": %zu, \"types\": {", info->step, bodies->n);
    const char *comma = "";
    for (int type = 0; type < TYPES; type++) {
        if (sum->of_type[type]) {
            printf("%s\"%d\": %zu", comma, type, sum->of_type[type]);
            comma = ", ";
        }
    }
    printf("}, \"units\": {\"name\": ");
    oct_json_text(info->units.name ? info->units.name : "");
    const double values[] = {info->units.length, info->units.mass, info->units.time, info->units.G};
    static const char *const names[] = {"length", "mass", "time", "G"};
    for (int k = 0; k < 4; k++) {
        printf(", \"%s\": ", names[k]);
        oct_json_number(values[k]);
    }
    printf("}, \"periodic\": %s", info->periodic ? "true" : "false");
    json_vector("box", info->box);
    printf(", \"mass\": ");
    oct_json_number(sum->mass);
    json_vector("centre", sum->centre);
    json_vector("min", sum->min);
    json_vector("max", sum->max);
    json_vector("spin", sum->spin);
    printf(", \"spin_max\": ");
    oct_json_number(sum->fastest);
    json_columns(bodies);
    printf("}\n");
}

static const char *type_name(int type)
{
    return type == OCT_TYPE_BODY         ? "bodies"
           : type == OCT_TYPE_DISK       ? "stars of a disk"
           : type == OCT_TYPE_BULGE      ? "stars of a bulge"
           : type == OCT_TYPE_STAR       ? "stars"
           : type == OCT_TYPE_BLACK_HOLE ? "black holes"
                                         : "particles";
}

static void print_text(const char *path, const oct_bodies *bodies, const oct_file_info *info,
                       const summary *sum)
{
    const oct_units *units = &info->units;
    printf("%s: %s%s%s\n\n", OCT_SHOW(path), info->kind, info->title[0] ? ", " : "",
           OCT_SHOW(info->title));
    if (info->generator[0])
        printf("written by   %s\n", OCT_SHOW(info->generator));
    if (info->run[0])
        printf("run          %s\n", info->run);
    printf("checksum     %s\n", has_checksum(info) ? "ok" : "none in this kind of file");
    printf("time         %.10g (step %" PRIu64 ")\n", info->time, info->step);
    printf("particles    %zu", bodies->n);
    for (int type = 0; type < TYPES; type++)
        if (sum->of_type[type])
            printf("; %zu %s (type %d)", sum->of_type[type], type_name(type), type);
    printf("\nunits        %s", units->name ? OCT_SHOW(units->name) : "of the file");
    if (units->physical)
        printf(": length %.6g m, mass %.6g kg, time %.6g s", units->length, units->mass,
               units->time);
    printf("; G = %.6g\n", units->G);
    if (info->box[0] > 0)
        printf("box          %.6g x %.6g x %.6g%s\n", info->box[0], info->box[1], info->box[2],
               info->periodic ? ", periodic" : "");
    printf("mass         %.10g\n", sum->mass);
    printf("centre       %.6g, %.6g, %.6g\n", sum->centre[0], sum->centre[1], sum->centre[2]);
    for (int k = 0; k < 3; k++)
        printf("%c            %.6g to %.6g\n", "xyz"[k], sum -> min[k], sum -> max[k]);
    if (info->spins || sum->fastest > 0)
        printf("spin         %.6g, %.6g, %.6g on average, at most %.6g\n", sum->spin[0],
               sum->spin[1], sum->spin[2], sum->fastest);
    print_columns(bodies);
}

static int run(const oct_call *call)
{
    oct_bodies bodies = {0};
    oct_file_info info = {.size = sizeof info};
    summary sum;
    oct_status status = oct_bodies_read(&bodies, &info, call->arguments[0], NULL);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    summarise(&sum, &bodies);
    if (oct_call_option(call, "json"))
        print_json(call->arguments[0], &bodies, &info, &sum);
    else
        print_text(call->arguments[0], &bodies, &info, &sum);
    oct_bodies_clear(&bodies);
    return 0;
}

const oct_command oct_cmd_info = {
    .name = "info",
    .arguments = "FILE",
    .doc = "say what a snapshot, a checkpoint or a CSV file holds, and verify it",
    .example = "octant info octant-plummer/snapshot_0000.hdf5",
    .options = options,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
