/* Keeps a few jobs, and does them when there is time. */
#include "core/later.h"

#include <math.h>

#include "util/status.h"

oct_status oct_later_add(oct_later *later, double *out, oct_later_job job)
{
    if (!later || later->n == OCT_LATER_MOST) {
        oct_status status = job.run(out, job.context);
        job.free(job.context);
        return status;
    }
    later->jobs[later->n++].job = job;
    return OCT_STATUS_OK;
}

oct_status oct_later_finish(oct_later *later, double *row)
{
    oct_status status = OCT_STATUS_OK;
    for (uint32_t i = 0; i < later->n && status == OCT_STATUS_OK; i++) {
        double *out = row + later->jobs[i].at;
        status = later->jobs[i].job.run(out, later->jobs[i].job.context);
        for (uint32_t k = 0; k < later->jobs[i].values; k++)
            if (later->jobs[i].blank >> k & 1)
                out[k] = NAN;
    }
    oct_later_clear(later);
    return status;
}

void oct_later_clear(oct_later *later)
{
    for (uint32_t i = 0; i < later->n; i++)
        later->jobs[i].job.free(later->jobs[i].job.context);
    later->n = 0;
}
