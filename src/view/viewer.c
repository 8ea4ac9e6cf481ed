/* Shows frames, answers questions between steps, and posts texts for the server. */
#include "view/viewer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lead.h"
#include "run/burst.h"
#include "util/flag.h"
#include "util/sized.h"
#include "view/stream.h"

/* Seconds: between looks while at rest, of steps taken at a time, between states, between fits,
 * before a frame that could not be had is tried again. */
static const double rest_s = 0.03, burst_s = 0.03, post_s = 0.1, fit_s = 1, retry_s = 1;

/* Opening ------------------------------------------------------------------------------------- */

static oct_status start(oct_viewer *viewer, const oct_viewer_options *options)
{
    const char *address = options->address ? options->address : "127.0.0.1";
    OCT_CHECK(options->port < 65536, OCT_STATUS_INPUT, "there is no port %u", options->port);
    if (options->out)
        OCT_TRY(oct_text_copy(&viewer->out, options->out));
    OCT_TRY(oct_text_copy(&viewer->shared.state, "{\"interface\": 1, \"loading\": true}\n"));
    OCT_TRY(oct_guard_start(&viewer->guard, options->token));
    OCT_TRY(
        oct_server_start(&viewer->server, &viewer->shared, &viewer->guard, address, options->port));
    snprintf(viewer->url, sizeof viewer->url, "http://%s:%u/#token=%s", viewer->guard.home,
             viewer->guard.port, viewer->guard.token);
    return OCT_STATUS_OK;
}

oct_status oct_viewer_open(oct_viewer **out, const oct_viewer_options *options)
{
    oct_viewer_options own = {0};
    *out = NULL;
    if (options)
        OCT_TRY(OCT_SIZED_TAKE(oct_viewer_options, stop, &own, options));
    options = &own;
    oct_viewer *viewer;
    OCT_TRY(oct_alloc(&viewer, 1, sizeof *viewer, "viewer"));
    oct_status status = oct_shared_start(&viewer->shared);
    if (status != OCT_STATUS_OK) {
        free(viewer);
        return status;
    }
    viewer->mode = OCT_VIEW_RUN;
    viewer->stop = options->stop;
    snprintf(viewer->name, sizeof viewer->name, "%s", options->name ? options->name : "");
    viewer->paused = options->paused;
    viewer->cut = (oct_cut){.colour = OCT_COLOUR_SPEED, .most = 1000000};
    viewer->rate = 30;
    viewer->share = 0.03;
    viewer->profiled_s = -1;
    status = start(viewer, options);
    if (status == OCT_STATUS_OK)
        *out = viewer;
    else
        oct_viewer_free(viewer);
    return status;
}

void oct_viewer_free(oct_viewer *viewer)
{
    if (!viewer)
        return;
    /* Whoever waits for steps will not get them. */
    if (viewer->stepping)
        oct_shared_answer(&viewer->shared, viewer->stepping, 503, NULL);
    oct_server_stop(viewer->server);
    oct_cutter_free(viewer->cutter);
    oct_shared_clear(&viewer->shared);
    for (size_t i = 0; i < viewer->n_saved; i++)
        free(viewer->saved[i]);
    oct_files_clear(&viewer->files);
    free(viewer->out);
    free(viewer->about);
    free(viewer->phases);
    free(viewer->changed);
    free(viewer);
}

const char *oct_viewer_url(const oct_viewer *viewer)
{
    return viewer->url;
}

bool oct_viewer_ended(const oct_viewer *viewer)
{
    return viewer->quit || oct_flag_is_set(viewer->stop);
}

oct_status oct_viewer_check(const oct_viewer *viewer)
{
    OCT_CHECK(!*viewer->error, OCT_STATUS_INPUT, "it cannot go on: %s", viewer->error);
    return OCT_STATUS_OK;
}

/* What is shown ------------------------------------------------------------------------------- */

/* Densities cost more than all the rest: they are found anew when they would take a small part of
 * the time only, or at once where there are none. */
static oct_status refresh_density(oct_viewer *viewer, oct_sim *sim, double now)
{
    double interval = viewer->paused ? 0 : viewer->density_s / viewer->share;
    oct_made from = OCT_MADE(sim->domain->position);
    if (viewer->cut.colour != OCT_COLOUR_DENSITY || oct_made_fresh(&viewer->density, &from) ||
        now < viewer->density_at + interval)
        return OCT_STATUS_OK;
    OCT_TRY(oct_cutter_density(viewer->cutter, sim));
    viewer->density = from;
    viewer->density_at = oct_burst_clock();
    viewer->density_s = viewer->density_at - now;
    viewer->unfit = true;
    return OCT_STATUS_OK;
}

static oct_status refresh_fit(oct_viewer *viewer, oct_sim *sim)
{
    double start = oct_burst_clock();
    double interval = fmax(fit_s, viewer->paused ? 0 : viewer->fitting_s / viewer->share);
    if (!viewer->unfit && start < viewer->fitted_at + interval)
        return OCT_STATUS_OK;
    OCT_TRY(oct_cutter_fit(viewer->cutter, sim, &viewer->cut));
    viewer->fitted_at = oct_burst_clock();
    viewer->fitting_s = viewer->fresh ? 0 : viewer->fitted_at - start;
    viewer->unfit = false;
    return OCT_STATUS_OK;
}

static oct_status publish(oct_viewer *viewer, oct_sim *sim, double now)
{
    /* Removed bodies were closed up: frames are cut in another domain. Those that several domains
     * have keep their places wherever they go. */
    uint32_t stride, n = (uint32_t)oct_domain_all(sim->domain);
    if (n != viewer->slots ||
        (!oct_owners_several(sim) && !oct_edition_same(viewer->placed, sim->domain->placed)))
        OCT_TRY(oct_viewer_regroup(viewer, sim));
    uint32_t count = oct_frame_count(&stride, n, viewer->cut.most);
    oct_frame_mark mark = {.sequence = viewer->sequence + 1,
                           .generation = viewer->generation,
                           .paused = viewer->paused};
    oct_slot *slot;
    OCT_TRY(refresh_density(viewer, sim, now));
    OCT_TRY(refresh_fit(viewer, sim));
    double start = oct_burst_clock();
    OCT_TRY(oct_stream_begin(&slot, &viewer->shared, oct_frame_bytes(count)));
    OCT_TRY(oct_cutter_cut(slot->data, viewer->cutter, sim, &viewer->cut, &mark));
    viewer->sequence++;
    oct_stream_publish(&viewer->shared, slot, viewer->sequence);
    viewer->stale = false;
    viewer->cut_at = start;
    viewer->repeated_at = oct_burst_clock();
    /* The first one may have had a kernel to compile. */
    viewer->cut_s = viewer->fresh ? 0 : viewer->repeated_at - start;
    viewer->fresh = false;
    viewer->unseen[0] = '\0';
    return OCT_STATUS_OK;
}

static double next_frame(const oct_viewer *viewer)
{
    double interval = 1 / viewer->rate;
    if (!viewer->paused)
        interval = fmax(interval, viewer->cut_s / viewer->share);
    return viewer->cut_at + interval;
}

oct_status oct_viewer_show(oct_viewer *viewer, oct_sim *sim)
{
    double now = oct_burst_clock();
    bool none, wanted = oct_stream_wanted(&viewer->shared, &none);
    bool due =
        *viewer->unseen ? now >= viewer->cut_at + retry_s : none || now >= next_frame(viewer);
    oct_status status = OCT_STATUS_OK;
    if (wanted && (viewer->stale || none) && due) {
        if (publish(viewer, sim, now) != OCT_STATUS_OK) {
            snprintf(viewer->unseen, sizeof viewer->unseen, "%s", oct_last_error());
            oct_stream_give_up(&viewer->shared);
            viewer->cut_at = now;
            status = oct_sim_wait(sim);
        }
    } else if (wanted && viewer->paused && now - viewer->repeated_at >= rest_s) {
        oct_stream_repeat(&viewer->shared);
        viewer->repeated_at = now;
    }
    char *state;
    if (now - viewer->posted_at >= post_s &&
        oct_viewer_write_state(&state, viewer, sim) == OCT_STATUS_OK) {
        oct_shared_post(&viewer->shared, &viewer->shared.state, state);
        viewer->posted_at = now;
    }
    return status;
}

/* Between steps ------------------------------------------------------------------------------- */

/* A row that there is no memory for is missing in the charts; the simulation goes on. */
static void add_row(oct_viewer *viewer, oct_sim *sim, const oct_run_record *record)
{
    oct_series *series = &viewer->shared.series;
    double *row;
    if (!record->measured || !series->width ||
        oct_alloc(&row, series->width, sizeof *row, "measurements") != OCT_STATUS_OK)
        return;
    row[0] = (double)record->step;
    row[1] = record->time;
    memcpy(row + 2, record->values, (series->width - 2) * sizeof *row);
    (void)pthread_mutex_lock(&viewer->shared.lock);
    bool known = series->n > 0 && series->rows[(series->n - 1) * series->width] == row[0];
    if (!known)
        (void)oct_series_add(series, row);
    (void)pthread_mutex_unlock(&viewer->shared.lock);
    free(row);
    char *profiles;
    if (!known && oct_viewer_write_profiles(&profiles, sim) == OCT_STATUS_OK)
        oct_shared_post(&viewer->shared, &viewer->shared.profiles, profiles);
}

/* What has happened since the last time. */
static void note_steps(oct_viewer *viewer, oct_sim *sim, const oct_run_record *record)
{
    uint64_t taken = oct_sim_steps(sim) - viewer->left_step;
    double spent = oct_burst_clock() - viewer->left_at;
    add_row(viewer, sim, record);
    viewer->taken = taken;
    if (taken == 0)
        return;
    /* An average over the last second. */
    double step_s = spent / (double)taken, weight = fmin(spent, 1);
    viewer->step_s =
        viewer->step_s > 0 ? viewer->step_s + weight * (step_s - viewer->step_s) : step_s;
    viewer->left_step = oct_sim_steps(sim);
    viewer->stale = true;
    if (viewer->owed > 0)
        viewer->owed -= taken < viewer->owed ? taken : viewer->owed;
    if (viewer->end && sim->clock.tick >= viewer->end) {
        viewer->paused = true;
        viewer->owed = 0;
        viewer->end = 0;
    }
    oct_timing_note(viewer, sim, spent, taken);
}

/* How long to wait before the next steps; 0: not at all, and how many may be taken. */
static double patience(const oct_viewer *viewer, const oct_sim *sim, uint64_t *steps)
{
    double wait = 0, frame_s = next_frame(viewer) - oct_burst_clock();
    /* Up to the next frame, or without one where nobody has taken the last. */
    double span = frame_s > 0 ? fmin(frame_s, burst_s) : burst_s;
    double burst = viewer->step_s > 0 ? ceil(span / viewer->step_s) : 1;
    if (*viewer->error || (viewer->paused && viewer->owed == 0))
        return rest_s;
    if (viewer->speed > 0 && viewer->owed == 0) {
        double due = viewer->left_at + (double)viewer->taken / viewer->speed;
        burst = fmin(burst, viewer->speed * burst_s);
        wait = fmin(due - oct_burst_clock(), rest_s);
    }
    *steps = burst > 1 ? (uint64_t)fmin(burst, 1e9) : 1;
    if (viewer->owed && *steps > viewer->owed)
        *steps = viewer->owed;
    uint64_t last = viewer->end ? oct_clock_step_at(&sim->clock, viewer->end) : UINT64_MAX;
    if (*steps > last - oct_sim_steps(sim))
        *steps = last - oct_sim_steps(sim);
    return fmax(wait, 0);
}

oct_status oct_viewer_attend(void *context, oct_sim *sim, const oct_run_record *given,
                             uint64_t *steps)
{
    oct_viewer *viewer = context;
    oct_run_record own, *const record = &own;
    double wait = 0;
    OCT_TRY(OCT_SIZED_TAKE(oct_run_record, values, record, given));
    OCT_TRY(oct_sim_usable(sim));
    if (!viewer->cutter)
        OCT_TRY(oct_viewer_begin(viewer, sim));
    note_steps(viewer, sim, record);
    viewer->replaced = false;
    do {
        OCT_TRY(oct_viewer_serve(viewer, sim, wait));
        *steps = 0;
        if (oct_viewer_ended(viewer) || viewer->replaced)
            return OCT_STATUS_OK;
        OCT_TRY(oct_viewer_show(viewer, sim));
        wait = patience(viewer, sim, steps);
    } while (wait > 0);
    viewer->left_at = oct_burst_clock();
    return OCT_STATUS_OK;
}
