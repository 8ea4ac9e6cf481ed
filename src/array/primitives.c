/* Each primitive takes two launches: the first finds a number (or a box) for every block of the
 * array, the second joins those of all blocks; where there is one block, one launch is enough. */
#include "array/primitives.h"

#include <stdlib.h>

#include "util/status.h"

struct oct_primitives {
    oct_blocks blocks;
    size_t real4; /* bytes */
    oct_program *program;
    oct_kernel *scan_sum, *scan_write, *compact_count, *compact_write, *box_part, *box_join;
    oct_kernel *box_whole;     /* both in one launch; NULL: not on this device */
    oct_buffer *words, *boxes; /* of each block */
    oct_buffer *done;          /* blocks that have ended */
    /* What the next launch takes. */
    oct_buffer *in, *type, *out, *joined, *total;
    uint32_t n, chunk, n_blocks, skip;
};

/* Kernels name them as is natural for each. */
static const oct_offer offers[] = {
    OCT_OFFER(oct_primitives, "in", in),       OCT_OFFER(oct_primitives, "marks", in),
    OCT_OFFER(oct_primitives, "position", in), OCT_OFFER(oct_primitives, "type", type),
    OCT_OFFER(oct_primitives, "out", out),     OCT_OFFER(oct_primitives, "indices", out),
    OCT_OFFER(oct_primitives, "total", total), OCT_OFFER(oct_primitives, "count", total),
    OCT_OFFER(oct_primitives, "sums", words),  OCT_OFFER(oct_primitives, "counts", words),
    OCT_OFFER(oct_primitives, "boxes", boxes), OCT_OFFER(oct_primitives, "done", done),
    OCT_OFFER(oct_primitives, "n", n),         OCT_OFFER(oct_primitives, "chunk", chunk),
    OCT_OFFER(oct_primitives, "skip", skip),   {0}};

static size_t real4_of(oct_precision precision)
{
    return precision == OCT_PRECISION_SINGLE ? 4 * sizeof(float) : 4 * sizeof(double);
}

static oct_status primitives_init(oct_primitives *p, oct_device *device, oct_precision precision,
                                  oct_variant variant)
{
    p->blocks = oct_blocks_choose(oct_device_describe(device), variant);
    p->real4 = real4_of(precision);
    const oct_build build = {
        .file = "array.cl", .precision = precision, .options = p->blocks.options};
    const struct {
        oct_kernel **kernel;
        const char *name;
    } rows[] = {
        {&p->scan_sum, "array_scan_sum"},           {&p->scan_write, "array_scan_write"},
        {&p->compact_count, "array_compact_count"}, {&p->compact_write, "array_compact_write"},
        {&p->box_part, "array_box_part"},           {&p->box_join, "array_box_join"}};
    OCT_TRY(oct_program_create(&p->program, device, &build));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        OCT_TRY(OCT_KERNEL(rows[i].kernel, p->program, rows[i].name, OCT_BIND_OFFERS(offers, p)));
    /* A box of one block is the box of all. */
    OCT_TRY(OCT_BIND(p->box_part, OCT_BIND_OUT("boxes", &p->joined)));
    OCT_TRY(OCT_BIND(p->box_join, OCT_BIND_UINT("n", &p->n_blocks)));
    /* As climbing a tree, this takes a fence that reaches all work-groups. */
    const oct_device_info *info = oct_device_describe(device);
    if (variant == OCT_VARIANT_AUTO && (oct_device_is_cpu(info) || oct_device_is_nvidia(info)))
        OCT_TRY(
            OCT_KERNEL(&p->box_whole, p->program, "array_box_whole", OCT_BIND_OFFERS(offers, p)));
    OCT_TRY(oct_buffer_create(&p->done, device, "blocks.done", sizeof(uint32_t), 1));
    OCT_TRY(oct_buffer_fill(p->done, 0));
    OCT_TRY(oct_buffer_create(&p->words, device, "blocks.words", sizeof(uint32_t), p->blocks.most));
    return oct_buffer_create(&p->boxes, device, "blocks.boxes", p->real4, 2 * p->blocks.most);
}

oct_status oct_primitives_create(oct_primitives **out, oct_device *device, oct_precision precision,
                                 oct_variant variant)
{
    oct_primitives *p;
    *out = NULL;
    OCT_TRY(oct_alloc(&p, 1, sizeof *p, "primitives"));
    oct_status status = primitives_init(p, device, precision, variant);
    if (status != OCT_STATUS_OK) {
        oct_primitives_free(p);
        return status;
    }
    *out = p;
    return OCT_STATUS_OK;
}

void oct_primitives_free(oct_primitives *p)
{
    if (!p)
        return;
    oct_kernel *const kernels[] = {p->scan_sum, p->scan_write, p->compact_count, p->compact_write,
                                   p->box_part, p->box_join,   p->box_whole};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
    oct_program_free(p->program);
    oct_buffer_free(p->words);
    oct_buffer_free(p->boxes);
    oct_buffer_free(p->done);
    free(p);
}

void oct_primitives_memory(oct_memory *memory, const oct_device_info *info, oct_precision precision)
{
    uint64_t most = oct_blocks_choose(info, OCT_VARIANT_AUTO).most;
    oct_memory_add(memory, sizeof(uint32_t), 1);
    oct_memory_add(memory, sizeof(uint32_t), most);
    oct_memory_add(memory, real4_of(precision), 2 * most);
}

/* Cuts n elements into blocks, and says how many work-items a launch over all of them takes. */
static size_t cut(oct_primitives *p, size_t n)
{
    size_t chunk, blocks = oct_blocks_cut(&chunk, &p->blocks, n);
    p->n = (uint32_t)n;
    p->chunk = (uint32_t)chunk;
    p->n_blocks = (uint32_t)blocks;
    return blocks * p->blocks.group;
}

oct_status oct_array_scan(oct_primitives *p, oct_buffer *result, oct_buffer *total,
                          oct_buffer *values, size_t n)
{
    size_t items = cut(p, n), group = p->blocks.group;
    OCT_TRY(oct_blocks_check(values, sizeof(uint32_t), n));
    OCT_TRY(oct_blocks_check(result, sizeof(uint32_t), n));
    OCT_TRY(oct_blocks_check(total, sizeof(uint32_t), 1));
    p->in = values;
    p->out = result;
    p->total = total;
    if (p->n_blocks > 1)
        OCT_TRY(oct_kernel_launch(p->scan_sum, items, group));
    return oct_kernel_launch(p->scan_write, items, group);
}

oct_status oct_array_compact(oct_primitives *p, oct_buffer *indices, oct_buffer *count,
                             oct_buffer *marks, unsigned char skip, size_t n)
{
    size_t items = cut(p, n), group = p->blocks.group;
    OCT_TRY(oct_blocks_check(marks, 1, n));
    OCT_TRY(oct_blocks_check(indices, sizeof(uint32_t), n));
    OCT_TRY(oct_blocks_check(count, sizeof(uint32_t), 1));
    p->in = marks;
    p->skip = skip;
    p->out = indices;
    p->total = count;
    if (p->n_blocks > 1)
        OCT_TRY(oct_kernel_launch(p->compact_count, items, group));
    return oct_kernel_launch(p->compact_write, items, group);
}

oct_status oct_array_box(oct_primitives *p, oct_buffer *box, oct_buffer *position, oct_buffer *type,
                         size_t n)
{
    size_t items = cut(p, n), group = p->blocks.group;
    OCT_TRY(oct_blocks_check(position, p->real4, n));
    OCT_TRY(oct_blocks_check(type, 1, n));
    OCT_TRY(oct_blocks_check(box, p->real4, 2));
    p->in = position;
    p->type = type;
    p->out = box;
    if (p->box_whole && p->n_blocks > 1)
        return oct_kernel_launch(p->box_whole, items, group);
    p->joined = p->n_blocks == 1 ? box : p->boxes;
    OCT_TRY(oct_kernel_launch(p->box_part, items, group));
    return p->n_blocks == 1 ? OCT_STATUS_OK : oct_kernel_launch(p->box_join, group, group);
}
