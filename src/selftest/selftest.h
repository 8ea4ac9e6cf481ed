/* Self-tests: each case runs kernels on a device and compares them with a scalar
 * double-precision oracle. A case is one file here that defines oct_selftest_<file>. */
#ifndef OCT_SELFTEST_SELFTEST_H
#define OCT_SELFTEST_SELFTEST_H

#include "core/sim.h"

typedef struct oct_selftest_plan oct_selftest_plan;

typedef struct oct_selftest_run {
    oct_device *device;
    oct_selftest_report report;
    void *context;
    oct_precision only;      /* AUTO: every precision the device has */
    bool used;               /* only what this kind of device uses by itself */
    const oct_setup *setup;  /* only what this scene uses; NULL: what any may use */
    bool softened;           /* bodies have softenings of their own */
    bool shared;             /* among several domains */
    oct_selftest_plan *plan; /* the parts that are due; NULL: all are */
    char part[96];           /* the part that runs, where there is a plan */
    bool failed;
    char first_failure[160];
} oct_selftest_run;

typedef struct oct_selftest_table {
    const char *name, *doc;
    /* Tenths of a second that PoCL compiles for its dearest part with nothing compiled before. */
    unsigned cost;
    oct_status (*run)(oct_selftest_run *test);
} oct_selftest_table;

extern const oct_selftest_table *const oct_selftests[];

/* Whether a part of a case, by a name of its own, is to be run now: not where it has passed before,
 * and by one thread of one process only. */
bool oct_selftest_due(oct_selftest_run *test, const char *format, ...) OCT_PRINTF(2, 3);

/* Tests what the scene uses and has not passed before on this device with this driver; without a
 * scene, what any may use. `shared`: it will have several domains. */
oct_status oct_setup_trust(oct_device *device, const oct_setup *setup, oct_precision precision,
                           bool shared, const oct_trust_watch *watch);

/* The same of what only the bodies of a simulation tell: it was made before, and nothing is done
 * with it where it fails. */
oct_status oct_sim_trust(const oct_sim *sim, const oct_trust_watch *watch);

/* Reports one comparison, passed when error <= tolerance (a NaN never is). */
void oct_selftest_check(oct_selftest_run *test, const char *name, double error, double tolerance);

/* Creates a simulation from scene text, without asking whether the device is trusted. */
oct_status oct_selftest_sim(oct_sim **out, oct_selftest_run *test, oct_precision precision,
                            const char *scene);

/* A simulation, the bodies that it has, and those that an oracle expects. */
typedef struct oct_selftest_pair {
    oct_sim *sim;
    oct_bodies got, expected;
} oct_selftest_pair;

/* Creates the simulation; its bodies are what an oracle begins with. *out can be ended after a
 * failure, too. */
oct_status oct_selftest_begin(oct_selftest_pair *out, oct_selftest_run *test,
                              oct_precision precision, const char *scene);
/* Takes so many steps and reads the bodies. */
oct_status oct_selftest_step(oct_selftest_pair *pair, uint64_t steps);
/* The same, and reports the largest error of a position. */
oct_status oct_selftest_check_steps(oct_selftest_pair *pair, oct_selftest_run *test,
                                    const char *name, uint64_t steps, double tolerance);
void oct_selftest_end(oct_selftest_pair *pair);

/* The precisions this device has, in turn; false past the last. */
bool oct_selftest_precision(oct_precision *out, const oct_selftest_run *test, int index);

/* What the scene uses ----------------------------------------------------------------------- */

enum { OCT_SELFTEST_SCENE = 1024 }; /* bytes of a scene */

/* Whether the scene's boundary, gravity, collisions or integrator is that one, or a measurement in
 * its output; yes without a scene. */
bool oct_selftest_has(const oct_selftest_run *test, const char *section, const char *module);

/* Marks the variants that are nearest to the scene: same module in that section, and fewest fields
 * there and of the boundary that shape the code in another way. `write` writes a variant's scene.
 */
oct_status oct_selftest_choose(bool *chosen, size_t n, const oct_selftest_run *test,
                               const char *section, void (*write)(char *out, size_t variant));

/* Whether boxes of the scene have images: then its gravity is tested with them (beyond.c). */
bool oct_selftest_has_images(const oct_selftest_run *test);

/* Whether bodies that stray too far are removed. */
bool oct_selftest_removes(const oct_setup *setup);

/* Whether all steps of the scene go many at once: leapfrog's `burst`. */
bool oct_selftest_leaps(const oct_selftest_run *test);

/* The scene's law of restitution if it is Bridges', else a number. */
const char *oct_selftest_restitution(const oct_selftest_run *test);

/* A gravity section whose programs the scene has compiled anyway, with forces of the exact sum;
 * *softening becomes 0 where the scene has none. `boxes`: a field for a tree; NULL: none. */
void oct_selftest_gravity(char out[160], double *softening, const oct_selftest_run *test,
                          const char *boxes);

/* Groups of a tree have fine boxes or coarse ones on GPUs, as there are bodies: both are tested.
 * How many kinds a device has, and the field that asks for one; the first is for few bodies. */
int oct_selftest_boxes(const oct_selftest_run *test);
const char *oct_selftest_box(int kind);

#endif
