/* First pass of a gas: the density of body i is the mass around it, weighted with its kernel. */
#include "gas.clh"

void octant_pair(octant_sum *sum, octant_body i, octant_body j, octant_gap gap,
                 constant octant_parameters *parameters)
{
    sum->density += j.mass * spline(sqrt(gap.r2), i.support, parameters->dimensions);
}
