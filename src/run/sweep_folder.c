/* The folder of a scan: whose it is, the plan that it follows, and the table as it grows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/burst.h"
#include "run/folder.h"
#include "run/sweep.h"
#include "util/file.h"

enum { MOST_BYTES = 64 << 20 };

static const char plan_name[] = "sweep.yaml";
static const char *const names[] = {"sweep.yaml", "table.csv",   "table.hdf5",
                                    "plot.svg",   "report.html", NULL};

/* The first member's scene that is fine stands for all: without one there is nothing to run. */
static oct_status first_scene(char **out, const oct_sweep *sweep)
{
    oct_status status = OCT_STATUS_OK;
    oct_error first;
    *out = NULL;
    for (size_t i = 0; i < sweep->n && !*out; i++) {
        oct_scene *scene = NULL;
        oct_status found = oct_sweep_scene(&scene, sweep, i);
        if (found == OCT_STATUS_OK)
            found = oct_scene_resolve(out, scene);
        oct_scene_free(scene);
        if (i == 0 && found != OCT_STATUS_OK) {
            oct_error_save(&first);
            status = found;
        }
    }
    if (*out)
        return OCT_STATUS_OK;
    oct_error_restore(&first);
    return status;
}

/* All that rows follow from, as YAML: the same plan has the same bytes. */
static oct_status write_plan(char **out, const oct_sweep *sweep, const oct_sweep_options *options)
{
    oct_text text = {0};
    char *scene;
    OCT_TRY(first_scene(&scene, sweep));
    oct_text_add(&text,
                 "# octant sweep\nseeds: %" PRIu64 "\nprecision: %s\nsteps: %" PRIu64 "\naverage: ",
                 sweep->seeds, oct_precision_name(options->precision), options->steps);
    oct_text_add_json(&text, options->average ? options->average : "");
    oct_text_add(&text, "\nfolders: %s\nvary:\n", options->table_only ? "false" : "true");
    for (size_t k = 0; k < sweep->n_keys; k++) {
        oct_text_add(&text, "  - key: ");
        oct_text_add_json(&text, sweep->keys[k]);
        oct_text_add(&text, "\n    values: [");
        for (size_t i = 0; i < sweep->varied[k].n; i++) {
            oct_text_add(&text, i ? ", " : "");
            oct_text_add_json(&text, sweep->varied[k].values[i]);
        }
        oct_text_add(&text, "]\n");
    }
    oct_text_add(&text, "scene: # of the first member that has one\n");
    for (const char *line = scene; *line;) {
        size_t length = strcspn(line, "\n");
        oct_text_add(&text, "  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    free(scene);
    return oct_text_take(out, &text);
}

/* A run there, or a comparison, has a report of its own, which is not to be lost. */
static oct_status refuse_others(const char *path)
{
    static const char *const others[] = {"scene.yaml", "scene_a.yaml", "checkpoint.hdf5"};
    char file[OCT_FOLDER_PATH];
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        oct_folder_file(file, path, others[i]);
        OCT_CHECK(access(file, F_OK) != 0, OCT_STATUS_INPUT,
                  "%s holds a run or a comparison (%s): choose another folder", path, others[i]);
    }
    return OCT_STATUS_OK;
}

/* Members that the new scan has not would pass for its own. */
static oct_status refuse_leftovers(const char *path, const oct_sweep *sweep, bool table_only)
{
    char file[OCT_FOLDER_PATH], name[OCT_SWEEP_NAME];
    oct_sweep_name(name, table_only ? 0 : sweep->n);
    oct_folder_file(file, path, name);
    OCT_CHECK(
        access(file, F_OK) != 0, OCT_STATUS_INPUT,
        "%s has a member %s, which the new sweep has not: remove it, or choose another folder",
        path, name);
    return OCT_STATUS_OK;
}

static oct_status compare_plan(const char *path, const char *plan)
{
    char file[OCT_FOLDER_PATH], *there;
    oct_folder_file(file, path, plan_name);
    oct_status status = oct_file_read(&there, NULL, file, MOST_BYTES);
    OCT_CHECK(status != OCT_STATUS_MISSING, OCT_STATUS_MISSING,
              "there is no sweep in %s to go on with (%s is missing)", path, plan_name);
    OCT_TRY(status);
    bool same = strcmp(there, plan) == 0;
    free(there);
    OCT_CHECK(same, OCT_STATUS_INPUT,
              "%s holds another sweep (%s says which): to go on, the scene and all that is varied "
              "must be the same; choose another folder or replace it",
              path, plan_name);
    return OCT_STATUS_OK;
}

static oct_status begin(oct_sweep_folder *folder, oct_sweep *sweep,
                        const oct_sweep_options *options, const char *plan)
{
    static const char remedy[] = "choose another folder, resume it or replace it";
    char file[OCT_FOLDER_PATH];
    const char *path = options->out;
    if (options->existing == OCT_RUN_CONTINUE)
        OCT_TRY(compare_plan(path, plan));
    OCT_TRY(oct_folder_claim(
        path, names, options->existing == OCT_RUN_REFUSE ? OCT_RUN_REFUSE : OCT_RUN_CONTINUE,
        remedy));
    OCT_TRY(oct_lock_take(&folder->lock, path));
    folder->path = path;
    OCT_TRY(refuse_others(path));
    OCT_TRY(refuse_leftovers(path, sweep, options->table_only));
    if (options->existing == OCT_RUN_CONTINUE) {
        oct_folder_file(file, path, "table.csv");
        OCT_TRY(oct_sweep_read_csv(sweep, file));
        /* What follows from the rows is written anew at the end. */
        return oct_folder_claim(path, names + 2, OCT_RUN_REPLACE, remedy);
    }
    OCT_TRY(oct_folder_claim(path, names, options->existing, remedy));
    oct_folder_file(file, path, plan_name);
    return oct_file_write(file, plan, strlen(plan), false);
}

oct_status oct_sweep_folder_open(oct_sweep_folder *out, oct_sweep *sweep,
                                 const oct_sweep_options *options)
{
    char *plan;
    *out = (oct_sweep_folder){0};
    /* Without a folder too: a scan without one good member is refused. */
    OCT_TRY(write_plan(&plan, sweep, options));
    oct_status status = options->out ? begin(out, sweep, options, plan) : OCT_STATUS_OK;
    free(plan);
    return status;
}

static oct_status write_table(oct_sweep_folder *folder, const oct_sweep *sweep)
{
    char file[OCT_FOLDER_PATH];
    double start = oct_burst_clock();
    oct_folder_file(file, folder->path, "table.csv");
    OCT_TRY(oct_sweep_write_csv(sweep, file));
    folder->written_s = oct_burst_clock();
    folder->took_s = folder->written_s - start;
    return OCT_STATUS_OK;
}

oct_status oct_sweep_folder_update(oct_sweep_folder *folder, const oct_sweep *sweep)
{
    enum { SHARE = 20 }; /* a large table takes at most one part in so many of the time */
    if (!folder->path || oct_burst_clock() - folder->written_s < SHARE * folder->took_s)
        return OCT_STATUS_OK;
    return write_table(folder, sweep);
}

oct_status oct_sweep_folder_finish(oct_sweep_folder *folder, const oct_sweep *sweep,
                                   const oct_sweep_options *options)
{
    char file[OCT_FOLDER_PATH];
    if (!folder->path)
        return OCT_STATUS_OK;
    OCT_TRY(write_table(folder, sweep));
    oct_folder_file(file, folder->path, "table.hdf5");
    if (oct_feature_present("hdf5"))
        OCT_TRY(oct_sweep_write_hdf5(sweep, file));
    return oct_sweep_draw(sweep, folder->path, options->plot, !options->table_only);
}

void oct_sweep_folder_close(oct_sweep_folder *folder)
{
    oct_lock_release(&folder->lock);
    *folder = (oct_sweep_folder){0};
}
