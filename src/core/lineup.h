/* A rank's bodies in the order of the space-filling curve through the box of all ranks' bodies,
 * with the keys that an octree of them all would have. */
#ifndef OCT_CORE_LINEUP_H
#define OCT_CORE_LINEUP_H

#include "array/primitives.h"
#include "core/sim.h"

/* Those at one place of the curve go by their places in the scene: no two are equal. */
typedef struct oct_point {
    uint64_t key, place;
} oct_point;

static inline bool oct_point_before(oct_point a, oct_point b)
{
    return a.key != b.key ? a.key < b.key : a.place < b.place;
}

typedef struct oct_lineup {
    uint32_t n;       /* bodies that are not removed */
    oct_point *at;    /* in order */
    uint32_t *row;    /* in the domain */
    uint64_t *before; /* n + 1: what the bodies before each cost, and all of them */
} oct_lineup;

/* All ranks call it. What a body costs is in its column oct_lineup_cost, else 1. */
oct_status oct_lineup_make(oct_lineup *out, oct_sim *sim);
void oct_lineup_clear(oct_lineup *lineup);
/* The box around the bodies of all ranks, as oct_array_box leaves that of one; all call it. A rank
 * without any has one that is inside out. */
oct_status oct_lineup_box(oct_buffer *bounds, oct_primitives *primitives, oct_domain *domain);
/* The first body at a point or behind it. */
uint32_t oct_lineup_find(const oct_lineup *lineup, oct_point point);

/* A column for a force that counts what a body costs in its last step: interactions, no times. It
 * is a force's own (oct_domain_add_array), and saved, since it decides who has which bodies. */
extern const oct_column_spec oct_lineup_cost;

#endif
