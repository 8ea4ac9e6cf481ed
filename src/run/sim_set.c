/* Other settings from the present state on: a simulation is made of the changed scene and takes the
 * place of the one before; where that fails, nothing has changed. */
#include <stdlib.h>
#include <string.h>

#include "io/scene.h"
#include "run/resume.h"
#include "run/sim_set.h"
#include "util/text.h"

static oct_status changed_scene(oct_scene **out, const oct_sim *sim, const char *const *assignments,
                                size_t n)
{
    OCT_TRY(oct_scene_parse_with(out, oct_sim_scene(sim), "the scene", &sim->setup->added));
    oct_status status = OCT_STATUS_OK;
    for (size_t i = 0; i < n && status == OCT_STATUS_OK; i++)
        status = oct_scene_set(*out, assignments[i]);
    if (status == OCT_STATUS_OK)
        return status;
    oct_scene_free(*out);
    *out = NULL;
    return status;
}

/* What is known of the run goes on: where it came from, and what was changed before. */
static oct_status carry_over(oct_sim *to, const oct_sim *from)
{
    oct_text changes = {0};
    if (from->changes && to->changes) {
        char *joined;
        oct_text_add(&changes, "%s%s", from->changes, to->changes);
        OCT_TRY(oct_text_take(&joined, &changes));
        free(to->changes);
        to->changes = joined;
    } else if (from->changes) {
        OCT_TRY(oct_text_copy(&to->changes, from->changes));
    }
    if (from->resumed_from)
        OCT_TRY(oct_text_copy(&to->resumed_from, from->resumed_from));
    memcpy(to->checkpoint, from->checkpoint, sizeof to->checkpoint);
    to->hold = from->hold;
    to->log = from->log;
    to->log_context = from->log_context;
    return OCT_STATUS_OK;
}

static bool same_columns(const oct_sim *a, const oct_sim *b)
{
    const oct_column *x = oct_sim_columns(a), *y = oct_sim_columns(b);
    for (; x->name && y->name && strcmp(x->name, y->name) == 0; x++, y++)
        ;
    return !x->name && !y->name;
}

static oct_status make_changed(oct_sim **out, oct_sim *sim, const oct_scene *scene)
{
    const oct_trust_watch watch = {.log = sim->log, .context = sim->log_context};
    const oct_resumption way = {.where = "the simulation",
                                .scene = scene,
                                .watch = &watch,
                                .results = sim->hold == OCT_HOLD_RESULTS};
    oct_state state = {0};
    OCT_TRY(oct_sim_export(&state, sim));
    OCT_TRY(oct_resume_state(out, sim->domain->device, &state, &way));
    OCT_CHECK(!way.results || same_columns(sim, *out), OCT_STATUS_INPUT,
              "this would change what the run measures, and its files have columns already");
    return carry_over(*out, sim);
}

oct_status oct_change_prepare(oct_sim **out, oct_sim *sim, const char *const *assignments, size_t n)
{
    oct_scene *scene;
    *out = NULL;
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_sim_check_alone(sim, "settings cannot be changed"));
    OCT_CHECK(sim->hold != OCT_HOLD_ALL, OCT_STATUS_INPUT,
              "settings cannot be changed while a run writes its results: expected a call between "
              "runs, or by attend of oct_run_options");
    OCT_TRY(changed_scene(&scene, sim, assignments, n));
    oct_status status = make_changed(out, sim, scene);
    oct_scene_free(scene);
    if (status != OCT_STATUS_OK) {
        oct_sim_free(*out);
        *out = NULL;
    }
    return status;
}

oct_status oct_sim_set_all(oct_sim *sim, const char *const *assignments, size_t n)
{
    oct_sim *other;
    oct_status status = oct_change_prepare(&other, sim, assignments, n);
    if (status == OCT_STATUS_OK)
        oct_sim_exchange(sim, other);
    oct_sim_free(other);
    return oct_sim_done(sim, status);
}

oct_status oct_sim_set(oct_sim *sim, const char *assignment)
{
    return oct_sim_set_all(sim, &assignment, 1);
}

bool oct_sim_can_set(const oct_sim *sim, const char *key)
{
    return sim->hold != OCT_HOLD_ALL && oct_resume_allows(key, sim->hold == OCT_HOLD_RESULTS);
}
