#include "tree/scan.h"

#include <stdlib.h>

#include "util/status.h"

struct oct_scan {
    oct_blocks blocks;
    oct_program *program;
    oct_kernel *sum, *write;
    oct_buffer *sums; /* one a block */
};

static oct_status scan_init(oct_scan *scan, oct_device *device, oct_variant variant)
{
    scan->blocks = oct_blocks_choose(device, variant);
    const oct_build build = {
        .file = "tree_scan.cl", .precision = OCT_PRECISION_SINGLE, .options = scan->blocks.options};
    OCT_TRY(oct_program_create(&scan->program, device, &build));
    OCT_TRY(oct_kernel_create(&scan->sum, scan->program, "tree_scan_sum"));
    OCT_TRY(oct_kernel_create(&scan->write, scan->program, "tree_scan_write"));
    return oct_buffer_create(&scan->sums, device, "scan.sums", sizeof(uint32_t), scan->blocks.most);
}

oct_status oct_scan_create(oct_scan **out, oct_device *device, oct_variant variant)
{
    oct_scan *scan;
    *out = NULL;
    OCT_TRY(oct_alloc(&scan, 1, sizeof *scan, "scan"));
    oct_status status = scan_init(scan, device, variant);
    if (status != OCT_STATUS_OK) {
        oct_scan_free(scan);
        return status;
    }
    *out = scan;
    return OCT_STATUS_OK;
}

void oct_scan_free(oct_scan *scan)
{
    if (!scan)
        return;
    oct_kernel_free(scan->sum);
    oct_kernel_free(scan->write);
    oct_program_free(scan->program);
    oct_buffer_free(scan->sums);
    free(scan);
}

oct_status oct_scan_run(oct_scan *scan, oct_buffer *result, oct_buffer *total, oct_buffer *values,
                        size_t n)
{
    size_t chunk, blocks = oct_blocks_cut(&chunk, &scan->blocks, n), group = scan->blocks.group;
    OCT_TRY(oct_blocks_check(values, sizeof(uint32_t), n));
    OCT_TRY(oct_blocks_check(result, sizeof(uint32_t), n));
    OCT_TRY(oct_blocks_check(total, sizeof(uint32_t), 1));
    if (blocks > 1)
        OCT_TRY(OCT_LAUNCH(scan->sum, blocks * group, group, OCT_OUT(scan->sums), OCT_IN(values),
                           OCT_UINT(n), OCT_UINT(chunk)));
    return OCT_LAUNCH(scan->write, blocks * group, group, OCT_OUT(result), OCT_OUT(total),
                      OCT_IN(values), OCT_IN(scan->sums), OCT_UINT(n), OCT_UINT(chunk));
}
