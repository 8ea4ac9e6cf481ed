/* Second pass of a gas: pressure and artificial viscosity (Monaghan 1992, sections 2.2, 4.1 and 5),
 * P = (gamma - 1) density u. The kernel of a pair is the mean of both bodies', so that momentum and
 * energy given are momentum and energy taken. The support follows the density. */
#include "gas.clh"

static real viscosity(octant_body i, octant_body j, octant_gap gap, real pressure_i,
                      real pressure_j, constant octant_parameters *parameters)
{
    real h = (i.support + j.support) / 4, density = (i.density + j.density) / 2;
    real sound = (sqrt(parameters->gamma * pressure_i / i.density) +
                  sqrt(parameters->gamma * pressure_j / j.density)) / 2;
    real mu = h * dot(gap.v, gap.d) / (gap.r2 + (real)0.01 * h * h);
    /* Only what approaches is slowed down. */
    return mu < 0 ? mu * (parameters->beta * mu - parameters->alpha * sound) / density : 0;
}

void octant_pair(octant_sum *sum, octant_body i, octant_body j, octant_gap gap,
                 constant octant_parameters *parameters)
{
    real r = sqrt(gap.r2);
    if (r == 0)
        return;
    real dimensions = parameters->dimensions;
    real slope = (spline_slope(r, i.support, dimensions) +
                  spline_slope(r, j.support, dimensions)) / (2 * r);
    real p_i = (parameters->gamma - 1) * i.density * i.u;
    real p_j = (parameters->gamma - 1) * j.density * j.u;
    real own = p_i / (i.density * i.density), other = p_j / (j.density * j.density);
    real friction = viscosity(i, j, gap, p_i, p_j, parameters);
    real closing = j.mass * slope * dot(gap.v, gap.d); /* how fast j adds to the density of i */
    sum->acceleration += j.mass * (own + other + friction) * slope * gap.d;
    sum->u_rate += (own + friction / 2) * closing;
    sum->support_rate -= i.support / (dimensions * i.density) * closing;
}
