/* Kick, drift and reductions over the particle state.
 *   state_kick   v += a dt          reads acceleration, type; writes velocity (and its low part)
 *   state_drift  x += v dt          reads velocity; writes position (and its low part)
 *   state_kick_drift  one after the other, in one launch; takes accelerations away, where wanted
 *   state_keep   to = from, words of 4 bytes, where forces are kept
 *   state_turn_spin  turns spins against a frame that turns; writes spin
 *   state_check  reports the first particle that is no number; reads all of the state
 *   state_sum    partial sums of mass times a value, one a work-item
 *   state_fold   adds partial sums up in a fixed order, a work-group a column: its lanes fetch what
 *                one of them adds; state_fold_rows in the same order, some columns a work-item;
 *                state_fold_lanes in another one, by all lanes
 * Kicks, and drifts where somebody wants it, are for the active bodies of set.clh. Any work-group
 * size. What every simulation measures is part of the program: to start a compiler takes longer. */
#include "precision.clh"
#include "partials.clh"
#include "compensated.clh"
#include "set.clh"
#include "state.clh"
#include "diag_conserved.cl"

kernel void state_kick(global real4 *velocity, global real *velocity_low,
                       global const real4 *acceleration, global const uchar *type,
                       global const uchar *active, real dt, uint n,
                       volatile global uint *counters, uint step_offset)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || (type[i] & OCT_TYPE_HELD) || !is_active(active, i) || is_halted(counters))
        return;
    velocity[i] = kicked(velocity[i], acceleration[i], dt, velocity_low, i, counters, step_offset);
}

kernel void state_drift(global real4 *position, global real *position_low,
                        global const real4 *velocity, global const uchar *active, real dt, uint n,
                        volatile global uint *counters, uint step_offset)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || !is_active(active, i) || is_halted(counters))
        return;
    position[i] = drifted(position[i], velocity[i], dt, position_low, i, counters, step_offset);
}

kernel void state_kick_drift(global real4 *position, global real *position_low,
                             global real4 *velocity, global real *velocity_low,
                             global const real4 *acceleration, global const uchar *type,
                             global const uchar *active, global real4 *cleared, real kick_dt,
                             real drift_dt, uint n, volatile global uint *counters,
                             uint step_offset)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || is_halted(counters))
        return;
    /* All is asked for before anything is written, which may be in the same place. */
    uchar kind = type[i];
    real4 x = position[i], v = velocity[i], a = acceleration[i];
    bool kicks = !(kind & OCT_TYPE_HELD) && is_active(active, i);
    if (kind != OCT_TYPE_REMOVED) {
        if (kicks)
            v = velocity[i] = kicked(v, a, kick_dt, velocity_low, i, counters, step_offset);
        position[i] = drifted(x, v, drift_dt, position_low, i, counters, step_offset);
    }
    if (cleared)
        cleared[i] = (real4)(0);
}

/* What was found aside takes the place of what was there before. */
kernel void state_keep(global uint *to, global const uint *from, ulong words,
                       volatile global const uint *counters, uint doubtful)
{
    size_t k = get_global_id(0);
    if (k < words && is_kept(counters, doubtful))
        to[k] = from[k];
}

/* As three shears, which keep areas however their factors are rounded: spins neither grow nor
 * shrink. `half_turn`: the tangent of half of the angle. */
kernel void state_turn_spin(global real4 *spin, real half_turn, real sine, uint n,
                            volatile global const uint *counters)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || is_halted(counters))
        return;
    real4 s = spin[i];
    s.x += half_turn * s.y;
    s.y -= sine * s.x;
    s.x += half_turn * s.y;
    spin[i] = s;
}

/* The state is looked at before anybody sees it: spins and accelerations may be missing. */
kernel void state_check(volatile global uint *counters, global const real4 *position,
                        global const real4 *velocity, global const real4 *spin,
                        global const real4 *acceleration, global const uchar *type, uint n,
                        uint step_offset)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || type[i] == OCT_TYPE_REMOVED || is_halted(counters))
        return;
    bool good = is_number(position[i]) && isfinite(position[i].w) && is_number(velocity[i]) &&
                isfinite(velocity[i].w) && (!spin || is_number(spin[i])) &&
                (!acceleration || (is_number(acceleration[i]) && isfinite(acceleration[i].w)));
    if (!good)
        report_bad(counters, step_offset, i);
}

kernel void state_sum(global sum *partials, uint first_sum, uint sum_rows,
                      global const real4 *position, global const real *values, uint n)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    sum total = sum_zero();
    for (uint i = item; i < n; i += items)
        total = sum_add(total, values ? position[i].w * values[i] : position[i].w);
    PARTIAL(0, item) = total;
}

#define FOLD_ROWS    1024
#define FOLD_AT_ONCE 16 /* fetched before they are added: an addition waits for the other alone */
#define FOLD_COLUMNS 8  /* of a work-item */
#define FOLD_COUNTS  16 /* the room of counts in what is read, in sums */

/* Columns [first, first + columns), and the counts before all: one read brings them. */
kernel void state_fold(global sum *out, global const sum *partials, uint rows, uint sum_rows,
                       uint first, global const uint *counts)
{
    local sum fetched[FOLD_ROWS];
    uint column = first + (uint)get_group_id(0), lane = (uint)get_local_id(0);
    global const sum *partial = partials + column * sum_rows;
    sum total = sum_zero();
    for (uint i = lane; get_group_id(0) == 0 && i < 2 * FOLD_COUNTS; i += (uint)get_local_size(0))
        ((global uint *)out)[i] = counts[i];
    for (uint start = 0; start < rows; start += FOLD_ROWS) {
        uint count = min(rows - start, (uint)FOLD_ROWS), row = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = lane; i < count; i += (uint)get_local_size(0))
            fetched[i] = partial[start + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (; lane == 0 && row + FOLD_AT_ONCE <= count; row += FOLD_AT_ONCE) {
            sum next[FOLD_AT_ONCE];
            for (uint k = 0; k < FOLD_AT_ONCE; k++)
                next[k] = fetched[row + k];
            for (uint k = 0; k < FOLD_AT_ONCE; k++)
                total = sum_join(total, next[k]);
        }
        for (; lane == 0 && row < count; row++)
            total = sum_join(total, fetched[row]);
    }
    if (lane == 0)
        out[FOLD_COUNTS + column] = total;
}

#define FOLD_LANES 256 /* the work-group of state_fold_lanes */
#define FOLD_SHARE 16  /* lanes whose sums one of them joins */

/* The same in another order, for what is measured alone: rows k, k + FOLD_LANES, ... are a lane's,
 * and FOLD_SHARE lanes' sums one lane's. A sum waits for 16 additions three times, not for 4096. */
kernel __attribute__((reqd_work_group_size(FOLD_LANES, 1, 1))) void
state_fold_lanes(global sum *out, global const sum *partials, uint rows, uint sum_rows, uint first,
                 global const uint *counts)
{
    local sum totals[FOLD_LANES];
    uint column = first + (uint)get_group_id(0), lane = (uint)get_local_id(0);
    global const sum *partial = partials + column * sum_rows;
    if (get_group_id(0) == 0 && lane < 2 * FOLD_COUNTS)
        ((global uint *)out)[lane] = counts[lane];
    sum total = sum_zero();
    for (uint row = lane; row < rows; row += FOLD_LANES)
        total = sum_join(total, partial[row]);
    totals[lane] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane % FOLD_SHARE == 0) {
        for (uint k = 1; k < FOLD_SHARE; k++)
            total = sum_join(total, totals[lane + k]);
        totals[lane] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane > 0)
        return;
    for (uint k = FOLD_SHARE; k < FOLD_LANES; k += FOLD_SHARE)
        total = sum_join(total, totals[k]);
    out[FOLD_COUNTS + column] = total;
}

/* For a CPU: some columns a work-item, a row of them after the other. */
kernel void state_fold_rows(global sum *out, global const sum *partials, uint rows, uint sum_rows,
                            uint first, uint columns, global const uint *counts)
{
    uint item = (uint)get_global_id(0), begin = FOLD_COLUMNS * item;
    sum total[FOLD_COLUMNS];
    for (uint i = 0; item == 0 && i < 2 * FOLD_COUNTS; i++)
        ((global uint *)out)[i] = counts[i];
    for (uint k = 0; k < FOLD_COLUMNS; k++)
        total[k] = sum_zero();
    /* Columns past the last are added as well, and left out: there is room for them. */
    global const sum *partial = partials + (first + begin) * sum_rows;
    for (uint row = 0; row < rows; row++)
        for (uint k = 0; k < FOLD_COLUMNS; k++)
            total[k] = sum_join(total[k], partial[k * sum_rows + row]);
    for (uint k = 0; k < FOLD_COLUMNS && begin + k < columns; k++)
        out[FOLD_COUNTS + first + begin + k] = total[k];
}
