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
    oct_kernel *count, *scatter, *settle;
    oct_kernel *whole;         /* all digits of one block; NULL: none */
    oct_buffer *counts;        /* of each digit in each block */
    oct_buffer *keys, *values; /* scratch */
    bool lent;                 /* which is somebody else's */
    /* Of the digit that is sorted by now. */
    oct_buffer *from_keys, *from_values, *unsettled;
    uint32_t n, chunk, shift, bits;
    /* Of the whole sort. */
    uint32_t first, last, digits;
};

static const oct_offer offers[] = {
    OCT_OFFER(oct_sort, "counts", counts),      OCT_OFFER(oct_sort, "keys", from_keys),
    OCT_OFFER(oct_sort, "values", from_values), OCT_OFFER(oct_sort, "keys_out", keys),
    OCT_OFFER(oct_sort, "values_out", values),  OCT_OFFER(oct_sort, "n", n),
    OCT_OFFER(oct_sort, "chunk", chunk),        OCT_OFFER(oct_sort, "shift", shift),
    OCT_OFFER(oct_sort, "bits", bits),          OCT_OFFER(oct_sort, "unsettled", unsettled),
    OCT_OFFER(oct_sort, "first", first),        OCT_OFFER(oct_sort, "last", last),
    OCT_OFFER(oct_sort, "digits", digits),      {0}};

/* How a kind of device sorts. */
typedef struct tuning {
    const char *file, *count, *scatter, *whole, *options;
    size_t group, tile;
    unsigned bits;            /* in a digit, at most */
    unsigned groups_per_unit; /* more of them keep a unit busier, but all read all counts */
} tuning;

/* Caches follow 2048 streams of writes, so that 42 bits take a CPU four passes. */
static const tuning serial = {.file = "array.cl",
                              .count = "array_sort_serial_count",
                              .scatter = "array_sort_serial_scatter",
                              .whole = "array_sort_serial_whole",
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
/* Few pairs are cut into small tiles, so that all units have some. Where there are two tiles a
 * unit, one block of both reads counts once. */
#define WARPS(items, per_unit)                                                                     \
    {                                                                                              \
        .file = "array_sort.cl", .count = "array_sort_count", .scatter = "array_sort_scatter",     \
        .options = "-D BITS=9 -D GROUP=512 -D ITEMS=" #items " -cl-nv-maxrregcount=64",            \
        .group = 512, .tile = 512 * items, .bits = 9, /* 63 bits in seven passes */                \
            .groups_per_unit = per_unit                                                            \
    }
static const struct {
    size_t most; /* pairs */
    tuning warps;
} by_size[] = {{1 << 15, WARPS(2, 2)},
               {1 << 18, WARPS(4, 2)},
               {1 << 20, WARPS(8, 1)},
               {SIZE_MAX, WARPS(8, 2)}};

static const tuning *choose_tuning(const oct_device *device, oct_variant variant, size_t capacity)
{
    bool nvidia = oct_device_is_nvidia(oct_device_describe(device));
    size_t i = 0;
    if (oct_variant_choose(oct_device_describe(device), variant) == OCT_VARIANT_SERIAL)
        return &serial;
    while (capacity > by_size[i].most)
        i++;
    return nvidia && variant == OCT_VARIANT_AUTO ? &by_size[i].warps : &portable;
}

static oct_status sort_init(oct_sort *sort, oct_device *device, size_t capacity,
                            oct_precision precision, oct_variant variant)
{
    const tuning *t = choose_tuning(device, variant, capacity);
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
    OCT_TRY(
        OCT_KERNEL(&sort->settle, sort->program, "array_settle", OCT_BIND_OFFERS(offers, sort)));
    if (t->whole)
        OCT_TRY(OCT_KERNEL(&sort->whole, sort->program, t->whole, OCT_BIND_OFFERS(offers, sort)));
    OCT_TRY(oct_buffer_create(&sort->counts, device, "sort.counts", sizeof(uint32_t), COUNTS));
    if (sort->lent)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_create(&sort->keys, device, "sort.keys", sizeof(uint64_t), capacity));
    return oct_buffer_create(&sort->values, device, "sort.values", sizeof(uint32_t), capacity);
}

static oct_status create(oct_sort **out, oct_device *device, size_t capacity,
                         oct_precision precision, oct_variant variant, bool lent)
{
    oct_sort *sort;
    *out = NULL;
    OCT_TRY(oct_alloc(&sort, 1, sizeof *sort, "sort"));
    sort->lent = lent;
    oct_status status = sort_init(sort, device, capacity, precision, variant);
    if (status != OCT_STATUS_OK) {
        oct_sort_free(sort);
        return status;
    }
    *out = sort;
    return OCT_STATUS_OK;
}

oct_status oct_sort_create(oct_sort **out, oct_device *device, size_t capacity,
                           oct_precision precision, oct_variant variant)
{
    return create(out, device, capacity, precision, variant, false);
}

oct_status oct_sort_create_bare(oct_sort **out, oct_device *device, size_t capacity,
                                oct_precision precision, oct_variant variant)
{
    return create(out, device, capacity, precision, variant, true);
}

void oct_sort_lend(oct_sort *sort, oct_buffer *keys, oct_buffer *values)
{
    sort->keys = keys;
    sort->values = values;
}

void oct_sort_free(oct_sort *sort)
{
    if (!sort)
        return;
    oct_kernel *const kernels[] = {sort->count, sort->scatter, sort->settle, sort->whole};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
    oct_program_free(sort->program);
    oct_buffer_free(sort->counts);
    if (!sort->lent) {
        oct_buffer_free(sort->keys);
        oct_buffer_free(sort->values);
    }
    free(sort);
}

void oct_sort_memory(oct_memory *memory)
{
    oct_memory_add(memory, sizeof(uint32_t), COUNTS);
}

static void exchange(oct_buffer **a, oct_buffer **b)
{
    oct_buffer *old = *a;
    *a = *b;
    *b = old;
}

/* What was written to the scratch becomes the caller's. */
static void hand_over(oct_sort *sort, oct_buffer **keys, oct_buffer **values)
{
    exchange(keys, &sort->keys);
    exchange(values, &sort->values);
}

static oct_status check_buffers(oct_sort *sort, oct_buffer *keys, oct_buffer *values, size_t n,
                                unsigned first_bit, unsigned last_bit)
{
    OCT_TRY(oct_blocks_check(keys, sizeof(uint64_t), sort->capacity));
    OCT_TRY(oct_blocks_check(values, sizeof(uint32_t), sort->capacity));
    OCT_CHECK(n <= sort->capacity, OCT_STATUS_INTERNAL, "a sort for %zu pairs was given %zu",
              sort->capacity, n);
    OCT_CHECK(first_bit <= last_bit && last_bit <= 64, OCT_STATUS_INTERNAL,
              "keys have no bits %u to %u", first_bit, last_bit);
    sort->from_keys = keys;
    sort->from_values = values;
    sort->n = (uint32_t)n;
    sort->first = first_bit;
    sort->last = last_bit;
    return OCT_STATUS_OK;
}

/* The first bit of a digit. Digits are of equal width: 42 bits are six times 7, with half the bins
 * of 8. */
static unsigned digit_start(const oct_sort *sort, unsigned digit)
{
    return sort->first + digit * (sort->last - sort->first) / sort->digits;
}

static oct_status sort_digit(oct_sort *sort, oct_buffer **keys, oct_buffer **values, size_t items,
                             unsigned digit)
{
    sort->from_keys = *keys;
    sort->from_values = *values;
    sort->shift = digit_start(sort, digit);
    sort->bits = digit_start(sort, digit + 1) - sort->shift;
    OCT_TRY(oct_kernel_launch(sort->count, items, sort->blocks.group));
    OCT_TRY(oct_kernel_launch(sort->scatter, items, sort->blocks.group));
    hand_over(sort, keys, values);
    return OCT_STATUS_OK;
}

/* Digits that so many bits take. */
static unsigned count_digits(const oct_sort *sort, unsigned bits)
{
    return (bits + sort->most_bits - 1) / sort->most_bits;
}

unsigned oct_sort_moves(const oct_sort *sort, size_t n, unsigned first_bit, unsigned last_bit)
{
    size_t chunk, blocks = oct_blocks_cut(&chunk, &sort->blocks, n);
    unsigned digits = n > 1 ? count_digits(sort, last_bit - first_bit) : 0;
    return blocks == 1 && sort->whole ? digits % 2 : digits;
}

oct_status oct_sort_run(oct_sort *sort, oct_buffer **keys, oct_buffer **values, size_t n,
                        unsigned first_bit, unsigned last_bit)
{
    size_t chunk, blocks = oct_blocks_cut(&chunk, &sort->blocks, n);
    OCT_TRY(check_buffers(sort, *keys, *values, n, first_bit, last_bit));
    sort->chunk = (uint32_t)chunk;
    sort->digits = count_digits(sort, last_bit - first_bit);
    if (n <= 1 || sort->digits == 0)
        return OCT_STATUS_OK;
    if (blocks == 1 && sort->whole) {
        OCT_TRY(oct_kernel_launch(sort->whole, 1, 1));
        if (sort->digits % 2)
            hand_over(sort, keys, values);
        return OCT_STATUS_OK;
    }
    for (unsigned digit = 0; digit < sort->digits; digit++)
        OCT_TRY(sort_digit(sort, keys, values, blocks * sort->blocks.group, digit));
    return OCT_STATUS_OK;
}

unsigned oct_sort_whole_digits(const oct_sort *sort, unsigned bits, unsigned most)
{
    unsigned digits = count_digits(sort, bits), whole = digits * sort->most_bits;
    /* Groups read the counts of all blocks: half as many where a bit less a digit is enough. */
    if (!sort->whole && whole - digits >= bits)
        whole -= digits;
    return whole < most ? whole : most;
}

oct_status oct_sort_settle(oct_sort *sort, oct_buffer **keys, oct_buffer **values,
                           oct_buffer *unsettled, size_t n, unsigned first_bit, unsigned last_bit)
{
    OCT_TRY(check_buffers(sort, *keys, *values, n, first_bit, last_bit));
    OCT_TRY(oct_blocks_check(unsettled, sizeof(uint32_t), 1));
    sort->unsettled = unsettled;
    sort->shift = first_bit;
    OCT_TRY(oct_kernel_launch(sort->settle, n, 0));
    hand_over(sort, keys, values);
    return OCT_STATUS_OK;
}
