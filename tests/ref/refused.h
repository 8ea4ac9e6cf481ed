/* What a simulation that has failed must refuse, through the public headers alone. */
#ifndef OCT_TESTS_REFUSED_H
#define OCT_TESTS_REFUSED_H

#include "octant/octant.h"

/* Calls every function that may change a simulation or look at its state. Each must return this
 * status with this part of a sentence, and fill nothing in; no file may be written at `path`. The
 * first call that does otherwise; NULL: there is none. */
const char *ref_not_refused(oct_sim *sim, oct_status status, const char *sentence,
                            const char *path);

#endif
