/* Space-filling-curve keys: 3 bits a level, the first level highest, so that the leading bits of a
 * key name the octree cell it lies in. Reads position, type and the bounds; writes keys and the
 * identity permutation. Removed particles go to the end. Any work-group size. */
#include "precision.clh"
#include "tree_key.clh"

/* Spreads the low 21 bits to every third place. */
static inline ulong spread(ulong x)
{
    x = (x | x << 32) & 0x001f00000000fffful;
    x = (x | x << 16) & 0x001f0000ff0000fful;
    x = (x | x << 8) & 0x100f00f00f00f00ful;
    x = (x | x << 4) & 0x10c30c30c30c30c3ul;
    return (x | x << 2) & 0x1249249249249249ul;
}

/* All ones where the bit is set: branches on bits of a position cannot be predicted. */
static inline uint when(uint x, uint bit)
{
    return (x & bit) ? 0xffffffffu : 0;
}

/* Coordinates to the transposed Hilbert index: undo the excess work of the Gray code from the
 * highest bit down, then Gray encode (Skilling, AIP Conf. Proc. 707, 381, 2004). */
static inline uint3 hilbert(uint3 x, uint levels)
{
    for (uint q = 1u << (levels - 1); q > 1; q >>= 1) {
        uint p = q - 1, set = when(x.x, q);
        x.x ^= p & set;
        uint t = (x.x ^ x.y) & p;
        set = when(x.y, q);
        x.x ^= (p & set) | (t & ~set);
        x.y ^= t & ~set;
        t = (x.x ^ x.z) & p;
        set = when(x.z, q);
        x.x ^= (p & set) | (t & ~set);
        x.z ^= t & ~set;
    }
    x.y ^= x.x;
    x.z ^= x.y;
    uint t = 0;
    for (uint q = 1u << (levels - 1); q > 1; q >>= 1)
        t ^= (q - 1) & when(x.z, q);
    return x ^ t;
}

kernel void tree_keys_make(global ulong *keys, global uint *order, global const real4 *position,
                           global const uchar *type, global const real4 *bounds, uint n,
                           uint levels)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    real4 low = bounds[0], extent = bounds[1] - low;
    real side = fmax(extent.x, fmax(extent.y, extent.z));
    real cells = (real)(1u << levels), unit = side > 0 ? cells / side : 0;
    real4 x = (position[i] - low) * unit;
    uint most = (1u << levels) - 1;
    uint3 cell = (uint3)(min((uint)x.x, most), min((uint)x.y, most), min((uint)x.z, most));
#ifdef HILBERT
    cell = hilbert(cell, levels);
#endif
    ulong key = spread(cell.x) << 2 | spread(cell.y) << 1 | spread(cell.z);
    keys[i] = type[i] == OCT_TYPE_REMOVED ? REMOVED_KEY : key;
    order[i] = i;
}
