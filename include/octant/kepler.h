/* A part of octant.h: two bodies alone, by Kepler's laws. */
#ifndef OCTANT_KEPLER_H
#define OCTANT_KEPLER_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Eccentric anomaly from mean anomaly, 0 <= e < 1, to round-off. */
double oct_kepler_anomaly(double mean_anomaly, double eccentricity);
/* Moves a relative orbit by a time, forward or back, under mu = G (m1 + m2): an ellipse, parabola
 * or hyperbola, or a straight line, on which bodies that meet go back the way they came. */
oct_status oct_kepler_advance(double position[3], double velocity[3], double mu, double t);

/* The shape of an orbit and where it lies; angles in radians, from 0 to 2 pi where they turn. */
typedef struct oct_elements {
    double semi_major_axis; /* negative: a hyperbola; infinite: a parabola */
    double eccentricity;
    double inclination;  /* to the x-y plane, 0 to pi */
    double node;         /* of the ascending node, from x; 0 for an orbit in the x-y plane */
    double pericentre;   /* from the node along the orbit; of a circle where the body is */
    double mean_anomaly; /* time since the pericentre times sqrt(mu / |a|^3); in place of |a|, of a
                            parabola the distance of the pericentre */
} oct_elements;
/* Finds them from a relative position and velocity under mu = G (m1 + m2). */
oct_status oct_kepler_elements(oct_elements *out, const double position[3],
                               const double velocity[3], double mu);

#ifdef __cplusplus
}
#endif
#endif
