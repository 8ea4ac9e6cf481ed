/* Sums and counts that kernels leave on the device, read back together. Measurements of a row
 * enqueue all that they need; the first that asks for a number waits once for all of them. */
#ifndef OCT_CORE_READBACK_H
#define OCT_CORE_READBACK_H

#include "core/module.h"

/* The first OCT_DOMAIN_SUMS are those of who does not wait for others: oct_domain_fold. */
enum { OCT_READBACK_SUMS = 256, OCT_READBACK_COUNTS = 32 };

typedef struct oct_readback {
    oct_buffer *sums, *counts; /* on the device */
    uint32_t n_sums, n_counts; /* places that are taken */
    uint32_t first;            /* place of the fold that is launched */
    uint64_t row;              /* how many rows have begun: what is known of one is so with it */
    bool read, impacts_known;
    double sum[OCT_READBACK_SUMS];
    uint32_t count[OCT_READBACK_COUNTS];
    oct_impacts impacts;
} oct_readback;

oct_status oct_readback_start(oct_domain *domain);
void oct_readback_end(oct_domain *domain);
/* Adds the buffers that it takes. */
void oct_readback_memory(oct_needs *needs);

/* Forgets what was there: a row begins. */
void oct_readback_begin(oct_domain *domain);
/* Adds up the rows of `columns` partial sums each, as oct_domain_fold does, without a wait. */
oct_status oct_readback_fold(uint32_t *place, oct_domain *domain, uint32_t columns);
/* The same for the sum of oct_domain_sum. */
oct_status oct_readback_fold_mass(uint32_t *place, oct_domain *domain, oct_buffer *values);
/* A count that is 0, in `counts` of the device. */
oct_status oct_readback_take_count(uint32_t *place, oct_domain *domain);

/* What is there, after a wait for all that was enqueued. */
oct_status oct_readback_sums(double *out, oct_domain *domain, uint32_t place, uint32_t columns);
oct_status oct_readback_count(uint32_t *out, oct_domain *domain, uint32_t place);
/* A count that is the bits of a float. */
oct_status oct_readback_largest(double *out, oct_domain *domain, uint32_t place);
/* oct_join_impacts, asked for once a row. */
oct_status oct_readback_impacts(oct_impacts *out, oct_domain *domain);

#endif
