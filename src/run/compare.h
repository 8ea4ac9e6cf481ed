/* What a comparison leaves in its folder. */
#ifndef OCT_RUN_COMPARE_H
#define OCT_RUN_COMPARE_H

#include <stdio.h>

#include "run/lock.h"

/* Start from {0}. */
typedef struct oct_compare_files {
    const char *path; /* the caller's; NULL: nothing is written */
    FILE *rows, *bodies;
    oct_lock lock;
} oct_compare_files;

/* Makes the folder ready and writes the scenes and the headings of the tables. The record tells
 * the bodies. */
oct_status oct_compare_open(oct_compare_files *out, const oct_compare_options *options,
                            oct_sim *const sims[2], const oct_compare_record *record);
oct_status oct_compare_row(oct_compare_files *files, const oct_compare_record *record);
/* Closes the tables and writes report.html from them. */
oct_status oct_compare_finish(oct_compare_files *files, oct_sim *const sims[2],
                              const oct_compare_record *record);
/* Closes the tables as they are; does nothing after oct_compare_finish. */
void oct_compare_clear(oct_compare_files *files);

/* Writes report.html from compare.csv, and from bodies.csv where there is one, in the folder.
 * Nothing of the clock goes in: the same comparison leaves the same bytes. */
oct_status oct_compare_report(const char *folder, oct_sim *const sims[2],
                              const oct_compare_record *record, bool bodies);

#endif
