/* Fits the camera to the first frame, then draws a frame whenever one is due. */
#include "run/film_recorder.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/still.h"
#include "util/sized.h"

enum { USUAL_FRAMES = 250 };

/* Chooses a size that suits the box where none is given: films cannot change theirs. */
static oct_status choose_size(oct_film_recorder *recorder, oct_sim *sim)
{
    oct_render_options first = recorder->picture;
    oct_still still;
    if (first.width != 0 || first.height != 0)
        return OCT_STATUS_OK;
    if (recorder->plan->camera)
        oct_path_apply(&first, recorder->plan->camera, 0);
    OCT_TRY(oct_still_take(&still, sim));
    oct_status status = oct_still_develop(&still);
    if (status == OCT_STATUS_OK)
        status = oct_render_fit(&first, &still.bodies, &still.info);
    oct_still_clear(&still);
    recorder->picture.width = first.width;
    recorder->picture.height = first.height;
    recorder->picture.font = first.font;
    return status;
}

oct_status oct_film_recorder_open(oct_film_recorder *recorder, const oct_run_film *plan,
                                  oct_sim *sim, bool replace)
{
    struct stat found;
    if (!plan)
        return OCT_STATUS_OK;
    OCT_TRY(OCT_SIZED_TAKE(oct_run_film, camera, &recorder->own, plan));
    plan = &recorder->own;
    recorder->picture = (oct_render_options){.size = sizeof recorder->picture};
    if (plan->picture)
        OCT_TRY(OCT_SIZED_TAKE(oct_render_options, follow, &recorder->picture, plan->picture));
    recorder->ranged = recorder->picture.range[1] != 0;
    OCT_CHECK(plan->interval >= 0 && isfinite(plan->interval), OCT_STATUS_INPUT,
              "the interval of a film is a time above zero");
    OCT_CHECK(replace || (stat(plan->path, &found) != 0 && errno == ENOENT), OCT_STATUS_INPUT,
              "'%s' is there already, and the film would replace it", plan->path);
    recorder->plan = plan;
    OCT_TRY(choose_size(recorder, sim));
    return oct_film_open(&recorder->film, plan->path, recorder->picture.width,
                         recorder->picture.height, plan->fps);
}

void oct_film_recorder_plan(oct_film_recorder *recorder, const oct_sim *sim, int64_t last)
{
    if (!recorder->plan)
        return;
    recorder->first = sim->clock.tick;
    recorder->last = last;
    recorder->schedule = oct_schedule_every(recorder->plan->interval, oct_sim_dt(sim));
    if (recorder->plan->interval == 0) {
        double whole = (double)(last - recorder->first) / (double)OCT_CLOCK_DT;
        recorder->schedule.stride = fmax(whole / (USUAL_FRAMES - 1), 1);
    }
}

/* Frames are counted from the first step of the film: it begins where the run does. */
int64_t oct_film_recorder_next(const oct_film_recorder *recorder, int64_t tick)
{
    if (!recorder->plan)
        return OCT_CLOCK_NEVER;
    int64_t next = oct_schedule_next(recorder->schedule, tick - recorder->first);
    return next < OCT_CLOCK_NEVER - recorder->first ? recorder->first + next : OCT_CLOCK_NEVER;
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
static oct_status choose(oct_film_recorder *recorder, oct_render_options *now,
                         const oct_bodies *bodies, const oct_file_info *info)
{
    oct_render_options fitted = *now, *kept = &recorder->picture;
    bool density =
        !now->mode || strcmp(now->mode, "density") == 0 || strcmp(now->mode, "components") == 0;
    bool open = (density || now->map) && !recorder->ranged;
    if (recorder->chosen && !open)
        return OCT_STATUS_OK;
    if (open)
        memset(fitted.range, 0, sizeof fitted.range);
    OCT_TRY(oct_render_fit(&fitted, bodies, info));
    if (open)
        widen(kept->range, fitted.range);
    if (!recorder->chosen) {
        now->extent = kept->extent = fitted.extent;
        now->extent_up = kept->extent_up = fitted.extent_up;
        memcpy(now->centre, fitted.centre, sizeof now->centre);
        memcpy(kept->centre, fitted.centre, sizeof kept->centre);
        now->centred = kept->centred = recorder->chosen = true;
    }
    memcpy(now->range, kept->range, sizeof now->range);
    return OCT_STATUS_OK;
}

/* A frame on its way to the film. */
typedef struct shot {
    oct_film_recorder *recorder;
    double part; /* of the film that is over */
    oct_still still;
} shot;

/* From here on the recorder's choices are the writer's alone. */
static oct_status draw(void *context)
{
    shot *s = context;
    oct_film_recorder *recorder = s->recorder;
    const oct_bodies *bodies = &s->still.bodies;
    size_t followed;
    OCT_TRY(oct_still_develop(&s->still));
    oct_render_options now = recorder->picture;
    if (recorder->plan->camera)
        oct_path_apply(&now, recorder->plan->camera, s->part);
    /* Once a body that is followed is gone, the camera stays where it was. */
    if (now.follows && oct_bodies_find(&followed, bodies, now.follow)) {
        memcpy(recorder->picture.centre, &bodies->position[3 * followed], sizeof now.centre);
        recorder->picture.centred = true;
    }
    OCT_TRY(choose(recorder, &now, bodies, &s->still.info));
    return oct_film_add(recorder->film, bodies, &s->still.info, &now);
}

static void free_shot(void *context)
{
    shot *s = context;
    oct_still_clear(&s->still);
    free(s);
}

bool oct_film_recorder_due(const oct_film_recorder *recorder, const oct_sim *sim)
{
    int64_t since = sim->clock.tick - recorder->first;
    return recorder->plan && since >= 0 &&
           oct_schedule_due(recorder->schedule, since, sim->clock.length);
}

oct_status oct_film_recorder_frame(oct_film_recorder *recorder, oct_sim *sim, oct_writer *writer)
{
    shot *s;
    double past = (double)(sim->clock.tick - recorder->first);
    double whole = (double)(recorder->last - recorder->first);
    OCT_TRY(oct_alloc(&s, 1, sizeof *s, "a frame of a film"));
    s->recorder = recorder;
    s->part = whole > 0 ? fmin(past / whole, 1) : 0;
    oct_status status = oct_still_take(&s->still, sim);
    if (status == OCT_STATUS_OK)
        return oct_writer_add(writer, (oct_writer_job){.name = "film",
                                                       .context = s,
                                                       .run = draw,
                                                       .free = free_shot,
                                                       .bytes = oct_state_bytes(&s->still.state)});
    free_shot(s);
    return status;
}

oct_status oct_film_recorder_finish(oct_film_recorder *recorder)
{
    return recorder->plan ? oct_film_finish(recorder->film) : OCT_STATUS_OK;
}

void oct_film_recorder_clear(oct_film_recorder *recorder)
{
    oct_film_free(recorder->film);
    *recorder = (oct_film_recorder){0};
}
