/* The faces of a box whose images slide past: what an integrator that moves bodies needs to put
 * those that leave it back, as the boundary's own pass over all bodies would. */
#ifndef OCT_CORE_FACES_H
#define OCT_CORE_FACES_H

#include <octant/octant.h>

typedef struct oct_faces {
    double size[3]; /* 0: nothing repeats in this direction */
    double offset;  /* how far the next box outward lags behind, */
    double speed;   /* and how much faster its image is */
    void *boundary; /* whose these are */
    /* Sets all of this for a time. */
    void (*find)(struct oct_faces *faces, double time);
} oct_faces;

#endif
