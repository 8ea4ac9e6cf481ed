/* Kick, drift and reductions over the particle state.
 *   state_kick   v += a dt          reads acceleration, type; writes velocity (and its low part)
 *   state_drift  x += v dt          reads velocity; writes position (and its low part)
 *   state_sum    partial sums of mass times a value, one a work-item
 *   state_fold   adds partial sums up in a fixed order, one work-item a column
 * In single precision what rounding takes off an addition is kept in a low part and put back with
 * the next one (Kahan). Any work-group size. */
#include "precision.clh"

#if OCT_PRECISION == 1
static inline real4 add_compensated(real4 value, real4 increment, global real4 *low, uint i)
{
    real4 wanted = increment - low[i];
    real4 total = value + wanted;
    low[i] = (total - value) - wanted;
    return total;
}
#else
#define add_compensated(value, increment, low, i) ((value) + (increment))
#endif

kernel void state_kick(global real4 *velocity, global real4 *low,
                       global const real4 *acceleration, global const uchar *type, real dt, uint n,
                       volatile global uint *counters, uint step)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || type[i] == OCT_TYPE_REMOVED)
        return;
    real4 a = acceleration[i];
    real4 change = (real4)(a.x * dt, a.y * dt, a.z * dt, 0);
    real4 v = add_compensated(velocity[i], change, low, i);
    velocity[i] = v;
    if (!is_number(v))
        report_bad(counters, step, i);
}

kernel void state_drift(global real4 *position, global real4 *low, global const real4 *velocity,
                        real dt, uint n, volatile global uint *counters, uint step)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    real4 v = velocity[i];
    real4 change = (real4)(v.x * dt, v.y * dt, v.z * dt, 0);
    real4 x = add_compensated(position[i], change, low, i);
    position[i] = x;
    if (!is_number(x))
        report_bad(counters, step, i);
}

kernel void state_sum(global sum *partials, global const real4 *position,
                      global const real *values, uint n)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    sum total = sum_zero();
    for (uint i = item; i < n; i += items)
        total = sum_add(total, position[i].w * values[i]);
    partials[item] = total;
}

kernel void state_fold(global sum *out, global const sum *partials, uint rows, uint columns)
{
    uint column = (uint)get_global_id(0);
    if (column >= columns)
        return;
    sum total = sum_zero();
    for (uint row = 0; row < rows; row++)
        total = sum_join(total, partials[row * columns + column]);
    out[column] = total;
}
