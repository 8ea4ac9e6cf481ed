/* Members side by side: threads that take one after the other, each on a queue of its own. */
#include "run/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/diagnose.h"
#include "core/sim.h"
#include "run/burst.h"
#include "run/folder.h"
#include "util/flag.h"
#include "util/number.h"
#include "util/sized.h"

struct sweep_crew;

/* A thread with its queue. */
typedef struct worker {
    struct sweep_crew *crew;
    oct_device *device;
    pthread_t thread;
    bool started;
} worker;

/* What the threads of a scan share. `lock` guards all but what never changes. */
typedef struct sweep_crew {
    oct_sweep *sweep;
    const oct_sweep_options *options;
    oct_sweep_folder folder;
    double start_s;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t next;
    unsigned n_workers, working;
    worker workers[OCT_SWEEP_WORKERS];
    oct_sweep_share share;
    size_t n_ended, *ended; /* members, in the order in which they did */
    /* A simulation that waits to be looked at by the thread that has called. */
    oct_sim *shown;
    size_t shown_member;
    bool seen;
    oct_status verdict;
    char sentence[512];
} sweep_crew;

/* A member on its way. */
typedef struct course {
    sweep_crew *crew;
    size_t index;
    oct_sweep_entry row; /* its own until it is at its end */
    oct_sim *sim;
    bool stopped;
    oct_status status; /* of keeping the row */
} course;

static oct_status keep_number(oct_sweep_entry *member, const char *name, const char *unit,
                              double value)
{
    char number[OCT_NUMBER_BYTES];
    oct_number_write(number, value);
    return oct_sweep_cell(member, name, unit, number);
}

static oct_status keep_columns(oct_sweep_entry *member, const oct_sim *sim,
                               const oct_run_record *record)
{
    static const char *const axes[] = {"_x", "_y", "_z"};
    const oct_units *units = oct_sim_units(sim);
    const double *value = record->values;
    char unit[64], name[128];
    oct_column_unit(unit, sizeof unit, &(oct_column){.name = "time", .time = 1}, units);
    OCT_TRY(keep_number(member, "step", "", (double)record->step));
    OCT_TRY(keep_number(member, "time", unit, record->time));
    for (const oct_column *column = record->columns; column->name; column++) {
        oct_column_unit(unit, sizeof unit, column, units);
        for (unsigned i = 0; i < column->count; i++) {
            snprintf(name, sizeof name, "%s%s", column->name, column->count == 3 ? axes[i] : "");
            OCT_TRY(keep_number(member, name, unit, *value++));
        }
    }
    return OCT_STATUS_OK;
}

static void note_record(void *context, const oct_run_record *record)
{
    course *c = context;
    (void)pthread_mutex_lock(&c->crew->lock);
    c->crew->sweep->members[c->index].share =
        record->steps > 0 ? (double)record->step / (double)record->steps : 0;
    (void)pthread_mutex_unlock(&c->crew->lock);
    c->stopped = record->stopped;
    if (record->final && !record->stopped)
        c->status = keep_columns(&c->row, c->sim, record);
}

/* Finds the checkpoint that a member goes on from; false where there is none. */
static bool find_checkpoint(char out[OCT_FOLDER_PATH], const char *folder)
{
    oct_folder_file(out, folder, "checkpoint.hdf5");
    if (access(out, F_OK) == 0)
        return true;
    oct_folder_file(out, folder, "checkpoint.hdf5.prev");
    return access(out, F_OK) == 0;
}

/* A member's simulation, from its checkpoint where it has one. *existing: what its run is to do
 * with what is in the folder. */
static oct_status make_sim(oct_sim **out, oct_run_existing *existing, const worker *w,
                           const oct_scene *scene, const char *folder)
{
    const oct_sweep_options *options = w->crew->options;
    char checkpoint[OCT_FOLDER_PATH];
    *existing = options->existing == OCT_RUN_REFUSE ? OCT_RUN_REFUSE : OCT_RUN_REPLACE;
    if (folder)
        OCT_TRY(oct_run_recover(folder));
    if (!folder || options->existing != OCT_RUN_CONTINUE || !find_checkpoint(checkpoint, folder))
        return oct_sim_create(out, w->device, scene, options->precision);
    *existing = OCT_RUN_CONTINUE;
    return oct_sim_restore(out, w->device, checkpoint);
}

/* Lets the thread that has called look at a simulation, and waits for its verdict. */
static oct_status show(sweep_crew *crew, size_t member, oct_sim *sim)
{
    if (!crew->options->measure)
        return OCT_STATUS_OK;
    (void)pthread_mutex_lock(&crew->lock);
    while (crew->shown)
        (void)pthread_cond_wait(&crew->changed, &crew->lock);
    crew->shown = sim;
    crew->shown_member = member;
    crew->seen = false;
    (void)pthread_cond_broadcast(&crew->changed);
    while (!crew->seen)
        (void)pthread_cond_wait(&crew->changed, &crew->lock);
    oct_status status = crew->verdict;
    if (status != OCT_STATUS_OK)
        status = OCT_FAIL(status, "%s", crew->sentence);
    crew->shown = NULL;
    (void)pthread_cond_broadcast(&crew->changed);
    (void)pthread_mutex_unlock(&crew->lock);
    return status;
}

static oct_status run_sim(course *c, const char *folder, oct_run_existing existing)
{
    const oct_sweep_options *options = c->crew->options;
    oct_run_options run = {.size = sizeof run,
                           .out = folder,
                           .existing = existing,
                           .steps = options->steps,
                           .stop = options->stop,
                           .report = note_record,
                           .context = c};
    if (options->average)
        OCT_TRY(oct_sim_parse_time(&run.average, c->sim, options->average));
    OCT_TRY(oct_run(c->sim, &run));
    OCT_TRY(c->status);
    if (c->stopped)
        return OCT_STATUS_OK;
    uint64_t hash;
    char digits[24];
    OCT_TRY(oct_sim_hash(&hash, c->sim));
    snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    return oct_sweep_cell(&c->row, "state_hash", "", digits);
}

/* The row is the scan's from now on. */
static void hand_over(course *c)
{
    (void)pthread_mutex_lock(&c->crew->lock);
    oct_sweep_entry *member = &c->crew->sweep->members[c->index];
    member->n_cells = c->row.n_cells;
    member->cells = c->row.cells;
    (void)pthread_mutex_unlock(&c->crew->lock);
    c->row = (oct_sweep_entry){0};
}

static oct_status run_scene(course *c, const worker *w)
{
    const oct_sweep_options *options = c->crew->options;
    char path[OCT_FOLDER_PATH], name[OCT_SWEEP_NAME];
    const char *folder = options->out && !options->table_only ? path : NULL;
    oct_run_existing existing;
    oct_scene *scene;
    oct_plan plan = {.size = sizeof plan};
    oct_sweep_name(name, c->index);
    if (folder)
        oct_folder_file(path, options->out, name);
    OCT_TRY(oct_sweep_scene(&scene, c->crew->sweep, c->index));
    oct_status status = options->steps > 0 ? OCT_STATUS_OK : oct_scene_plan(&plan, scene);
    if (status == OCT_STATUS_OK)
        status = make_sim(&c->sim, &existing, w, scene, folder);
    oct_scene_free(scene);
    OCT_TRY(status);
    OCT_TRY(run_sim(c, folder, existing));
    if (c->stopped)
        return OCT_STATUS_OK;
    hand_over(c);
    return show(c->crew, c->index, c->sim);
}

static void run_member(const worker *w, size_t index)
{
    double start = oct_burst_clock();
    sweep_crew *crew = w->crew;
    oct_sweep_entry *member = &crew->sweep->members[index];
    course c = {.crew = crew, .index = index};
    char *failure = NULL;
    oct_status status = keep_number(&c.row, "wall_s", "s", 0);
    if (status == OCT_STATUS_OK)
        status = run_scene(&c, w);
    if (status != OCT_STATUS_OK)
        (void)oct_text_copy(&failure, oct_last_error());
    oct_sim_free(c.sim);
    oct_sweep_entry_clear(&c.row);
    (void)pthread_mutex_lock(&crew->lock);
    if (status != OCT_STATUS_OK)
        oct_sweep_entry_clear(member);
    else if (!c.stopped) /* in place of a number that is there: all it can lack is memory */
        status = keep_number(member, "wall_s", "s", oct_burst_clock() - start);
    member->failure = failure;
    member->state = status != OCT_STATUS_OK ? OCT_MEMBER_FAILED
                    : c.stopped             ? OCT_MEMBER_STOPPED
                                            : OCT_MEMBER_DONE;
    member->share = 1;
    crew->ended[crew->n_ended++] = index;
    (void)pthread_cond_broadcast(&crew->changed);
    (void)pthread_mutex_unlock(&crew->lock);
}

/* The next member that is to be run; false where there is none any more. */
static bool take_member(size_t *out, sweep_crew *crew)
{
    const oct_sweep *sweep = crew->sweep;
    (void)pthread_mutex_lock(&crew->lock);
    while (crew->next < sweep->n && sweep->members[crew->next].state == OCT_MEMBER_DONE)
        crew->next++;
    bool found = crew->next < sweep->n && !oct_flag_is_set(crew->options->stop);
    if (found) {
        *out = crew->next++;
        sweep->members[*out].state = OCT_MEMBER_RUNNING;
    }
    (void)pthread_mutex_unlock(&crew->lock);
    return found;
}

static void *work(void *context)
{
    worker *w = context;
    size_t index;
    while (take_member(&index, w->crew))
        run_member(w, index);
    (void)pthread_mutex_lock(&w->crew->lock);
    w->crew->working--;
    (void)pthread_cond_broadcast(&w->crew->changed);
    (void)pthread_mutex_unlock(&w->crew->lock);
    return NULL;
}

static oct_sweep_record make_record(const sweep_crew *crew)
{
    const oct_sweep *sweep = crew->sweep;
    oct_sweep_record record = {
        .size = sizeof record, .members = sweep->n, .wall_s = oct_burst_clock() - crew->start_s};
    for (size_t i = 0; i < sweep->n; i++) {
        const oct_sweep_entry *member = &sweep->members[i];
        record.done += member->state == OCT_MEMBER_DONE;
        record.failed += member->state == OCT_MEMBER_FAILED;
        record.running += member->state == OCT_MEMBER_RUNNING;
        record.share += member->share / (double)sweep->n;
    }
    return record;
}

static void report(const sweep_crew *crew, const oct_sweep_record *record)
{
    if (crew->options->report)
        crew->options->report(crew->options->context, record);
}

/* Called with the lock held, which is given up meanwhile. */
static void look(sweep_crew *crew)
{
    (void)pthread_mutex_unlock(&crew->lock);
    oct_status verdict =
        crew->options->measure(crew->options->context, crew->shown_member, crew->shown);
    if (verdict != OCT_STATUS_OK)
        snprintf(crew->sentence, sizeof crew->sentence, "%s", oct_last_error());
    (void)pthread_mutex_lock(&crew->lock);
    crew->verdict = verdict;
    crew->seen = true;
    (void)pthread_cond_broadcast(&crew->changed);
}

static void wait_a_moment(sweep_crew *crew)
{
    const long moment_ns = 100000000, second_ns = 1000000000;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += moment_ns;
    until.tv_sec += until.tv_nsec / second_ns;
    until.tv_nsec %= second_ns;
    (void)pthread_cond_timedwait(&crew->changed, &crew->lock, &until);
}

/* Tells what happens until all workers have gone home. A table that cannot be written does not keep
 * members from their ends. */
static oct_status attend(sweep_crew *crew)
{
    oct_status written = OCT_STATUS_OK;
    size_t told = 0;
    (void)pthread_mutex_lock(&crew->lock);
    while (crew->working > 0 || told < crew->n_ended) {
        if (crew->shown && !crew->seen) {
            look(crew);
            continue;
        }
        bool ended = told < crew->n_ended;
        oct_sweep_record record = make_record(crew);
        record.ended = ended;
        record.member = ended ? crew->ended[told++] : 0;
        (void)pthread_mutex_unlock(&crew->lock);
        report(crew, &record);
        (void)pthread_mutex_lock(&crew->lock);
        if (ended && written == OCT_STATUS_OK)
            written = oct_sweep_folder_update(&crew->folder, crew->sweep);
        if (told == crew->n_ended && crew->working > 0 && !(crew->shown && !crew->seen))
            wait_a_moment(crew);
    }
    (void)pthread_mutex_unlock(&crew->lock);
    return written;
}

static oct_status hire(sweep_crew *crew, oct_device *device)
{
    OCT_TRY(oct_sweep_share_choose(&crew->share, crew->sweep, device, crew->options));
    unsigned wanted = crew->share.workers;
    for (unsigned i = 0; i < wanted; i++) {
        crew->workers[i] = (worker){.crew = crew};
        OCT_TRY(oct_sweep_share_open(&crew->workers[i].device, &crew->share, device));
        crew->n_workers++;
    }
    /* With the lock held, so that none goes home before it is counted. */
    (void)pthread_mutex_lock(&crew->lock);
    for (unsigned i = 0; i < wanted; i++) {
        worker *w = &crew->workers[i];
        w->started = pthread_create(&w->thread, NULL, work, w) == 0;
        crew->working += w->started;
    }
    unsigned working = crew->working;
    (void)pthread_mutex_unlock(&crew->lock);
    OCT_CHECK(working > 0 || wanted == 0, OCT_STATUS_MEMORY,
              "no thread can be had for the members of the sweep");
    return OCT_STATUS_OK;
}

static oct_status run_all(sweep_crew *crew, oct_device *device)
{
    OCT_TRY(oct_sweep_folder_open(&crew->folder, crew->sweep, crew->options));
    for (size_t i = 0; i < crew->sweep->n; i++)
        crew->sweep->members[i].share = crew->sweep->members[i].state == OCT_MEMBER_DONE;
    oct_status status = hire(crew, device);
    if (status == OCT_STATUS_OK)
        status = attend(crew);
    for (unsigned i = 0; i < crew->n_workers; i++) {
        if (crew->workers[i].started)
            (void)pthread_join(crew->workers[i].thread, NULL);
        oct_device_free(crew->workers[i].device);
    }
    oct_batch_free(crew->share.batch);
    if (status == OCT_STATUS_OK)
        status = oct_sweep_folder_finish(&crew->folder, crew->sweep, crew->options);
    OCT_TRY(status);
    oct_sweep_record record = make_record(crew);
    record.final = true;
    record.stopped = record.done + record.failed < record.members;
    report(crew, &record);
    return OCT_STATUS_OK;
}

oct_status oct_sweep_run(oct_sweep *sweep, oct_device *device, const oct_sweep_options *given)
{
    oct_sweep_options options = {0};
    sweep_crew *c;
    if (given)
        OCT_TRY(OCT_SIZED_TAKE(oct_sweep_options, context, &options, given));
    OCT_TRY(oct_alloc(&c, 1, sizeof *c, "sweep"));
    c->sweep = sweep;
    c->options = &options;
    c->start_s = oct_burst_clock();
    oct_status status = oct_alloc(&c->ended, sweep->n, sizeof *c->ended, "members");
    bool locked = pthread_mutex_init(&c->lock, NULL) == 0;
    bool told = pthread_cond_init(&c->changed, NULL) == 0;
    if (status == OCT_STATUS_OK && !(locked && told))
        status = OCT_FAIL(OCT_STATUS_MEMORY, "no lock can be had for a sweep");
    for (size_t i = 0; i < sweep->n && status == OCT_STATUS_OK; i++)
        oct_sweep_entry_clear(&sweep->members[i]);
    if (status == OCT_STATUS_OK)
        status = run_all(c, device);
    oct_sweep_folder_close(&c->folder);
    if (locked)
        (void)pthread_mutex_destroy(&c->lock);
    if (told)
        (void)pthread_cond_destroy(&c->changed);
    free(c->ended);
    free(c);
    return status;
}
