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

/* The input's name with .png for its ending, in `folder` or, where that is NULL, beside it. */
static char *picture_path(const char *input, const char *folder)
{
    const char *base = base_name(input), *dot = strrchr(base, '.');
    const char *start = folder ? base : input;
    size_t stem = dot && dot > base ? (size_t)(dot - start) : strlen(start);
    size_t bytes = (folder ? strlen(folder) + 1 : 0) + stem + sizeof ".png";
    char *path = malloc(bytes);
    if (path)
        snprintf(path, bytes, "%s%s%.*s.png", folder ? folder : "", folder ? "/" : "", (int)stem,
                 start);
    return path;
}

/* False after a sentence on standard error. */
static bool check_options(const oct_call *call)
{
    static const char *const of_films[] = {"fps", "camera", "turn"};
    if (oct_call_option(call, "film") && oct_call_option(call, "out"))
        return oct_report_usage("--out is for pictures; --film names the film already") == 0;
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
    *result = 2;
    if (out && !folder && (length < 5 || strcmp(out + length - 4, ".png") != 0)) {
        oct_report_usage("a picture is a PNG file: `%s` does not end in .png", out);
        return NULL;
    }
    char **paths = calloc((size_t)n + 1, sizeof *paths);
    for (int i = 0; paths && i < n; i++)
        paths[i] = out && !folder ? strdup(out) : picture_path(call->arguments[i], out);
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

/* Reads a file; several are read in the units of the first, so that one scale fits all. */
static oct_status read_bodies(oct_bodies *bodies, oct_file_info *info, const char *path,
                              const oct_units *common)
{
    *bodies = (oct_bodies){0};
    *info = (oct_file_info){0};
    return oct_bodies_read(bodies, info, path, common);
}

/* Widens `all` so that it covers what `one` shows, in place and in colour. */
static void widen(oct_render_options *all, const oct_render_options *one)
{
    double extent = fmax(all->extent, one->extent);
    for (int k = 0; k < 3; k++) {
        double low = fmin(all->centre[k] - 0.5 * all->extent, one->centre[k] - 0.5 * one->extent);
        double high = fmax(all->centre[k] + 0.5 * all->extent, one->centre[k] + 0.5 * one->extent);
        all->centre[k] = 0.5 * (low + high);
        extent = fmax(extent, high - low);
    }
    all->extent = extent;
    /* A picture without bodies has no range of its own. */
    bool none = all->range[1] == 0;
    if (one->range[1] > 0) {
        all->range[0] = none ? one->range[0] : fmin(all->range[0], one->range[0]);
        all->range[1] = fmax(all->range[1], one->range[1]);
    }
}

/* One frame and one range of colours for all files; what the user gave stays. */
static oct_status fit_all(oct_picture *picture, oct_units *units, const oct_call *call,
                          const volatile int *stop)
{
    oct_render_options all = {0}, given = picture->options;
    for (int i = 0; i < call->n_arguments && !is_set(stop); i++) {
        oct_bodies bodies;
        oct_file_info info;
        oct_render_options one = oct_picture_frame(picture, i, call->n_arguments);
        oct_status status = read_bodies(&bodies, &info, call->arguments[i], i > 0 ? units : NULL);
        if (status == OCT_STATUS_OK)
            status = oct_render_fit(&one, &bodies, &info);
        oct_bodies_clear(&bodies);
        if (status != OCT_STATUS_OK)
            return status;
        if (i == 0) {
            all = one;
            *units = info.units;
        } else {
            widen(&all, &one);
        }
    }
    if (given.extent == 0)
        picture->options.extent = all.extent;
    memcpy(picture->options.centre, all.centre, sizeof all.centre);
    picture->options.centred = true;
    memcpy(picture->options.range, all.range, sizeof all.range);
    return OCT_STATUS_OK;
}

/* Draws a file into a picture at `path` or, where there is one, as a frame of the film there. */
static oct_status render_one(const oct_call *call, int index, const oct_picture *picture,
                             const oct_units *common, const char *path, oct_film *film)
{
    const char *input = call->arguments[index];
    oct_bodies bodies;
    oct_file_info info;
    oct_render_options own = oct_picture_frame(picture, index, call->n_arguments);
    oct_status status = read_bodies(&bodies, &info, input, common);
    if (status == OCT_STATUS_OK) {
        if (!own.title && info.title[0] == '\0')
            own.title = base_name(input);
        status = film ? oct_film_add(film, &bodies, &info, &own)
                      : oct_render(&bodies, &info, &own, path);
    }
    if (status == OCT_STATUS_OK && oct_call_option(call, "json")) {
        printf("%s{\"file\": ", index > 0 ? ",\n " : "[");
        oct_json_text(input);
        printf(", \"%s\": ", film ? "film" : "picture");
        oct_json_text(path);
        printf(", \"n\": %zu}", bodies.n);
    } else if (status == OCT_STATUS_OK && !film) {
        printf("%s: %zu bodies\n", path, bodies.n);
    }
    oct_bodies_clear(&bodies);
    return status;
}

static int render_all(const oct_call *call, oct_picture *picture, char *const *paths)
{
    int n = call->n_arguments;
    oct_units units = {0};
    oct_status status = n > 1 ? fit_all(picture, &units, call, NULL) : OCT_STATUS_OK;
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    /* The folder is made last, when every file is known to be good. */
    const char *out = oct_call_option(call, "out");
    if (n > 1 && out && !is_folder(out) && mkdir(out, 0777) != 0)
        return oct_report_usage("the folder `%s` cannot be made: %s", out, strerror(errno));
    for (int i = 0; i < n && status == OCT_STATUS_OK; i++)
        status = render_one(call, i, picture, n > 1 ? &units : NULL, paths[i], NULL);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    printf("%s", oct_call_option(call, "json") ? "]\n" : "");
    return 0;
}

static oct_status render_frames(oct_film *film, const oct_call *call, oct_picture *picture,
                                const volatile int *stop)
{
    oct_units units = {0};
    oct_status status = fit_all(picture, &units, call, stop);
    for (int i = 0; i < call->n_arguments && status == OCT_STATUS_OK && !is_set(stop); i++)
        status = render_one(call, i, picture, &units, oct_call_option(call, "film"), film);
    return status;
}

static int render_film(const oct_call *call, oct_picture *picture)
{
    const char *path = oct_call_option(call, "film");
    /* Watched for, so that nothing is left behind. */
    const volatile int *stop = oct_interrupt_watch();
    oct_interrupt_defer();
    oct_film *film = NULL;
    oct_status status =
        oct_film_open(&film, path, picture->options.width, picture->options.height, picture->fps);
    if (status == OCT_STATUS_OK)
        status = render_frames(film, call, picture, stop);
    bool stopped = is_set(stop);
    if (status == OCT_STATUS_OK && !stopped)
        status = oct_film_finish(film);
    oct_film_free(film);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    if (stopped) {
        fflush(stdout);
        fprintf(stderr, "octant: stopped before the film was whole; nothing is kept of it\n");
        return 1;
    }
    if (oct_call_option(call, "json"))
        printf("]\n");
    else
        printf("%s: %d frames\n", path, call->n_arguments);
    return 0;
}

static int render_pictures(const oct_call *call, oct_picture *picture)
{
    int result;
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
    .doc = "draw snapshots, checkpoints or CSV files as PNG pictures or an MP4 film",
    .example = "octant render octant-plummer/snapshot_0000.hdf5 --map ice --out plummer.png",
    .options = options,
    .min_arguments = 0,
    .max_arguments = -1,
    .run = run,
};
