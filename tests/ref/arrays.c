/* Keys from a hash of their index, so that a test can ask for any of them again. */
#include "arrays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene_sim.h"

const size_t array_sizes[ARRAY_SIZES] = {0, 1, 2, 255, 256, 257, 1000, 4097, 65536, 1000003};

/* A hash of the counter (SplitMix64's finaliser). */
static uint64_t hash(uint64_t i)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t array_key(array_kind kind, uint64_t i, uint64_t n)
{
    static const uint64_t few[] = {0, UINT64_MAX, 0x8000000000000000u, 0x100, 0xff};
    uint64_t step = UINT64_MAX / (n ? n : 1);
    switch (kind) {
    case ARRAY_RANDOM:
        return hash(i);
    case ARRAY_CONSTANT:
        return 0x0123456789abcdefu;
    case ARRAY_SORTED:
        return i * step;
    case ARRAY_REVERSED:
        return (n - i) * step;
    case ARRAY_FEW_DISTINCT:
        return few[hash(i) % 5];
    case ARRAY_HIGH_BITS:
        return hash(i) << 48 | 0x123456789abcu;
    case ARRAY_KINDS:
        break;
    }
    return 0;
}

void *array_alloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

oct_buffer *array_buffer(size_t element, size_t count)
{
    oct_buffer *buffer = NULL;
    ref_ok(oct_buffer_create(&buffer, ref_device(), "test", element, count));
    return buffer;
}

oct_buffer *array_upload(const void *data, size_t element, size_t count)
{
    oct_buffer *buffer = array_buffer(element, count);
    ref_ok(oct_buffer_write(buffer, data, 0, count));
    return buffer;
}

oct_primitives *array_primitives(oct_variant variant)
{
    oct_primitives *primitives = NULL;
    ref_ok(oct_primitives_create(&primitives, ref_device(), OCT_PRECISION_SINGLE, variant));
    return primitives;
}
