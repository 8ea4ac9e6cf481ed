/* What `octant run` shows: a progress line on a terminal, plain lines elsewhere, or JSON Lines. */
#ifndef OCT_CLI_PROGRESS_H
#define OCT_CLI_PROGRESS_H

#include "octant/octant.h"

typedef struct oct_progress {
    oct_sim *sim;
    const char *device; /* its name */
    bool json, quiet, terminal;
    double shown_s;    /* when the progress line was last rewritten */
    oct_status status; /* of what the final record needs from the simulation */
    bool stopped;      /* the run ended early */
    uint64_t step, steps;
} oct_progress;

/* For oct_run_options.report; the context is the oct_progress. */
void oct_progress_report(void *context, const oct_run_record *record);
/* For oct_sim_set_log: "octant: note: sentence" on standard error. */
void oct_progress_note(void *context, const char *sentence);
/* A time on the wall for people: "1:05:09". */
void oct_progress_duration(char out[32], double seconds);
/* Takes the progress line away, so that other lines may follow. */
void oct_progress_clear(const oct_progress *progress);

#endif
