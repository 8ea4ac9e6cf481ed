/* Space-filling-curve keys: 3 bits a level, the first level highest, so that the leading bits of a
 * key name the octree cell it lies in. The Hilbert curve is flat where all particles are in one
 * layer of cells: in a thin sheet one of three dimensions would lead out of it and back, with gaps
 * that tear groups of particles apart. A work-item makes KEYS of them, 1 or 16, the latter as
 * vectors for CPUs. Reads position, type and the bounds; writes keys and the identity permutation,
 * which are not known to be unsettled. `bodies` are all that are within the bounds, whoever has
 * them.
 * Removed particles go to the end. Any work-group size. */
#include "precision.clh"
#include "tree_key.clh"

#ifndef KEYS
#define KEYS 1
#endif

/* TALL: a sheet no thicker than some distances between neighbours is cut by cubic leaves into
 * layers with a particle or two in each, which bring no moments worth having. Cells that are up to
 * four times as high as they are wide keep it in one. */
#ifdef TALL
#define QUARTER_BELOW 12
#define HALF_BELOW    20
#endif

#if KEYS == 16
typedef uint16 uints;
typedef ulong16 ulongs;
#define load_uints    vload16
#define store_ulongs  vstore16
#define convert_ulongs convert_ulong16
#else
typedef uint uints;
typedef ulong ulongs;
#define load_uints(i, from)        (*(from))
#define store_ulongs(value, i, to) (*(to) = (value))
#define convert_ulongs(x)          ((ulong)(x))
#endif

typedef struct {
    uints x, y, z;
} places;

/* Spreads the low 21 bits to every third place. */
static inline ulongs spread(uints bits)
{
    ulongs x = convert_ulongs(bits);
    x = (x | x << 32) & 0x001f00000000fffful;
    x = (x | x << 16) & 0x001f0000ff0000fful;
    x = (x | x << 8) & 0x100f00f00f00f00ful;
    x = (x | x << 4) & 0x10c30c30c30c30c3ul;
    return (x | x << 2) & 0x1249249249249249ul;
}

/* All ones where the bit is set: branches on bits of a position cannot be predicted. */
static inline uints when(uints x, uint bit)
{
    return 0u - (x >> bit & 1u);
}

/* Swaps two coordinates where the second has more bits than the first. */
#define LONGER_FIRST(a, b, bits_a, bits_b)                                                         \
    if (bits_b > bits_a) {                                                                         \
        uints swap = a;                                                                            \
        uint bits = bits_a;                                                                        \
        a = b;                                                                                     \
        b = swap;                                                                                  \
        bits_a = bits_b;                                                                           \
        bits_b = bits;                                                                             \
    }

/* `hilbert` below where all coordinates have all bits, in a loop whose bounds compilers know. */
#define MOST_LEVELS 21
#if KEYS == 1
static inline places hilbert_cube(places c)
{
#pragma unroll
    for (uint bit = MOST_LEVELS - 1; bit > 0; bit--) {
        uint p = (1u << bit) - 1;
        c.x ^= p & when(c.x, bit);
        uints t = (c.x ^ c.y) & p, set = when(c.y, bit);
        c.x ^= (p & set) | (t & ~set);
        c.y ^= t & ~set;
        t = (c.x ^ c.z) & p;
        set = when(c.z, bit);
        c.x ^= (p & set) | (t & ~set);
        c.z ^= t & ~set;
    }
    c.y ^= c.x;
    c.z ^= c.y;
    /* All higher bits together, at each. */
    uints t = c.z >> 1;
    t ^= t >> 1;
    t ^= t >> 2;
    t ^= t >> 4;
    t ^= t >> 8;
    t ^= t >> 16;
    c.x ^= t;
    c.y ^= t;
    c.z ^= t;
    return c;
}
#endif

/* Coordinates to the transposed Hilbert index: undo the excess work of the Gray code from the
 * highest bit down, then Gray encode (Skilling, AIP Conf. Proc. 707, 381, 2004). Coordinates that
 * have no more than `x`, `y`, `z` bits anywhere: on the levels above these the curve does without
 * them. It begins and ends at corners along its first axis in any number of dimensions, so that
 * it stays in one piece where it gains one; the first axis has most bits, the last has fewest. */
static inline places hilbert(places c, uint x, uint y, uint z)
{
#if KEYS == 1
    if (x == MOST_LEVELS && y == MOST_LEVELS && z == MOST_LEVELS)
        return hilbert_cube(c);
#endif
    LONGER_FIRST(c.x, c.y, x, y)
    LONGER_FIRST(c.y, c.z, y, z)
    LONGER_FIRST(c.x, c.y, x, y)
    for (uint bit = max(x, 1u) - 1; bit > 0; bit--) {
        uint p = (1u << bit) - 1;
        c.x ^= p & when(c.x, bit);
        if (bit < y) {
            uints t = (c.x ^ c.y) & p, set = when(c.y, bit);
            c.x ^= (p & set) | (t & ~set);
            c.y ^= t & ~set;
        }
        if (bit < z) {
            uints t = (c.x ^ c.z) & p, set = when(c.z, bit);
            c.x ^= (p & set) | (t & ~set);
            c.z ^= t & ~set;
        }
    }
    uint in_y = (1u << y) - 1, in_z = (1u << z) - 1;
    c.y ^= c.x & in_y;
    c.z ^= c.y & in_z;
    uints t = 0;
    for (uint bit = max(x, 1u) - 1; bit > 0; bit--)
        t ^= ((1u << bit) - 1) & when(bit < z ? c.z : bit < y ? c.y : c.x, bit);
    c.x ^= t;
    c.y ^= t & in_y;
    c.z ^= t & in_z;
    return c;
}

/* Cells to a length along each axis. n bodies in a sheet of a * b are (a b / n)^(1/2) apart. */
static inline real4 units_of(real4 extent, uint levels, real n)
{
    real side = fmax(extent.x, fmax(extent.y, extent.z));
    real4 unit = (real4)(side > 0 ? (real)(1u << levels) / side : 0);
#ifdef TALL
    real4 e = side > 0 ? extent / side : (real4)(0);
    real thin = fmin(e.x, fmin(e.y, e.z));
    real wide = fmax(fmin(e.x, e.y), fmin(fmax(e.x, e.y), e.z));
    real apart2 = wide / n, thin2 = thin * thin;
    bool tall = 8 * thin < wide && thin2 < HALF_BELOW * HALF_BELOW * apart2;
    real least = thin2 < QUARTER_BELOW * QUARTER_BELOW * apart2 ? (real)0.25 : (real)0.5;
    real part = tall ? least : 1;
    unit.x *= e.x == thin ? part : 1;
    unit.y *= e.y == thin ? part : 1;
    unit.z *= e.z == thin ? part : 1;
#endif
    return unit;
}

/* Bits of the coordinate that is `extent` away from the lowest, as particles have them. */
static inline uint bits_of(real extent, real unit, uint most)
{
    return 32 - clz(min((uint)(extent * unit), most));
}

kernel void tree_keys_make(global ulong *keys, global uint *order, global const real4 *position,
                           global const uchar *type, global const real4 *bounds,
                           global uint *unsettled, uint n, uint levels, real bodies)
{
    uint first = (uint)get_global_id(0) * KEYS;
    if (first == 0)
        unsettled[0] = 0;
    if (first >= n)
        return;
    uint count = min(n - first, (uint)KEYS), most = (1u << levels) - 1;
    real4 low = bounds[0], extent = bounds[1] - low;
    real4 unit = units_of(extent, levels, bodies);
    uint at_x[KEYS], at_y[KEYS], at_z[KEYS];
    for (uint k = 0; k < KEYS; k++) {
        real4 x = (position[first + min(k, count - 1)] - low) * unit;
        at_x[k] = min((uint)x.x, most);
        at_y[k] = min((uint)x.y, most);
        at_z[k] = min((uint)x.z, most);
    }
    places c = {load_uints(0, at_x), load_uints(0, at_y), load_uints(0, at_z)};
#ifdef HILBERT
    c = hilbert(c, bits_of(extent.x, unit.x, most), bits_of(extent.y, unit.y, most),
                bits_of(extent.z, unit.z, most));
#endif
    ulong made[KEYS];
    store_ulongs(spread(c.x) << 2 | spread(c.y) << 1 | spread(c.z), 0, made);
    for (uint k = 0; k < count; k++) {
        keys[first + k] = type[first + k] == OCT_TYPE_REMOVED ? REMOVED_KEY : made[k];
        order[first + k] = first + k;
    }
}
