/* Scalar steps of the integrators that split forces into those inside a system and all others. */
#ifndef OCT_SELFTEST_ORACLE_PARTS_H
#define OCT_SELFTEST_ORACLE_PARTS_H

#include "octant/octant.h"

typedef struct oct_oracle_parts {
    const char *integrator; /* "wh", "respa" or "two-rate" */
    double G, dt;
    int substeps;
    bool euler; /* two-rate: inner steps are explicit */
    bool alone; /* wh: no system pulls another */
} oct_oracle_parts;

/* One step of bodies that all take part; those of a system are one after another. */
oct_status oct_oracle_parts_step(oct_bodies *bodies, const oct_oracle_parts *step);

#endif
