/* Sums and counts that kernels leave on the device, read back together. Measurements of a row
 * enqueue all that they need; the first that asks for a number lets one launch fold all partial
 * sums, and waits once for all of them. */
#ifndef OCT_CORE_READBACK_H
#define OCT_CORE_READBACK_H

#include "core/module.h"
#include "device/fetch.h"

/* The first OCT_DOMAIN_SUMS are those of who does not wait for others: oct_domain_fold. */
enum { OCT_READBACK_SUMS = 128, OCT_READBACK_COUNTS = 32 };
/* What is read begins with the counts, which take as much room as so many sums. */
enum { OCT_READBACK_FIRST = OCT_READBACK_COUNTS / 2 };

/* Arrays that come with the sums of a row. */
enum { OCT_READBACK_ARRAYS = 4 };

/* When the numbers of a row are read. */
typedef enum oct_readback_when {
    OCT_READBACK_NOW,   /* when the first is asked for, */
    OCT_READBACK_AHEAD, /* later, from copies that are being listed; */
    OCT_READBACK_THERE  /* they were, and steps may have been taken since */
} oct_readback_when;

typedef struct oct_readback {
    oct_buffer *sums, *counts; /* on the device */
    oct_buffer *partials;      /* a column a sum, of rows that kernels write */
    uint32_t stride;           /* rows that a column has room for */
    uint32_t n_sums, n_counts; /* places that are taken */
    uint32_t n_folded;         /* sums up to there are folded */
    uint32_t place;            /* of the sums of what is launched */
    struct {
        uint32_t first, columns, rows;
    } fold;       /* that is launched */
    uint64_t row; /* how many rows have begun: what is known of one is so with it */
    bool read, impacts_launched, impacts_known;
    double sum[OCT_READBACK_SUMS];
    uint32_t count[OCT_READBACK_COUNTS];
    oct_impacts impacts;
    oct_readback_when when;
    uint64_t raw[OCT_READBACK_FIRST + OCT_READBACK_SUMS]; /* as they come */
    struct {
        const oct_buffer *buffer;
        size_t bytes;
        void *data;
    } arrays[OCT_READBACK_ARRAYS];
    uint32_t n_arrays;
} oct_readback;

/* What kernels that fold find by name. */
extern const oct_offer oct_readback_offers[];

oct_status oct_readback_start(oct_domain *domain);
void oct_readback_end(oct_domain *domain);
/* Adds the buffers that it takes. */
void oct_readback_memory(oct_needs *needs);

/* Forgets what was there: a row begins. */
void oct_readback_begin(oct_domain *domain);
/* Launches a kernel that writes rows of `columns` partial sums (partials.clh), which will be added
 * up, on a GPU in another order than that of oct_domain_fold; groups: as many work-groups of this
 * size as there are rows, 0: as many work-items. */
oct_status oct_readback_sum(uint32_t *place, oct_domain *domain, oct_kernel *kernel,
                            uint32_t columns, size_t groups);
/* The same for the sum of oct_domain_sum. */
oct_status oct_readback_sum_mass(uint32_t *place, oct_domain *domain, oct_buffer *values);
/* Adds up all that was launched, for kernels that go by it: `sums` of the device has those of a
 * place from OCT_READBACK_FIRST + place on. */
oct_status oct_readback_fold(oct_domain *domain);
/* A count that is 0, in `counts` of the device. */
oct_status oct_readback_take_count(uint32_t *place, oct_domain *domain);

/* What is there, after a wait for all that was enqueued. */
oct_status oct_readback_sums(double *out, oct_domain *domain, uint32_t place, uint32_t columns);
oct_status oct_readback_count(uint32_t *out, oct_domain *domain, uint32_t place);
/* The first elements of an array, as they were when the row was launched. Where they are to come
 * later who launches asks for them too, and gets zeros. */
oct_status oct_readback_read(void *out, oct_domain *domain, oct_buffer *buffer, size_t count);
/* A count that is the bits of a float. */
oct_status oct_readback_largest(double *out, oct_domain *domain, uint32_t place);
/* oct_join_impacts, asked for once a row; what it needs is launched with the rest of the row. */
oct_status oct_readback_launch_impacts(oct_domain *domain);
oct_status oct_readback_impacts(oct_impacts *out, oct_domain *domain);

/* A row whose numbers are read later: after begin, launches list arrays; send adds all that is to
 * be copied to a fetch; arrived, when that is finished, lets measurements have it. Over forgets. */
void oct_readback_begin_ahead(oct_domain *domain);
oct_status oct_readback_send(oct_domain *domain, oct_fetch *fetch);
void oct_readback_arrived(oct_domain *domain);
void oct_readback_over(oct_domain *domain);

#endif
