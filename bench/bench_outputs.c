/* What the outputs of the built-in scenes cost at their own intervals: each is run for a while as
 * `octant run` does, into a folder that is removed, and as many steps that nobody looks at. */
/* mkdtemp is a POSIX function. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "timing.h"

enum { PATH_SIZE = 512 };

/* A run that is ended when enough of it is known. */
typedef struct trial {
    double seconds;
    int stop;
    uint64_t steps;
    oct_run_costs costs;
} trial;

static void report(void *context, const oct_run_record *record)
{
    enum { LONGEST = 8 };
    trial *t = context;
    /* A row is waited for, but not for ever. */
    bool row = record->measured && record->step > 0;
    if (record->wall_s > (row ? 1 : LONGEST) * t->seconds)
        t->stop = 1;
    if (!record->costs)
        return;
    t->steps = record->step;
    t->costs = *record->costs;
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    char file[PATH_SIZE + 280];
    while (folder && (entry = readdir(folder)) != NULL) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        (void)unlink(file);
    }
    if (folder)
        closedir(folder);
    (void)rmdir(path);
}

/* As many steps as take so long, or so many. */
static oct_status run_for(trial *out, oct_sim *sim, double seconds, uint64_t steps)
{
    const char *root = getenv("TMPDIR");
    char folder[PATH_SIZE];
    snprintf(folder, sizeof folder, "%s/octant-bench-XXXXXX", root ? root : "/tmp");
    if (!mkdtemp(folder)) {
        perror("octant: a temporary folder");
        return OCT_STATUS_IO;
    }
    *out = (trial){.seconds = steps > 0 ? INFINITY : seconds};
    oct_status status = oct_run(sim, &(oct_run_options){.size = sizeof(oct_run_options),
                                                        .out = folder,
                                                        .steps = steps,
                                                        .report = report,
                                                        .context = out,
                                                        .stop = &out->stop});
    remove_folder(folder);
    return status;
}

/* Of one output: by those on the way, else by the two at the ends. */
static double cost_of(double due_s, uint64_t due, double all_s)
{
    return due > 0 ? due_s / (double)due : all_s / 2;
}

static void add_phase(oct_bench_result *result, const char *name, double ms)
{
    oct_kernel_time *phase = &result->phases[result->n_phases++];
    snprintf(phase->name, sizeof phase->name, "%s", name);
    phase->ms = ms;
}

/* Milliseconds a step, over the whole run, that the host was told of; the sum is by the clock. */
static void tell_parts(oct_bench_result *result, const trial *t, const oct_plan *plan)
{
    const oct_run_costs *c = &t->costs;
    double ms = 1e3 / (double)plan->steps;
    add_phase(result, "output_rows",
              ms * (double)plan->rows * cost_of(c->due_diagnostics_s, c->rows, c->diagnostics_s));
    add_phase(result, "output_snapshots",
              ms * (double)plan->snapshots *
                  cost_of(c->due_snapshots_s, c->snapshots, c->snapshots_s));
}

/* Seconds of a scene, the best of some turns. */
typedef struct times {
    double alone; /* so many steps that nobody looks at, */
    double whole; /* the same as a run with its outputs, */
    double ends;  /* and a run of one step, which is little but its start and its end */
} times;

/* On a CPU outputs take the processors that steps would have, and other programs take their share
 * of the clock's time; elsewhere they take the device's. */
static double now_on(const oct_device *device)
{
    struct timespec now;
    if (strcmp(oct_device_describe(device)->kind, "cpu") != 0)
        return oct_bench_clock();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static oct_status time_alone(double *seconds, const oct_bench_run *run, const oct_scene *scene,
                             uint64_t steps)
{
    oct_sim *sim = NULL;
    oct_status status = oct_sim_create(&sim, run->device, scene, run->precision);
    double start = now_on(run->device);
    if (status == OCT_STATUS_OK)
        status = oct_sim_step(sim, steps);
    if (status == OCT_STATUS_OK)
        status = oct_sim_wait(sim);
    *seconds = fmin(*seconds, now_on(run->device) - start);
    oct_sim_free(sim);
    return status;
}

static oct_status time_whole(double *seconds, const oct_bench_run *run, const oct_scene *scene,
                             uint64_t steps)
{
    trial t = {0};
    oct_sim *sim = NULL;
    oct_status status = oct_sim_create(&sim, run->device, scene, run->precision);
    double start = now_on(run->device);
    if (status == OCT_STATUS_OK)
        status = run_for(&t, sim, 0, steps);
    *seconds = fmin(*seconds, now_on(run->device) - start);
    oct_sim_free(sim);
    return status;
}

/* What is enqueued with the steps, or done by another thread, shows in nothing but the time of the
 * whole: the same steps with and without, in turn. Ends count as they do in the whole run. */
static oct_status judge(oct_bench_result *result, const oct_bench_run *run, const oct_scene *scene,
                        uint64_t steps, const oct_plan *plan)
{
    enum { TURNS = 3 };
    times t = {INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < TURNS; i++) {
        oct_status status = time_alone(&t.alone, run, scene, steps);
        if (status == OCT_STATUS_OK)
            status = time_whole(&t.whole, run, scene, steps);
        if (status == OCT_STATUS_OK)
            status = time_whole(&t.ends, run, scene, 1);
        if (status != OCT_STATUS_OK)
            return status;
    }
    double as_many = (double)plan->steps / (double)steps, step = t.alone / (double)steps;
    double ends = fmax(t.ends - step, 0), on_way = fmax(t.whole - ends, 0);
    double with = as_many * on_way + ends, without = as_many * t.alone;
    add_phase(result, "output_ends", 1e3 * ends / (double)plan->steps);
    result->ms_step = 1e3 * step;
    result->ratio = 100 * (with - without) / with;
    snprintf(result->reference, sizeof result->reference,
             "outputs, per cent of a whole run with its ends; processor time on a CPU");
    return OCT_STATUS_OK;
}

static oct_status bench_scene(const oct_bench_run *run, const char *name, const oct_scene *scene)
{
    trial t = {0};
    oct_sim *sim = NULL;
    oct_plan plan = {.size = sizeof plan};
    oct_bench_result result = {.theta = NAN, .interactions_per_s = NAN};
    snprintf(result.name, sizeof result.name, "%s", name);
    oct_status status = oct_scene_plan(&plan, scene);
    if (status == OCT_STATUS_OK)
        status = oct_sim_create(&sim, run->device, scene, run->precision);
    if (status == OCT_STATUS_OK) {
        result.n = oct_sim_count(sim);
        snprintf(result.precision, sizeof result.precision, "%s",
                 oct_precision_name(oct_sim_precision(sim)));
        status = run_for(&t, sim, run->seconds, 0);
    }
    oct_sim_free(sim);
    if (status == OCT_STATUS_OK && t.steps > 0) {
        tell_parts(&result, &t, &plan);
        status = judge(&result, run, scene, t.steps, &plan);
    }
    if (status == OCT_STATUS_OK && t.steps > 0)
        run->add(run->context, &result);
    return status;
}

static oct_status outputs_run(const oct_bench_run *run)
{
    const char *name, *text;
    oct_status status = OCT_STATUS_OK;
    for (size_t i = 0; status == OCT_STATUS_OK && oct_scene_builtin(i, &name, &text); i++) {
        oct_scene *scene = NULL;
        oct_estimate estimate = {.size = sizeof estimate};
        status = oct_scene_parse(&scene, text, strlen(text), name);
        if (status == OCT_STATUS_OK)
            status = oct_scene_estimate(&estimate, scene, oct_device_describe(run->device),
                                        run->precision);
        if (status == OCT_STATUS_OK && (run->n == 0 || estimate.n <= run->n))
            status = bench_scene(run, name, scene);
        oct_scene_free(scene);
    }
    return status;
}

const oct_bench oct_bench_outputs = {
    .name = "outputs",
    .doc = "what the outputs of the built-in scenes cost, of at most N bodies each",
    .run = outputs_run,
};
