/* Whether a simulation may go on in a folder: the run that is there must be its own, up to here. */
#ifndef OCT_RUN_LINEAGE_H
#define OCT_RUN_LINEAGE_H

#include "core/sim.h"
#include "run/survey.h"

/* What a simulation was resumed from: a file of the folder, or another one. */
typedef enum oct_lineage {
    OCT_LINEAGE_CHECKPOINT,
    OCT_LINEAGE_PREVIOUS,
    OCT_LINEAGE_ELSEWHERE,
} oct_lineage;

/* Remembers that the simulation has just written this checkpoint. */
void oct_lineage_record(oct_sim *sim, const char *checkpoint);
/* Refuses a folder that holds another run, or another course of the same one. A simulation that was
 * changed gets a name of its own in an empty folder; one without a name gets the folder's. */
oct_status oct_lineage_check(oct_lineage *out, oct_sim *sim, const oct_survey *survey,
                             const char *path);

#endif
