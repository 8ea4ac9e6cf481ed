/* The state of the viewer as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/diagnose.h"
#include "core/lead.h"
#include "core/units.h"
#include "run/schedule.h"
#include "view/scenes.h"
#include "view/viewer.h"

static const char *const mode_names[] = {
    [OCT_VIEW_SCENE] = "scene", [OCT_VIEW_RUN] = "run", [OCT_VIEW_FILES] = "files"};

static void add_text(oct_text *out, const char *key, const char *value)
{
    oct_text_add(out, ", \"%s\": ", key);
    if (value)
        oct_text_add_json(out, value);
    else
        oct_text_add(out, "null");
}

static void add_real(oct_text *out, const char *key, double value)
{
    oct_text_add(out, ", \"%s\": ", key);
    oct_text_add_number(out, value);
}

static void add_count(oct_text *out, const char *key, uint64_t value)
{
    oct_text_add(out, ", \"%s\": %" PRIu64, key, value);
}

static void add_bool(oct_text *out, const char *key, bool value)
{
    oct_text_add(out, ", \"%s\": %s", key, value ? "true" : "false");
}

/* JSON that was written before, or null. */
static void add_json(oct_text *out, const char *key, const char *value)
{
    oct_text_add(out, ", \"%s\": %s", key, value ? value : "null");
}

/* What changes with the scene only --------------------------------------------------------------
 */

static void add_unit(oct_text *out, const char *key, const oct_units *units,
                     oct_dimension dimension)
{
    char unit[64];
    oct_units_describe(unit, sizeof unit, units, dimension);
    add_text(out, key, units->physical ? unit : "");
}

static void add_units(oct_text *out, const oct_units *units)
{
    oct_text_add(out, ", \"units\": {\"name\": ");
    oct_text_add_json(out, units->name);
    add_bool(out, "physical", units->physical);
    add_unit(out, "length", units, OCT_LENGTH);
    add_unit(out, "mass", units, OCT_MASS);
    add_unit(out, "time", units, OCT_TIME);
    add_unit(out, "speed", units, OCT_SPEED);
    add_real(out, "G", units->G);
    oct_text_add(out, ", \"si\": [");
    oct_text_add_number(out, units->length);
    oct_text_add(out, ", ");
    oct_text_add_number(out, units->mass);
    oct_text_add(out, ", ");
    oct_text_add_number(out, units->time);
    oct_text_add(out, "]}");
}

static void add_boundary(oct_text *out, const oct_setup *setup)
{
    const oct_boundary *boundary = oct_setup_boundary(setup);
    double size[3];
    uint32_t ghosts[3] = {0};
    if (boundary->ghosts)
        boundary->ghosts(ghosts, setup->boundary.state);
    oct_text_add(out, ", \"boundary\": {\"name\": ");
    oct_text_add_json(out, boundary->name);
    if (boundary->size && boundary->size(size, setup->boundary.state)) {
        for (int k = 0; k < 3; k++) {
            oct_text_add(out, k ? ", " : ", \"box\": [");
            oct_text_add_number(out, size[k]);
        }
        oct_text_add(out, "]");
    } else {
        add_json(out, "box", NULL);
    }
    oct_text_add(out, ", \"ghosts\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", ghosts[0], ghosts[1],
                 ghosts[2]);
    add_real(out, "omega", oct_setup_omega(setup));
    oct_text_add(out, "}");
}

static void add_verbs(oct_text *out, oct_view_mode mode, const oct_sim *sim)
{
    bool any = false, several = oct_owners_several(sim);
    oct_text_add(out, ", \"verbs\": [");
    for (const oct_verb *verb = oct_verbs; verb->name; verb++) {
        if (verb->get || !(verb->modes & mode) || (verb->alone && several))
            continue;
        oct_text_add(out, "%s\"%s\"", any ? ", " : "", verb->name);
        any = true;
    }
    oct_text_add(out, "]");
}

static void add_device(oct_text *out, const oct_device_info *info)
{
    oct_text_add(out, ", \"device\": {\"name\": ");
    oct_text_add_json(out, info->name);
    add_text(out, "kind", info->kind);
    add_text(out, "vendor", info->vendor);
    add_text(out, "driver", info->driver);
    oct_text_add(out, "}");
}

oct_status oct_viewer_write_about(char **out, const oct_viewer *viewer, const oct_sim *sim,
                                  const char *name)
{
    const oct_setup *setup = sim->setup;
    oct_schedules schedules;
    oct_text text = {0};
    OCT_TRY(oct_schedules_from(&schedules, setup, &sim->clock, &sim->origin, 0));
    oct_text_add(&text, "{\"octant\": \"%s\", \"interface\": 1", oct_version());
    add_text(&text, "mode", mode_names[viewer->mode]);
    add_verbs(&text, viewer->mode, sim);
    add_text(&text, "title", setup->title);
    add_text(&text, "scene", name);
    add_real(&text, "dt", setup->step.dt);
    add_real(&text, "until", setup->run.until);
    add_count(&text, "steps", oct_clock_step_at(&sim->clock, schedules.end));
    add_count(&text, "slots", oct_domain_all(sim->domain));
    add_device(&text, oct_device_describe(sim->domain->device));
    add_text(&text, "precision", oct_precision_name(sim->precision));
    add_units(&text, &setup->units);
    add_boundary(&text, setup);
    add_text(&text, "out", viewer->out);
    oct_text_add(&text, ", \"parameters\": ");
    oct_status status = OCT_STATUS_OK;
    if (viewer->mode == OCT_VIEW_FILES)
        oct_text_add(&text, "{}");
    else
        status = oct_scenes_values(&text, setup->resolved, sim);
    if (status == OCT_STATUS_OK)
        return oct_text_take(out, &text);
    oct_text_clear(&text);
    return status;
}

/* What changes all the time ---------------------------------------------------------------------
 */

static void add_frame(oct_text *out, const oct_viewer *viewer, const oct_sim *sim)
{
    const oct_cut *cut = &viewer->cut;
    uint32_t stride, n = (uint32_t)oct_domain_all(sim->domain);
    uint32_t count = oct_frame_count(&stride, n, cut->most);
    oct_text_add(out, ", \"frame\": {\"colour\": \"%s\"", oct_colour_names[cut->colour]);
    oct_text_add(out, ", \"colours\": [");
    for (int i = 0; i < OCT_COLOURS; i++)
        if (oct_cutter_has(sim, (oct_colour)i))
            oct_text_add(out, "%s\"%s\"", i ? ", " : "", oct_colour_names[i]);
    oct_text_add(out, "], \"box\": ");
    if (cut->box == OCT_BOX_GIVEN)
        for (int k = 0; k < 6; k++) {
            oct_text_add(out, k ? " " : "\"");
            oct_text_add_number(out, k < 3 ? cut->low[k] : cut->high[k - 3]);
        }
    else
        oct_text_add(out, cut->box == OCT_BOX_FIT ? "\"fit" : "\"auto");
    oct_text_add(out, "\"");
    add_count(out, "most", cut->most);
    add_real(out, "rate", viewer->rate);
    add_real(out, "share", viewer->share);
    add_count(out, "sequence", viewer->sequence);
    add_count(out, "count", count);
    add_count(out, "bytes", oct_frame_bytes(count));
    add_real(out, "cut_ms", 1e3 * viewer->cut_s);
    add_text(out, "error", *viewer->unseen ? viewer->unseen : NULL);
    oct_text_add(out, "}");
}

/* A state is written ten times a second. */
enum { MOST_FAULTS = 64 };

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add_files(oct_text *out, const oct_playback *files)
{
    unsigned n = 0;
    if (files->n == 0) {
        add_json(out, "files", NULL);
        return;
    }
    oct_text_add(out, ", \"files\": {\"index\": %zu, \"count\": %zu", files->index, files->n);
    add_text(out, "name", name_of(files->paths[files->index]));
    oct_text_add(out, ", \"faults\": [");
    for (size_t i = 0; i < files->n && n < MOST_FAULTS; i++) {
        if (!files->faults[i])
            continue;
        oct_text_add(out, "%s{\"index\": %zu", n++ ? ", " : "", i);
        add_text(out, "name", name_of(files->paths[i]));
        add_text(out, "error", files->faults[i]);
        oct_text_add(out, "}");
    }
    oct_text_add(out, "]");
    add_text(out, "unmeasured", files->unmeasured);
    oct_text_add(out, "}");
}

oct_status oct_viewer_write_state(char **out, oct_viewer *viewer, const oct_sim *sim)
{
    oct_text text = {0};
    (void)pthread_mutex_lock(&viewer->shared.lock);
    unsigned streams = viewer->shared.n_streams;
    (void)pthread_mutex_unlock(&viewer->shared.lock);
    oct_text_add(&text, "%s", viewer->about ? viewer->about : "{\"interface\": 1");
    add_bool(&text, "paused", viewer->paused);
    add_bool(&text, "ended", viewer->mode == OCT_VIEW_SCENE && viewer->end == 0);
    add_text(&text, "error", *viewer->error ? viewer->error : NULL);
    add_count(&text, "step", oct_sim_steps(sim));
    add_real(&text, "time", oct_sim_time(sim));
    add_count(&text, "n", oct_sim_count(sim));
    add_count(&text, "generation", viewer->generation);
    add_count(&text, "begun", viewer->begun);
    add_real(&text, "speed", viewer->speed);
    add_real(&text, "steps_per_s", viewer->step_s > 0 ? 1 / viewer->step_s : NAN);
    add_real(&text, "step_ms", viewer->step_s > 0 ? 1e3 * viewer->step_s : NAN);
    add_frame(&text, viewer, sim);
    add_count(&text, "streams", streams);
    oct_text_add(&text, ", \"series\": {\"epoch\": %" PRIu64 ", \"rows\": %zu}",
                 viewer->shared.series.epoch, viewer->shared.series.n);
    add_json(&text, "phases", viewer->phases);
    add_json(&text, "changed", viewer->changed);
    oct_text_add(&text, ", \"saved\": [");
    for (size_t i = 0; i < viewer->n_saved; i++) {
        oct_text_add(&text, i ? ", " : "");
        oct_text_add_json(&text, viewer->saved[i]);
    }
    oct_text_add(&text, "]");
    add_files(&text, &viewer->files);
    oct_text_add(&text, "}\n");
    return oct_text_take(out, &text);
}

/* Columns ---------------------------------------------------------------------------------------
 */

static void add_column(oct_text *out, const oct_column *column, const char *suffix,
                       const oct_units *units)
{
    char unit[64];
    oct_column_unit(unit, sizeof unit, column, units);
    oct_text_add(out, ", {\"name\": \"%s%s\"", column->name, suffix);
    add_text(out, "unit", unit);
    add_text(out, "doc", column->doc);
    /* Numbers that one column is measured of are lines of one chart. */
    if (column->part && column->count == 1) {
        int base = (int)(strlen(column->name) - strlen(column->part) - 1);
        oct_text_add(out, ", \"group\": \"%.*s\"", base, column->name);
        add_text(out, "part", column->part);
    }
    oct_text_add(out, "}");
}

oct_status oct_viewer_write_columns(char **out, size_t *width, const oct_sim *sim)
{
    static const char *const axes[] = {"_x", "_y", "_z"};
    const oct_units *units = oct_sim_units(sim);
    oct_text text = {0};
    *width = 2;
    oct_text_add(&text, "[{\"name\": \"step\", \"unit\": \"\", \"doc\": \"steps taken\"}");
    add_column(&text, &(oct_column){.name = "time", .time = 1, .doc = "time"}, "", units);
    for (const oct_column *column = oct_sim_columns(sim); column && column->name; column++)
        for (unsigned i = 0; i < column->count; i++, ++*width)
            add_column(&text, column, column->count == 3 ? axes[i] : "", units);
    oct_text_add(&text, "]");
    return oct_text_take(out, &text);
}
