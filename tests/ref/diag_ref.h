/* A patch of a sheet with random bodies, for tests of what is measured in it. */
#ifndef OCT_TESTS_DIAG_REF_H
#define OCT_TESTS_DIAG_REF_H

#include "core/sim.h"
#include "selftest/oracle_diag.h"

/* Sides of the box, and the angular speed of the frame. */
#define REF_PATCH_X     40.0
#define REF_PATCH_Y     30.0
#define REF_PATCH_OMEGA 0.8

typedef struct ref_patch {
    oct_sim *sim;
    oct_bodies bodies; /* random; change them and put them again */
} ref_patch;

/* sections: what the scene says beside box, models, integrator and run, with units: nbody. */
void ref_patch_start(ref_patch *patch, oct_precision precision, size_t n, const char *sections);
void ref_patch_end(ref_patch *patch);
/* Puts the bodies on the device, at this time; those outside of the box are wrapped into it. */
void ref_patch_put(ref_patch *patch, double time);

/* The patch as it is by now, for oracles. */
oct_oracle_patch ref_patch_now(const ref_patch *patch);

/* The next of a sequence of random numbers in [0, 1). */
double ref_uniform(uint64_t *state);

/* What a module of the diag family measures, whether or not it applies to the scene. */
void ref_measure_with(double *out, const oct_diag *diag, oct_sim *sim);

#endif
