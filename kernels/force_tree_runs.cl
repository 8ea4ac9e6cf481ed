/* What the groups of a run of RUN particles have in common, before they walk: cells that are far
 * from all of them, in one expansion about the run's middle, and a list of cells to begin with.
 * A work-group of 32 walks for a run; cells that a group might take as they are, which it sees at
 * NEARER of their distance from the middle, and leaves are listed, others opened. Where the list
 * has no room left, nothing is opened any more. Groups test what is listed themselves: only far
 * cells are decided here. Reads the tree and its records; writes
 *   run_centre  the middle of a run and the size of its expansion, 0 where there is none
 *   run_sums    the expansion, RUN_TERMS a run
 *   begin       the list, RUN_ROOM a run
 *   n_begin     its length; NO_CELL: with that many images groups begin at the roots
 * and that nobody is torn yet (force_tree_torn.clh). */
#include "force_tree.clh"
#include "wide.clh"
#include "force_tree_warp.clh"
#include "force_tree_torn.clh"

#if CRITERION == CRITERION_RELATIVE
#define NEARER ((force)0.8)
#else
#define NEARER ((force)1)
#endif

typedef struct {
    union {
        struct {
            uint stack[STACK], far[2 * LANES];
        };
        force sums[LANES * EXPANSION_TERMS];
    };
    uint votes[LANES];
    force4 tile[LANES];
#ifdef IMAGES
    real4 centres[BATCH];
#endif
} run_room;

/* A run of particles: its middle and its radius, relative to its first particle, and alpha times
 * the smallest and the largest acceleration. */
typedef struct {
    force4 middle;
    force radius, least, most;
#ifdef SOFTENINGS
    force softening2, spread; /* of its expansion */
#endif
} run_extent;

/* Whether somebody of the run is: where few are, most runs have no more to read than this. */
static inline bool run_active(local run_room *r, global const uchar *active,
                              global const uint *order, uint base, uint n)
{
    bool any = !active;
    for (uint j = 0; active && j < RUN / LANES; j++)
        any |= active[order[min(base + j * LANES + (uint)get_local_id(0), n - 1)]] != 0;
    return ballot(any, r->votes) != 0;
}

static inline run_extent find_run(local run_room *r, real4 centre, global const real4 *sorted,
                                  global const uint *order, global const real *before, uint base,
                                  uint n, real scale, real alpha, real least_acceleration)
{
    uint lane = (uint)get_local_id(0);
    run_extent run;
    force4 low = (force4)(INFINITY), high = (force4)(-INFINITY);
    force least = INFINITY, most = 0, r2 = 0;
    for (uint j = 0; j < RUN / LANES; j++) {
        uint i = min(base + j * LANES + lane, n - 1);
        force4 x = relative(sorted[i], centre, scale);
        low = fmin(low, x);
        high = fmax(high, x);
#if CRITERION == CRITERION_RELATIVE
        force has = least_before(before[order[i]], alpha, least_acceleration);
        least = fmin(least, has);
        most = fmax(most, has);
#endif
    }
    low = lowest_of_all(r->tile, low);
    high = -lowest_of_all(r->tile, -high);
    run.middle = (low + high) / 2;
    for (uint j = 0; j < RUN / LANES; j++) {
        uint i = min(base + j * LANES + lane, n - 1);
        force4 d = relative(sorted[i], centre, scale) - run.middle;
        r2 = fmax(r2, d.x * d.x + d.y * d.y + d.z * d.z);
    }
    force4 worst = lowest_of_all(r->tile, (force4)(-r2, least, -most, 0));
    run.radius = sqrt(-worst.x);
    /* The least of any group is no less than that of the run. */
    run.least = worst.y;
    run.most = -worst.z;
    return run;
}

#ifdef SOFTENINGS
#define RUN_SOFTENINGS      , global const force *sorted_soft, global const force2 *soft
#define OF_RUN              , run.spread
#define RUN_SOFT            , soft
#define RUN_SOFTENING2      run.softening2

/* The middle of what the particles of a run bring to softenings, and the spread. */
static inline void find_softenings(run_extent *run, local run_room *r,
                                   global const force *sorted_soft, uint base, uint n)
{
    force least = INFINITY, most = 0;
    for (uint j = 0; j < RUN / LANES; j++) {
        force soft = sorted_soft[min(base + j * LANES + (uint)get_local_id(0), n - 1)];
        least = fmin(least, soft);
        most = fmax(most, soft);
    }
    force4 ends = lowest_of_all(r->tile, (force4)(least, -most, 0, 0));
    run->softening2 = (ends.x - ends.y) / 2;
    run->spread = (force)1.5 * (-ends.y - run->softening2);
}
#else
#define RUN_SOFTENINGS
#define OF_RUN
#define RUN_SOFT
#define RUN_SOFTENING2 (force)softening2
#endif

kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
force_tree_runs(global real4 *run_centre, global force *run_sums, global uint *begin,
                global uint *n_begin, global const real *before, global const real4 *sorted,
                global const uint *order, global const real4 *place, global const uint4 *test,
                global const real4 *mass, global const force4 *quad,
                global const uint *total_cells, global const uchar *active,
                global const real4 *acting_shift, uint acting_images, real softening2, real scale,
                real alpha, real least_acceleration, real far_reach, uint n, uint capacity,
                volatile global const uint *counters TORN_COUNT RUN_SOFTENINGS OTHERS_ARGUMENTS
                    EXPANDED_THIRD)
{
    local run_room room, *r = &room;
    uint lane = (uint)get_local_id(0), number = (uint)get_group_id(0), base = number * RUN;
    BEGIN_TORN();
    if (total_cells[0] > capacity || is_halted(counters) || !run_active(r, active, order, base, n))
        return;
    uint below = (1u << lane) - 1, top = acting_images, n_far = 0, n_list = 0;
    bool expanded = false;
    real4 centre = sorted[base];
    force sum[EXPANSION_ALL];
    run_extent run =
        find_run(r, centre, sorted, order, before, base, n, scale, alpha, least_acceleration);
#ifdef OTHERS
    uint of_run = base / GROUP, end = min(of_run + RUN / GROUP, (n - 1) / GROUP + 1);
    run.least = run.most = least_of_groups(group_boxes, of_run, end);
#endif
#ifdef SOFTENINGS
    find_softenings(&run, r, sorted_soft, base, n);
#endif
    if (acting_images > BATCH) {
        if (lane == 0)
            n_begin[number] = NO_CELL;
        return;
    }
#pragma unroll
    for (uint k = 0; k < EXPANSION_ALL; k++)
        sum[k] = 0;
    SYNC();
    if (lane < top) {
        r->stack[lane] = ROOT(lane);
#ifdef IMAGES
        r->centres[lane] = centre - acting_shift[lane];
#endif
    }
    while (top > 0) {
        SYNC();
        uint take = top > STACK_MOST ? 1 : min(top, (uint)LANES);
        uint entry = lane < take ? r->stack[top - take + lane] : 0;
        bool far = false, list = false, open = false;
        uint4 record = (uint4)(0);
        top -= take;
        if (lane < take) {
            real4 m = place[INDEX(entry)];
            record = test[INDEX(entry)];
            force4 d = relative(m, CENTRE(entry), scale) - run.middle;
            force d2 = d.x * d.x + d.y * d.y + d.z * d.z, size = as_float(record.x);
            force gap = fmax(sqrt(d2) - run.radius, (force)0);
            force4 b = (force4)(0, 0, size, size);
#if CRITERION == CRITERION_RELATIVE
            if (!(run.least > 0))
                b.z = quad[2 * record.w + 1].z;
#elif CRITERION == CRITERION_MIN_DISTANCE
            gap = fmax(gap - quad[2 * record.w + 1].w, (force)0);
#endif
            bool leaf = (record.z & LEAF_BIT) != 0, few = leaf && (record.z & ~LEAF_BIT) <= FEW;
            far = is_far(d2, (force)m.w, b, few, run.radius, (force)far_reach, run.least OF_RUN) &&
                  FAR_ENOUGH(gap * gap, (force)m.w, b, run.least);
            list = !far &&
                   (leaf || FAR_ENOUGH(d2 * (NEARER * NEARER), (force)m.w, b, run.most));
            open = !far && !list;
        }
        uint2 children = scan(open ? record.z : 0, r->votes);
        if (n_list + top + children.y + LANES > RUN_ROOM) {
            list = list || open;
            open = false;
            children.y = 0;
        }
        for (uint j = 0; open && j < record.z; j++)
            r->stack[top + children.x + j] = ENTRY(entry, record.y + j);
        top += children.y;
        uint list_mask = ballot(list, r->votes);
        if (list)
            begin[number * RUN_ROOM + n_list + (uint)popcount(list_mask & below)] = entry;
        n_list += (uint)popcount(list_mask);
        uint far_mask = ballot(far, r->votes);
        if (far)
            r->far[n_far + (uint)popcount(far_mask & below)] = ENTRY(entry, record.w);
        n_far += (uint)popcount(far_mask);
        SYNC();
        while (n_far >= LANES || (top == 0 && n_far > 0)) {
            uint ready = min(n_far, (uint)LANES);
            n_far -= ready;
            uint taken = lane < ready ? r->far[n_far + lane] : 0;
            expand_cell(sum, lane < ready ? INDEX(taken) : NO_CELL, CENTRE(taken), run.middle,
                        run.radius, RUN_SOFTENING2, scale, mass,
                        quad RUN_SOFT GIVEN_THIRD);
            expanded = true;
        }
    }
    expansion_join(sum, r->sums);
    for (uint k = lane; k < EXPANSION_TERMS; k += LANES)
        run_sums[number * RUN_TERMS + k] = r->sums[k];
    if (lane == 0) {
#if OCT_PRECISION == 2
        real4 middle = convert_double4(run.middle);
#else
        real4 middle = run.middle;
#endif
        run_centre[number] = (real4)((centre + middle / scale).xyz,
                                     expanded ? (real)run.radius : 0);
        n_begin[number] = n_list;
    }
}
