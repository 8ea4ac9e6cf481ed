/* Other settings from the present state on: a simulation is made of the changed scene and takes the
 * place of the one before; where that fails, nothing has changed. */
#include <stdlib.h>
#include <string.h>

#include "io/scene.h"
#include "run/resume.h"
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
static oct_status carry_over(oct_sim *to, oct_sim *from)
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
    memcpy(to->checkpoint, from->checkpoint, sizeof to->checkpoint);
    to->resumed_from = from->resumed_from;
    from->resumed_from = NULL;
    to->log = from->log;
    to->log_context = from->log_context;
    return OCT_STATUS_OK;
}

oct_status oct_sim_set_all(oct_sim *sim, const char *const *assignments, size_t n)
{
    oct_status status;
    oct_scene *scene = NULL;
    oct_state state = {0};
    oct_sim *other = NULL;
    const oct_trust_watch watch = {.log = sim->log, .context = sim->log_context};
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY_DONE(changed_scene(&scene, sim, assignments, n));
    OCT_TRY_DONE(oct_sim_export(&state, sim));
    OCT_TRY_DONE(
        oct_resume_state(&other, sim->domain->device, &state, "the simulation", scene, &watch));
    OCT_TRY_DONE(carry_over(other, sim));
    oct_sim_exchange(sim, other);
done:
    oct_sim_free(other);
    oct_state_clear(&state);
    oct_scene_free(scene);
    return oct_sim_done(sim, status);
}

oct_status oct_sim_set(oct_sim *sim, const char *assignment)
{
    return oct_sim_set_all(sim, &assignment, 1);
}
