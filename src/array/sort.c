/* Least significant digit first. Each pass counts the digits of every block of keys, and then
 * moves the pairs to where the counts of all blocks say that they belong. */
#include "array/sort.h"

#include <stdlib.h>
#include <string.h>

#include "util/status.h"

/* Words for the counts of all blocks: what bounds their number. */
enum { COUNTS = 256 * 1024 };

struct oct_sort {
    oct_blocks blocks;
    size_t capacity;
    unsigned most_bits; /* in a digit */
    oct_program *program;
    oct_kernel *count, *scatter;
    oct_buffer *counts;        /* of each digit in each block */
    oct_buffer *keys, *values; /* scratch */
    /* Of the digit that is sorted by now. */
    oct_buffer *from_keys, *from_values;
    uint32_t n, chunk, shift, bits;
};

static const oct_offer offers[] = {
    OCT_OFFER(oct_sort, "counts", counts),      OCT_OFFER(oct_sort, "keys", from_keys),
    OCT_OFFER(oct_sort, "values", from_values), OCT_OFFER(oct_sort, "keys_out", keys),
    OCT_OFFER(oct_sort, "values_out", values),  OCT_OFFER(oct_sort, "n", n),
    OCT_OFFER(oct_sort, "chunk", chunk),        OCT_OFFER(oct_sort, "shift", shift),
    OCT_OFFER(oct_sort, "bits", bits),          {0}};

/* How a kind of device sorts. */
typedef struct tuning {
    const char *file, *count, *scatter, *options;
    size_t group, tile;
    unsigned bits;            /* in a digit, at most */
    unsigned groups_per_unit; /* more of them keep a unit busier, but all read all counts */
} tuning;

/* Caches follow 2048 streams of writes, so that 42 bits take a CPU four passes. */
static const tuning serial = {.file = "array.cl",
                              .count = "array_sort_serial_count",
                              .scatter = "array_sort_serial_scatter",
                              .options = "-D GROUP=1",
                              .group = 1,
                              .tile = 16384,
                              .bits = 11,
                              .groups_per_unit = 4};
static const tuning portable = {.file = "array_sort.cl",
                                .count = "array_sort_count",
                                .scatter = "array_sort_scatter",
                                .options = "-D BITS=8 -D GROUP=256 -D ITEMS=8 -D OCT_PORTABLE",
                                .group = 256,
                                .tile = 2048,
                                .bits = 8,
                                .groups_per_unit = 4};
static const tuning warps = {.file = "array_sort.cl",
                             .count = "array_sort_count",
                             .scatter = "array_sort_scatter",
                             .options = "-D BITS=9 -D GROUP=512 -D ITEMS=8 "
                                        "-cl-nv-maxrregcount=64",
                             .group = 512,
                             .tile = 4096,
                             .bits = 9, /* 63 bits in seven passes */
                             .groups_per_unit = 2};

static const tuning *choose_tuning(const oct_device *device, oct_variant variant)
{
    bool nvidia = oct_device_is_nvidia(oct_device_describe(device));
    if (oct_variant_choose(oct_device_describe(device), variant) == OCT_VARIANT_SERIAL)
        return &serial;
    return nvidia && variant == OCT_VARIANT_AUTO ? &warps : &portable;
}

static oct_status sort_init(oct_sort *sort, oct_device *device, size_t capacity,
                            oct_precision precision, oct_variant variant)
{
    const tuning *t = choose_tuning(device, variant);
    size_t most = (size_t)oct_device_describe(device)->compute_units * t->groups_per_unit;
    size_t room = (size_t)COUNTS >> t->bits;
    const oct_build build = {.file = t->file, .precision = precision, .options = t->options};
    sort->blocks =
        (oct_blocks){.group = t->group, .tile = t->tile, .most = most < room ? most : room};
    sort->capacity = capacity;
    sort->most_bits = t->bits;
    OCT_TRY(oct_program_create(&sort->program, device, &build));
    OCT_TRY(OCT_KERNEL(&sort->count, sort->program, t->count, OCT_BIND_OFFERS(offers, sort)));
    OCT_TRY(OCT_KERNEL(&sort->scatter, sort->program, t->scatter, OCT_BIND_OFFERS(offers, sort)));
    OCT_TRY(oct_buffer_create(&sort->counts, device, "sort.counts", sizeof(uint32_t), COUNTS));
    OCT_TRY(oct_buffer_create(&sort->keys, device, "sort.keys", sizeof(uint64_t), capacity));
    return oct_buffer_create(&sort->values, device, "sort.values", sizeof(uint32_t), capacity);
}

oct_status oct_sort_create(oct_sort **out, oct_device *device, size_t capacity,
                           oct_precision precision, oct_variant variant)
{
    oct_sort *sort;
    *out = NULL;
    OCT_TRY(oct_alloc(&sort, 1, sizeof *sort, "sort"));
    oct_status status = sort_init(sort, device, capacity, precision, variant);
    if (status != OCT_STATUS_OK) {
        oct_sort_free(sort);
        return status;
    }
    *out = sort;
    return OCT_STATUS_OK;
}

void oct_sort_free(oct_sort *sort)
{
    if (!sort)
        return;
    oct_kernel_free(sort->count);
    oct_kernel_free(sort->scatter);
    oct_program_free(sort->program);
    oct_buffer_free(sort->counts);
    oct_buffer_free(sort->keys);
    oct_buffer_free(sort->values);
    free(sort);
}

void oct_sort_memory(oct_memory *memory, uint64_t capacity)
{
    oct_memory_add(memory, sizeof(uint32_t), COUNTS);
    oct_memory_add(memory, sizeof(uint64_t), capacity);
    oct_memory_add(memory, sizeof(uint32_t), capacity);
}

static void exchange(oct_buffer **a, oct_buffer **b)
{
    oct_buffer *old = *a;
    *a = *b;
    *b = old;
}

/* One digit: sorts into the scratch, which then changes places with the caller's buffers. */
static oct_status sort_digit(oct_sort *sort, oct_buffer **keys, oct_buffer **values, size_t n,
                             unsigned shift, unsigned bits)
{
    size_t group = sort->blocks.group, chunk;
    size_t items = oct_blocks_cut(&chunk, &sort->blocks, n) * group;
    sort->from_keys = *keys;
    sort->from_values = *values;
    sort->n = (uint32_t)n;
    sort->chunk = (uint32_t)chunk;
    sort->shift = shift;
    sort->bits = bits;
    OCT_TRY(oct_kernel_launch(sort->count, items, group));
    OCT_TRY(oct_kernel_launch(sort->scatter, items, group));
    exchange(keys, &sort->keys);
    exchange(values, &sort->values);
    return OCT_STATUS_OK;
}

oct_status oct_sort_run(oct_sort *sort, oct_buffer **keys, oct_buffer **values, size_t n,
                        unsigned first_bit, unsigned last_bit)
{
    OCT_TRY(oct_blocks_check(*keys, sizeof(uint64_t), sort->capacity));
    OCT_TRY(oct_blocks_check(*values, sizeof(uint32_t), sort->capacity));
    OCT_CHECK(n <= sort->capacity, OCT_STATUS_INTERNAL, "a sort for %zu pairs was given %zu",
              sort->capacity, n);
    OCT_CHECK(first_bit <= last_bit && last_bit <= 64, OCT_STATUS_INTERNAL,
              "keys have no bits %u to %u", first_bit, last_bit);
    /* Digits of equal width: 42 bits are six times 7, with half the bins of 8. */
    unsigned width = last_bit - first_bit;
    unsigned digits = (width + sort->most_bits - 1) / sort->most_bits;
    for (unsigned digit = 0; digit < digits && n > 1; digit++) {
        unsigned low = first_bit + digit * width / digits;
        unsigned high = first_bit + (digit + 1) * width / digits;
        OCT_TRY(sort_digit(sort, keys, values, n, low, high - low));
    }
    return OCT_STATUS_OK;
}
