/* A line on the terminal for each test, and one more process for half of them. */
#include "first_use.h"

#include <stdio.h>
#include <unistd.h>

static void note(void *context, const char *sentence)
{
    oct_first_use *use = context;
    oct_progress_note(&use->progress, sentence);
}

static void show_test(void *context, size_t done, size_t all, const char *name)
{
    oct_first_use *use = context;
    use->tests = all;
    if (!use->progress.terminal)
        return;
    oct_progress_clear(&use->progress);
    fprintf(stderr, "checking kernels, %zu of %zu  %s", done, all, name);
    if (done == all)
        oct_progress_clear(&use->progress);
}

static void get_help(void *context, const char *scene, oct_precision precision)
{
    oct_first_use *use = context;
    oct_assistant_start(&use->assistant, use->device, scene, precision);
    use->assisted = use->assistant.process != 0;
}

static oct_trust_watch begin(oct_first_use *use, const oct_device *device)
{
    use->progress = (oct_progress){.terminal = !use->quiet && isatty(STDERR_FILENO) == 1};
    use->device = device;
    return (oct_trust_watch){.size = sizeof(oct_trust_watch),
                             .log = use->quiet ? NULL : note,
                             .progress = show_test,
                             .context = use,
                             .help = use->alone ? NULL : get_help};
}

static oct_status end(oct_first_use *use, oct_status status)
{
    oct_assistant_end(&use->assistant);
    if (status != OCT_STATUS_OK)
        oct_progress_clear(&use->progress);
    return status;
}

oct_status oct_first_use_trust(oct_first_use *use, oct_device *device, const oct_scene *scene,
                               oct_precision precision)
{
    const oct_trust_watch watch = begin(use, device);
    return end(use, oct_scene_trust(device, scene, precision, &watch));
}

oct_status oct_first_use_resume(oct_sim **out, oct_first_use *use, oct_device *device,
                                const char *checkpoint, const oct_scene *scene)
{
    const oct_trust_watch watch = begin(use, device);
    return end(use, oct_sim_resume_watched(out, device, checkpoint, scene, &watch));
}
