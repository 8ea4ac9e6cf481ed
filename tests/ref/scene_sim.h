/* Simulations from scene text, for tests: one device, opened once a test program. */
#ifndef OCT_TESTS_SCENE_SIM_H
#define OCT_TESTS_SCENE_SIM_H

#include "octant/octant.h"

/* The device the tests run on: $OCTANT_TEST_DEVICE, or the best one. */
oct_device *ref_device(void);
/* Whether it is a CPU by another driver than PoCL. */
bool ref_is_other_cpu(void);
/* Fields of tree gravity that ask for each walk the device has, in turn: its own, those of GPUs
 * with fine and coarse boxes, which other CPUs run as `portable`. NULL past the last. */
const char *ref_walk(size_t index);
void ref_device_close(void);

/* Creates a simulation; the format makes the scene. Fails the test when it cannot. */
oct_sim *ref_sim(oct_precision precision, const char *format, ...);
/* As above, for what must be refused: the status, with the sentence in oct_last_error(). */
oct_status ref_sim_status(oct_precision precision, const char *format, ...);

/* Fails the test with the library's sentence; skips it where that says what the build lacks. */
void ref_ok(oct_status status);
/* Fails the test unless this is part of the library's last sentence. */
void ref_says(const char *part);
/* The hash of the exact state. */
uint64_t ref_hash(oct_sim *sim);
/* Writes a checkpoint, resumes it, takes so many steps with both and fails the test unless they end
 * with the same bits. The resumed one. */
oct_sim *ref_resume(oct_sim *sim, const char *path, uint64_t steps);
/* One measurement by name. */
double ref_measure(oct_sim *sim, const char *name);

#endif
