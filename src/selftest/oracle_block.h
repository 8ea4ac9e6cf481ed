/* Leapfrog with a step of its own for each body, as a plain loop in double over all pairs. */
#ifndef OCT_SELFTEST_ORACLE_BLOCK_H
#define OCT_SELFTEST_ORACLE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "octant/octant.h"

/* dt is 2^20 ticks. */
enum { OCT_ORACLE_BLOCK_TICKS = 1 << 20 };

typedef struct oct_oracle_block_rules {
    double dt, eta, length, softening;
    double heavy;    /* the mass beyond which bodies take the shortest step of all */
    double orbit;    /* of the time of an orbit about such a body a step has at most; 0: any */
    double patience; /* dt for which a longer step was wanted before it is taken */
    int levels;
    bool gadget, escape, shared, symmetric;
} oct_oracle_block_rules;

/* A body at the beginning of its step. */
typedef struct oct_oracle_block_body {
    double x[3], v[3], a[3], potential, mass;
    double wanted; /* the step that it last wanted; 0: none yet */
    int64_t calm;  /* ticks for which it has wanted a longer one than it had */
    int64_t begin, ticks;
} oct_oracle_block_body;

typedef struct oct_oracle_block {
    oct_oracle_block_rules rules;
    size_t n;
    oct_oracle_block_body *bodies;
    int64_t now;
    uint64_t forces; /* of a body that were found */
    double margin;   /* how near to a power of two dt came to be, in steps that were wanted */
    double (*places)[3];
} oct_oracle_block;

/* From time 0; G = 1. */
oct_status oct_oracle_block_start(oct_oracle_block *out, const oct_bodies *bodies,
                                  const oct_oracle_block_rules *rules);
/* To the next time at which a step ends. */
void oct_oracle_block_step(oct_oracle_block *block);
/* Where a body is now, and how fast. */
void oct_oracle_block_now(double x[3], double v[3], const oct_oracle_block *block, size_t i);
/* The level of a body's step. */
int oct_oracle_block_level(const oct_oracle_block *block, size_t i);
void oct_oracle_block_clear(oct_oracle_block *block);

#endif
