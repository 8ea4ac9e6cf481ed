/* Playback: bodies from files in the place of a simulation that stands still. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene.h"
#include "run/burst.h"
#include "run/folder.h"
#include "run/table.h"
#include "util/number.h"
#include "view/viewer.h"

static const double rest_s = 0.04;

/* A scene for what a file holds. Its model is never made: the bodies come with the state. */
static oct_status make_setup(oct_setup **out, const oct_file_info *info, const oct_bodies *bodies)
{
    oct_text text = {0};
    oct_scene *scene = NULL;
    char number[OCT_NUMBER_BYTES];
    oct_text_add(&text, "title: ");
    oct_text_add_json(&text, info->title);
    oct_text_add(&text,
                 "\nunits: %s\nmodels: [plummer: {n: 2}]\ngravity: {method: none}\n"
                 "integrator: {dt: 1}\nrun: {until: 1}\n",
                 info->units.name);
    if (info->periodic && info->box[0] > 0 && info->box[1] > 0 && info->box[2] > 0) {
        for (int k = 0; k < 3; k++) {
            oct_number_write(number, info->box[k]);
            oct_text_add(&text, "%s%s", k ? ", " : "box: {boundary: periodic, size: [", number);
        }
        oct_text_add(&text, "]}\n");
    }
    for (size_t c = 0; c < bodies->n_columns; c++) {
        const oct_user_column *column = &bodies->columns[c];
        oct_text_add(&text, "%s  %s: {width: %zu, type: %s, unit: ", c ? "" : "columns:\n",
                     column->name, column->width, column->integer ? "integer" : "real");
        oct_text_add_json(&text, column->unit);
        oct_text_add(&text, "}\n");
    }
    oct_status status = text.failed ? OCT_FAIL(OCT_STATUS_MEMORY, "no memory for a scene")
                                    : oct_scene_parse(&scene, text.data, text.length, "file");
    oct_text_clear(&text);
    if (status == OCT_STATUS_OK)
        status = oct_scene_setup_open(out, scene);
    oct_scene_free(scene);
    return status;
}

static oct_status load(oct_sim **out, oct_device *device, const char *path)
{
    oct_bodies bodies = {0};
    oct_file_info info = {.size = sizeof info};
    oct_setup *setup = NULL;
    oct_state state = {.precision = OCT_PRECISION_AUTO, .energy_start = NAN, .forces_fresh = true};
    oct_status status;
    *out = NULL;
    OCT_TRY_DONE(oct_device_precision(&state.precision, device));
    OCT_TRY_DONE(oct_bodies_read(&bodies, &info, path, NULL));
    /* Those of a scene have a name. */
    if (!oct_units_find(info.units.name))
        OCT_TRY_DONE(oct_bodies_read(&bodies, &info, path,
                                     oct_units_find(info.units.physical ? "si" : "nbody")));
    OCT_TRY_DONE(oct_state_of_bodies(&state, &bodies));
    OCT_TRY_DONE(make_setup(&setup, &info, &bodies));
    state.clock = (oct_clock){
        .step = info.step, .time = info.time, .start = {.time = info.time, .step = info.step}};
    oct_setup *taken = setup;
    setup = NULL;
    status = oct_sim_start(out, device, taken, state.precision, &(oct_sim_origin){.state = &state});
done:
    oct_setup_free(setup);
    oct_state_clear(&state);
    oct_bodies_clear(&bodies);
    return status;
}

/* Snapshots of one run with as many bodies have them in the same order: trails go on. */
static bool same_bodies(const oct_sim *a, const oct_sim *b)
{
    return a->domain->n == b->domain->n;
}

void oct_files_clear(oct_playback *files)
{
    for (size_t i = 0; i < files->n; i++) {
        free(files->paths[i]);
        free(files->faults[i]);
    }
    free(files->paths);
    free(files->faults);
    free(files->unmeasured);
    *files = (oct_playback){0};
}

/* Keeps the sentence of the last failure. */
static void note_fault(char **place)
{
    char *sentence;
    if (oct_text_copy(&sentence, oct_last_error()) != OCT_STATUS_OK)
        return;
    free(*place);
    *place = sentence;
}

static oct_status load_file(oct_sim **out, oct_viewer *viewer, oct_device *device, size_t index)
{
    oct_playback *files = &viewer->files;
    oct_status status = load(out, device, files->paths[index]);
    if (status == OCT_STATUS_OK) {
        free(files->faults[index]);
        files->faults[index] = NULL;
    } else {
        note_fault(&files->faults[index]);
    }
    return status;
}

oct_status oct_files_show(oct_viewer *viewer, oct_sim *sim, size_t index)
{
    oct_sim *other;
    OCT_TRY(load_file(&other, viewer, sim->domain->device, index));
    OCT_TRY(oct_viewer_replace(viewer, sim, other, NULL, !same_bodies(sim, other)));
    viewer->files.index = index;
    return OCT_STATUS_OK;
}

/* Measurements -------------------------------------------------------------------------------- */

/* Cuts the first of a list with commas off, and moves on to the next. */
static const char *next_of(char **list)
{
    char *first = *list;
    if (!first)
        return "";
    char *comma = strchr(first, ',');
    if (comma)
        *comma++ = '\0';
    *list = comma;
    return first;
}

/* The rows of diagnostics.csv, thinned out as needed. */
static oct_status show_table(oct_viewer *viewer, const oct_table *table)
{
    oct_text text = {0};
    char *columns, *names = table->names, *units = table->units;
    oct_text_add(&text, "[");
    for (size_t i = 0; i < table->n_columns; i++) {
        const char *name = next_of(&names), *unit = next_of(&units);
        oct_text_add(&text, i ? ", {\"name\": " : "{\"name\": ");
        oct_text_add_json(&text, name);
        oct_text_add(&text, ", \"unit\": ");
        oct_text_add_json(&text, strcmp(unit, "1") == 0 ? "" : unit);
        oct_text_add(&text, ", \"doc\": \"\"}");
    }
    oct_text_add(&text, "]");
    OCT_TRY(oct_text_take(&columns, &text));
    oct_status status = OCT_STATUS_OK;
    (void)pthread_mutex_lock(&viewer->shared.lock);
    oct_series_start(&viewer->shared.series, columns, table->n_columns);
    for (size_t i = 0; i < table->n_rows && status == OCT_STATUS_OK; i++)
        status = oct_series_add(&viewer->shared.series, table->values + i * table->n_columns);
    (void)pthread_mutex_unlock(&viewer->shared.lock);
    return status;
}

static oct_status show_measurements(oct_viewer *viewer, const char *folder)
{
    char path[OCT_FOLDER_PATH];
    oct_table table = {0};
    OCT_CHECK(strlen(folder) < OCT_FOLDER_PATH - 64, OCT_STATUS_INPUT,
              "the name of the results folder is too long");
    oct_folder_file(path, folder, "diagnostics.csv");
    oct_status status = oct_table_read(&table, path);
    if (status == OCT_STATUS_MISSING)
        return OCT_STATUS_OK;
    if (status == OCT_STATUS_OK)
        status = show_table(viewer, &table);
    oct_table_clear(&table);
    /* Bodies can be shown without. */
    if (status != OCT_STATUS_OK)
        note_fault(&viewer->files.unmeasured);
    return OCT_STATUS_OK;
}

/* Playing ------------------------------------------------------------------------------------- */

oct_status oct_files_show_from(oct_viewer *viewer, oct_sim *sim, size_t index)
{
    oct_status status = oct_files_show(viewer, sim, index);
    for (size_t next = index + 1; status != OCT_STATUS_OK && next < viewer->files.n; next++)
        status = oct_files_show(viewer, sim, next);
    return status;
}

static oct_status play(oct_viewer *viewer, oct_sim *sim)
{
    double shown_at = oct_burst_clock();
    OCT_TRY(oct_viewer_begin(viewer, sim));
    while (!oct_viewer_ended(viewer)) {
        OCT_TRY(oct_viewer_show(viewer, sim));
        OCT_TRY(oct_viewer_serve(viewer, sim, rest_s / 4));
        viewer->replaced = false;
        double now = oct_burst_clock();
        double interval = viewer->speed > 0 ? 1 / viewer->speed : 0.1;
        if (viewer->paused || now - shown_at < interval)
            continue;
        size_t next = viewer->files.index + 1;
        viewer->paused = next >= viewer->files.n ||
                         oct_files_show_from(viewer, sim, next) != OCT_STATUS_OK ||
                         viewer->files.index + 1 >= viewer->files.n;
        shown_at = now;
    }
    return OCT_STATUS_OK;
}

/* The first file that can be shown; fails as the very first does where none can. */
static oct_status load_first(oct_sim **out, oct_viewer *viewer, oct_device *device)
{
    oct_playback *files = &viewer->files;
    oct_status first = load_file(out, viewer, device, 0), status = first;
    files->index = 0;
    while (status != OCT_STATUS_OK && ++files->index < files->n)
        status = load_file(out, viewer, device, files->index);
    if (status != OCT_STATUS_OK && files->faults[0])
        return OCT_FAIL(first, "%s", files->faults[0]);
    return status;
}

oct_status oct_view_files(oct_viewer *viewer, oct_device *device, const char *const *paths,
                          size_t n, const char *folder)
{
    oct_sim *sim = NULL;
    oct_status status;
    OCT_CHECK(n > 0, OCT_STATUS_INPUT, "there is no file to show");
    viewer->mode = OCT_VIEW_FILES;
    viewer->paused = true;
    OCT_TRY(oct_alloc(&viewer->files.paths, n, sizeof *viewer->files.paths, "paths"));
    OCT_TRY(oct_alloc(&viewer->files.faults, n, sizeof *viewer->files.faults, "paths"));
    for (; viewer->files.n < n; viewer->files.n++)
        OCT_TRY(oct_text_copy(&viewer->files.paths[viewer->files.n], paths[viewer->files.n]));
    if (folder)
        OCT_TRY(show_measurements(viewer, folder));
    OCT_TRY(load_first(&sim, viewer, device));
    status = play(viewer, sim);
    oct_sim_free(sim);
    return status;
}
