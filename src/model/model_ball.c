/* The mass of a solid sphere, and a box that it has to fit into. */
#include "model/model_ball.h"

#include <math.h>

double oct_model_ball_mass(double radius, double density)
{
    return 4 * acos(-1.0) / 3 * radius * radius * radius * density;
}

oct_status oct_model_ball_fits(const oct_setup *setup, double radius)
{
    const oct_boundary *boundary = oct_setup_boundary(setup);
    double size[3];
    if (!boundary->size || !boundary->size(size, setup->boundary.state))
        return OCT_STATUS_OK;
    double side = fmin(size[0], fmin(size[1], size[2]));
    OCT_CHECK(side >= 2 * radius, OCT_STATUS_INPUT,
              "box.size has a side of %g, smaller than a particle of diameter %g; expected a box "
              "larger than every particle",
              side, 2 * radius);
    return OCT_STATUS_OK;
}
