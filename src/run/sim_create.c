/* From a scene to a simulation, and back to files. */
#include "core/estimate.h"
#include "core/sim.h"
#include "io/checkpoint.h"
#include "io/scene.h"
#include "run/parts.h"
#include "run/resume.h"
#include "run/still.h"
#include "selftest/selftest.h"
#include "util/sized.h"

/* Takes the setup over. */
static oct_status start(oct_sim **out, oct_device *device, oct_setup *setup,
                        const oct_sim_options *o)
{
    const oct_trust_watch watch = {
        .log = o->log, .progress = o->progress, .context = o->log_context};
    const oct_sim_origin from = {.bodies = o->bodies,
                                 .log = o->log,
                                 .log_context = o->log_context,
                                 .unmeasured = o->unmeasured,
                                 .comm = o->comm,
                                 .share = o->share};
    oct_status status = oct_resume_trust(device, setup, o->precision, &watch, o->comm);
    if (status != OCT_STATUS_OK) {
        oct_setup_free(setup);
        return status;
    }
    OCT_TRY(oct_sim_start(out, device, setup, o->precision, &from));
    (*out)->write_parts = oct_parts_follow;
    status = oct_sim_trust(*out, &watch);
    if (status != OCT_STATUS_OK) {
        oct_sim_free(*out);
        *out = NULL;
    }
    return status;
}

oct_status oct_sim_create(oct_sim **out, oct_device *device, const oct_scene *scene,
                          oct_precision precision)
{
    oct_setup *setup;
    *out = NULL;
    OCT_TRY(oct_scene_setup(&setup, scene));
    return start(out, device, setup, &(oct_sim_options){.precision = precision});
}

oct_status oct_sim_create_with(oct_sim **out, oct_device *device, const oct_scene *scene,
                               const oct_sim_options *options)
{
    oct_sim_options o = {0};
    oct_setup *setup;
    *out = NULL;
    if (options)
        OCT_TRY(OCT_SIZED_TAKE(oct_sim_options, progress, &o, options));
    OCT_TRY(oct_scene_setup_open(&setup, scene));
    if ((setup->n_models > 0) != (o.bodies != NULL))
        return start(out, device, setup, &o);
    oct_setup_free(setup);
    return OCT_FAIL(OCT_STATUS_INPUT,
                    o.bodies ? "bodies are given for a scene that has models; expected one of them"
                             : "the scene has no models, and no bodies are given");
}

oct_status oct_scene_estimate(oct_estimate *out, const oct_scene *scene,
                              const oct_device_info *device, oct_precision precision)
{
    oct_setup *setup;
    oct_estimate own;
    uint64_t n;
    OCT_TRY(OCT_SIZED_CHECK(oct_estimate, fits, out));
    OCT_TRY(oct_scene_setup(&setup, scene));
    oct_status status = oct_setup_count(&n, setup);
    if (status == OCT_STATUS_OK) {
        oct_setup_estimate(&own, setup, n, device, precision);
        oct_sized_give(out, &own, sizeof own);
    }
    oct_setup_free(setup);
    return status;
}

oct_status oct_scene_ledger(const oct_scene *scene, const oct_device_info *device,
                            oct_precision precision, oct_ledger_log log, void *context)
{
    oct_setup *setup;
    oct_ledger ledger;
    uint64_t n;
    OCT_TRY(oct_scene_setup(&setup, scene));
    oct_status status = oct_setup_count(&n, setup);
    if (status == OCT_STATUS_OK) {
        oct_setup_ledger(&ledger, setup, n, device, precision);
        for (size_t i = 0; i < ledger.n; i++)
            log(context, ledger.parts[i].name, ledger.parts[i].bytes,
                ledger.parts[i].bytes_per_particle);
    }
    oct_setup_free(setup);
    return status;
}

const char *oct_sim_identity(const oct_sim *sim)
{
    return sim->run;
}

oct_status oct_sim_checkpoint(oct_sim *sim, const char *path)
{
    oct_state state;
    OCT_TRY(oct_sim_export(&state, sim));
    oct_status status = oct_checkpoint_write(&state, path);
    oct_state_clear(&state);
    return oct_sim_done(sim, status);
}

oct_status oct_sim_snapshot(oct_sim *sim, const char *path)
{
    oct_still still;
    OCT_TRY(oct_sim_done(sim, oct_still_take(&still, sim)));
    oct_status status = oct_still_develop(&still);
    if (status == OCT_STATUS_OK)
        status = oct_still_write(&still, path, NULL);
    oct_still_clear(&still);
    return oct_sim_done(sim, status);
}
