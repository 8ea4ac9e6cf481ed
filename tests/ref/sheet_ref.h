/* Shearing sheets whose particles feel nothing but the frame, and how their orbits change. */
#ifndef OCT_TESTS_SHEET_REF_H
#define OCT_TESTS_SHEET_REF_H

#include "selftest/oracle_sheet.h"

/* n particles with guiding centres within 1 of the origin and amplitudes up to 2. */
oct_sim *ref_sheet(const oct_oracle_sheet *sheet, oct_precision precision, int n, double dt);

/* The mean change of the squared amplitudes, radial and vertical, and of the guiding centres, over
 * what chance allows, four standard errors. The largest of the three; above 1 it is a drift. */
double ref_sheet_drift(const oct_bodies *start, const oct_bodies *now,
                       const oct_oracle_sheet *sheet, oct_precision precision);

#endif
