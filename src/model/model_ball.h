/* What models of solid spheres share. */
#ifndef OCT_MODEL_MODEL_BALL_H
#define OCT_MODEL_MODEL_BALL_H

#include "core/setup.h"
#include "util/status.h"

double oct_model_ball_mass(double radius, double density);

/* Refuses a box that is smaller than the ball: it would touch its own image. */
oct_status oct_model_ball_fits(const oct_setup *setup, double radius);

#endif
