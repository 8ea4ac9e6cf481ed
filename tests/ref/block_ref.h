/* Leapfrog with a step of its own for each body, as a plain loop in double over all pairs. */
#ifndef OCT_TESTS_BLOCK_REF_H
#define OCT_TESTS_BLOCK_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "octant/octant.h"

/* dt is 2^20 ticks. */
enum { REF_BLOCK_TICKS = 1 << 20 };

typedef struct ref_block_rules {
    double dt, eta, length, softening;
    double heavy; /* the mass beyond which bodies take the shortest step of all */
    int levels;
    bool gadget, shared, symmetric;
} ref_block_rules;

/* A body at the beginning of its step. */
typedef struct ref_block_body {
    double x[3], v[3], a[3], mass;
    double wanted; /* the step that it last wanted; 0: none yet */
    int64_t begin, ticks;
} ref_block_body;

typedef struct ref_block {
    ref_block_rules rules;
    size_t n;
    ref_block_body *bodies;
    int64_t now;
    uint64_t forces; /* of a body that were found */
} ref_block;

/* Bodies at rest in time 0; G = 1. */
void ref_block_start(ref_block *out, const oct_bodies *bodies, const ref_block_rules *rules);
/* To the next time at which a step ends. */
void ref_block_step(ref_block *block);
/* Where a body is now, and how fast. */
void ref_block_now(double x[3], double v[3], const ref_block *block, size_t i);
/* The level of a body's step. */
int ref_block_level(const ref_block *block, size_t i);
void ref_block_clear(ref_block *block);

#endif
