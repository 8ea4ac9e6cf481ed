/* Linear drag, a = -v / tau: angular momentum falls as exp(-t / tau) on any orbit. The scene gives
 * tau, in its own units. */
real4 octant_force(real3 position, real3 velocity, real mass, ulong id, real time,
                   constant octant_parameters *parameters)
{
    return (real4)(-velocity / parameters->tau, 0);
}
