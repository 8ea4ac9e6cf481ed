/* Adds a smooth field on the box that is given as a Chebyshev series,
 *   phi = sum_abc c_abc T_a(x) T_b(y) T_c(z),  a = -grad phi,
 * with coordinates that run from -1 to 1 in the box; beyond it the field is that of its face.
 *   boundary_expansion_add  reads position and coefficients; adds to acceleration and potential
 * TERMS_X, TERMS_Y, TERMS_Z: terms in each direction. On CPUs a work-item has a vector
 * of particles, elsewhere one. For the listed bodies of set.clh. Any work-group size. */
#include "precision.clh"
#include "set.clh"

/* SYMMETRIC: the field is the same at (-x, -y, z) and at (x, y, -z), so that no terms are odd in x
 * and y together, or in z; and the precision of pair forces is enough. */
#ifdef SYMMETRIC
typedef force term;
#define HAS_TERMS(a, b) (((a) + (b)) % 2 == 0)
#define STEP_Z          2
#else
typedef real term;
#define HAS_TERMS(a, b) true
#define STEP_Z          1
#endif

#ifndef OCT_CPU
#define LANES 1
typedef term many;
#define LOAD(from)     (from)[0]
#define STORE(x, to)   ((to)[0] = (x))
#elif OCT_PRECISION == 1 || (OCT_PRECISION == 2 && defined(SYMMETRIC))
#define LANES 16
typedef float16 many;
#define LOAD(from)   vload16(0, from)
#define STORE(x, to) vstore16(x, 0, to)
#else
#define LANES 8
typedef double8 many;
#define LOAD(from)   vload8(0, from)
#define STORE(x, to) vstore8(x, 0, to)
#endif

/* Chebyshev's polynomials and their derivatives, one order after the other. */
typedef struct {
    many x, value, slope, value_before, slope_before;
} basis;

static inline basis basis_first(many x)
{
    basis t;
    t.x = x;
    t.value = (many)(1);
    t.slope = (many)(0);
    /* T_-1 = T_1, so that the recurrence holds from the start. */
    t.value_before = x;
    t.slope_before = (many)(1);
    return t;
}

/* T_k+1 = 2 x T_k - T_k-1. */
static inline void basis_next(basis *t)
{
    many value = 2 * t->x * t->value - t->value_before;
    many slope = 2 * (t->value + t->x * t->slope) - t->slope_before;
    t->value_before = t->value;
    t->slope_before = t->slope;
    t->value = value;
    t->slope = slope;
}

kernel void boundary_expansion_add(global real4 *acceleration, global const real4 *position,
                                global const term *coefficients, global const uint *listed,
                                global const uint *n_listed, real to_x, real to_y, real to_z,
                                real to_potential, uint n)
{
    uint first = (uint)get_global_id(0) * LANES, count = count_listed(listed, n_listed, n);
    if (first >= count)
        return;
    term at_x[LANES], at_y[LANES], at_z[LANES], phi[LANES];
    for (uint k = 0; k < LANES; k++) {
        real4 x = position[listed_at(listed, min(first + k, count - 1))];
        at_x[k] = clamp((term)(x.x * to_x), (term)-1, (term)1);
        at_y[k] = clamp((term)(x.y * to_y), (term)-1, (term)1);
        at_z[k] = clamp((term)(x.z * to_z), (term)-1, (term)1);
    }
    many y[TERMS_Y], slope_y[TERMS_Y], z[TERMS_Z], slope_z[TERMS_Z];
    basis t = basis_first(LOAD(at_y));
#pragma unroll
    for (uint b = 0; b < TERMS_Y; b++, basis_next(&t)) {
        y[b] = t.value;
        slope_y[b] = t.slope;
    }
    t = basis_first(LOAD(at_z));
#pragma unroll
    for (uint c = 0; c < TERMS_Z; c++, basis_next(&t)) {
        z[c] = t.value;
        slope_z[c] = t.slope;
    }
    many sum = (many)(0), sum_x = (many)(0), sum_y = (many)(0), sum_z = (many)(0);
    basis x = basis_first(LOAD(at_x));
    for (uint a = 0; a < TERMS_X; a++, basis_next(&x)) {
        many row = (many)(0), row_y = (many)(0), row_z = (many)(0);
#pragma unroll
        for (uint b = 0; b < TERMS_Y; b++) {
            if (!HAS_TERMS(a, b))
                continue;
            many s = (many)(0), d = (many)(0);
#pragma unroll
            for (uint c = 0; c < TERMS_Z; c += STEP_Z) {
                term f = coefficients[(a * TERMS_Y + b) * TERMS_Z + c];
                s += f * z[c];
                d += f * slope_z[c];
            }
            row += y[b] * s;
            row_y += slope_y[b] * s;
            row_z += y[b] * d;
        }
        sum += x.value * row;
        sum_x += x.slope * row;
        sum_y += x.value * row_y;
        sum_z += x.value * row_z;
    }
    STORE(sum_x, at_x);
    STORE(sum_y, at_y);
    STORE(sum_z, at_z);
    STORE(sum, phi);
    for (uint k = 0; k < LANES && first + k < count; k++)
        acceleration[listed_at(listed, first + k)] +=
            to_potential * (real4)(-to_x * at_x[k], -to_y * at_y[k], -to_z * at_z[k], phi[k]);
}
