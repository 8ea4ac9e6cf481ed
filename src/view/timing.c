/* Times of kernels, for a moment when someone wants to know: recording them costs some per cent. */
#include <stdlib.h>

#include "view/viewer.h"

static const double long_enough = 0.5;

oct_status oct_timing_begin(oct_viewer *viewer, oct_sim *sim, const oct_form *form, oct_text *reply)
{
    (void)reply;
    OCT_TRY(oct_form_check(form, (const char *const[]){NULL}));
    OCT_TRY(oct_device_profile(sim->domain->device, true));
    viewer->profiled_s = 0;
    viewer->profiled_steps = 0;
    return OCT_STATUS_OK;
}

static oct_status write_times(char **out, oct_sim *sim, uint64_t steps)
{
    oct_kernel_time *times = NULL;
    size_t n = 0;
    oct_text text = {0};
    OCT_TRY(oct_device_times(&times, &n, sim->domain->device));
    oct_text_add(&text, "{\"steps\": %llu, \"kernels\": [", (unsigned long long)steps);
    for (size_t i = 0; i < n; i++) {
        oct_text_add(&text, i ? ", {\"name\": " : "{\"name\": ");
        oct_text_add_json(&text, times[i].name);
        oct_text_add(&text, ", \"launches\": %.3f, \"ms\": %.6f}",
                     (double)times[i].launches / (double)steps, times[i].ms / (double)steps);
    }
    oct_text_add(&text, "]}");
    oct_device_times_free(times);
    return oct_text_take(out, &text);
}

void oct_timing_note(oct_viewer *viewer, oct_sim *sim, double seconds, uint64_t steps)
{
    if (viewer->profiled_s < 0)
        return;
    viewer->profiled_s += seconds;
    viewer->profiled_steps += steps;
    if (viewer->profiled_s < long_enough)
        return;
    viewer->profiled_s = -1;
    free(viewer->phases);
    viewer->phases = NULL;
    /* Times that cannot be had are not shown; that is no reason for the simulation to end. */
    (void)write_times(&viewer->phases, sim, viewer->profiled_steps);
    (void)oct_device_profile(sim->domain->device, false);
}
