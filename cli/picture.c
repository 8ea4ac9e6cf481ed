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

/* The options that are lists or words. */
static bool parse_texts(oct_render_options *picture, const oct_call *call)
{
    const char *axis = oct_call_option(call, "axis"), *size = oct_call_option(call, "size");
    const char *centre = oct_call_option(call, "centre"), *light = oct_call_option(call, "light");
    picture->mode = oct_call_option(call, "mode");
    picture->map = oct_call_option(call, "map");
    picture->title = oct_call_option(call, "title");
    picture->text = oct_call_option(call, "text");
    picture->bare = oct_call_option(call, "bare") != NULL;
    picture->centred = centre != NULL;
    picture->lit = light != NULL;
    if (axis && (strlen(axis) != 1 || !strchr("xyz", axis[0])))
        return oct_report_usage("--axis is x, y or z, not `%s`", axis) == 0;
    picture->axis = axis ? axis[0] : 'z';
    if (size && !parse_size(picture, size))
        return oct_report_usage("--size is two numbers of pixels such as 1200x1000, not `%s`",
                                size) == 0;
    if (centre && !parse_list(picture->centre, 3, centre))
        return oct_report_usage("--centre is three numbers such as 0,0,1.5, not `%s`", centre) == 0;
    if (light && !parse_list(picture->light, 2, light))
        return oct_report_usage("--light is two angles such as 45,20, not `%s`", light) == 0;
    return true;
}

/* Where the camera is. */
static bool parse_camera(oct_render_options *picture, const oct_call *call)
{
    bool bad = false;
    const double degree = acos(-1.0) / 180;
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
        picture->extent = oct_call_number(call, "extent", 0, &bad);
    double distance = bad ? 0 : oct_call_number(call, "distance", 0, &bad);
    if (bad)
        return false;
    if (oct_call_option(call, "extent") && !(picture->extent > 0))
        return oct_report_usage("--extent is a length above zero") == 0;
    if (!oct_call_option(call, "distance"))
        return true;
    if (picture->extent > 0 || !(picture->fov > 0) || !(distance > 0))
        return oct_report_usage("--distance is a length above zero; it goes with --fov and "
                                "without --extent") == 0;
    picture->extent = 2 * distance * tan(0.5 * degree * picture->fov);
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
    *out = (oct_picture){0};
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
