/* Counter-based random numbers (Random123 Philox 4x32-10): a number depends on the seed, the
 * stream, the particle and the draw alone, so particles are the same on any device and in any
 * order of evaluation. kernels/random.clh draws the same stream on the device. */
#ifndef OCT_UTIL_RANDOM_H
#define OCT_UTIL_RANDOM_H

#include <stdint.h>

typedef struct oct_random {
    uint64_t seed;
    uint32_t stream; /* which model of the scene */
    uint32_t draw;   /* counts the calls for this particle */
    uint64_t particle;
} oct_random;

oct_random oct_random_start(uint64_t seed, uint32_t stream, uint64_t particle);
/* 128 random bits: the next draw of this particle. */
void oct_random_bits(uint32_t out[4], oct_random *random);
/* Uniform in the open interval (0, 1), 52 bits. */
double oct_random_uniform(oct_random *random);
/* Standard normal deviate. */
double oct_random_normal(oct_random *random);
/* A direction, uniform on the unit sphere. */
void oct_random_direction(double out[3], oct_random *random);

#endif
