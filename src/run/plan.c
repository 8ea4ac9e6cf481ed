/* What a scene would do, for octant check: counts, outputs, remarks. */
#include <stdio.h>

#include "core/review.h"
#include "io/scene.h"
#include "run/schedule.h"
#include "util/sized.h"

/* Outputs of a run: those that are due, and the one at the end. */
static uint64_t outputs(oct_schedule schedule, int64_t end)
{
    return oct_schedule_count(schedule, end) + !oct_schedule_due(schedule, end, OCT_CLOCK_DT);
}

/* "plummer, two-body" */
static void name_models(char *out, size_t bytes, const oct_setup *setup)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < setup->n_models && used < bytes; i++) {
        int n = snprintf(out + used, bytes - used, "%s%s", i ? ", " : "",
                         setup->models[i].model.module->name);
        used += n > 0 ? (size_t)n : 0;
    }
}

oct_status oct_scene_plan(oct_plan *given, const oct_scene *scene)
{
    oct_setup *setup = NULL;
    oct_schedules schedules;
    oct_plan own = {0}, *const out = &own;
    OCT_TRY(OCT_SIZED_CHECK(oct_plan, calendar_size, given));
    oct_sized_give(given, out, sizeof *out);
    OCT_TRY(oct_scene_setup(&setup, scene));
    oct_status status = oct_schedules_check(setup, 0);
    if (status == OCT_STATUS_OK)
        status = oct_schedules_make(&schedules, setup, 0);
    if (status == OCT_STATUS_OK) {
        snprintf(out->title, sizeof out->title, "%s", setup->title ? setup->title : "");
        name_models(out->models, sizeof out->models, setup);
        snprintf(out->units, sizeof out->units, "%s", setup->units.name);
        snprintf(out->gravity, sizeof out->gravity, "%s", setup->gravity.module->name);
        snprintf(out->integrator, sizeof out->integrator, "%s", setup->integrator.module->name);
        snprintf(out->boundary, sizeof out->boundary, "%s", setup->boundary.module->name);
        out->dt = setup->step.dt;
        out->until = setup->run.until;
        out->steps = (uint64_t)(schedules.end / OCT_CLOCK_DT);
        out->rows = outputs(schedules.diagnostics, schedules.end);
        out->snapshots = outputs(schedules.snapshots, schedules.end);
        out->checkpoint_s = setup->output.checkpoint;
        out->calendar = oct_setup_calendar(&out->calendar_size, setup);
        oct_sized_give(given, out, sizeof *out);
    }
    oct_setup_free(setup);
    return status;
}

static void review(const oct_choice *choice, const oct_setup *setup, const oct_reviewer *to)
{
    if (choice->module->review)
        choice->module->review(choice->state, setup, to);
}

oct_status oct_scene_review(const oct_scene *scene, oct_review_log log, void *context)
{
    oct_setup *setup = NULL;
    const oct_reviewer to = {log, context};
    OCT_TRY(oct_scene_setup(&setup, scene));
    review(&setup->boundary, setup, &to);
    for (size_t i = 0; i < setup->n_models; i++)
        review(&setup->models[i].model, setup, &to);
    review(&setup->gravity, setup, &to);
    review(&setup->collisions, setup, &to);
    for (size_t i = 0; i < setup->n_forces; i++)
        review(&setup->forces[i], setup, &to);
    review(&setup->integrator, setup, &to);
    const oct_choice *diag;
    for (size_t i = 0; (diag = oct_setup_diag(setup, i)) != NULL; i++)
        review(diag, setup, &to);
    oct_setup_free(setup);
    return OCT_STATUS_OK;
}
