/* Results folders: locks, names, and what may be replaced. */
#include "files.h"

#include <signal.h>
#include <sys/wait.h>

#include "core/sim.h"
#include "run/lock.h"
#include "scene_sim.h"

static const char scene[] = "units: nbody\n"
                            "models: [plummer: {n: 16}]\n"
                            "gravity: {method: direct, softening: 0.1}\n"
                            "integrator: {dt: 0.01}\n"
                            "run: {until: 0.2}\n"
                            "output: {diagnostics: 0.05, snapshot: 0.1}\n";

static oct_sim *make(void)
{
    return ref_sim(OCT_PRECISION_DOUBLE, "%s", scene);
}

static oct_run_options into(const char *folder, oct_run_existing existing, uint64_t steps)
{
    return (oct_run_options){
        .size = sizeof(oct_run_options), .out = folder, .existing = existing, .steps = steps};
}

static void a_lock_keeps_out_and_dies(void **unused)
{
    (void)unused;
    oct_lock mine, other;
    char path[128], pid[32];
    int ready[2];
    ref_ok(oct_lock_take(&mine, scratch));
    assert_int_equal(oct_lock_take(&other, scratch), OCT_STATUS_INPUT);
    snprintf(pid, sizeof pid, "process %ld on ", (long)getpid());
    ref_says(pid);
    oct_lock_release(&mine);
    oct_lock_release(&mine);
    scratch_path(path, ".octant-lock");
    assert_int_equal(access(path, F_OK), -1);

    /* That of a process that was killed is free, whatever it has left. */
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        char taken = oct_lock_take(&other, scratch) == OCT_STATUS_OK;
        (void)!write(ready[1], &taken, 1);
        pause();
        _exit(0);
    }
    char taken = 0;
    assert_int_equal(read(ready[0], &taken, 1), 1);
    assert_true(taken);
    assert_int_equal(oct_lock_take(&mine, scratch), OCT_STATUS_INPUT);
    snprintf(pid, sizeof pid, "process %ld on ", (long)child);
    ref_says(pid);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(access(path, F_OK), 0);
    ref_ok(oct_lock_take(&mine, scratch));
    oct_lock_release(&mine);
    close(ready[0]);
    close(ready[1]);
}

static void empty(const char *folder)
{
    char path[512];
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        (void)unlink(path);
    }
    closedir(entries);
}

typedef struct intruder {
    oct_sim *sim;
    const char *folder;
    unsigned refusals;
} intruder;

/* While one run is at work, another simulation of this process tries to write there. */
static oct_status intrude(void *context, oct_sim *sim, const oct_run_record *record,
                          uint64_t *steps)
{
    intruder *other = context;
    (void)sim;
    *steps = UINT64_MAX;
    if (record->step == 0 || other->refusals > 0)
        return OCT_STATUS_OK;
    for (int existing = OCT_RUN_REFUSE; existing <= OCT_RUN_REPLACE; existing++) {
        oct_run_options options = into(other->folder, (oct_run_existing)existing, 0);
        other->refusals += oct_run(other->sim, &options) == OCT_STATUS_INPUT;
    }
    return OCT_STATUS_OK;
}

static void two_simulations_of_one_process(void **unused)
{
    (void)unused;
    char folder[128];
    scratch_path(folder, "two");
    oct_sim *first = make();
    intruder other = {.sim = make(), .folder = folder};
    oct_run_options options = into(folder, OCT_RUN_REFUSE, 0);
    options.attend = intrude;
    options.attendant = &other;
    ref_ok(oct_run(first, &options));
    assert_int_equal(other.refusals, 3);
    /* The first is whole, and its folder free. */
    options = into(folder, OCT_RUN_CONTINUE, 30);
    ref_ok(oct_run(first, &options));
    options = into(folder, OCT_RUN_CONTINUE, 0);
    assert_int_equal(oct_run(other.sim, &options), OCT_STATUS_INPUT);
    ref_says(oct_sim_identity(first));
    ref_says(oct_sim_identity(other.sim));
    oct_sim_free(first);
    oct_sim_free(other.sim);
    empty(folder);
}

/* A file without the lines that name a run. */
static void forget_name(const char *path)
{
    char *text;
    size_t bytes = slurp(&text, path), kept = 0;
    for (char *line = text, *end; line < text + bytes; line = end) {
        end = memchr(line, '\n', (size_t)(text + bytes - line));
        end = end ? end + 1 : text + bytes;
        if (strncmp(line, "# run: ", 7) == 0)
            continue;
        memmove(text + kept, line, (size_t)(end - line));
        kept += (size_t)(end - line);
    }
    spill(path, text, kept);
    free(text);
}

static void a_run_from_before_runs_had_names(void **unused)
{
    (void)unused;
    char folder[128], path[160], kept[128];
    scratch_path(folder, "old");
    scratch_path(kept, "kept.hdf5");
    oct_sim *sim = make();
    oct_run_options options = into(folder, OCT_RUN_REFUSE, 5);
    ref_ok(oct_run(sim, &options));
    sim->run[0] = '\0';
    snprintf(path, sizeof path, "%s/snapshot_0000.hdf5", folder);
    ref_ok(oct_sim_snapshot(sim, path));
    ref_ok(oct_sim_checkpoint(sim, kept));
    static const char *const texts[] = {"scene.yaml", "diagnostics.csv"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, texts[i]);
        forget_name(path);
    }
    static const char *const gone[] = {"report.html", "snapshot_0000.hdf5.prev",
                                       "snapshot_0001.hdf5"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, gone[i]);
        assert_int_equal(unlink(path), 0);
    }
    snprintf(path, sizeof path, "%s/checkpoint.hdf5", folder);
    for (int i = 0; i < 2; i++) /* the one before, too */
        ref_ok(oct_sim_checkpoint(sim, path));
    oct_sim_free(sim);

    /* Nobody can tell whether one from elsewhere belongs there. */
    ref_ok(oct_sim_restore(&sim, ref_device(), kept));
    assert_string_equal(oct_sim_identity(sim), "");
    options = into(folder, OCT_RUN_CONTINUE, 0);
    assert_int_equal(oct_run(sim, &options), OCT_STATUS_INPUT);
    ref_says("nothing says that the checkpoint is of the same");
    oct_sim_free(sim);
    /* Its own does, and the run has a name from then on. */
    ref_ok(oct_sim_restore(&sim, ref_device(), path));
    ref_ok(oct_run(sim, &options));
    assert_int_equal(strlen(oct_sim_identity(sim)), 32);
    oct_file_info info = {.size = sizeof info};
    oct_bodies bodies = {0};
    ref_ok(oct_bodies_read(&bodies, &info, path, NULL));
    assert_string_equal(info.run, oct_sim_identity(sim));
    assert_int_equal(info.step, 20);
    oct_bodies_clear(&bodies);
    oct_sim_free(sim);
    /* Nothing is left to do then: the files stay as they are. */
    struct stat before, after;
    ref_ok(oct_sim_restore(&sim, ref_device(), path));
    snprintf(path, sizeof path, "%s/report.html", folder);
    assert_int_equal(stat(path, &before), 0);
    ref_ok(oct_run(sim, &options));
    assert_int_equal(stat(path, &after), 0);
    assert_true(before.st_ino == after.st_ino);
    oct_sim_free(sim);
    empty(folder);
}

/* Between reading a checkpoint and taking the lock, somebody else may have gone on. */
static void a_checkpoint_that_was_replaced_since(void **unused)
{
    (void)unused;
    char folder[128], path[160], prev[180];
    scratch_path(folder, "late");
    snprintf(path, sizeof path, "%s/checkpoint.hdf5", folder);
    snprintf(prev, sizeof prev, "%s.prev", path);
    oct_sim *sim = make(), *late, *later;
    oct_run_options options = into(folder, OCT_RUN_REFUSE, 3);
    ref_ok(oct_run(sim, &options));
    ref_ok(oct_sim_restore(&late, ref_device(), path));
    options = into(folder, OCT_RUN_CONTINUE, 7);
    ref_ok(oct_run(sim, &options));
    ref_ok(oct_sim_checkpoint(late, prev)); /* a run that has ended may have removed it */
    ref_ok(oct_sim_restore(&later, ref_device(), prev));
    options.steps = 9;
    ref_ok(oct_run(sim, &options));
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    options.steps = 0;
    assert_refused(oct_run(late, &options), path, "replaced by another process");
    assert_refused(oct_run(later, &options), prev, "replaced by another process");
    assert_int_equal(stat(path, &after), 0);
    assert_true(before.st_ino == after.st_ino);
    oct_sim_free(late);
    oct_sim_free(later);
    oct_sim_free(sim);
    empty(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_keeps_out_and_dies),
        cmocka_unit_test(two_simulations_of_one_process),
        cmocka_unit_test(a_run_from_before_runs_had_names),
        cmocka_unit_test(a_checkpoint_that_was_replaced_since),
    };
    int failures = cmocka_run_group_tests(tests, scratch_make, scratch_remove);
    ref_device_close();
    return failures;
}
