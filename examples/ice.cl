/* Frost on small spheres: Bridges' law, in SI units, and half of it where one below 1.5 m takes
 * part. A law made up to show how one is written. */
real octant_restitution(real speed, real radius_a, real radius_b)
{
    real bare = fmin((real)1, pow(speed / (real)7.7e-5, (real)-0.234));
    return fmin(radius_a, radius_b) < (real)1.5 ? bare / 2 : bare;
}
