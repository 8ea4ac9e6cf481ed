/* Octant: N-body simulation on any OpenCL device. The only header a user needs.
 *
 * Conventions: what can fail returns an oct_status (status.h says what each promises), outputs come
 * first, and oct_last_error() then says in one sentence what went wrong. Whatever a function hands
 * out through a pointer to a pointer belongs to the caller, who gives it back with the matching
 * _free function.
 *
 * Threads: an object is used by one thread at a time, and may go from one to another; functions
 * that take it as const may be called by several at once. A simulation uses its device: simulations
 * in several threads have a device each, opened again or shared (oct_device_share). Logs, reports
 * and progress come from the thread that called, and so does oct_last_error.
 *
 * A struct that begins with `size` may grow from one version to the next. Whoever hands one to the
 * library, filled in or to be filled in, begins it with its size and zeros, which stand for the
 * defaults: oct_plan plan = {.size = sizeof plan}. Any other size is refused. What a program's
 * version did not have keeps its default; what a library's version does not know is refused where
 * it is set, and 0 where it is filled in. */
#ifndef OCTANT_OCTANT_H
#define OCTANT_OCTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"
#include "bodies.h"
#include "cluster.h"
#include "features.h"
#include "groups.h"
#include "kepler.h"
#include "pictures.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OCT_VERSION_MAJOR 0
#define OCT_VERSION_MINOR 1
#define OCT_VERSION_PATCH 0

/* The version of the library that is linked, "major.minor.patch". */
const char *oct_version(void);

/* Receives notes that are worth a line but are no failure; context is handed through. */
typedef void (*oct_log)(void *context, const char *sentence);

/* Gives back text that the library handed out. */
void oct_text_free(char *text);
/* Text of any origin, such as the title of a file, as a terminal may show it: control characters
 * (all but the tab), marks that turn the direction of writing and bytes that are no UTF-8 become
 * \x1b or \u202e, and what does not fit is cut. Returns out. */
const char *oct_text_printable(char *out, size_t bytes, const char *text);
/* Text of any origin as a string of JSON, with its quotes; bytes that are no UTF-8 become U+FFFD.
 */
oct_status oct_text_json(char **out, const char *text);
/* The candidate nearest to a misspelled name, or NULL when none is near; for messages. */
const char *oct_text_nearest(const char *name, const char *const *candidates, size_t count);

/* Scenes ------------------------------------------------------------------------------------ */
/* A scene: what to simulate, by which method, and what to write. */
typedef struct oct_scene oct_scene;

/* An empty scene, to be filled with oct_scene_set. */
oct_status oct_scene_create(oct_scene **out);
/* Loads a scene file, or a built-in scene when name is one. */
oct_status oct_scene_load(oct_scene **out, const char *name);
/* Parses scene text; label stands for the file's name in messages. */
oct_status oct_scene_parse(oct_scene **out, const char *text, size_t bytes, const char *label);
/* Changes one value: "gravity.softening=0.01", "models.0.plummer.n=4096". Another method,
 * "gravity.method=direct", keeps the keys that both have and drops those that only the one before
 * had, unless they were set. A + in place of an index adds an entry to a list, which may be new
 * itself: "models.+.plummer.n=4096". The whole scene is checked only when it is used. */
oct_status oct_scene_set(oct_scene *scene, const char *assignment);
/* The same with a value that is taken as it is, whatever signs it has and however many lines: a
 * title, the name of a file, source. */
oct_status oct_scene_set_text(oct_scene *scene, const char *key, const char *value);
/* One value of the scene with every default spelled out, as text: "gravity.softening". */
oct_status oct_scene_get(char **out, const oct_scene *scene, const char *key);
/* The scene with every default spelled out, as text that parses to the same scene. */
oct_status oct_scene_resolve(char **out, const oct_scene *scene);
/* The text of a scene, such as oct_scene_resolve and oct_sim_scene give, as JSON: keys in their
 * order, numbers and truth values as such, and all else as text, "10 yr" and inf too. */
oct_status oct_scene_json(char **out, const char *text);
/* The scene that comes with a checkpoint. */
oct_status oct_scene_restore(oct_scene **out, const char *checkpoint);
/* Another scene like it, with the modules that were added to it. */
oct_status oct_scene_copy(oct_scene **out, const oct_scene *scene);
/* Gives a scene back; NULL is none. */
void oct_scene_free(oct_scene *scene);
/* The built-in scenes by index; false past the last. */
bool oct_scene_builtin(size_t index, const char **name, const char **text);

/* Modules and their fields, as `octant list` shows them: text, json, markdown or man. Or plain
 * lists, one a line: names, which oct_reference_of takes, and keys, which oct_scene_set takes. */
oct_status oct_reference(char **out, const char *format);
/* The part of it about one name: of a section, a module, a key (also as gravity.theta), one of its
 * choices, a column. OCT_STATUS_MISSING, with the nearest name, where there is none. */
oct_status oct_reference_of(char **out, const char *format, const char *name);
/* The same with the modules that were added to a scene (oct_scene_add_module); name NULL: all. */
oct_status oct_scene_reference(char **out, const oct_scene *scene, const char *format,
                               const char *name);

/* Devices ----------------------------------------------------------------------------------- */
/* An OpenCL device that is in use: its context, its queue and its compiled kernels. */
typedef struct oct_device oct_device;

/* In which precision numbers are kept and computed. */
typedef enum oct_precision {
    OCT_PRECISION_AUTO,   /* mixed where the device has fp64, else single */
    OCT_PRECISION_SINGLE, /* float, with compensated sums */
    OCT_PRECISION_MIXED,  /* state in double, forces in float */
    OCT_PRECISION_DOUBLE  /* all in double */
} oct_precision;
/* "auto", "single", "mixed" or "double". */
const char *oct_precision_name(oct_precision precision);

/* What a device is. */
typedef struct oct_device_info {
    char name[128], vendor[64], driver[64], platform[64];
    char kind[8];           /* cpu, gpu or other */
    uint64_t memory;        /* bytes */
    uint64_t max_buffer;    /* bytes in one allocation */
    bool fp64;              /* it has double precision */
    unsigned compute_units; /* cores of a CPU, multiprocessors of a GPU */
} oct_device_info;

/* The devices of this machine in the order of their indices. */
oct_status oct_device_list(oct_device_info **out, size_t *n);
/* Gives such a list back; NULL is none. */
void oct_device_list_free(oct_device_info *list);
/* Opens a device: NULL for the best one, or an index, a part of its name, "cpu" or "gpu". */
oct_status oct_device_open(oct_device **out, const char *choice);
/* The same device once more, for another thread: with a queue of its own, and the programs of the
 * first, which are compiled once for all. It is freed before the first one is. */
oct_status oct_device_share(oct_device **out, const oct_device *device);
/* Part number `part`, from 0, of `parts` equal parts of a CPU's cores, as a device by itself; GPUs
 * have none. It may outlive the first one. */
oct_status oct_device_part(oct_device **out, const oct_device *device, uint32_t part,
                           uint32_t parts);
/* Gives a device back, after all simulations on it; NULL is none. */
void oct_device_free(oct_device *device);
/* What this device is; belongs to it. */
const oct_device_info *oct_device_describe(const oct_device *device);

/* What was asked of a device. */
typedef struct oct_device_work {
    uint64_t launches;  /* of kernels */
    uint64_t transfers; /* arrays filled, copied, and written without a wait */
    uint64_t waits;     /* of the host for the device */
} oct_device_work;
/* All of it since the device was opened. */
oct_device_work oct_device_worked(const oct_device *device);

/* Records the time of every kernel from now on (slower: each launch keeps an event). */
oct_status oct_device_profile(oct_device *device, bool on);
/* What the launches of a kernel took. */
typedef struct oct_kernel_time {
    char name[64];
    uint64_t launches;
    double ms; /* all of them together */
} oct_kernel_time;
/* Time by kernel since profiling was switched on, longest first. */
oct_status oct_device_times(oct_kernel_time **out, size_t *n, oct_device *device);
/* Gives such a list back; NULL is none. */
void oct_device_times_free(oct_kernel_time *times);
/* Who did something: the device, the thread that takes the steps, the one that writes files. */
typedef enum oct_lane { OCT_LANE_DEVICE = 1, OCT_LANE_HOST, OCT_LANE_WRITER } oct_lane;
/* A launch, or what the host did in a run ("steps", "diagnostics", "snapshots", "checkpoints",
 * "film"), in seconds since the first of them. */
typedef struct oct_span {
    const char *name; /* of a kernel, or as above; holds as long as the profile */
    oct_lane lane;
    double start_s, end_s;
} oct_span;
/* All that was recorded, host and device on one time line, as far as their clocks can be related:
 * to the microseconds that it takes to enqueue a kernel. */
oct_status oct_device_spans(oct_span **out, size_t *n, oct_device *device);
/* Gives such a list back; NULL is none. */
void oct_device_spans_free(oct_span *spans);
/* The same as a Chrome trace. */
oct_status oct_device_trace(oct_device *device, const char *path);

/* Receives the result of a case of the self-test: its error, and what would have been too much. */
typedef void (*oct_selftest_report)(void *context, const char *name, bool passed, double error,
                                    double tolerance);
/* Runs every kernel against its scalar double-precision oracle on this device. Each case is
 * reported through `report`, which may be NULL; OCT_STATUS_DEVICE when one fails. */
oct_status oct_selftest(oct_device *device, oct_selftest_report report, void *context);
/* Self-tests what simulations in this precision use, unless it has passed before. Notes go to log,
 * which may be NULL: that the test has to run, and that AUTO means single on this device. */
oct_status oct_device_trust(oct_device *device, oct_precision precision, oct_log log,
                            void *context);
/* What is told about a first use, all by the calling thread; any of them may be NULL. */
typedef struct oct_trust_watch {
    size_t size;
    oct_log log; /* as above */
    /* That so many of all tests are done, and which was the last. */
    void (*progress)(void *context, size_t done, size_t all, const char *name);
    void *context;
    /* Before the first of many tests, where the driver compiles for one thread at a time:
     * another process that calls oct_scene_trust with this scene, in this precision, takes some of
     * them. */
    void (*help)(void *context, const char *scene, oct_precision precision);
    /* This is that other process: it begins with what the first one would test last, and does not
     * wait for what that is at. */
    bool assists;
} oct_trust_watch;
/* Self-tests what this scene uses, as creating a simulation does. `watch` may be NULL. */
oct_status oct_scene_trust(oct_device *device, const oct_scene *scene, oct_precision precision,
                           const oct_trust_watch *watch);

/* Simulations ------------------------------------------------------------------------------- */
/* A simulation: bodies on a device, and all that moves them. */
typedef struct oct_sim oct_sim;

/* What a simulation will take, known before anything is allocated. */
typedef struct oct_estimate {
    size_t size;
    uint64_t n;
    uint64_t bytes_total, bytes_largest; /* on the device: together, and in one buffer */
    double bytes_per_particle;
    uint64_t fitting; /* how many particles would fit */
    bool fits;
} oct_estimate;
/* Estimates it for a device, in this precision. */
oct_status oct_scene_estimate(oct_estimate *out, const oct_scene *scene,
                              const oct_device_info *device, oct_precision precision);
/* Receives a part of the estimate: what it is for, its bytes in all and those of a particle. */
typedef void (*oct_ledger_log)(void *context, const char *part, uint64_t bytes, double each);
/* Tells what takes the memory that a scene is estimated to take, a part at a time. */
oct_status oct_scene_ledger(const oct_scene *scene, const oct_device_info *device,
                            oct_precision precision, oct_ledger_log log, void *context);

/* Creates a simulation of the scene on the device, which must outlive it. */
oct_status oct_sim_create(oct_sim **out, oct_device *device, const oct_scene *scene,
                          oct_precision precision);

/* What a program may say beside the scene. Start from {.size = sizeof(oct_sim_options)}: what is 0
 * is left to the library. */
typedef struct oct_sim_options {
    size_t size;
    oct_precision precision;
    /* The bodies at the start, in the units of the scene, which has no models then. They are
     * copied. Of the arrays only positions must be there: velocities, masses, radii, spins and
     * systems that are NULL are 0, a type of 0 is OCT_TYPE_BODY, and ids that are all 0 become 1,
     * 2, ... Each id occurs once. */
    const oct_bodies *bodies;
    /* Gets notes from the first moment on: that self-tests have to run, what was relaxed. Stays
     * the simulation's log. */
    oct_log log;
    void *log_context;
    /* That so many of all self-tests are done, and which was the last; gets log_context. */
    void (*progress)(void *context, size_t done, size_t all, const char *name);
    /* Measures nothing at the start, which takes forces on all bodies: for those who want a few of
     * them. Errors of energies are then those since they were first measured. */
    bool unmeasured;
    oct_comm *comm; /* ranks that share it, each of which creates it: cluster.h; NULL: none */
    /* Of the work, what is this rank's, in any unit that is the same for all: a device that is
     * three times as fast gets 3 where others have 1. 0: 1. */
    double share;
} oct_sim_options;
/* The same of a scene to which the program adds something. The scene may leave run.until out where
 * the program takes the steps itself. `options` may be NULL. */
oct_status oct_sim_create_with(oct_sim **out, oct_device *device, const oct_scene *scene,
                               const oct_sim_options *options);
/* Continues from a checkpoint; the scene comes with it. */
oct_status oct_sim_restore(oct_sim **out, oct_device *device, const char *checkpoint);
/* The same with another scene from there on. What a state does not survive (models, seed, units,
 * the box) is refused; what else has changed is in comments of oct_sim_scene. */
oct_status oct_sim_resume(oct_sim **out, oct_device *device, const char *checkpoint,
                          const oct_scene *scene);
/* The same where a first use of the device is watched. `scene` and `watch` may be NULL. */
oct_status oct_sim_resume_watched(oct_sim **out, oct_device *device, const char *checkpoint,
                                  const oct_scene *scene, const oct_trust_watch *watch);
/* Gives a simulation back, whatever has become of it; NULL is none. */
void oct_sim_free(oct_sim *sim);
/* Where notes of this simulation go; none by default. */
void oct_sim_set_log(oct_sim *sim, oct_log log, void *context);

/* Changes settings from the present state on, between steps: "gravity.theta=0.4". What
 * oct_sim_resume would refuse of another scene is refused here, with a sentence, and nothing has
 * changed; what has is in comments of oct_sim_scene. Whatever was handed out about the simulation
 * (its scene, columns and buffers) is to be asked for again. In a run (oct_run) its attendant may
 * do so, as the viewer does: where the run has results, what its files follow from stays (the step,
 * its outputs, what is measured). */
oct_status oct_sim_set(oct_sim *sim, const char *assignment);
/* The same for several, all of them or none. */
oct_status oct_sim_set_all(oct_sim *sim, const char *const *assignments, size_t n);
/* Whether oct_sim_set may change this key of the scene now, "gravity.theta"; not which value. */
bool oct_sim_can_set(const oct_sim *sim, const char *key);

/* What collisions.relax did to the bodies before the first step. Pairs overlap where they are
 * nearer to each other than their radii together by more than a millionth of that. */
typedef struct oct_relaxation {
    size_t size;
    uint64_t sweeps;
    uint64_t moved;                   /* bodies */
    double mean, farthest;            /* how far these were moved: on average, and at most */
    uint64_t pairs, pairs_left;       /* that overlapped before, and after */
    double deepest, deepest_left;     /* the largest 1 - d / (r_a + r_b) */
    double thickness, thickness_left; /* sqrt(<z^2> - <z>^2) */
} oct_relaxation;
/* False where nothing was to be relaxed. A resumed simulation knows it too. */
bool oct_sim_relaxed(oct_relaxation *out, const oct_sim *sim);

/* Takes steps. Returns when they are enqueued; whatever reads the state waits for them. */
oct_status oct_sim_step(oct_sim *sim, uint64_t steps);
/* Waits for the device and looks at all of the state: OCT_STATUS_NUMBER where a NaN or an infinity
 * is in it. Whatever reads or writes the state does this first. */
oct_status oct_sim_wait(oct_sim *sim);

/* Steps taken, or enqueued, since the start of the scene; kept when a run is resumed. */
uint64_t oct_sim_steps(const oct_sim *sim);
/* The simulated time after these steps, in the units of the scene. */
double oct_sim_time(const oct_sim *sim);
/* The length of a step. */
double oct_sim_dt(const oct_sim *sim);
/* How many bodies there are, as of the last wait, without removed ones. */
uint64_t oct_sim_count(const oct_sim *sim);
/* The units of the scene. */
const oct_units *oct_sim_units(const oct_sim *sim);
/* Reads a time as the scene may write it: "10 yr", "4 orbit", or a number in its units. */
oct_status oct_sim_parse_time(double *out, const oct_sim *sim, const char *text);
/* What times are told in beside the scene's own unit, which is a column too, and how long one is:
 * "orbits" of a rotating box, "years" with units solar and galactic; NULL where there is none. */
const char *oct_sim_calendar(double *size, const oct_sim *sim);
/* The precision that it runs in, never OCT_PRECISION_AUTO. */
oct_precision oct_sim_precision(const oct_sim *sim);
/* The name of its run, 32 hexadecimal digits drawn at random: in every file of a results folder,
 * and kept when a run is resumed. "" from a checkpoint of a version that had none. */
const char *oct_sim_identity(const oct_sim *sim);
/* The scene as resolved; what was changed on the way is in comments at its beginning. */
const char *oct_sim_scene(const oct_sim *sim);

/* Copies the bodies out; those of a periodic box are in it. */
oct_status oct_sim_bodies(oct_bodies *out, oct_sim *sim);
/* Replaces what bodies have by what was changed of oct_sim_bodies, whose arrays and ids they have;
 * time and step count stay. */
oct_status oct_sim_set_bodies(oct_sim *sim, const oct_bodies *bodies);
/* Adds bodies between steps, in the units of the scene; those there are keep their order, and the
 * new ones follow. Of the arrays only positions must be there, as in oct_sim_options. A body with
 * id 0 gets the next free one, which is written back, and one of type 0 is a body; an id that is in
 * use is refused. From then on energy is compared with what it is after they have joined. */
oct_status oct_sim_add(oct_sim *sim, oct_bodies *bodies);
/* Takes bodies out between steps; OCT_STATUS_MISSING where an id is not there. The last stays. */
oct_status oct_sim_remove(oct_sim *sim, const uint64_t *ids, size_t n);
/* Finds the forces once as a step does, where and when the bodies are: methods that go by the last
 * accelerations (gravity.criterion: relative) then have some, as after the first step of a run. */
oct_status oct_sim_settle_forces(oct_sim *sim);
/* Forces on some bodies as they are now, 3 numbers and 1 for each; what is NULL is not wanted, and
 * `of` NULL is all. They are those that oct_sim_read gives: where gravity is summed over all pairs,
 * at the cost of these bodies alone. Changes nothing. */
oct_status oct_sim_forces_on(double *acceleration, double *potential, oct_sim *sim,
                             const oct_selection *of);
/* XXH3 of the exact state in id order: equal for equal bits. */
oct_status oct_sim_hash(uint64_t *out, oct_sim *sim);

/* Writes the state. The file appears whole or not at all; the one before is kept as PATH.prev. */
oct_status oct_sim_checkpoint(oct_sim *sim, const char *path);
/* Writes the bodies, in the same way: a path that ends in .csv gets a CSV file. */
oct_status oct_sim_snapshot(oct_sim *sim, const char *path);

/* Measurements: a table of named columns, 1 or 3 numbers each. */
typedef struct oct_column {
    const char *name;
    unsigned count;                 /* 1, or 3 for a vector */
    signed char length, mass, time; /* its dimension */
    const char *doc;
    bool squares;     /* averaged over time as squares: a dispersion */
    const char *unit; /* where it is not that of the dimension: "deg", "orbit", "yr"; may be NULL */
    /* What it is measured of, which ends its name behind a '_': "disk" of scale_length_disk. NULL:
     * of everything. */
    const char *part;
} oct_column;
/* The columns of this simulation; ends with a column without name. */
const oct_column *oct_sim_columns(const oct_sim *sim);
/* All of them measured now, in the order of the columns. */
oct_status oct_sim_measure(double *out, oct_sim *sim);
/* One of them by name, 1 or 3 numbers. */
oct_status oct_sim_measure_one(double *out, oct_sim *sim, const char *name);

/* Neighbours, found with an octree on the device, in the order of oct_sim_bodies. Where the box
 * repeats, each other body counts once, with the image nearest of those in the box and the boxes
 * next to it: the nearest of all wherever that is closer than half of the box's shortest side. */

/* The k nearest neighbours (1 to 64) of every body, without itself: k indices and distances for
 * each body in turn, nearest first; UINT32_MAX and infinity where there are not as many. */
oct_status oct_neighbours(uint32_t *index, double *distance, oct_sim *sim, unsigned k);
/* Densities: the mass of the k - 1 nearest neighbours over the sphere that the k-th is on. */
oct_status oct_densities(double *out, oct_sim *sim, unsigned k);
/* All pairs of bodies that touch, nearer to each other than their radii together, each once. */
oct_status oct_touching(uint32_t (**out)[2], size_t *n, oct_sim *sim);
/* Gives such a list back; NULL is none. */
void oct_touching_free(uint32_t (*pairs)[2]);
/* Friends of friends: bodies at most `link` apart are in one group, and all that are so joined. For
 * each body the least index of its group, its own where it is alone. */
oct_status oct_friends(uint32_t *out, oct_sim *sim, double link);

/* Running a whole scene --------------------------------------------------------------------- */
/* What the outputs of a run have cost: the seconds that its steps stood still for them. */
typedef struct oct_run_costs {
    size_t size;
    double share;   /* of wall_s */
    double total_s; /* the sum of the next four */
    double diagnostics_s, snapshots_s, checkpoints_s, film_s;
    double beside_s; /* what was drawn and written by another thread while steps went on */
    /* What was due on the way, without the outputs of the start and of the end, which a longer run
     * has no more of: the time between these, what steps stood still for in it, as a share (NaN
     * without steps) and by kind, and how many outputs that were. */
    double way_s, due_share;
    double due_diagnostics_s, due_snapshots_s, due_checkpoints_s, due_film_s;
    uint64_t rows, snapshots, checkpoints, frames;
    /* How many of the rows and snapshots were enqueued with the steps: of these the host's time is
     * counted, but not the device's. */
    uint64_t ahead;
} oct_run_costs;

/* How far a run is, for whoever watches it; what it points to holds until the call returns. */
typedef struct oct_run_record {
    size_t size;
    uint64_t step, steps; /* taken, and to take in all where those to come are of one dt */
    double time, wall_s, steps_per_s;
    double energy_error;
    bool measured; /* columns and values are set: a diagnostics interval has passed */
    bool final;    /* the last record of this run */
    bool stopped;  /* it ended early because *stop was set */
    const oct_column *columns;
    const double *values;
    const oct_run_costs *costs; /* with the last record; else NULL */
} oct_run_record;

/* What to do with a run that is in the results folder already. */
typedef enum oct_run_existing {
    OCT_RUN_REFUSE,   /* leave it alone: OCT_STATUS_INPUT */
    OCT_RUN_CONTINUE, /* go on with its files from the step the simulation is at; another run than
                         that of the simulation is refused */
    OCT_RUN_REPLACE   /* move it aside, and remove it when the new run has a checkpoint */
} oct_run_existing;

/* How a scene is run. */
typedef struct oct_run_options {
    size_t size;
    const char *out; /* folder for results; NULL writes none */
    oct_run_existing existing;
    uint64_t steps; /* the step to end at; 0: as many as run.until asks for */
    double until;   /* 0: run.until of the scene */
    double average; /* report means over this much time up to now; 0: the moment */
    /* Set from a signal handler, or atomically by another thread: checkpoint and return. */
    const volatile int *stop;
    void (*report)(void *context, const oct_run_record *record);
    void *context;
    /* Looks at the simulation a few times a second (oct_viewer_attend does), and says how many
     * steps may be taken before the next look; 0 ends the run as *stop does. May be NULL. */
    oct_status (*attend)(void *attendant, oct_sim *sim, const oct_run_record *record,
                         uint64_t *steps);
    void *attendant;
    const oct_run_film *film; /* NULL: none */
} oct_run_options;

/* Runs the simulation to its end with the outputs its scene asks for: scene.yaml (as resolved),
 * diagnostics.csv, snapshot_0000.hdf5 and so on, checkpoint.hdf5, and report.html at the end, in
 * the results folder. */
oct_status oct_run(oct_sim *sim, const oct_run_options *options);
/* Puts a results folder in order in which a run was killed while it replaced another: the old one
 * is there again, or the new one alone. Refused while somebody else writes there. For those who
 * look for a checkpoint in it, or make many bodies; oct_run does so by itself. */
oct_status oct_run_recover(const char *folder);

/* What a run of a scene will do, known before anything is simulated. */
typedef struct oct_plan {
    size_t size;
    char title[128], models[256];
    char units[16], gravity[32], integrator[32], boundary[32];
    double dt, until;
    uint64_t steps, rows, snapshots; /* rows of diagnostics.csv */
    double checkpoint_s;             /* time on the wall between checkpoints; 0: at the end */
    const char *calendar;            /* as oct_sim_calendar says; NULL: none */
    double calendar_size;
} oct_plan;
/* Makes the plan of a scene; a bad scene is refused here as a run would refuse it. */
oct_status oct_scene_plan(oct_plan *out, const oct_scene *scene);

/* Receives a sentence about a scene: a problem, or what was chosen where it says nothing. */
typedef void (*oct_review_log)(void *context, bool problem, const char *sentence);
/* Tells what a scene leaves open and what was chosen for it, and problems: settings that run but
 * are hardly meant. A sentence each; none where there is nothing to say. */
oct_status oct_scene_review(const oct_scene *scene, oct_review_log log, void *context);

/* How long a run of a scene will take on a device, from steps of it that were taken there. */
typedef struct oct_forecast {
    size_t size;
    double wall_s;  /* with its outputs; the sum of what follows, as often as it is due */
    double start_s; /* to make the bodies and to prepare the device */
    double step_s, row_s, snapshot_s; /* a step, a row of diagnostics, a snapshot */
    uint64_t steps;                   /* that were timed */
    uint64_t n;      /* bodies they were timed with: fewer than all where these take too long */
    const char *law; /* how a step was then taken to grow, "n^2" or "n log n"; NULL: n is all */
} oct_forecast;
/* Compiles what the scene uses, the user's functions included, and takes some steps, for about so
 * many seconds beside compiling. A snapshot is written to a temporary file and removed. */
oct_status oct_scene_forecast(oct_forecast *out, oct_device *device, const oct_scene *scene,
                              oct_precision precision, double seconds);

/* Comparing two simulations ----------------------------------------------------------------- */
/* How far two simulations of the same bodies have drifted apart. Separations are the distances
 * between the places of a body, known by its id, in a and in b; where the box repeats, those of
 * the nearest images. A body that was removed or merged in either is not compared. */
typedef struct oct_compare_record {
    size_t size;
    double time, until; /* now, and at the end */
    double wall_s;
    double separation_max, separation_mean, separation_total; /* NaN where no body is in both */
    uint64_t farthest; /* the id of the body with the largest separation, where one is above 0 */
    double energy_error_a, energy_error_b; /* NaN where there is none */
    uint64_t compared;                     /* bodies that are in both */
    uint64_t removed_a, removed_b;         /* bodies that are not in a any more, or not in b */
    const uint64_t *ids;                   /* of all n bodies, ascending */
    const double *separations;             /* of each; NaN where it is not compared */
    size_t n;
    bool measured; /* the values above are of this time; else they are of the last record */
    bool final;    /* the last record */
    bool stopped;  /* it ended early because *stop was set; the values are of the last record */
} oct_compare_record;

/* How two simulations are compared. */
typedef struct oct_compare_options {
    size_t size;
    const char *out;          /* folder for results; NULL writes none */
    bool replace;             /* a comparison that is in the folder already; else it is refused */
    bool bodies;              /* write bodies.csv for any number of bodies, not only for few */
    double until;             /* 0: the earlier run.until of the two scenes */
    double interval;          /* 0: near output.diagnostics of a */
    const volatile int *stop; /* set from a signal handler: write the report and return */
    void (*report)(void *context, const oct_compare_record *record);
    void *context;
} oct_compare_options;

/* The most bodies that bodies.csv is written for without being asked. */
enum { OCT_COMPARE_BODIES = 1000 };

/* Runs two simulations in step and reports each interval how far they are apart. They start at the
 * same time with the same ids, units and boxes; the interval is a whole number of steps of both.
 * The folder gets scene_a.yaml, scene_b.yaml (as resolved), compare.csv, bodies.csv and
 * report.html. */
oct_status oct_compare(oct_sim *a, oct_sim *b, const oct_compare_options *options);

/* The stability of solar systems ------------------------------------------------------------ */
/* What ended the calm:
 *   unbound    a planet's energy relative to its star is not negative any more
 *   crossing   the orbits of two planets of a star, taken as ellipses, have come to cross
 *   collision  two bodies touch
 *   torn       a system's energy relative to the heaviest body without a system is not negative
 *   removed    a body has merged with another one or has left the region */
typedef struct oct_stability {
    size_t size;
    double time; /* of the event, or at the end, or where it was interrupted */
    uint64_t step;
    char event[16]; /* "" where there was none */
    size_t n_bodies;
    uint64_t bodies[2]; /* ids */
    char cause[200];    /* a sentence */
    bool interrupted;   /* it ended early because *stop was set; calm until then */
} oct_stability;

/* How long systems are watched. */
typedef struct oct_stability_options {
    size_t size;
    double until;             /* 0: run.until of the scene */
    double interval;          /* simulated time between looks; 0: a step, but at most 5000 looks */
    const volatile int *stop; /* set from a signal handler: return */
    void (*report)(void *context, double time, double until); /* progress; may be NULL */
    void *context;
} oct_stability_options;

/* Runs the simulation until its systems are not what they were, or to its end. */
oct_status oct_stability_watch(oct_stability *out, oct_sim *sim,
                               const oct_stability_options *options);

#ifdef __cplusplus
}
#endif
/* Which need what is above. */
#include "sweep.h"
#include "viewing.h"
#endif
