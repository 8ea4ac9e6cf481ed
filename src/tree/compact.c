#include "tree/compact.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/status.h"

struct oct_compact {
    oct_blocks blocks;
    size_t flag_bytes;
    oct_program *program;
    oct_kernel *count, *write;
    oct_buffer *counts; /* one a block */
};

static oct_status compact_init(oct_compact *compact, oct_device *device, size_t flag_bytes,
                               oct_variant variant)
{
    char options[128];
    OCT_CHECK(flag_bytes == 1 || flag_bytes == 4, OCT_STATUS_INTERNAL,
              "flags have 1 or 4 bytes, not %zu", flag_bytes);
    compact->blocks = oct_blocks_choose(device, variant);
    compact->flag_bytes = flag_bytes;
    snprintf(options, sizeof options, "%s -D FLAG=%s", compact->blocks.options,
             flag_bytes == 1 ? "uchar" : "uint");
    const oct_build build = {
        .file = "tree_compact.cl", .precision = OCT_PRECISION_SINGLE, .options = options};
    OCT_TRY(oct_program_create(&compact->program, device, &build));
    OCT_TRY(oct_kernel_create(&compact->count, compact->program, "tree_compact_count"));
    OCT_TRY(oct_kernel_create(&compact->write, compact->program, "tree_compact_write"));
    return oct_buffer_create(&compact->counts, device, "compact.counts", sizeof(uint32_t),
                             compact->blocks.most);
}

oct_status oct_compact_create(oct_compact **out, oct_device *device, size_t flag_bytes,
                              oct_variant variant)
{
    oct_compact *compact;
    *out = NULL;
    OCT_TRY(oct_alloc(&compact, 1, sizeof *compact, "compaction"));
    oct_status status = compact_init(compact, device, flag_bytes, variant);
    if (status != OCT_STATUS_OK) {
        oct_compact_free(compact);
        return status;
    }
    *out = compact;
    return OCT_STATUS_OK;
}

void oct_compact_free(oct_compact *compact)
{
    if (!compact)
        return;
    oct_kernel_free(compact->count);
    oct_kernel_free(compact->write);
    oct_program_free(compact->program);
    oct_buffer_free(compact->counts);
    free(compact);
}

oct_status oct_compact_run(oct_compact *compact, oct_buffer *indices, oct_buffer *count,
                           oct_buffer *flags, size_t n)
{
    size_t group = compact->blocks.group, chunk;
    size_t blocks = oct_blocks_cut(&chunk, &compact->blocks, n);
    OCT_TRY(oct_blocks_check(flags, compact->flag_bytes, n));
    OCT_TRY(oct_blocks_check(indices, sizeof(uint32_t), n));
    OCT_TRY(oct_blocks_check(count, sizeof(uint32_t), 1));
    if (blocks > 1)
        OCT_TRY(OCT_LAUNCH(compact->count, blocks * group, group, OCT_OUT(compact->counts),
                           OCT_IN(flags), OCT_UINT(n), OCT_UINT(chunk)));
    return OCT_LAUNCH(compact->write, blocks * group, group, OCT_OUT(indices), OCT_OUT(count),
                      OCT_IN(flags), OCT_IN(compact->counts), OCT_UINT(n), OCT_UINT(chunk));
}
