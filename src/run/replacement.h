/* Replacing a run by another without a moment in which neither is there.
 *
 * The files of the old run are moved into DIR/.octant-old, beside a note with the name of the new
 * one. When the new run has its first checkpoint it can go on by itself: the folder becomes
 * .octant-gone and is removed. Killed before that, the next command that writes into DIR removes
 * what the new run has written and moves the old one back; killed after it, it removes the rest.
 * All of it is done under the folder's lock. */
#ifndef OCT_RUN_REPLACEMENT_H
#define OCT_RUN_REPLACEMENT_H

#include "run/survey.h"

/* Moves the run that the survey has found aside, for a run of this name. */
oct_status oct_replacement_begin(const char *folder, const oct_survey *old, const char *run);
/* Whether an old run is there still. */
bool oct_replacement_pending(const char *folder);
/* Puts the folder in order: the new run stays where it has a checkpoint, else the old one comes
 * back. Does nothing where nothing is pending. */
oct_status oct_replacement_settle(const char *folder);

#endif
