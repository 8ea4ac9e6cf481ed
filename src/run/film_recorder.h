/* The film of a run, frame by frame as its steps go by. */
#ifndef OCT_RUN_FILM_RECORDER_H
#define OCT_RUN_FILM_RECORDER_H

#include "core/sim.h"
#include "run/schedule.h"
#include "run/writer.h"

typedef struct oct_film_recorder {
    const oct_run_film *plan; /* NULL: there is no film */
    oct_run_film own;         /* the plan, in this version's layout */
    oct_film *film;
    oct_render_options picture;
    bool ranged; /* the user has said where its colours begin and end */
    bool chosen; /* the picture's open choices are made */
    oct_schedule schedule;
    int64_t first, last; /* the ticks of the first and the last frame */
} oct_film_recorder;

/* Starts the encoder. A file that is there already is refused unless it may be replaced. */
oct_status oct_film_recorder_open(oct_film_recorder *recorder, const oct_run_film *plan,
                                  oct_sim *sim, bool replace);
/* Says when frames are due in a run from now to a tick. */
void oct_film_recorder_plan(oct_film_recorder *recorder, const oct_sim *sim, int64_t last);
/* The next tick after this one at which a frame is due; OCT_CLOCK_NEVER. */
int64_t oct_film_recorder_next(const oct_film_recorder *recorder, int64_t tick);
/* Whether a frame is due now, which the writer is then to add; it alone uses the film from then on.
 */
bool oct_film_recorder_due(const oct_film_recorder *recorder, const oct_sim *sim);
oct_status oct_film_recorder_frame(oct_film_recorder *recorder, oct_sim *sim, oct_writer *writer);
/* Puts the film in place, when all frames are drawn. */
oct_status oct_film_recorder_finish(oct_film_recorder *recorder);
/* A film that was not finished leaves nothing behind. */
void oct_film_recorder_clear(oct_film_recorder *recorder);

#endif
