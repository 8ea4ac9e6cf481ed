/* The two-body problem; most of it is in octant.h. */
#ifndef OCT_UTIL_KEPLER_H
#define OCT_UTIL_KEPLER_H

#include "util/status.h"

/* The relative position and velocity on an ellipse in the x-y plane with its pericentre on +x. */
void oct_kepler_state(double position[3], double velocity[3], double mu, double semi_major_axis,
                      double eccentricity, double mean_anomaly);

#endif
