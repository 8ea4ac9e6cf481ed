/* Many steps of few bodies in one launch, for CPUs: kick, drift, the sums of force_direct_lanes.cl,
 * kick. Reads type and sources; changes position, velocity, their low parts and acceleration, which
 * is that of where bodies are, before and after. high, low and soft are scratch. One work-item: a
 * queue takes longer for a kernel than it does for a step. The functions are those of steps one by
 * one, in the same order, and so are the bits where a compiler rounds as it is told to. */
#include "force_direct_lanes.clh"
#include "force_direct_leap.clh"
#include "force_direct_source.clh"

#ifdef SOFTENINGS
#define LEAP_SOFTENINGS global force *soft, global const real *softenings,
#else
#define LEAP_SOFTENINGS
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
force_direct_leap_lanes(LEAP_SOFTENINGS global real4 *position, global real *position_low,
                        global real4 *velocity, global real *velocity_low,
                        global real4 *acceleration, global const uchar *type, global force4 *high,
                        global force4 *low, global const uint *sources,
                        global const uint *n_sources, global const real4 *acting_shift,
                        uint acting_images, real softening2, real scale, real mass_scale,
                        real to_acceleration, real to_potential, real dt, uint steps, uint n,
                        volatile global uint *counters, uint step_offset)
{
    uint count = count_sources(sources, n_sources, n);
    for (uint s = 0; s < steps && counters[COUNTER_BAD_STEP] == UINT_MAX; s++) {
        uint step = step_offset + s;
        for (uint i = 0; i < n; i++) {
            real4 x = position[i], v = velocity[i];
            begin_leap(&x, position_low, &v, velocity_low, acceleration[i], type[i], dt, i,
                       counters, step);
            position[i] = x;
            velocity[i] = v;
        }
        for (uint k = 0; k < count; k++)
            prepare_source(PREPARED_SOFTENINGS high, low, position, sources, k, scale, mass_scale);
        for (uint i0 = 0; i0 < n; i0 += LANES) {
            lane_index bodies[LANES];
            real4 sums[LANES];
            for (uint k = 0; k < LANES; k++)
                bodies[k] = (lane_index)min(i0 + k, n - 1);
            sum_sources(sums, bodies, position, high, low, sources, (uint2)(0, count),
                        acting_shift, acting_images, softening2, scale SOFTENING_VALUES);
            for (uint i = i0; i < min(i0 + LANES, n); i++) {
                real4 v = velocity[i], a = pull_of(sums[i - i0], to_acceleration, to_potential);
                end_leap(&v, velocity_low, a, type[i], dt, i, counters, step);
                acceleration[i] = a;
                velocity[i] = v;
            }
        }
    }
}
