/* Reads the options of pictures: sizes, cameras, what is followed, what is shown. */
#include "picture.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_size(oct_render_options *picture, const char *text)
{
    char *end;
    errno = 0;
    long width = strtol(text, &end, 10);
    if (end == text || *end != 'x')
        return false;
    const char *second = end + 1;
    long height = strtol(second, &end, 10);
    if (end == second || *end != '\0' || errno != 0)
        return false;
    /* The library says which sizes there are; here they only have to fit an int, and be given. */
    if (width < 1 || height < 1 || width > 1000000 || height > 1000000)
        return false;
    picture->width = (int)width;
    picture->height = (int)height;
    return true;
}

/* Numbers with commas between them. */
static bool parse_list(double *out, int count, const char *text)
{
    for (int k = 0; k < count; k++) {
        char *end;
        out[k] = strtod(text, &end);
        if (end == text || *end != (k + 1 < count ? ',' : '\0') || !isfinite(out[k]))
            return false;
        text = end + 1;
    }
    return true;
}

/* The rest of a text after the number that it begins with; NULL where it begins with none. */
static const char *unit_of(const char *text)
{
    char *end;
    strtod(text, &end);
    return end > text ? end + strspn(end, " \t") : NULL;
}

/* A quantity that may carry a unit, as texts have it with a certain dimension. */
typedef struct measure {
    const oct_units *units;
    int length, mass, time; /* its powers */
} measure;

/* Quantities with a separator between them; the unit of the last is that of all that have none.
 * Where there are fewer of them, as many as there are: none for an error, after a sentence. */
static int parse_quantities(double *out, int most, const char *text, char separator,
                            const char *name, const measure *as)
{
    const char *last = strrchr(text, separator), *unit = unit_of(last ? last + 1 : text);
    for (int k = 0; k < most; k++) {
        char part[128];
        const char *end = strchr(text, separator), *own = unit_of(text);
        size_t length = end ? (size_t)(end - text) : strlen(text);
        bool plain = own && (size_t)(own - text) >= length;
        snprintf(part, sizeof part, "%.*s%s%s", (int)(length < 100 ? length : 100), text,
                 plain && unit && *unit ? " " : "", plain && unit ? unit : "");
        if (oct_units_read(&out[k], part, as->units, as->length, as->mass, as->time) !=
            OCT_STATUS_OK)
            return oct_report_usage("--%s: %s", name, oct_last_error()) == 0;
        if (!isfinite(out[k]))
            return oct_report_usage("--%s takes finite numbers, not `%s`", name, text) == 0;
        if (!end)
            return k + 1;
        text = end + 1;
    }
    return most + 1;
}

/* The options that are lists or words. */
static bool parse_texts(oct_render_options *picture, const oct_call *call)
{
    const char *axis = oct_call_option(call, "axis"), *size = oct_call_option(call, "size");
    const char *light = oct_call_option(call, "light");
    picture->mode = oct_call_option(call, "mode");
    picture->map = oct_call_option(call, "map");
    picture->title = oct_call_option(call, "title");
    picture->text = oct_call_option(call, "text");
    picture->bare = oct_call_option(call, "bare") != NULL;
    picture->theme = oct_call_option(call, "theme");
    picture->lit = light != NULL;
    if (axis && (strlen(axis) != 1 || !strchr("xyz", axis[0])))
        return oct_report_usage("--axis is x, y or z, not `%s`", axis) == 0;
    picture->axis = axis ? axis[0] : 'z';
    if (size && !parse_size(picture, size))
        return oct_report_usage("--size is two numbers of pixels such as 1200x1000, not `%s`",
                                size) == 0;
    if (light && !parse_list(picture->light, 2, light))
        return oct_report_usage("--light is two angles such as 45,20, not `%s`", light) == 0;
    return true;
}

/* The body to follow: any id, 0 as well. */
static bool parse_follow(oct_render_options *picture, const oct_call *call)
{
    const char *text = oct_call_option(call, "follow");
    char *end;
    if (!text)
        return true;
    errno = 0;
    picture->follow = strtoull(text, &end, 10);
    picture->follows = true;
    if (text[0] < '0' || text[0] > '9' || *end || errno)
        return oct_report_usage("--follow is the id of a body, a whole number, not `%s`", text) ==
               0;
    if (oct_call_option(call, "centre"))
        return oct_report_usage("--follow and --centre both say what is in the centre: choose "
                                "one") == 0;
    for (int i = 0; oct_call_option_at(call, "camera", i); i++)
        if (strstr(oct_call_option_at(call, "camera", i), "centre="))
            return oct_report_usage("--follow and a camera's centre both say what is in the "
                                    "centre: choose one") == 0;
    return true;
}

/* Where the camera is. */
static bool parse_camera(oct_render_options *picture, const oct_call *call)
{
    bool bad = false;
    static const char *const angles[] = {"azimuth", "elevation", "roll"};
    double *const targets[] = {&picture->azimuth, &picture->elevation, &picture->roll};
    for (int i = 0; i < 3; i++)
        picture->aimed = picture->aimed || oct_call_option(call, angles[i]);
    if (picture->aimed && oct_call_option(call, "axis"))
        return oct_report_usage("--axis and angles both say where the camera is: choose one") == 0;
    picture->elevation = 90;
    for (int i = 0; i < 3 && !bad; i++)
        *targets[i] = oct_call_number(call, angles[i], *targets[i], &bad);
    if (!bad)
        picture->fov = oct_call_number(call, "fov", 0, &bad);
    if (!bad)
        picture->font = oct_call_number(call, "font-size", 0, &bad);
    if (!bad && oct_call_option(call, "font-size") && !(picture->font > 0))
        return oct_report_usage("--font-size is a number of pixels above zero") == 0;
    return !bad && parse_follow(picture, call);
}

static bool measure_extent(oct_render_options *picture, const oct_call *call,
                           const oct_units *units)
{
    const measure length = {.units = units, .length = 1};
    const char *extent = oct_call_option(call, "extent"),
               *distance = oct_call_option(call, "distance");
    const double degree = acos(-1.0) / 180;
    double sides[2] = {0}, away;
    if (extent) {
        int count = parse_quantities(sides, 2, extent, 'x', "extent", &length);
        if (count == 0)
            return false;
        if (count > 2 || !(sides[0] > 0) || (count == 2 && !(sides[1] > 0)))
            return oct_report_usage("--extent is one length above zero or two, such as '200 m' or "
                                    "'2 x 1 km', not `%s`",
                                    extent) == 0;
        picture->extent = sides[0];
        picture->extent_up = sides[1];
    }
    if (!distance)
        return true;
    int count = parse_quantities(&away, 1, distance, ',', "distance", &length);
    if (count == 0)
        return false;
    if (extent || !(picture->fov > 0) || count > 1 || !(away > 0))
        return oct_report_usage("--distance is a length above zero; it goes with --fov and "
                                "without --extent") == 0;
    picture->extent = 2 * away * tan(0.5 * degree * picture->fov);
    return true;
}

static bool measure_range(oct_render_options *picture, const oct_call *call, const oct_units *units,
                          bool counted)
{
    const char *range = oct_call_option(call, "range");
    bool density = !picture->mode || strcmp(picture->mode, "density") == 0 ||
                   strcmp(picture->mode, "components") == 0;
    const measure surface = {.units = units, .length = -2, .mass = counted ? 0 : 1};
    const measure speed = {.units = units, .length = 1, .time = -1};
    if (!range)
        return true;
    if (!density && !picture->map)
        return oct_report_usage("--range is for the colours of a density or a speed: bodies show "
                                "theirs with --map") == 0;
    int count =
        parse_quantities(picture->range, 2, range, ':', "range", density ? &surface : &speed);
    if (count == 0)
        return false;
    double low = picture->range[0], high = picture->range[1];
    if (count != 2 || !(high > low) || low < 0 || (density && low == 0))
        return oct_report_usage("--range goes from a number %s up to a greater one, such as "
                                "%s, not `%s`",
                                density ? "above 0" : "that is not negative",
                                density ? "'10:1000 kg/m^2'" : "'0:2 km/s'", range) == 0;
    return true;
}

bool oct_picture_measure(oct_picture *picture, const oct_call *call, const oct_units *units,
                         bool counted)
{
    oct_render_options *options = &picture->options;
    const measure length = {.units = units, .length = 1};
    const char *centre = oct_call_option(call, "centre");
    if (picture->measured)
        return true;
    if (!measure_extent(options, call, units) || !measure_range(options, call, units, counted))
        return false;
    if (centre) {
        int count = parse_quantities(options->centre, 3, centre, ',', "centre", &length);
        if (count != 3)
            return count > 0 && oct_report_usage("--centre is three lengths such as 0,0,1.5 or "
                                                 "'0,0,5 kpc', not `%s`",
                                                 centre) == 0;
        options->centred = true;
    }
    picture->measured = true;
    return true;
}

/* False after a sentence. */
static bool parse_path(oct_picture *out, const oct_call *call)
{
    char turn[64];
    bool bad = false;
    double angle = oct_call_number(call, "turn", 0, &bad);
    if (bad)
        return false;
    const char *key = oct_call_option_at(call, "camera", 0);
    if (!key && angle == 0)
        return true;
    oct_status status = oct_path_create(&out->path);
    for (int i = 0; status == OCT_STATUS_OK && key; key = oct_call_option_at(call, "camera", ++i))
        status = oct_path_add(out->path, key);
    if (status == OCT_STATUS_OK && angle != 0) {
        snprintf(turn, sizeof turn, "turn=%.17g", angle);
        status = oct_path_add(out->path, turn);
    }
    return status == OCT_STATUS_OK || oct_report_failure(status) == 0;
}

bool oct_picture_parse(oct_picture *out, const oct_call *call)
{
    bool bad = false;
    *out = (oct_picture){.options.size = sizeof out->options};
    if (!parse_texts(&out->options, call) || !parse_camera(&out->options, call) ||
        !parse_path(out, call))
        bad = true;
    uint64_t fps = bad ? 0 : oct_call_count(call, "fps", 0, &bad);
    uint64_t ghosts = bad ? 0 : oct_call_count(call, "ghosts", 0, &bad);
    out->fps = fps < INT_MAX ? (int)fps : INT_MAX;
    out->options.ghosts = ghosts < UINT_MAX ? (unsigned)ghosts : UINT_MAX;
    if (bad)
        oct_picture_clear(out);
    return !bad;
}

void oct_picture_clear(oct_picture *picture)
{
    oct_path_free(picture->path);
    *picture = (oct_picture){0};
}

oct_render_options oct_picture_frame(const oct_picture *picture, int index, int count)
{
    oct_render_options options = picture->options;
    if (picture->path)
        oct_path_apply(&options, picture->path, count > 1 ? (double)index / (count - 1) : 0);
    return options;
}
