/* The parts of the self-tests that a device has yet to pass. Where its driver compiles for several
 * threads at a time these share them; where it does not, processes do, each from its own end. What
 * has passed is remembered, part for part. */
#ifndef OCT_SELFTEST_PLAN_H
#define OCT_SELFTEST_PLAN_H

#include "selftest/selftest.h"

/* Runs what is due of all cases, as `what` has it: its device, precision and scene. */
oct_status oct_selftest_catch_up(const oct_selftest_run *what, const oct_trust_watch *watch);

/* Whether the part is the one to be run now; it is noted when the plan is still being made. */
bool oct_selftest_claim(oct_selftest_run *test, const char *name);

/* Runs a case, whatever its comparisons say. */
oct_status oct_selftest_run_case(oct_selftest_run *test, const oct_selftest_table *one);
/* What is to be said of a device after all comparisons. */
oct_status oct_selftest_verdict(const oct_selftest_run *test);
/* Runs every case. */
oct_status oct_selftest_run_all(oct_selftest_run *test);

#endif
