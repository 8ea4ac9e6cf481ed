/* Philox on the host, and the distributions that models draw from. */
#include "util/random.h"

#include <Random123/philox.h>
#include <math.h>

static const double two_pi = 6.283185307179586476925;

oct_random oct_random_start(uint64_t seed, uint32_t stream, uint64_t particle)
{
    return (oct_random){.seed = seed, .stream = stream, .particle = particle};
}

void oct_random_bits(uint32_t out[4], oct_random *random)
{
    philox4x32_ctr_t counter = {{(uint32_t)random->particle, (uint32_t)(random->particle >> 32),
                                 random->draw++, random->stream}};
    philox4x32_key_t key = {{(uint32_t)random->seed, (uint32_t)(random->seed >> 32)}};
    philox4x32_ctr_t bits = philox4x32(counter, key);
    for (int i = 0; i < 4; i++)
        out[i] = bits.v[i];
}

double oct_random_uniform(oct_random *random)
{
    uint32_t bits[4];
    oct_random_bits(bits, random);
    uint64_t word = ((uint64_t)bits[1] << 32 | bits[0]) >> 12;
    return ((double)word + 0.5) * 0x1p-52;
}

double oct_random_normal(oct_random *random)
{
    double radius = sqrt(-2 * log(oct_random_uniform(random)));
    return radius * cos(two_pi * oct_random_uniform(random));
}

void oct_random_direction(double out[3], oct_random *random)
{
    double z = 2 * oct_random_uniform(random) - 1;
    double angle = two_pi * oct_random_uniform(random), flat = sqrt(1 - z * z);
    out[0] = flat * cos(angle);
    out[1] = flat * sin(angle);
    out[2] = z;
}
