/* How many blocks suit a kind of device, and how long they are. */
#include "array/blocks.h"

#include <string.h>

#include "util/status.h"

enum { GROUP = 256, ITEMS = 4, GROUPS_PER_UNIT = 8, SERIAL_PER_UNIT = 4, SERIAL_TILE = 4096 };

oct_variant oct_variant_choose(const oct_device_info *info, oct_variant variant)
{
    if (variant != OCT_VARIANT_AUTO)
        return variant;
    return oct_device_is_cpu(info) ? OCT_VARIANT_SERIAL : OCT_VARIANT_GROUPS;
}

oct_blocks oct_blocks_choose(const oct_device_info *info, oct_variant variant)
{
    size_t units = info->compute_units;
    bool serial = oct_variant_choose(info, variant) == OCT_VARIANT_SERIAL;
    size_t most = units * (serial ? SERIAL_PER_UNIT : GROUPS_PER_UNIT);
    return (oct_blocks){
        .group = serial ? 1 : GROUP,
        .tile = serial ? SERIAL_TILE : GROUP * ITEMS,
        .most = most < OCT_MOST_BLOCKS ? most : OCT_MOST_BLOCKS,
        .options = serial                          ? "-D GROUP=1"
                   : variant == OCT_VARIANT_GROUPS ? "-D GROUP=256 -D OCT_PORTABLE"
                                                   : "-D GROUP=256",
    };
}

size_t oct_blocks_cut(size_t *chunk, const oct_blocks *blocks, size_t n)
{
    size_t tiles = (n + blocks->tile - 1) / blocks->tile;
    size_t tiles_each = (tiles + blocks->most - 1) / blocks->most;
    *chunk = (tiles_each ? tiles_each : 1) * blocks->tile;
    return n > 0 ? (n + *chunk - 1) / *chunk : 1;
}

oct_status oct_blocks_check(const oct_buffer *buffer, size_t element, size_t n)
{
    OCT_CHECK(n <= (size_t)1 << 31, OCT_STATUS_SPACE,
              "%zu elements of buffer '%s' are more than 32-bit indices reach", n, buffer->name);
    OCT_CHECK(n <= buffer->count && buffer->element == element, OCT_STATUS_INTERNAL,
              "%zu elements of %zu bytes were asked of buffer '%s', which has %zu of %zu", n,
              element, buffer->name, buffer->count, buffer->element);
    return OCT_STATUS_OK;
}
