/* Scalar oracles of what is measured in a patch of a sheet. */
#ifndef OCT_SELFTEST_ORACLE_DIAG_H
#define OCT_SELFTEST_ORACLE_DIAG_H

#include "octant/octant.h"

typedef struct oct_oracle_patch {
    double size[2], omega;
    double offset; /* how far the next box outward is shifted along y */
} oct_oracle_patch;

/* From body i to the image of body j that is this many boxes away in x and y. */
void oct_oracle_delta(double out[3], const oct_bodies *bodies, const oct_oracle_patch *patch,
                      size_t i, size_t j, int ix, int iy);

/* What src/diag/sheet.c measures, in its order. */
enum { OCT_ORACLE_SHEET_COLUMNS = 17 };
void oct_oracle_sheet_columns(double out[OCT_ORACLE_SHEET_COLUMNS], const oct_bodies *bodies,
                              const oct_oracle_patch *patch, double G);

/* Pairs that overlap, those across an edge of the box, and the mean and the largest overlap. */
typedef struct oct_oracle_overlaps {
    size_t pairs, across;
    double mean, largest;
} oct_oracle_overlaps;
oct_oracle_overlaps oct_oracle_overlap(const oct_bodies *bodies, const oct_oracle_patch *patch);

/* The viscosity of gravity within half of the shorter side, G being 1; `total` gets what it would
 * be if all pairs had the same sign. */
double oct_oracle_stress(double *total, const oct_bodies *bodies, const oct_oracle_patch *patch,
                         double softening);

/* How many of rays x rays through a grid on the midplane pass all spheres, so many rings of images
 * included. Angles in degrees. */
size_t oct_oracle_passing(const oct_bodies *bodies, const oct_oracle_patch *patch, int images,
                          double elevation, double azimuth, size_t rays);

/* Relative variation of the surface density seen through a Gaussian of this full width at half
 * maximum: beyond that of bodies at random, and theirs. A sum over all pairs, without a grid. */
void oct_oracle_wakes(double out[2], const oct_bodies *bodies, const oct_oracle_patch *patch,
                      double width);

#endif
