/* Changes on the way: other parameters from the present state on, the start again, another scene.
 * A simulation is made anew and takes the place of the one before; where that fails, nothing has
 * changed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene.h"
#include "run/burst.h"
#include "run/schedule.h"
#include "view/viewer.h"

static bool begins(const char *key, const char *section)
{
    size_t length = strlen(section);
    return strncmp(key, section, length) == 0 && key[length] == '.';
}

bool oct_change_safe_in_run(const char *key)
{
    /* The step and the outputs of a run belong to the files it has written. */
    return begins(key, "gravity") || begins(key, "collisions") ||
           (begins(key, "integrator") && strcmp(key, "integrator.dt") != 0);
}

bool oct_change_safe(const char *key)
{
    return begins(key, "gravity") || begins(key, "collisions") || begins(key, "integrator") ||
           begins(key, "run") || begins(key, "output");
}

/* Files ---------------------------------------------------------------------------------------- */

/* Files, and source that scenes hold themselves: neither comes over the network. */
static void add_paths(oct_text *out, const void *state, const oct_field *fields)
{
    for (const oct_field *f = fields; state && f && f->type != OCT_FIELD_END; f++) {
        const char *slot = (const char *)state + f->offset;
        char *text;
        if (f->type == OCT_FIELD_GROUP)
            add_paths(out, slot, f->group);
        if (f->type != OCT_FIELD_PATH && f->type != OCT_FIELD_CODE)
            continue;
        /* The text comes first in both. */
        memcpy(&text, slot, sizeof text);
        oct_text_add(out, "%s\n", text ? text : "");
    }
}

static void add_choice(oct_text *out, const oct_choice *choice)
{
    if (choice->module)
        add_paths(out, choice->state, choice->module->fields);
}

/* All files that a setup names, one a line. */
static void paths_of(oct_text *out, const oct_setup *setup)
{
    add_choice(out, &setup->boundary);
    add_choice(out, &setup->gravity);
    add_choice(out, &setup->collisions);
    add_choice(out, &setup->integrator);
    add_paths(out, &setup->contact, oct_contact_fields);
    for (size_t i = 0; i < setup->n_models; i++)
        add_choice(out, &setup->models[i].model);
    for (size_t i = 0; i < setup->n_forces; i++)
        add_choice(out, &setup->forces[i]);
    for (size_t i = 0; i < setup->n_diags; i++)
        add_choice(out, &setup->diags[i]);
}

/* What comes over the network names no files but those that were there before. */
static oct_status check_paths(const oct_setup *setup, const oct_setup *before)
{
    oct_text now = {0}, then = {0};
    paths_of(&now, setup);
    paths_of(&then, before);
    oct_text_add(&now, "%s", "");
    oct_text_add(&then, "%s", "");
    bool memory = !now.failed && !then.failed;
    bool same = memory && strcmp(now.data, then.data) == 0;
    bool none = memory && strspn(now.data, "\n") == now.length;
    oct_text_clear(&now);
    oct_text_clear(&then);
    OCT_CHECK(memory, OCT_STATUS_MEMORY, "no memory for a scene");
    OCT_CHECK(same || none, OCT_STATUS_INPUT,
              "a viewer cannot name files, or bring source with it");
    return OCT_STATUS_OK;
}

/* Parameters ---------------------------------------------------------------------------------- */

static oct_status assign(oct_scene *scene, const char *key, const char *value)
{
    oct_text text = {0};
    oct_text_add(&text, "%s=%s", key, value);
    oct_status status = text.failed ? OCT_FAIL(OCT_STATUS_MEMORY, "no memory for a value")
                                    : oct_scene_set(scene, text.data);
    oct_text_clear(&text);
    return status;
}

static oct_status assign_all(oct_viewer *viewer, oct_scene *scene, const oct_form *form)
{
    bool run = viewer->mode == OCT_VIEW_RUN;
    for (size_t i = 0; i < form->n; i++) {
        const char *key = form->rows[i].key;
        OCT_CHECK(run ? oct_change_safe_in_run(key) : oct_change_safe(key), OCT_STATUS_INPUT,
                  "%.60s cannot be changed on the way%s", key,
                  run ? " in a run with results" : "; begin a scene with it instead");
        OCT_TRY(assign(scene, key, form->rows[i].value));
    }
    return OCT_STATUS_OK;
}

static bool same_columns(const oct_sim *a, const oct_sim *b)
{
    const oct_column *x = oct_sim_columns(a), *y = oct_sim_columns(b);
    for (; x->name && y->name && strcmp(x->name, y->name) == 0; x++, y++)
        ;
    return !x->name && !y->name;
}

/* A simulation of the changed scene that goes on from the present state. */
static oct_status continue_with(oct_sim **out, oct_viewer *viewer, oct_sim *sim,
                                const oct_scene *scene)
{
    oct_status status;
    oct_state state = {0};
    oct_setup *setup = NULL;
    OCT_TRY_DONE(oct_scene_setup(&setup, scene));
    OCT_TRY_DONE(check_paths(setup, sim->setup));
    OCT_TRY_DONE(oct_sim_export(&state, sim));
    OCT_TRY_DONE(oct_schedules_change(&state, sim->setup, setup));
    /* Forces and energy are others now. */
    state.forces_fresh = false;
    state.energy_start = NAN;
    state.partial = true;
    oct_setup *taken = setup;
    setup = NULL;
    status = oct_sim_start(out, sim->domain->device, taken, sim->precision,
                           &(oct_sim_origin){.state = &state});
    if (status == OCT_STATUS_INPUT)
        status = oct_fail_within(status, "this cannot be changed on the way");
    if (status == OCT_STATUS_OK && viewer->mode == OCT_VIEW_RUN && !same_columns(sim, *out)) {
        oct_sim_free(*out);
        *out = NULL;
        status = OCT_FAIL(OCT_STATUS_INPUT, "this would change what the run measures");
    }
done:
    oct_state_clear(&state);
    oct_setup_free(setup);
    return status;
}

static oct_status describe_change(char **out, const oct_form *form, double seconds, double step_s)
{
    oct_text text = {0};
    oct_text_add(&text, "{\"keys\": [");
    for (size_t i = 0; i < form->n; i++) {
        oct_text_add(&text, i ? ", " : "");
        oct_text_add_json(&text, form->rows[i].key);
    }
    oct_text_add(&text, "], \"ms\": %.3f, \"step_ms_before\": ", 1e3 * seconds);
    oct_text_add_number(&text, step_s > 0 ? 1e3 * step_s : NAN);
    oct_text_add(&text, "}");
    return oct_text_take(out, &text);
}

oct_status oct_change_set(oct_viewer *viewer, oct_sim *sim, const oct_form *form, oct_text *reply)
{
    oct_scene *scene = NULL;
    oct_sim *other = NULL;
    char *changed = NULL;
    double start = oct_burst_clock();
    oct_status status;
    OCT_TRY(oct_viewer_check(viewer));
    OCT_TRY_DONE(oct_scene_parse_with(&scene, oct_sim_scene(sim), "scene", &sim->setup->added));
    OCT_CHECK_DONE(form->n > 0, OCT_STATUS_INPUT, "nothing is to be changed: expected KEY=VALUE");
    OCT_TRY_DONE(assign_all(viewer, scene, form));
    OCT_TRY_DONE(continue_with(&other, viewer, sim, scene));
    double seconds = oct_burst_clock() - start;
    status = describe_change(&changed, form, seconds, viewer->step_s);
    if (status != OCT_STATUS_OK) {
        oct_sim_free(other);
        goto done;
    }
    OCT_TRY_DONE(oct_viewer_replace(viewer, sim, other, NULL, false));
    free(viewer->changed);
    viewer->changed = changed;
    changed = NULL;
    oct_text_add(reply, ", \"changed\": %s", viewer->changed);
done:
    free(changed);
    oct_scene_free(scene);
    return status;
}

/* Beginnings ---------------------------------------------------------------------------------- */

/* The name is that of the scene; NULL: the one it had. */
static oct_status begin(oct_viewer *viewer, oct_sim *sim, const oct_scene *scene, const char *name)
{
    oct_sim *other;
    OCT_TRY(oct_sim_create(&other, sim->domain->device, scene, sim->precision));
    OCT_TRY(oct_viewer_replace(viewer, sim, other, name, true));
    viewer->owed = 0;
    return OCT_STATUS_OK;
}

/* Whether a scene names no files but those of a setup. */
static oct_status check_scene(const oct_scene *scene, const oct_setup *before)
{
    oct_setup *setup;
    OCT_TRY(oct_scene_setup(&setup, scene));
    oct_status status = check_paths(setup, before);
    oct_setup_free(setup);
    return status;
}

oct_status oct_change_reset(oct_viewer *viewer, oct_sim *sim, const oct_form *form, oct_text *reply)
{
    oct_scene *scene = NULL;
    oct_status status;
    (void)reply;
    OCT_TRY_DONE(oct_scene_parse_with(&scene, oct_sim_scene(sim), "scene", &sim->setup->added));
    OCT_TRY_DONE(assign_all(viewer, scene, form));
    OCT_TRY_DONE(check_scene(scene, sim->setup));
    status = begin(viewer, sim, scene, NULL);
done:
    oct_scene_free(scene);
    return status;
}

static oct_status load_builtin(oct_scene **out, const char *name)
{
    const char *names[64], *text;
    size_t n = 0;
    OCT_CHECK(name, OCT_STATUS_INPUT, "which scene? Expected name=NAME");
    for (; n < 64 && oct_scene_builtin(n, &names[n], &text); n++)
        if (strcmp(names[n], name) == 0)
            return oct_scene_load(out, name);
    const char *nearest = oct_text_nearest(name, names, n);
    return OCT_FAIL(OCT_STATUS_MISSING, "there is no built-in scene '%.40s'%s%s%s", name,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

oct_status oct_change_scene(oct_viewer *viewer, oct_sim *sim, const oct_form *form, oct_text *reply)
{
    oct_scene *scene = NULL;
    oct_setup *builtin = NULL;
    const char *name = oct_form_get(form, "name");
    oct_status status;
    OCT_TRY_DONE(load_builtin(&scene, name));
    OCT_TRY_DONE(oct_scene_setup(&builtin, scene));
    for (size_t i = 0; i < form->n; i++)
        if (form->rows[i].value != name)
            OCT_TRY_DONE(assign(scene, form->rows[i].key, form->rows[i].value));
    OCT_TRY_DONE(check_scene(scene, builtin));
    OCT_TRY_DONE(begin(viewer, sim, scene, name));
    oct_text_add(reply, ", \"n\": %llu", (unsigned long long)oct_sim_count(sim));
done:
    oct_scene_free(scene);
    oct_setup_free(builtin);
    return status;
}
