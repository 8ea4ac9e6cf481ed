/* octant view: a scene, a run or files, in a browser. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache.h"
#include "command.h"
#include "first_use.h"
#include "interrupt.h"
#include "progress.h"
#include "watch.h"

static const oct_option options[] = {
    {.name = "port", .value = "PORT", .doc = "port to listen at (default: a free one)"},
    OCT_OPTION_BIND,
    {.name = "out",
     .value = "DIR",
     .doc = "folder for what is saved from the page (default: octant-view)"},
    {.name = "paused", .doc = "begin at rest"},
    OCT_OPTION_SET,
    OCT_OPTION_DEVICE,
    OCT_OPTION_PRECISION,
    {0}};

/* Files in the order of their names. */
typedef struct file_list {
    char **paths;
    size_t n;
    const char *folder; /* of a run; NULL: none */
} file_list;

static void clear_list(file_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->paths[i]);
    free(list->paths);
}

static bool add_file(file_list *list, const char *folder, const char *name)
{
    size_t bytes = strlen(folder) + strlen(name) + 2;
    char **grown = realloc(list->paths, (list->n + 1) * sizeof *grown);
    if (!grown)
        return false;
    list->paths = grown;
    list->paths[list->n] = malloc(bytes);
    if (!list->paths[list->n])
        return false;
    snprintf(list->paths[list->n++], bytes, "%s%s%s", folder, *folder ? "/" : "", name);
    return true;
}

static bool is_file(const char *name)
{
    static const char *const endings[] = {".hdf5", ".h5", ".csv"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(name + length - ending, endings[i]) == 0)
            return true;
    }
    return false;
}

static bool begins(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The snapshots of a run, or those that were saved from a page where there are no others. */
static bool list_folder(file_list *list, const char *path)
{
    static const char *const prefixes[] = {"snapshot_", "saved_"};
    bool memory = true;
    for (int i = 0; i < 2 && list->n == 0 && memory; i++) {
        DIR *folder = opendir(path);
        const struct dirent *entry;
        while (folder && memory && (entry = readdir(folder)))
            if (begins(entry->d_name, prefixes[i]) && is_file(entry->d_name))
                memory = add_file(list, path, entry->d_name);
        if (folder)
            closedir(folder);
    }
    if (list->n > 0)
        qsort(list->paths, list->n, sizeof *list->paths, by_name);
    return memory;
}

/* Whether the arguments name files or a folder of them; 2 after a sentence. */
static int find_files(file_list *list, const oct_call *call)
{
    struct stat found;
    const char *first = call->arguments[0];
    bool folder = stat(first, &found) == 0 && S_ISDIR(found.st_mode), memory = true;
    if (!folder && !is_file(first) && call->n_arguments == 1)
        return 0;
    if (folder && call->n_arguments > 1)
        return oct_report_usage("`view` shows one folder, or files");
    if (folder) {
        list->folder = first;
        memory = list_folder(list, first);
        if (memory && list->n == 0)
            return oct_report_usage("there are no snapshots in %s", first);
    }
    for (int i = 0; i < call->n_arguments && !folder && memory; i++)
        memory = add_file(list, "", call->arguments[i]);
    return memory ? 0 : oct_report_usage("no memory for a list of files");
}

static oct_status show(const oct_call *call, const file_list *list, oct_precision precision,
                       unsigned port, const volatile int *stop)
{
    const char *out = oct_call_option(call, "out");
    const oct_viewer_options viewing = {.size = sizeof viewing,
                                        .port = port,
                                        .out = out ? out : "octant-view",
                                        .name = list->n ? "" : call->arguments[0],
                                        .paused = oct_call_option(call, "paused") != NULL,
                                        .stop = stop};
    oct_viewer *viewer = NULL;
    oct_device *device = NULL;
    oct_scene *scene = NULL;
    oct_plan plan = {.size = sizeof plan};
    oct_first_use use = {.quiet = false};
    oct_status status = oct_feature_require("viewer");
    /* A bad scene is refused before anything else happens. */
    if (status == OCT_STATUS_OK && list->n == 0)
        status = oct_call_scene(&scene, call);
    if (status == OCT_STATUS_OK && scene)
        status = oct_scene_plan(&plan, scene);
    if (status == OCT_STATUS_OK)
        status = oct_call_device(&device, call);
    if (status == OCT_STATUS_OK && scene)
        status = oct_first_use_trust(&use, device, scene, precision);
    /* From its address on a viewer is there, and ends as one that was used. */
    oct_interrupt_defer();
    if (status == OCT_STATUS_OK)
        status = oct_watch_open(&viewer, call, viewing, stdout);
    /* Nobody would find a viewer whose address could not be printed. */
    bool shows = status == OCT_STATUS_OK && !ferror(stdout);
    if (shows && scene)
        status = oct_view_scene(viewer, device, scene, precision);
    else if (shows)
        status =
            oct_view_files(viewer, device, (const char *const *)list->paths, list->n, list->folder);
    oct_viewer_free(viewer);
    oct_scene_free(scene);
    oct_device_free(device);
    return status;
}

static int view(const oct_call *call)
{
    bool bad = false;
    file_list list = {0};
    oct_precision precision = oct_call_precision(call, &bad);
    unsigned port = bad ? 0 : oct_watch_port(call, "port", &bad);
    int result = bad ? 2 : find_files(&list, call);
    if (result == 0 && list.n > 0 && oct_call_option(call, "set"))
        result = oct_report_usage("--set changes a scene, and these are files");
    const volatile int *stop = result == 0 ? oct_interrupt_watch() : NULL;
    if (result == 0 && !stop) {
        oct_report_usage("signals cannot be watched on this system");
        result = 1;
    }
    if (result == 0) {
        oct_status status = show(call, &list, precision, port, stop);
        result = status == OCT_STATUS_OK ? 0 : oct_report_failure(status);
    }
    clear_list(&list);
    return result;
}

const oct_command oct_cmd_view = {
    .name = "view",
    .arguments = "SCENE | DIR | SNAPSHOT...",
    .doc = "show a scene, or the snapshots of a run, in a browser",
    .example = "octant view saturn-ring",
    .options = options,
    .min_arguments = 1,
    .max_arguments = -1,
    .takes = OCT_TAKES_SCENES,
    .run = view,
};
