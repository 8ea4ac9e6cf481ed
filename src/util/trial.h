/* Trying in a child process what might crash or hang. */
#ifndef OCT_UTIL_TRIAL_H
#define OCT_UTIL_TRIAL_H

#include "util/status.h"

/* Runs work(context) in a silent copy of this process, of which nothing remains but the status
 * and the sentence. *survived is false when the copy crashed or used more than so many seconds of
 * a processor. Where no copy can be made, or it cannot say how it went, that counts as
 * success. */
oct_status oct_trial(bool *survived, oct_status (*work)(void *context), void *context,
                     unsigned seconds);

#endif
