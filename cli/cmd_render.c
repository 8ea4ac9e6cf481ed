/* octant render: pictures and films of snapshots. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "interrupt.h"
#include "picture.h"

static const oct_option options[] = {
    {.name = "out", .value = "PATH", .doc = "the picture, or the folder for the pictures"},
    {.name = "format", .value = "TYPE", .doc = "png (default), svg or pdf, where --out is no file"},
    {.name = "film", .value = "FILE.mp4", .doc = "a film instead, a frame for each snapshot"},
    OCT_OPTIONS_PICTURE,
    {.name = "list-maps", .doc = "list the colour maps and end"},
    OCT_OPTION_JSON,
    {0}};

static bool is_set(const volatile int *stop)
{
    return stop && *stop;
}

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *const endings[] = {".png", ".svg", ".pdf"};
enum { ENDINGS = sizeof endings / sizeof endings[0] };

/* The ending that a text has, or that it names without its dot; NULL for any other. */
static const char *ending_of(const char *text, bool named)
{
    size_t length = strlen(text);
    for (int i = 0; i < ENDINGS; i++) {
        size_t own = strlen(endings[i]);
        if (named ? strcmp(text, endings[i] + 1) == 0
                  : length > own && strcmp(text + length - own, endings[i]) == 0)
            return endings[i];
    }
    return NULL;
}

/* The input's name with another ending, in `folder` or, where that is NULL, beside it. */
static char *picture_path(const char *input, const char *folder, const char *ending)
{
    const char *base = base_name(input), *dot = strrchr(base, '.');
    const char *start = folder ? base : input;
    size_t stem = dot && dot > base ? (size_t)(dot - start) : strlen(start);
    size_t bytes = (folder ? strlen(folder) + 1 : 0) + stem + strlen(ending) + 1;
    char *path = malloc(bytes);
    if (path)
        snprintf(path, bytes, "%s%s%.*s%s", folder ? folder : "", folder ? "/" : "", (int)stem,
                 start, ending);
    return path;
}

/* False after a sentence on standard error. */
static bool check_options(const oct_call *call)
{
    static const char *const of_films[] = {"fps", "camera", "turn"};
    static const char *const of_pictures[] = {"out", "format"};
    for (int i = 0; i < 2 && oct_call_option(call, "film"); i++)
        if (oct_call_option(call, of_pictures[i]))
            return oct_report_usage("--%s is for pictures; --film names the film already",
                                    of_pictures[i]) == 0;
    const char *format = oct_call_option(call, "format");
    if (format && !ending_of(format, true))
        return oct_report_usage("--format is png, svg or pdf, not `%s`", format) == 0;
    for (int i = 0; i < 3 && !oct_call_option(call, "film"); i++)
        if (oct_call_option(call, of_films[i]))
            return oct_report_usage("--%s is for films: it goes with --film FILE.mp4",
                                    of_films[i]) == 0;
    return true;
}

/* The paths of the pictures; NULL after a sentence, with the exit status in *result. */
static char **plan_paths(const oct_call *call, int *result)
{
    int n = call->n_arguments;
    const char *out = oct_call_option(call, "out");
    size_t length = out ? strlen(out) : 0;
    bool folder = out && (n > 1 || is_folder(out) || (length > 0 && out[length - 1] == '/'));
    const char *format = oct_call_option(call, "format");
    const char *ending = format ? ending_of(format, true) : endings[0];
    const char *own = out && !folder ? ending_of(out, false) : NULL;
    *result = 2;
    if (folder && ending_of(out, false) && !is_folder(out)) {
        oct_report_usage(
            "several pictures need a folder, and `%s` looks like the name of a picture", out);
        return NULL;
    }
    if (out && !folder && !own) {
        oct_report_usage("a picture is a PNG, SVG or PDF file: `%s` does not end in .png, .svg or "
                         ".pdf",
                         out);
        return NULL;
    }
    if (own && format && own != ending) {
        oct_report_usage("--format %s and the ending of `%s` say different things", format, out);
        return NULL;
    }
    char **paths = calloc((size_t)n + 1, sizeof *paths);
    for (int i = 0; paths && i < n; i++)
        paths[i] = out && !folder ? strdup(out) : picture_path(call->arguments[i], out, ending);
    for (int i = 0; paths && i < n; i++)
        for (int j = 0; j < i; j++)
            if (paths[i] && paths[j] && strcmp(paths[i], paths[j]) == 0) {
                oct_report_usage("`%s` and `%s` would both become `%s`", call->arguments[j],
                                 call->arguments[i], paths[i]);
                return paths;
            }
    *result = 0;
    return paths;
}

static void free_paths(char **paths, int n)
{
    for (int i = 0; paths && i < n; i++)
        free(paths[i]);
    free(paths);
}

/* Reads a file, and with the first one the options that carry units: several files are read in the
 * units of the first, so that one scale fits all. The result is an exit status, after a sentence
 * where it is not 0; there is nothing to clear then. */
static int read_bodies(oct_bodies *bodies, oct_file_info *info, const oct_call *call, int index,
                       oct_picture *picture, const oct_units *common)
{
    *bodies = (oct_bodies){0};
    *info = (oct_file_info){.size = sizeof(oct_file_info)};
    oct_status status = oct_bodies_read(bodies, info, call->arguments[index], common);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    bool counted = true;
    for (size_t i = 0; i < bodies->n && counted; i++)
        counted = !(bodies->mass[i] > 0);
    if (!oct_picture_measure(picture, call, &info->units, counted)) {
        oct_bodies_clear(bodies);
        return 2;
    }
    /* A body that is followed leaves the camera where it was last. */
    size_t followed;
    oct_render_options *given = &picture->options;
    if (given->follows && oct_bodies_find(&followed, bodies, given->follow)) {
        memcpy(given->centre, &bodies->position[3 * followed], sizeof given->centre);
        given->centred = true;
    }
    return 0;
}

/* Widens `all` so that it covers what `one` shows, in place and in colour. */
static void widen(oct_render_options *all, const oct_render_options *one)
{
    double extent = fmax(all->extent, one->extent);
    for (int k = 0; k < 3 && !all->follows; k++) {
        double low = fmin(all->centre[k] - 0.5 * all->extent, one->centre[k] - 0.5 * one->extent);
        double high = fmax(all->centre[k] + 0.5 * all->extent, one->centre[k] + 0.5 * one->extent);
        all->centre[k] = 0.5 * (low + high);
        extent = fmax(extent, high - low);
    }
    all->extent = extent;
    bool shaped = all->extent_up > 0 && one->extent_up > 0;
    all->extent_up = shaped ? fmax(all->extent_up, one->extent_up) : 0;
    /* A picture without bodies has no range of its own. */
    bool none = all->range[1] == 0;
    if (one->range[1] > 0) {
        all->range[0] = none ? one->range[0] : fmin(all->range[0], one->range[0]);
        all->range[1] = fmax(all->range[1], one->range[1]);
    }
}

/* One frame and one range of colours for all files; what the user gave stays. */
static int fit_all(oct_picture *picture, oct_units *units, const oct_call *call,
                   const volatile int *stop)
{
    oct_render_options all = {.size = sizeof all}, *given = &picture->options;
    int n = call->n_arguments;
    for (int i = 0; i < n && !is_set(stop); i++) {
        oct_bodies bodies;
        oct_file_info info;
        int result = read_bodies(&bodies, &info, call, i, picture, i > 0 ? units : NULL);
        if (result != 0)
            return result;
        oct_render_options one = oct_picture_frame(picture, i, n);
        oct_status status = oct_render_fit(&one, &bodies, &info);
        oct_bodies_clear(&bodies);
        if (status != OCT_STATUS_OK)
            return oct_report_failure(status);
        if (i == 0) {
            all = one;
            *units = info.units;
        } else {
            widen(&all, &one);
        }
    }
    if (given->extent == 0) {
        given->extent = all.extent;
        given->extent_up = all.extent_up;
    }
    if (given->width == 0) {
        given->width = all.width;
        given->height = all.height;
        given->font = all.font;
    }
    if (!given->follows) {
        memcpy(given->centre, all.centre, sizeof all.centre);
        given->centred = true;
    }
    memcpy(given->range, all.range, sizeof all.range);
    return 0;
}

/* Draws a file into a picture at `path` or, where there is one, as a frame of the film there. */
static int render_one(const oct_call *call, int index, oct_picture *picture,
                      const oct_units *common, const char *path, oct_film *film)
{
    const char *input = call->arguments[index];
    oct_bodies bodies;
    oct_file_info info;
    int result = read_bodies(&bodies, &info, call, index, picture, common);
    if (result != 0)
        return result;
    oct_render_options own = oct_picture_frame(picture, index, call->n_arguments);
    if (!own.title && info.title[0] == '\0')
        own.title = base_name(input);
    oct_status status =
        film ? oct_film_add(film, &bodies, &info, &own) : oct_render(&bodies, &info, &own, path);
    if (status == OCT_STATUS_OK && oct_call_option(call, "json")) {
        printf("%s{\"file\": ", index > 0 ? ",\n " : "[");
        oct_json_text(input);
        printf(", \"%s\": ", film ? "film" : "picture");
        oct_json_text(path);
        printf(", \"n\": %zu}", bodies.n);
    } else if (status == OCT_STATUS_OK && !film) {
        printf("%s: %zu bodies\n", OCT_SHOW(path), bodies.n);
    }
    oct_bodies_clear(&bodies);
    return status == OCT_STATUS_OK ? 0 : oct_report_failure(status);
}

static int render_all(const oct_call *call, oct_picture *picture, char *const *paths)
{
    int n = call->n_arguments;
    oct_units units = {0};
    int result = n > 1 ? fit_all(picture, &units, call, NULL) : 0;
    if (result != 0)
        return result;
    /* The folder is made last, when every file is known to be good. */
    const char *out = oct_call_option(call, "out");
    if (n > 1 && out && !is_folder(out) && mkdir(out, 0777) != 0)
        return oct_report_usage("the folder `%s` cannot be made: %s", out, strerror(errno));
    for (int i = 0; i < n && result == 0; i++)
        result = render_one(call, i, picture, n > 1 ? &units : NULL, paths[i], NULL);
    if (result == 0 && oct_call_option(call, "json"))
        printf("]\n");
    return result;
}

/* Opens the film. Where its size is open, the first picture says which suits it. */
static int open_film(oct_film **film, const oct_call *call, oct_picture *picture)
{
    oct_render_options *given = &picture->options;
    if (given->width == 0) {
        oct_bodies bodies;
        oct_file_info info;
        int result = read_bodies(&bodies, &info, call, 0, picture, NULL);
        if (result != 0)
            return result;
        oct_render_options first = oct_picture_frame(picture, 0, call->n_arguments);
        oct_status status = oct_render_fit(&first, &bodies, &info);
        oct_bodies_clear(&bodies);
        if (status != OCT_STATUS_OK)
            return oct_report_failure(status);
        given->width = first.width;
        given->height = first.height;
        given->font = first.font;
    }
    oct_status status = oct_film_open(film, oct_call_option(call, "film"), given->width,
                                      given->height, picture->fps);
    return status == OCT_STATUS_OK ? 0 : oct_report_failure(status);
}

static int render_film(const oct_call *call, oct_picture *picture)
{
    const char *path = oct_call_option(call, "film");
    /* Watched for, so that nothing is left behind. */
    const volatile int *stop = oct_interrupt_watch();
    oct_interrupt_defer();
    oct_film *film = NULL;
    oct_units units = {0};
    int result = open_film(&film, call, picture);
    if (result == 0)
        result = fit_all(picture, &units, call, stop);
    for (int i = 0; i < call->n_arguments && result == 0 && !is_set(stop); i++)
        result = render_one(call, i, picture, &units, path, film);
    bool stopped = is_set(stop);
    oct_status status = result == 0 && !stopped ? oct_film_finish(film) : OCT_STATUS_OK;
    oct_film_free(film);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    if (result != 0)
        return result;
    if (stopped) {
        fflush(stdout);
        fprintf(stderr, "octant: stopped before the film was whole; nothing is kept of it\n");
        return 128 + *stop;
    }
    if (oct_call_option(call, "json"))
        printf("]\n");
    else
        printf("%s: %d frames\n", OCT_SHOW(path), call->n_arguments);
    return 0;
}

static int render_pictures(const oct_call *call, oct_picture *picture)
{
    int result;
    oct_status status = oct_feature_require("png");
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    char **paths = plan_paths(call, &result);
    bool planned = paths != NULL && result == 0;
    for (int i = 0; planned && i < call->n_arguments; i++)
        planned = paths[i] != NULL;
    if (planned)
        result = render_all(call, picture, paths);
    else if (result == 0)
        result = oct_report_usage("no memory for the names of the pictures");
    free_paths(paths, call->n_arguments);
    return result;
}

static int run(const oct_call *call)
{
    if (oct_call_option(call, "list-maps")) {
        for (size_t i = 0; oct_render_map(i); i++)
            printf("%s\n", oct_render_map(i));
        return 0;
    }
    if (call->n_arguments == 0)
        return oct_report_usage("`render` needs %s: try `%s`", call->command->arguments,
                                call->command->example);
    oct_picture picture;
    if (!check_options(call) || !oct_picture_parse(&picture, call))
        return 2;
    int result = oct_call_option(call, "film") ? render_film(call, &picture)
                                               : render_pictures(call, &picture);
    oct_picture_clear(&picture);
    return result;
}

const oct_command oct_cmd_render = {
    .name = "render",
    .arguments = "SNAPSHOT...",
    .doc = "draw snapshots, checkpoints or CSV files as PNG, SVG or PDF pictures or an MP4 film",
    .example = "octant render octant-plummer/snapshot_0000.hdf5 --map ice --out plummer.png",
    .options = options,
    .min_arguments = 0,
    .max_arguments = -1,
    .leaves_files = true,
    .run = run,
};
