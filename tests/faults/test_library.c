/* Every allocation and every OpenCL call of a simulation fails in turn, through the library and in
 * one process: no crash, no false success, and what a status promises holds.
 *
 *   test_library                     a sample of the faults, for every change
 *   test_library [TALE] all          all of them, with one exception below
 *   test_library [TALE] N            N of each kind in each act
 *   test_library TALE KIND:K[:MODE]  one of them, as OCTANT_FAULT has it
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"
#include "octant/octant.h"
#include "refused.h"

enum { MOST_VALUES = 256, MOST_BODIES = 512, HASHES = 4, STEPS = 3, SAMPLE = 1, PLENTY = 1000 };

typedef struct tale {
    const char *name, *scene;
    oct_precision precision;
    bool opens; /* a device of its own, whose programs are built anew: what follows is the same */
} tale;

/* So dense that the list of pairs has to grow. */
#define RING                                                                                       \
    "units: nbody\nbox: {boundary: shear, size: [1, 1, 1], omega: 0.7}\n"                          \
    "models: [ring: {n: 100, density: 1, spread: 0.3, dispersion: 1, radius: 0.3}]\n"              \
    "gravity: {method: tree, softening: 0.1}\n"                                                    \
    "collisions: {method: tree, restitution: 0.5, tangential: 0.5, relax: 2}\n"                    \
    "integrator: {method: sei, dt: 1e-3}\nrun: {until: 1}\n"

static const tale tales[] = {
    {"ring", RING, OCT_PRECISION_MIXED, false},
    {"direct",
     "units: nbody\nmodels: [plummer: {n: 50}]\ngravity: {method: direct, softening: 0.05}\n"
     "collisions: {method: direct, outcome: merge}\n"
     "integrator: {method: leapfrog, dt: 0.01}\nrun: {until: 1}\n",
     OCT_PRECISION_DOUBLE, false},
    {"systems",
     "units: solar\nmodels: [solar-system: {planets: [earth, jupiter]}]\n"
     "gravity: {method: systems}\nintegrator: {method: wh, dt: 1 day}\nrun: {until: 1 yr}\n",
     OCT_PRECISION_MIXED, false},
    /* A ball that flies apart in the first step: its octree has to grow, and steps that were
     * enqueued ahead are taken again. */
    {"burst",
     "units: nbody\nmodels:\n  - uniform-sphere: {n: 200, radius: 1e-12}\n"
     "  - body: {mass: 1e-6, offset: [1, 1, 1]}\n"
     "gravity: {method: tree, leaf: 1, theta: 1, softening: 0.1, criterion: relative}\n"
     "integrator: {method: leapfrog, dt: 1e-6}\nrun: {until: 1}\n",
     OCT_PRECISION_SINGLE, false},
    {"opening", RING, OCT_PRECISION_SINGLE, true},
};
enum { TALES = sizeof tales / sizeof tales[0] };

/* One telling of a tale. */
typedef struct story {
    const tale *tale;
    oct_device *device;
    oct_scene *scene;
    oct_sim *sim, *again;
    oct_bodies bodies;
    char *text;
    uint64_t hashes[HASHES];
    double values[MOST_VALUES];
} story;

static char folder[64], snapshot[128], checkpoint[128], table[128], picture[128], absent[128];
static char *const files[] = {snapshot, checkpoint, table, picture};
enum { FILES = sizeof files / sizeof files[0] };
static oct_device *shared;

/* What was expected and is not so. */
static char complaint[1024];

static bool complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!complaint[0])
        vsnprintf(complaint, sizeof complaint, format, arguments);
    va_end(arguments);
    return false;
}

/* The acts of a tale --------------------------------------------------------------------------- */

static oct_status open_device(story *s)
{
    if (s->tale->opens)
        return oct_device_open(&s->device, getenv("OCTANT_TEST_DEVICE"));
    s->device = shared;
    return OCT_STATUS_OK;
}

static oct_status parse(story *s)
{
    return oct_scene_parse(&s->scene, s->tale->scene, strlen(s->tale->scene), "tale");
}

static oct_status set_value(story *s)
{
    return oct_scene_set(s->scene, "output.diagnostics=0.125");
}

static oct_status resolve(story *s)
{
    oct_text_free(s->text);
    s->text = NULL;
    return oct_scene_resolve(&s->text, s->scene);
}

static oct_status estimate(story *s)
{
    oct_estimate room = {.size = sizeof room};
    oct_plan plan = {.size = sizeof plan};
    oct_status status = oct_scene_plan(&plan, s->scene);
    return status == OCT_STATUS_OK
               ? oct_scene_estimate(&room, s->scene, oct_device_describe(shared),
                                    s->tale->precision)
               : status;
}

static oct_status create(story *s)
{
    return oct_sim_create(&s->sim, s->device, s->scene, s->tale->precision);
}

static oct_status step(story *s)
{
    return oct_sim_step(s->sim, STEPS);
}

static oct_status wait(story *s)
{
    return oct_sim_wait(s->sim);
}

static oct_status measure(story *s)
{
    return oct_sim_measure(s->values, s->sim);
}

static oct_status find_touching(story *s)
{
    uint32_t(*pairs)[2];
    size_t n;
    oct_status status = oct_touching(&pairs, &n, s->sim);
    oct_touching_free(pairs);
    return status;
}

static oct_status find_densities(story *s)
{
    double densities[MOST_BODIES];
    return oct_densities(densities, s->sim, 2);
}

static oct_status read_bodies(story *s)
{
    return oct_sim_bodies(&s->bodies, s->sim);
}

static oct_status set_bodies(story *s)
{
    return oct_sim_set_bodies(s->sim, &s->bodies);
}

static oct_status settle(story *s)
{
    return oct_sim_settle_forces(s->sim);
}

static oct_status write_snapshot(story *s)
{
    return oct_sim_snapshot(s->sim, snapshot);
}

static oct_status write_checkpoint(story *s)
{
    return oct_sim_checkpoint(s->sim, checkpoint);
}

static oct_status hash_first(story *s)
{
    return oct_sim_hash(&s->hashes[0], s->sim);
}

static oct_status hash_second(story *s)
{
    return oct_sim_hash(&s->hashes[1], s->sim);
}

static oct_status read_file(story *s)
{
    return oct_bodies_read(&s->bodies, NULL, snapshot, NULL);
}

static oct_status write_table(story *s)
{
    const oct_file_info info = {.size = sizeof info, .units = *oct_sim_units(s->sim)};
    return oct_bodies_write(&s->bodies, &info, table);
}

static oct_status read_table(story *s)
{
    return oct_bodies_read(&s->bodies, NULL, table, NULL);
}

static oct_status draw(story *s)
{
    const oct_render_options options = {
        .size = sizeof options, .width = 240, .height = 200, .mode = "particles"};
    return oct_render(&s->bodies, NULL, &options, picture);
}

static oct_status restore(story *s)
{
    return oct_sim_restore(&s->again, s->device, checkpoint);
}

static oct_status profile_on(story *s)
{
    return oct_device_profile(s->device, true);
}

static oct_status step_again(story *s)
{
    return oct_sim_step(s->again, STEPS);
}

static oct_status read_times(story *s)
{
    oct_kernel_time *times = NULL;
    size_t n;
    oct_status status = oct_device_times(&times, &n, s->device);
    if (status == OCT_STATUS_OK)
        oct_device_times_free(times);
    return status;
}

static oct_status profile_off(story *s)
{
    return oct_device_profile(s->device, false);
}

static oct_status hash_again(story *s)
{
    return oct_sim_hash(&s->hashes[2], s->again);
}

static oct_status run_on(story *s)
{
    const oct_run_options options = {.size = sizeof options, .steps = oct_sim_steps(s->again) + 2};
    return oct_run(s->again, &options);
}

static oct_status hash_last(story *s)
{
    return oct_sim_hash(&s->hashes[3], s->again);
}

/* What a failure of an act leaves: everything as it was, so that it can be done again, or a
 * simulation that refuses. */
typedef enum subject { AS_IT_WAS, SIM, AGAIN } subject;

static const struct act {
    const char *name;
    oct_status (*act)(story *s);
    subject subject;
} acts[] = {
    {"open", open_device, AS_IT_WAS},
    {"parse", parse, AS_IT_WAS},
    {"set", set_value, AS_IT_WAS},
    {"resolve", resolve, AS_IT_WAS},
    {"estimate", estimate, AS_IT_WAS},
    {"create", create, AS_IT_WAS},
    {"step", step, SIM},
    {"measure", measure, SIM},
    {"touching", find_touching, SIM},
    {"densities", find_densities, SIM},
    {"bodies", read_bodies, SIM},
    {"set_bodies", set_bodies, SIM},
    {"settle_forces", settle, SIM},
    {"step", step, SIM},
    {"snapshot", write_snapshot, SIM},
    {"checkpoint", write_checkpoint, SIM},
    {"hash", hash_first, SIM},
    {"step", step, SIM},
    {"wait", wait, SIM},
    {"hash", hash_second, SIM},
    {"read", read_file, AS_IT_WAS},
    {"write", write_table, AS_IT_WAS},
    {"read", read_table, AS_IT_WAS},
    {"render", draw, AS_IT_WAS},
    {"restore", restore, AS_IT_WAS},
    {"profile", profile_on, AS_IT_WAS},
    {"step", step_again, AGAIN},
    {"times", read_times, AS_IT_WAS},
    {"profile", profile_off, AS_IT_WAS},
    {"hash", hash_again, AGAIN},
    {"run", run_on, AGAIN},
    {"hash", hash_last, AGAIN},
};
enum { CREATE = 5, ACTS = sizeof acts / sizeof acts[0] };

/* What is expected ----------------------------------------------------------------------------- */

/* Every function that may change the simulation or look at its state says what failed first. */
static bool refuses(oct_sim *sim, oct_status status)
{
    char first[400];
    snprintf(first, sizeof first, "%.300s", oct_last_error());
    const char *call = ref_not_refused(sim, status, first, absent);
    if (call)
        return complain("%s is not refused after %d: %s", call, status, oct_last_error());
    if (!oct_sim_columns(sim)->name || !oct_sim_scene(sim) || oct_sim_count(sim) == 0)
        return complain("what reads does not tell any more");
    return true;
}

/* A file that is there is whole. */
static bool is_whole(const char *path)
{
    oct_bodies bodies = {0};
    bool whole =
        access(path, F_OK) != 0 || oct_bodies_read(&bodies, NULL, path, NULL) == OCT_STATUS_OK;
    oct_bodies_clear(&bodies);
    return whole || complain("'%s' is there but not whole: %s", path, oct_last_error());
}

static void end_story(story *s)
{
    oct_sim_free(s->again);
    oct_sim_free(s->sim);
    oct_scene_free(s->scene);
    oct_text_free(s->text);
    oct_bodies_clear(&s->bodies);
    if (s->tale->opens)
        oct_device_free(s->device);
}

/* An act has failed. True: it was done again, and the tale goes on. */
static bool goes_on(story *s, const struct act *act, oct_status status)
{
    oct_sim *sim = act->subject == SIM ? s->sim : act->subject == AGAIN ? s->again : NULL;
    if (!fault_struck())
        return complain("%s failed without a fault: %s", act->name, oct_last_error());
    if (!oct_last_error()[0] || !oct_last_error_place()[0])
        return complain("%s returned %d and says nothing", act->name, status);
    if (sim && status < 0 && status != OCT_STATUS_IO) {
        fault_disarm();
        refuses(sim, status);
        return false;
    }
    char first[512];
    snprintf(first, sizeof first, "%s", oct_last_error());
    fault_disarm();
    if (act->act(s) != OCT_STATUS_OK)
        return complain("%s cannot be done again after %d (%s): %s", act->name, status, first,
                        oct_last_error());
    return true;
}

typedef enum verdict { SURVIVED, REFUSED_IT, MISSED, UNEXPLAINED, VERDICTS } verdict;
static const char *const words[] = {"survived", "refused", "missed", "unexplained"};

/* Tells the tale with the fault that is armed. `hashes` are those without one, NULL: not known.
 * Only counts where calls is given: those of each act, and those of the end. */
static verdict tell(uint64_t out[HASHES], const tale *t, const uint64_t *hashes, const char *kind,
                    long *calls)
{
    story s = {.tale = t};
    bool refused = false, whole = true;
    long objects = fault_objects();
    complaint[0] = '\0';
    for (size_t i = 0; i < FILES; i++)
        remove(files[i]);
    for (size_t i = 0; i < ACTS && whole; i++) {
        if (calls)
            fault_arm(kind, 0);
        oct_status status = acts[i].act(&s);
        if (calls)
            calls[i] = fault_disarm();
        if (status == OCT_STATUS_OK)
            continue;
        refused = true;
        whole = goes_on(&s, &acts[i], status);
    }
    if (calls)
        fault_arm(kind, 0);
    if (!whole) {
        fault_disarm();
        if (!t->opens)
            (void)oct_device_profile(shared, false);
    }
    end_story(&s);
    bool struck = fault_struck();
    long last = fault_disarm();
    if (calls)
        calls[ACTS] = last;
    is_whole(snapshot);
    is_whole(checkpoint);
    is_whole(table);
    if (hashes && whole && memcmp(hashes, s.hashes, sizeof s.hashes) != 0)
        complain("the results differ from those without the fault");
    if (hashes && fault_objects() != objects)
        complain("%ld OpenCL objects were not released", fault_objects() - objects);
    if (out)
        memcpy(out, s.hashes, sizeof s.hashes);
    return complaint[0] ? UNEXPLAINED : !struck ? MISSED : refused ? REFUSED_IT : SURVIVED;
}

/* All faults ----------------------------------------------------------------------------------- */

/* Once, or from then on always: a full disk, no memory, a lost device. */
static const struct {
    const char *kind, *mode;
} kinds[] = {{"malloc", "fail"}, {"cl", "fail"},    {"malloc", "stay"},
             {"cl", "stay"},     {"open", "fail"},  {"write", "fail"},
             {"write", "stay"},  {"fsync", "fail"}, {"rename", "fail"}};
/* The first ones are enough in a sample, but for the first tale. */
enum { FEW = 2, KINDS = sizeof kinds / sizeof kinds[0] };

static bool learn(uint64_t hashes[HASHES], const tale *t)
{
    /* The second time programs are there, and self-tests have passed. */
    for (int i = 0; i < 2; i++) {
        fault_arm("cl", 0);
        if (tell(hashes, t, NULL, NULL, NULL) == UNEXPLAINED) {
            printf("%s: without a fault: %s\n", t->name, complaint);
            return false;
        }
    }
    return true;
}

/* So many faults of a kind in each act, spread evenly over its calls; 0: all, but of the many that
 * read scenes, the same in every tale, no more than plenty after the first. */
static void try_kind(long all[VERDICTS], const tale *t, const char *kind, const char *mode,
                     const uint64_t hashes[HASHES], long most)
{
    char fault[64];
    long counts[VERDICTS] = {0}, calls[ACTS + 1], before = 0;
    bool first = t == &tales[0] && strcmp(mode, "fail") == 0;
    (void)tell(NULL, t, hashes, kind, calls);
    for (size_t i = 0; i <= ACTS; before += calls[i++]) {
        if (t->opens && i > CREATE && i < ACTS)
            continue;
        long here = most == 0 && calls[i] > PLENTY && !first ? PLENTY : most;
        double stride = here > 0 && calls[i] > here ? (double)calls[i] / (double)here : 1;
        for (double at = stride / 2; at < (double)calls[i]; at += stride) {
            snprintf(fault, sizeof fault, "%s:%ld:%s", kind, before + (long)at + 1, mode);
            fault_arm_words(fault);
            verdict found = tell(NULL, t, hashes, NULL, NULL);
            counts[found]++;
            if (found == UNEXPLAINED)
                printf("%s %s: %s\n", t->name, fault, complaint);
        }
    }
    printf("%s.%s.%s faults: ", t->name, kind, mode);
    for (int i = 0; i < VERDICTS; i++) {
        printf("%ld %s%s", counts[i], words[i], i + 1 < VERDICTS ? ", " : "\n");
        all[i] += counts[i];
    }
    fflush(stdout);
}

static bool try_one(const tale *t, const char *fault)
{
    uint64_t hashes[HASHES];
    if (!learn(hashes, t))
        return false;
    if (!fault_arm_words(fault)) {
        printf("'%s' is not KIND:K[:MODE]\n", fault);
        return false;
    }
    verdict found = tell(NULL, t, hashes, NULL, NULL);
    printf("%s %s: %s %s\n", t->name, fault, words[found], complaint);
    return found != UNEXPLAINED;
}

static bool try_tale(const tale *t, long most, long counts[VERDICTS])
{
    uint64_t hashes[HASHES];
    size_t n = most == SAMPLE && t != &tales[0] ? FEW : KINDS;
    if (!learn(hashes, t))
        return false;
    for (size_t k = 0; k < n; k++)
        try_kind(counts, t, kinds[k].kind, kinds[k].mode, hashes, most);
    return true;
}

static bool try_all(const tale *only, long most)
{
    long counts[VERDICTS] = {0};
    bool good = true;
    for (size_t i = 0; i < TALES; i++)
        if (!only || only == &tales[i])
            good = try_tale(&tales[i], most, counts) && good;
    printf("in all %ld faults, %ld unexplained\n",
           counts[SURVIVED] + counts[REFUSED_IT] + counts[UNEXPLAINED], counts[UNEXPLAINED]);
    return good && counts[UNEXPLAINED] == 0;
}

static bool begin(void)
{
    snprintf(folder, sizeof folder, "/tmp/octant-faults-XXXXXX");
    if (fault_entries() == 0 || !mkdtemp(folder) ||
        oct_device_open(&shared, getenv("OCTANT_TEST_DEVICE")) != OCT_STATUS_OK) {
        printf("nothing can be tried: %s\n", oct_last_error());
        return false;
    }
    snprintf(snapshot, sizeof snapshot, "%s/snapshot.hdf5", folder);
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint.hdf5", folder);
    snprintf(absent, sizeof absent, "%s/absent.hdf5", folder);
    snprintf(table, sizeof table, "%s/bodies.csv", folder);
    snprintf(picture, sizeof picture, "%s/picture.png", folder);
    return true;
}

/* False where a file is left that nobody asked for. */
static bool end(void)
{
    oct_device_free(shared);
    for (size_t i = 0; i < FILES; i++) {
        char previous[160];
        snprintf(previous, sizeof previous, "%s.prev", files[i]);
        remove(previous);
        remove(files[i]);
    }
    if (rmdir(folder) == 0)
        return true;
    printf("something was left in %s\n", folder);
    return false;
}

int main(int argc, char **argv)
{
    const tale *only = NULL;
    for (size_t i = 0; i < TALES; i++)
        if (argc > 2 && strcmp(tales[i].name, argv[1]) == 0)
            only = &tales[i];
    if (argc > 3 || (argc == 3 && !only) || !begin())
        return 1;
    bool one = only && strchr(argv[2], ':');
    /* "all" is no number. */
    long most = argc > 1 ? strtol(argv[argc - 1], NULL, 10) : SAMPLE;
    bool good = one ? try_one(only, argv[2]) : try_all(only, most);
    return end() && good ? 0 : 1;
}
