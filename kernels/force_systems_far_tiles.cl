/* Sums over systems for GPUs: a work-group stages TILE sources in local memory, and each work-item
 * sums over them for TARGETS systems or bodies. Reads what force_systems_centres wrote; writes
 * partial sums, one for each part and target, and the lists of opened systems. Arrays are unrolled,
 * so that they stay in registers. Work-groups of TILE. */
#include "precision.clh"
#include "wide.clh"

#ifndef TARGETS
#define TARGETS 2
#endif
#ifndef UNROLL
#define UNROLL 8
#endif

typedef force number;
typedef int flag;
#define ROOT(x) RSQRT(x)
#include "force_systems_far.clh"

/* Far enough to be no one's neighbour, and without mass. */
#define NOWHERE (force4)((force)1e15f, (force)1e15f, (force)1e15f, 0)

typedef struct {
    force at[TARGET_SIZE];
    uint index, own;
    wide total;        /* pull and potential */
    force tides[SUMS]; /* the rest of the sums, in their places */
    force apart;       /* square of the distance to the nearest system */
    uint list;         /* a bit for each block since it was last written */
} far_target;

/* The same block once more, with a look at each source. */
static inline void sum_carefully(force *sums, force *apart, far_target *t,
                                 local const source *block, uint j0, uint bit, force softening2,
                                 bool image)
{
    flag open = 0;
#pragma unroll
    for (uint k = 0; k < SUMS; k++)
        sums[k] = 0;
    *apart = INFINITY;
    for (uint k = 0; k < BLOCK; k++) {
        source s = block[k];
        open |= add_carefully(sums, apart, t->at, &s, !image && j0 + k == t->own, softening2);
    }
    t->list |= open ? 1u << bit : 0;
}

static inline void sum_block(far_target *t, local const source *block, force block_reach, uint j0,
                             uint bit, force softening2, bool image)
{
    force sums[TARGETS][SUMS], least[TARGETS], apart[TARGETS];
#pragma unroll
    for (uint i = 0; i < TARGETS; i++) {
#pragma unroll
        for (uint k = 0; k < SUMS; k++)
            sums[i][k] = 0;
        least[i] = apart[i] = INFINITY;
    }
#pragma unroll UNROLL
    for (uint k = 0; k < BLOCK; k++) {
        source s = block[k];
#pragma unroll
        for (uint i = 0; i < TARGETS; i++)
            add_blindly(sums[i], &least[i], &apart[i], t[i].at, &s, softening2);
    }
#pragma unroll
    for (uint i = 0; i < TARGETS; i++) {
        force widest = t[i].at[REACH] + block_reach;
        if (IS_OPEN(widest, least[i]))
            sum_carefully(sums[i], &apart[i], &t[i], block, j0, bit, softening2, image);
        wide_add(&t[i].total, (force4)(sums[i][X], sums[i][Y], sums[i][Z], sums[i][PHI]));
#pragma unroll
        for (uint k = TIDE; k < SUMS; k++)
            t[i].tides[k] += sums[i][k];
        t[i].apart = fmin(t[i].apart, apart[i]);
    }
}

kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void
force_systems_far_tiles(FAR_ARGUMENTS)
{
    local source tile[TILE];
    uint lane = (uint)get_local_id(0), part = (uint)get_group_id(0) % parts;
    uint base = (uint)get_group_id(0) / parts * (TILE * TARGETS) + lane;
    uint2 range = part_range(part, parts, systems);
    far_target t[TARGETS];
#pragma unroll
    for (uint i = 0; i < TARGETS; i++) {
        t[i].index = min(base + i * TILE, targets - 1);
        t[i].own = load_target(t[i].at, t[i].index, high, low, position, centre, system_of, scale);
        t[i].total = wide_zero();
#pragma unroll
        for (uint k = 0; k < SUMS; k++)
            t[i].tides[k] = 0;
        t[i].apart = INFINITY;
        t[i].list = 0;
    }
    uint bit = 0, word = 0;
    for (uint j0 = range.x; j0 < range.y; j0 += TILE) {
        barrier(CLK_LOCAL_MEM_FENCE);
        source staged = load_source(high, low, quad, min(j0 + lane, systems - 1));
        if (j0 + lane >= range.y) {
            staged.high = NOWHERE;
            staged.low = (force4)(0);
        }
        tile[lane] = staged;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint b = 0; b < TILE && j0 + b < range.y; b += BLOCK, bit++) {
            EACH_IMAGE {
#ifdef IMAGES
#pragma unroll
                for (uint i = 0; i < TARGETS; i++) {
                    pulled p = SEEN(t[i].own);
                    place_target(t[i].at, &p);
                }
#endif
                sum_block(t, tile + b, reach[(j0 + b) / BLOCK], j0 + b, bit, (force)softening2,
                          image > 0);
            }
        }
        if (bit == 32) {
#pragma unroll
            for (uint i = 0; i < TARGETS; i++)
                WRITE_LIST(t[i].list, t[i].index, t[i].own, word);
            bit = 0;
            word++;
        }
    }
#pragma unroll
    for (uint i = 0; i < TARGETS; i++) {
        for (uint w = word; w < words; w++)
            WRITE_LIST(t[i].list, t[i].index, t[i].own, w);
        WRITE_SUMS(t[i].index, t[i].own, convert_real4(WIDE_VALUE(t[i].total)), t[i].tides,
                   t[i].apart);
    }
}
