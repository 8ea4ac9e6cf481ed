/* Self-tests: each case runs kernels on a device and compares them with a scalar
 * double-precision oracle. A case is one file here that defines oct_selftest_<file>. */
#ifndef OCT_SELFTEST_SELFTEST_H
#define OCT_SELFTEST_SELFTEST_H

#include "core/sim.h"

typedef struct oct_selftest_run {
    oct_device *device;
    oct_selftest_report report;
    void *context;
    oct_precision only; /* AUTO: every precision the device has */
    bool used;          /* only what this kind of device uses by itself */
    bool failed;
    char first_failure[160];
} oct_selftest_run;

typedef struct oct_selftest_table {
    const char *name, *doc;
    oct_status (*run)(oct_selftest_run *test);
} oct_selftest_table;

extern const oct_selftest_table *const oct_selftests[];

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
void oct_selftest_end(oct_selftest_pair *pair);

/* The precisions this device has, in turn; false past the last. */
bool oct_selftest_precision(oct_precision *out, const oct_selftest_run *test, int index);

#endif
