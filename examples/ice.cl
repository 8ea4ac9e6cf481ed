/* Frost on small spheres: Bridges' law with the scene's speed, and a part of it where one below
 * the scene's radius takes part. A law made up to show how one is written. */
real octant_restitution(real speed, real radius_a, real radius_b,
                        constant octant_parameters *parameters)
{
    real bare = fmin((real)1, pow(speed / parameters->speed, (real)-0.234));
    return fmin(radius_a, radius_b) < parameters->radius ? bare * parameters->part : bare;
}
