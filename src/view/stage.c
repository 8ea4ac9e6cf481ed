/* Which simulation is shown. Everything that can fail is made for a new one before it takes the
 * place of the one before: a change that is refused has changed nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lead.h"
#include "run/schedule.h"
#include "tree/tree.h"
#include "view/scenes.h"
#include "view/viewer.h"

/* What a simulation needs to be shown. */
typedef struct props {
    oct_cutter *cutter;
    char *about, *scene, *columns;
    size_t width; /* columns; 0: the measurements are those of files */
    int64_t end;
} props;

static void clear_props(props *made)
{
    oct_cutter_free(made->cutter);
    free(made->about);
    free(made->scene);
    free(made->columns);
    *made = (props){0};
}

static oct_status fill_props(props *out, const oct_viewer *viewer, oct_sim *sim, const char *name)
{
    oct_schedules schedules;
    OCT_TRY(oct_schedules_from(&schedules, sim->setup, &sim->clock, &sim->origin, 0));
    bool ahead = viewer->mode == OCT_VIEW_SCENE && schedules.end > sim->clock.tick;
    out->end = ahead ? schedules.end : 0;
    OCT_TRY(oct_cutter_create(&out->cutter, sim));
    OCT_TRY(oct_viewer_write_about(&out->about, viewer, sim, name));
    OCT_TRY(oct_scenes_describe(&out->scene, name, sim->setup->title, sim->setup->resolved));
    return viewer->mode == OCT_VIEW_FILES
               ? OCT_STATUS_OK
               : oct_viewer_write_columns(&out->columns, &out->width, sim);
}

static oct_status make_props(props *out, const oct_viewer *viewer, oct_sim *sim, const char *name)
{
    *out = (props){0};
    oct_status status = fill_props(out, viewer, sim, name);
    if (status != OCT_STATUS_OK)
        clear_props(out);
    return status;
}

/* Rows stay where the bodies and the columns do. */
static void use_columns(oct_series *series, props *made, bool anew)
{
    bool same = series->columns && made->columns && strcmp(series->columns, made->columns) == 0;
    if (!made->columns || (same && !anew))
        return;
    oct_series_start(series, made->columns, made->width);
    made->columns = NULL;
}

/* Takes what was made; cannot fail. */
static void use_props(oct_viewer *viewer, const oct_sim *sim, props *made, bool anew)
{
    oct_cutter_free(viewer->cutter);
    free(viewer->about);
    viewer->cutter = made->cutter;
    viewer->about = made->about;
    oct_shared_post(&viewer->shared, &viewer->shared.scene, made->scene);
    (void)pthread_mutex_lock(&viewer->shared.lock);
    use_columns(&viewer->shared.series, made, anew);
    (void)pthread_mutex_unlock(&viewer->shared.lock);
    free(made->columns);
    viewer->end = made->end;
    viewer->generation += anew;
    viewer->begun = anew ? viewer->generation : viewer->begun;
    viewer->placed = sim->domain->placed;
    viewer->slots = (uint32_t)oct_domain_all(sim->domain);
    viewer->stale = viewer->unfit = viewer->fresh = true;
    viewer->density = (oct_made){0};
    viewer->step_s = viewer->density_at = 0;
    viewer->left_step = oct_sim_steps(sim);
    viewer->error[0] = viewer->unseen[0] = '\0';
}

oct_status oct_viewer_begin(oct_viewer *viewer, oct_sim *sim)
{
    props made;
    if (sim->setup->added.n > 0) {
        char *scenes;
        OCT_TRY(oct_scenes_write(&scenes, &sim->setup->added));
        oct_shared_post(&viewer->shared, &viewer->shared.scenes, scenes);
    }
    OCT_TRY(make_props(&made, viewer, sim, viewer->name));
    use_props(viewer, sim, &made, true);
    return OCT_STATUS_OK;
}

oct_status oct_viewer_regroup(oct_viewer *viewer, oct_sim *sim)
{
    props made;
    OCT_TRY(make_props(&made, viewer, sim, viewer->name));
    use_props(viewer, sim, &made, false);
    viewer->generation++;
    return OCT_STATUS_OK;
}

oct_status oct_viewer_replace(oct_viewer *viewer, oct_sim *sim, oct_sim *other, const char *name,
                              bool anew)
{
    props made;
    oct_status status = make_props(&made, viewer, other, name ? name : viewer->name);
    if (status == OCT_STATUS_OK) {
        const oct_log log = sim->log;
        void *context = sim->log_context;
        oct_sim_exchange(sim, other);
        /* Who listens stays. */
        oct_sim_set_log(sim, log, context);
        if (name)
            snprintf(viewer->name, sizeof viewer->name, "%s", name);
        use_props(viewer, sim, &made, anew);
        viewer->replaced = true;
    }
    oct_sim_free(other);
    return status;
}
