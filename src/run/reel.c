/* Fits the camera to the first frame, then draws a frame whenever one is due. */
#include "run/reel.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "io/snapshot.h"
#include "util/sized.h"

enum { USUAL_FRAMES = 250 };

/* The bodies as they are now, and what a file would say of them. */
static oct_status look(oct_bodies *bodies, oct_file_info *info, oct_sim *sim)
{
    *bodies = (oct_bodies){0};
    oct_snapshot_describe(info, sim->setup);
    info->time = oct_sim_time(sim);
    info->step = oct_sim_steps(sim);
    return oct_sim_bodies(bodies, sim);
}

/* Chooses a size that suits the box where none is given: films cannot change theirs. */
static oct_status choose_size(oct_reel *reel, oct_sim *sim)
{
    oct_render_options first = reel->picture;
    oct_file_info info;
    oct_bodies bodies;
    if (first.width != 0 || first.height != 0)
        return OCT_STATUS_OK;
    if (reel->plan->camera)
        oct_path_apply(&first, reel->plan->camera, 0);
    oct_status status = look(&bodies, &info, sim);
    if (status == OCT_STATUS_OK)
        status = oct_render_fit(&first, &bodies, &info);
    oct_bodies_clear(&bodies);
    reel->picture.width = first.width;
    reel->picture.height = first.height;
    reel->picture.font = first.font;
    return status;
}

oct_status oct_reel_open(oct_reel *reel, const oct_run_film *plan, oct_sim *sim, bool replace)
{
    struct stat found;
    if (!plan)
        return OCT_STATUS_OK;
    OCT_TRY(OCT_SIZED_TAKE(oct_run_film, camera, &reel->own, plan));
    plan = &reel->own;
    reel->picture = (oct_render_options){.size = sizeof reel->picture};
    if (plan->picture)
        OCT_TRY(OCT_SIZED_TAKE(oct_render_options, follow, &reel->picture, plan->picture));
    reel->ranged = reel->picture.range[1] != 0;
    OCT_CHECK(plan->interval >= 0 && isfinite(plan->interval), OCT_STATUS_INPUT,
              "the interval of a film is a time above zero");
    OCT_CHECK(replace || (stat(plan->path, &found) != 0 && errno == ENOENT), OCT_STATUS_INPUT,
              "'%s' is there already, and the film would replace it", plan->path);
    reel->plan = plan;
    OCT_TRY(choose_size(reel, sim));
    return oct_film_open(&reel->film, plan->path, reel->picture.width, reel->picture.height,
                         plan->fps);
}

void oct_reel_plan(oct_reel *reel, const oct_sim *sim, int64_t last)
{
    if (!reel->plan)
        return;
    reel->first = sim->clock.tick;
    reel->last = last;
    reel->schedule = oct_schedule_every(reel->plan->interval, oct_sim_dt(sim));
    if (reel->plan->interval == 0) {
        double whole = (double)(last - reel->first) / (double)OCT_CLOCK_DT;
        reel->schedule.stride = fmax(whole / (USUAL_FRAMES - 1), 1);
    }
}

/* Frames are counted from the first step of the film: it begins where the run does. */
int64_t oct_reel_next(const oct_reel *reel, int64_t tick)
{
    if (!reel->plan)
        return OCT_CLOCK_NEVER;
    int64_t next = oct_schedule_next(reel->schedule, tick - reel->first);
    return next < OCT_CLOCK_NEVER - reel->first ? reel->first + next : OCT_CLOCK_NEVER;
}

/* Colours that later frames need are added; those there are stay where they are. */
static void widen(double range[2], const double seen[2])
{
    if (!(seen[1] > 0))
        return;
    range[0] = range[1] > 0 ? fmin(range[0], seen[0]) : seen[0];
    range[1] = fmax(range[1], seen[1]);
}

/* Makes the choices that the user left open: the first frame makes those for all. */
static oct_status choose(oct_reel *reel, oct_render_options *now, const oct_bodies *bodies,
                         const oct_file_info *info)
{
    oct_render_options fitted = *now, *kept = &reel->picture;
    bool density = !now->mode || strcmp(now->mode, "density") == 0;
    bool open = (density || now->map) && !reel->ranged;
    if (reel->chosen && !open)
        return OCT_STATUS_OK;
    if (open)
        memset(fitted.range, 0, sizeof fitted.range);
    OCT_TRY(oct_render_fit(&fitted, bodies, info));
    if (open)
        widen(kept->range, fitted.range);
    if (!reel->chosen) {
        now->extent = kept->extent = fitted.extent;
        now->extent_up = kept->extent_up = fitted.extent_up;
        memcpy(now->centre, fitted.centre, sizeof now->centre);
        memcpy(kept->centre, fitted.centre, sizeof kept->centre);
        now->centred = kept->centred = reel->chosen = true;
    }
    memcpy(now->range, kept->range, sizeof now->range);
    return OCT_STATUS_OK;
}

oct_status oct_reel_frame(oct_reel *reel, oct_sim *sim)
{
    int64_t since = sim->clock.tick - reel->first;
    if (!reel->plan || since < 0 || !oct_schedule_due(reel->schedule, since, sim->clock.length))
        return OCT_STATUS_OK;
    oct_render_options now = reel->picture;
    double past = (double)since, whole = (double)(reel->last - reel->first);
    if (reel->plan->camera)
        oct_path_apply(&now, reel->plan->camera, whole > 0 ? fmin(past / whole, 1) : 0);
    oct_file_info info;
    oct_bodies bodies;
    size_t followed;
    oct_status status = look(&bodies, &info, sim);
    /* Once a body that is followed is gone, the camera stays where it was. */
    if (status == OCT_STATUS_OK && now.follows && oct_bodies_find(&followed, &bodies, now.follow)) {
        memcpy(reel->picture.centre, &bodies.position[3 * followed], sizeof now.centre);
        reel->picture.centred = true;
    }
    if (status == OCT_STATUS_OK)
        status = choose(reel, &now, &bodies, &info);
    if (status == OCT_STATUS_OK)
        status = oct_film_add(reel->film, &bodies, &info, &now);
    oct_bodies_clear(&bodies);
    return status;
}

oct_status oct_reel_finish(oct_reel *reel)
{
    return reel->plan ? oct_film_finish(reel->film) : OCT_STATUS_OK;
}

void oct_reel_clear(oct_reel *reel)
{
    oct_film_free(reel->film);
    *reel = (oct_reel){0};
}
