/* A disk galaxy on its own: what it is in rings, how two-body encounters heat it, whether it stays
 * what it is. */
#ifndef OCT_TESTS_DISK_REF_H
#define OCT_TESTS_DISK_REF_H

#include "octant/octant.h"

enum { REF_RINGS = 6 };

/* A disk in rings of one half of a scale length, from 0.5 on, and what is not the disk in shells of
 * the same radii. With G = 1. */
typedef struct ref_disk {
    double scale;
    double speed[REF_RINGS];      /* circular, from the mean pull towards the axis */
    double number[REF_RINGS];     /* of the disk's particles */
    double height;                /* root mean square, of all rings */
    double turning;               /* mean speed round the axis, of all rings */
    double surface[REF_RINGS];    /* density of the disk */
    double grain[REF_RINGS];      /* sum of m^2 over the volume: density times mass of a particle */
    double dispersion[REF_RINGS]; /* of the spheres' velocities, a component's */
    double inside[REF_RINGS];     /* mass of the spheres within the middle of the shell */
} ref_disk;

/* A disk with this scale length about the first body, the black hole. */
ref_disk ref_disk_look(oct_sim *sim, double scale);

/* Lets a galaxy turn so many times at two scale lengths, and fails the test unless circular speeds
 * stay within 5 %, and the height grows no more than by two-body heating. `height` is that of the
 * disk's sech^2. */
void ref_disk_stays(oct_sim *sim, double scale, double height, double softening, double dt,
                    double rotations);

/* Strength of a bar: the length of the mean of exp(2 i phi) over the disk's particles inside two
 * scale lengths of where they are densest. */
double ref_disk_bar(oct_sim *sim, double scale);

#endif
