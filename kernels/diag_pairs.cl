/* Potential energy of all pairs in double, each once, whatever precision forces have:
 *   W = -sum_i m_i sum_(j < i) m_j / (|x_j - x_i|^2 + eps^2)^(1/2)
 * without G; one row a work-group. Two in one place do not act on each other without softening.
 * Eight bodies at a time meet those before them: a vector on a CPU, independent work on a GPU,
 * where WIDTH work-items share those before. With SOFTENINGS eps^2 = (eps_i^2 + eps_j^2) / 2. Reads
 * position, and softenings then. Built in mixed and double precision. Work-groups of WIDTH. */
#include "precision.clh"
#include "partials.clh"

#define LANES 8
#ifndef WIDTH
#define WIDTH 1
#endif

#ifdef SOFTENINGS
#include "softening.clh"
#define SOFTENING_ARGUMENTS , global const real *softenings, real softening
#define SOFTENINGS_GIVEN    , softenings, softening
#define HALF_SQUARE(i)      (pown(softening_of(softenings, i, softening), 2) / 2)
#define OF_PAIR(j)          (half_square + HALF_SQUARE(j))
#else
#define SOFTENING_ARGUMENTS
#define SOFTENINGS_GIVEN
#define OF_PAIR(j) ((double8)(softening2))
#endif

/* m / sqrt(x). AVX-512's 14-bit estimate y of a root has 1 - x y^2 = e below 2^-13, and three terms
 * of (1 - e)^(-1/2) make a double of it, at a third of the cost of a root and a division. */
#if defined(__AVX512F__) && WIDTH == 1
static inline double8 over_root(double m, double8 x)
{
    double8 y = __builtin_ia32_rsqrt14pd512_mask(x, (double8)(0), (uchar)0xff);
    double8 e = fma(-(x * y), y, (double8)(1));
    double8 terms = fma(fma((double8)(0.3125), e, (double8)(0.375)), e, (double8)(0.5));
    return m * fma(y * e, terms, y);
}
#elif WIDTH > 1
/* The same from a float's estimate, 2^-22 of 1, where a float has the range: the terms that are
 * left out are below e^3. One branch for all eight: each waits for none of the others. */
static inline double8 over_root(double m, double8 x)
{
    float8 narrow = convert_float8(x);
    double8 y = convert_double8(rsqrt(narrow));
    double8 e = fma(-(x * y), y, (double8)(1));
    double8 value = m * fma(y * e, fma((double8)(0.375), e, (double8)(0.5)), y);
    int8 outside = !(narrow > 1e-30f && narrow < 1e30f);
    return any(outside) ? select(value, m / sqrt(x), convert_long8(outside)) : value;
}
#else
static inline double8 over_root(double m, double8 x)
{
    return m / sqrt(x);
}
#endif

/* What a body is to those at x, y, z: the potential of its mass. */
static inline double8 pull(double4 p, double8 x, double8 y, double8 z, double8 softening2)
{
    double8 dx = p.x - x, dy = p.y - y, dz = p.z - z;
    double8 r2 = dx * dx + dy * dy + dz * dz + softening2;
    return select((double8)(0), over_root(p.w, r2), r2 > 0);
}

/* The energy of bodies [first, first + LANES) with all that come before each; the work-item's part
 * of these. */
static double block_energy(global const double4 *position, double softening2, uint first,
                           uint n SOFTENING_ARGUMENTS)
{
    double lanes[4][LANES];
    long places[LANES];
    for (uint k = 0; k < LANES; k++) {
        double4 p = first + k < n ? position[first + k] : (double4)(0);
        lanes[0][k] = p.x;
        lanes[1][k] = p.y;
        lanes[2][k] = p.z;
        lanes[3][k] = p.w;
        places[k] = first + k;
    }
#ifdef SOFTENINGS
    double halves[LANES];
    for (uint k = 0; k < LANES; k++)
        halves[k] = HALF_SQUARE(min(first + k, n - 1));
    double8 half_square = vload8(0, halves);
#endif
    double8 x = vload8(0, lanes[0]), y = vload8(0, lanes[1]), z = vload8(0, lanes[2]);
    double8 potential = 0;
    long8 place = vload8(0, places);
    /* All bodies of the block meet those before it, and each those before itself. */
    uint j = (uint)get_local_id(0);
    for (; j < first; j += WIDTH)
        potential -= pull(position[j], x, y, z, OF_PAIR(j));
    for (; j < min(first + LANES, n); j += WIDTH)
        potential -= select((double8)(0), pull(position[j], x, y, z, OF_PAIR(j)), place > (long)j);
    vstore8(potential * vload8(0, lanes[3]), 0, lanes[0]);
    double total = 0;
    for (uint k = 0; k < LANES; k++)
        total += lanes[0][k];
    return total;
}

/* A block from the front and one from the back: all work-groups have as much to do. */
kernel __attribute__((reqd_work_group_size(WIDTH, 1, 1))) void
diag_pairs_sum(global double *partials, uint first_sum, uint sum_rows,
               global const double4 *position, double softening2, uint n SOFTENING_ARGUMENTS)
{
    uint group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
    uint blocks = (n + LANES - 1) / LANES;
    double total = 0;
    for (uint b = group; 2 * b < blocks; b += groups) {
        uint back = blocks - 1 - b;
        total += block_energy(position, softening2, b * LANES, n SOFTENINGS_GIVEN);
        if (back != b)
            total += block_energy(position, softening2, back * LANES, n SOFTENINGS_GIVEN);
    }
#if WIDTH > 1
    local double sums[WIDTH];
    uint lane = (uint)get_local_id(0);
    sums[lane] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 1; lane == 0 && k < WIDTH; k++)
        total += sums[k];
    if (lane > 0)
        return;
#endif
    PARTIAL(0, group) = total;
}
