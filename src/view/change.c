/* Changes on the way: other parameters from the present state on, the start again, another scene.
 * What may change is the library's to say (oct_sim_set); what may come over the network is said
 * here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene.h"
#include "run/burst.h"
#include "run/sim_set.h"
#include "view/viewer.h"

/* Files ---------------------------------------------------------------------------------------- */

/* Files, and source that scenes hold themselves: neither comes over the network. */
static void add_paths(oct_text *out, const void *state, const oct_field *fields)
{
    for (const oct_field *f = fields; state && f && f->type != OCT_FIELD_END; f++) {
        const char *slot = (const char *)state + f->offset;
        char *text;
        if (f->type == OCT_FIELD_GROUP)
            add_paths(out, slot, f->group);
        if (f->type == OCT_FIELD_MODEL) {
            const oct_choice *inner = &((const oct_model_entry *)(const void *)slot)->model;
            add_paths(out, inner->state, inner->module->fields);
        }
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

/* Whether a scene names no files but those of a setup. */
static oct_status check_scene(const oct_scene *scene, const oct_setup *before)
{
    oct_setup *setup;
    OCT_TRY(oct_scene_setup_open(&setup, scene));
    oct_status status = check_paths(setup, before);
    oct_setup_free(setup);
    return status;
}

/* Parameters ---------------------------------------------------------------------------------- */

/* "KEY=VALUE" of each row; must be freed, and the list after them. */
static oct_status make_lines(char ***out, const oct_form *form)
{
    OCT_TRY(oct_alloc(out, form->n, sizeof **out, "values"));
    for (size_t i = 0; i < form->n; i++) {
        oct_text text = {0};
        oct_text_add(&text, "%s=%s", form->rows[i].key, form->rows[i].value);
        OCT_TRY(oct_text_take(&(*out)[i], &text));
    }
    return OCT_STATUS_OK;
}

static void free_lines(char **lines, size_t n)
{
    for (size_t i = 0; lines && i < n; i++)
        free(lines[i]);
    free(lines);
}

/* The present scene with other values, which name no files. */
static oct_status changed_scene(oct_scene **out, const oct_sim *sim, char *const *lines, size_t n)
{
    OCT_TRY(oct_scene_parse_with(out, oct_sim_scene(sim), "the scene", &sim->setup->added));
    for (size_t i = 0; i < n; i++)
        OCT_TRY(oct_scene_set(*out, lines[i]));
    return check_scene(*out, sim->setup);
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
    char *changed = NULL, **lines = NULL;
    double start = oct_burst_clock();
    oct_status status;
    OCT_TRY(oct_viewer_check(viewer));
    OCT_CHECK(form->n > 0, OCT_STATUS_INPUT, "nothing is to be changed: expected KEY=VALUE");
    OCT_TRY_DONE(make_lines(&lines, form));
    OCT_TRY_DONE(changed_scene(&scene, sim, lines, form->n));
    OCT_TRY_DONE(oct_change_prepare(&other, sim, (const char *const *)lines, form->n));
    OCT_TRY_DONE(describe_change(&changed, form, oct_burst_clock() - start, viewer->step_s));
    oct_sim *taken = other;
    other = NULL;
    OCT_TRY_DONE(oct_viewer_replace(viewer, sim, taken, NULL, false));
    free(viewer->changed);
    viewer->changed = changed;
    changed = NULL;
    oct_text_add(reply, ", \"changed\": %s", viewer->changed);
done:
    oct_sim_free(other);
    free(changed);
    free_lines(lines, form->n);
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

oct_status oct_change_reset(oct_viewer *viewer, oct_sim *sim, const oct_form *form, oct_text *reply)
{
    oct_scene *scene = NULL;
    char **lines = NULL;
    oct_status status;
    (void)reply;
    for (size_t i = 0; i < form->n; i++)
        OCT_CHECK(oct_sim_can_set(sim, form->rows[i].key), OCT_STATUS_INPUT,
                  "%.60s is not among the parameters: begin a scene with it instead",
                  form->rows[i].key);
    OCT_TRY_DONE(make_lines(&lines, form));
    OCT_TRY_DONE(changed_scene(&scene, sim, lines, form->n));
    status = begin(viewer, sim, scene, NULL);
done:
    free_lines(lines, form->n);
    oct_scene_free(scene);
    return status;
}

/* With the modules of the program, where it has added some. */
static oct_status load_builtin(oct_scene **out, const char *name, const oct_added *added)
{
    const char *names[64], *text;
    size_t n = 0;
    OCT_CHECK(name, OCT_STATUS_INPUT, "which scene? Expected name=NAME");
    for (; n < 64 && oct_scene_builtin(n, &names[n], &text); n++)
        if (strcmp(names[n], name) == 0)
            return oct_scene_parse_with(out, text, name, added);
    const char *nearest = oct_text_nearest(name, names, n);
    return OCT_FAIL(OCT_STATUS_MISSING, "there is no built-in scene '%.40s'%s%s%s", name,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

oct_status oct_change_scene(oct_viewer *viewer, oct_sim *sim, const oct_form *form, oct_text *reply)
{
    oct_scene *scene = NULL;
    oct_setup *builtin = NULL;
    char **lines = NULL;
    const char *name = oct_form_get(form, "name");
    oct_status status;
    OCT_TRY_DONE(load_builtin(&scene, name, &sim->setup->added));
    OCT_TRY_DONE(oct_scene_setup(&builtin, scene));
    OCT_TRY_DONE(make_lines(&lines, form));
    for (size_t i = 0; i < form->n; i++)
        if (form->rows[i].value != name)
            OCT_TRY_DONE(oct_scene_set(scene, lines[i]));
    OCT_TRY_DONE(check_scene(scene, builtin));
    OCT_TRY_DONE(begin(viewer, sim, scene, name));
    oct_text_add(reply, ", \"n\": %llu", (unsigned long long)oct_sim_count(sim));
done:
    free_lines(lines, form->n);
    oct_scene_free(scene);
    oct_setup_free(builtin);
    return status;
}
