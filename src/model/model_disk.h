/* An exponential disk of some thickness, with moments of its velocities that keep it as it is in
 * the field of spheres around it (Binney & Tremaine, sections 2.6, 4.4 and 4.8). */
#ifndef OCT_MODEL_MODEL_DISK_H
#define OCT_MODEL_MODEL_DISK_H

#include "model/model_equilibrium.h"

enum { OCT_DISK_NODES = 512 };

/* Density (M / 4 pi a^2 h) exp(-R/a) sech^2(z/h). With G = 1. */
typedef struct oct_disk {
    double mass, scale, height;
    oct_equilibrium_at spheres; /* the mass of all others inside a radius */
    const void *others;
    double dispersion; /* radial, squared, at R = 0; it falls as exp(-R/a), as the density does */
    double rotation[OCT_DISK_NODES]; /* square of the circular speed of the disk alone, by radius */
} oct_disk;

/* Tabulates the disk's own pull, and sets its dispersion so that the least of Toomre's
 * Q = sigma_R kappa / (3.36 G Sigma) is the one given. */
void oct_disk_solve(oct_disk *disk, double toomre);

/* The disk's mass inside a cylinder, which stands for that inside a sphere. model: an oct_disk. */
double oct_disk_mass(double radius, const void *model);

/* Square of the circular speed in the plane, of all matter. */
double oct_disk_circular(const oct_disk *disk, double radius);
/* Toomre's Q. */
double oct_disk_toomre(const oct_disk *disk, double radius);

/* Draws a particle's position and velocity. */
void oct_disk_draw(double position[3], double velocity[3], oct_random *random,
                   const oct_disk *disk);

#endif
