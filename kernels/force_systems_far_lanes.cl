/* Sums over systems for CPUs: a work-item sums over all sources of a part for LANES systems or
 * bodies, one vector lane each. Reads what force_systems_centres wrote; writes partial sums, one
 * for each part and target, and the lists of opened systems. Work-groups of one work-item. */
#include "precision.clh"
#include "lanes.clh"

typedef lanes number;
typedef lanes_index flag;
#if OCT_PRECISION == 3
typedef long lane_int;
#else
typedef int lane_int;
#endif
#define ROOT(x) lanes_rsqrt(x)
#include "force_systems_far.clh"

typedef struct {
    lanes at[TARGET_SIZE];
    lanes_index own;
    wide total[PHI + 1];
    lanes tides[SUMS]; /* the rest of the sums, in their places */
    lanes apart;      /* squares of the distances to the nearest systems */
    lanes_index list; /* a bit for each block since it was last written */
} far_targets;

/* The sources [j0, j1), which are a block. */
static inline void sum_block(far_targets *t, global const force4 *high, global const force4 *low,
                             global const force4 *quad, force block_reach, uint j0, uint j1,
                             uint bit, force softening2, bool image)
{
    lanes sums[SUMS], least = (lanes)(INFINITY), apart = least;
#pragma unroll
    for (uint k = 0; k < SUMS; k++)
        sums[k] = (lanes)(0);
    for (uint j = j0; j < j1; j++) {
        source s = load_source(high, low, quad, j);
        add_blindly(sums, &least, &apart, t->at, &s, softening2);
    }
    lanes widest = t->at[REACH] + block_reach;
    if (any(IS_OPEN(widest, least))) {
        lanes_index open = (lanes_index)(0);
#pragma unroll
        for (uint k = 0; k < SUMS; k++)
            sums[k] = (lanes)(0);
        apart = (lanes)(INFINITY);
        for (uint j = j0; j < j1; j++) {
            source s = load_source(high, low, quad, j);
            open |= add_carefully(sums, &apart, t->at, &s,
                                  t->own == (lanes_index)(image ? -1 : (int)j), softening2);
        }
        t->list |= open & (lanes_index)(1l << bit);
    }
#pragma unroll
    for (uint k = 0; k <= PHI; k++)
        wide_add(&t->total[k], sums[k]);
#pragma unroll
    for (uint k = TIDE; k < SUMS; k++)
        t->tides[k] += sums[k];
    t->apart = fmin(t->apart, apart);
}

/* A word of each target's list; begins the next. */
#define WRITE_LISTS(word)                                                                          \
    do {                                                                                           \
        lane_int list[LANES];                                                                      \
        store_lanes(t.list, 0, list);                                                              \
        for (uint k = 0; k < size; k++)                                                            \
            WRITE_LIST(list[k], i0 + k, own[k], word);                                             \
        t.list = (lanes_index)(0);                                                                 \
    } while (0)

/* Lanes past the end repeat the last target; what they sum up is not stored. */
static inline void load_targets(far_targets *t, uint *own, uint i0, global const force4 *high,
                                global const force4 *low, global const real4 *position,
                                global const real4 *centre, global const uint *system_of,
                                real scale, uint targets)
{
    force rows[TARGET_SIZE * LANES], row[TARGET_SIZE];
    lane_int index[LANES];
    for (uint k = 0; k < LANES; k++) {
        own[k] = load_target(row, min(i0 + k, targets - 1), high, low, position, centre, system_of,
                             scale);
        index[k] = (lane_int)own[k];
        for (uint c = 0; c < TARGET_SIZE; c++)
            rows[c * LANES + k] = row[c];
    }
    for (uint c = 0; c < TARGET_SIZE; c++)
        t->at[c] = load_lanes(c, rows);
    t->own = load_lanes(0, index);
    for (uint k = 0; k <= PHI; k++)
        t->total[k] = wide_zero();
    for (uint k = 0; k < SUMS; k++)
        t->tides[k] = (lanes)(0);
    t->apart = (lanes)(INFINITY);
    t->list = (lanes_index)(0);
}

#ifdef IMAGES
/* The targets as they are seen from an image of the box. */
static inline void shift_targets(far_targets *t, const uint *own, global const force4 *low,
                                 global const real4 *centre, real4 origin, real4 shift, real scale)
{
    force rows[(REACH + 1) * LANES], row[REACH + 1];
    for (uint k = 0; k < LANES; k++) {
        pulled p = load_shifted(own[k], low, centre, origin, shift, scale);
        place_target(row, &p);
        for (uint c = 0; c <= REACH; c++)
            rows[c * LANES + k] = row[c];
    }
    for (uint c = 0; c <= REACH; c++)
        t->at[c] = load_lanes(c, rows);
}
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void force_systems_far_lanes(FAR_ARGUMENTS)
{
    uint part = (uint)get_group_id(0) % parts, i0 = (uint)get_group_id(0) / parts * LANES;
    uint2 range = part_range(part, parts, systems);
    uint own[LANES], bit = 0, word = 0, size = min((uint)LANES, targets - i0);
    far_targets t;
    load_targets(&t, own, i0, high, low, position, centre, system_of, scale, targets);
    for (uint j0 = range.x; j0 < range.y; j0 += BLOCK) {
        EACH_IMAGE {
#ifdef IMAGES
            shift_targets(&t, own, low, centre, position[0], acting_shift[image], scale);
#endif
            sum_block(&t, high, low, quad, reach[j0 / BLOCK], j0, min(j0 + BLOCK, range.y), bit,
                      (force)softening2, image > 0);
        }
        if (++bit == 32) {
            WRITE_LISTS(word);
            bit = 0;
            word++;
        }
    }
    for (; word < words; word++)
        WRITE_LISTS(word);
    real pull[(PHI + 1) * LANES];
    force rows[(SUMS + 1) * LANES];
    for (uint k = 0; k <= PHI; k++)
        store_wide(WIDE_LANES(t.total[k]), k, pull);
    for (uint k = TIDE; k < SUMS; k++)
        store_lanes(t.tides[k], k, rows);
    store_lanes(t.apart, SUMS, rows);
    for (uint k = 0; k < size; k++) {
        force sums[SUMS];
        for (uint c = TIDE; c < SUMS; c++)
            sums[c] = rows[c * LANES + k];
        real4 p = (real4)(pull[k], pull[LANES + k], pull[2 * LANES + k], pull[3 * LANES + k]);
        WRITE_SUMS(i0 + k, own[k], p, sums, rows[SUMS * LANES + k]);
    }
}
