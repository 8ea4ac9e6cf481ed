/* Scalar oracles of the shearing sheet. */
#ifndef OCT_SELFTEST_ORACLE_SHEET_H
#define OCT_SELFTEST_ORACLE_SHEET_H

#include "selftest/oracle.h"

typedef struct oct_oracle_sheet {
    double size[3]; /* size[2] 0: open above and below */
    double omega, omega_z;
} oct_oracle_sheet;

/* Moves bodies for a time without forces. They are not wrapped. */
void oct_oracle_epicycle(oct_bodies *bodies, const oct_oracle_sheet *sheet, double time);

/* How far the next box outward lags behind, in sides of the box, within [-1/2, 1/2]. */
double oct_oracle_lag(const oct_oracle_sheet *sheet, double time);

/* Largest difference of positions, and of velocities over omega, between bodies in the box and
 * bodies that were never wrapped, whichever images they are; infinite where one is outside. */
double oct_oracle_sheet_error(const oct_bodies *inside, const oct_bodies *unwrapped,
                              const oct_oracle_sheet *sheet, double time);

/* Adds the pull of a uniform sheet of the box's surface density, outside of its images. */
void oct_oracle_beyond(oct_bodies *bodies, const oct_oracle_gravity *gravity);

#endif
