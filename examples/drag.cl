/* Linear drag, a = -v / TAU: angular momentum falls as exp(-t / TAU) on any orbit. */
#define TAU ((real)20)

real4 octant_force(real3 position, real3 velocity, real mass, ulong id, real time)
{
    return (real4)(-velocity / TAU, 0);
}
