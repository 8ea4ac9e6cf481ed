#include "tree/reduce.h"

#include <stdlib.h>

#include "util/status.h"

struct oct_reduce {
    oct_blocks blocks;
    size_t real4; /* bytes */
    oct_program *program;
    oct_kernel *box, *join;
    oct_buffer *boxes; /* one a block */
};

static oct_status reduce_init(oct_reduce *reduce, oct_device *device, oct_precision precision,
                              oct_variant variant)
{
    reduce->blocks = oct_blocks_choose(device, variant);
    reduce->real4 = precision == OCT_PRECISION_SINGLE ? 16 : 32;
    const oct_build build = {
        .file = "tree_reduce.cl", .precision = precision, .options = reduce->blocks.options};
    OCT_TRY(oct_program_create(&reduce->program, device, &build));
    OCT_TRY(oct_kernel_create(&reduce->box, reduce->program, "tree_reduce_box"));
    OCT_TRY(oct_kernel_create(&reduce->join, reduce->program, "tree_reduce_join"));
    return oct_buffer_create(&reduce->boxes, device, "reduce.boxes", reduce->real4,
                             2 * reduce->blocks.most);
}

oct_status oct_reduce_create(oct_reduce **out, oct_device *device, oct_precision precision,
                             oct_variant variant)
{
    oct_reduce *reduce;
    *out = NULL;
    OCT_TRY(oct_alloc(&reduce, 1, sizeof *reduce, "reduction"));
    oct_status status = reduce_init(reduce, device, precision, variant);
    if (status != OCT_STATUS_OK) {
        oct_reduce_free(reduce);
        return status;
    }
    *out = reduce;
    return OCT_STATUS_OK;
}

void oct_reduce_free(oct_reduce *reduce)
{
    if (!reduce)
        return;
    oct_kernel_free(reduce->box);
    oct_kernel_free(reduce->join);
    oct_program_free(reduce->program);
    oct_buffer_free(reduce->boxes);
    free(reduce);
}

oct_status oct_reduce_box(oct_reduce *reduce, oct_buffer *box, oct_buffer *position,
                          oct_buffer *type, size_t n)
{
    size_t group = reduce->blocks.group, chunk;
    size_t blocks = oct_blocks_cut(&chunk, &reduce->blocks, n);
    OCT_TRY(oct_blocks_check(position, reduce->real4, n));
    OCT_TRY(oct_blocks_check(type, 1, n));
    OCT_TRY(oct_blocks_check(box, reduce->real4, 2));
    OCT_TRY(OCT_LAUNCH(reduce->box, blocks * group, group,
                       OCT_OUT(blocks == 1 ? box : reduce->boxes), OCT_IN(position), OCT_IN(type),
                       OCT_UINT(n), OCT_UINT(chunk)));
    if (blocks == 1)
        return OCT_STATUS_OK;
    return OCT_LAUNCH(reduce->join, group, group, OCT_OUT(box), OCT_IN(reduce->boxes),
                      OCT_UINT(blocks));
}
