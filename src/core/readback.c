/* Hands out places, folds into them, and reads them all at once. */
#include "core/readback.h"

#include <string.h>

#include "core/join.h"
#include "core/sim.h"

/* Bytes of a `sum` of the kernels. */
static size_t sum_bytes(const oct_device_info *info)
{
    return info->fp64 ? sizeof(double) : 2 * sizeof(float);
}

oct_status oct_readback_start(oct_domain *domain)
{
    oct_readback *self = &domain->readback;
    OCT_TRY(oct_buffer_create(&self->sums, domain->device, "folded sums",
                              sum_bytes(oct_device_describe(domain->device)), OCT_READBACK_SUMS));
    OCT_TRY(oct_buffer_create(&self->counts, domain->device, "counts", sizeof(uint32_t),
                              OCT_READBACK_COUNTS));
    oct_readback_begin(domain);
    return oct_buffer_fill(self->sums, 0);
}

void oct_readback_end(oct_domain *domain)
{
    oct_buffer_free(domain->readback.sums);
    oct_buffer_free(domain->readback.counts);
}

void oct_readback_memory(oct_needs *needs)
{
    oct_needs_add(needs, sizeof(double), OCT_READBACK_SUMS);
    oct_needs_add(needs, sizeof(uint32_t), OCT_READBACK_COUNTS);
}

void oct_readback_begin(oct_domain *domain)
{
    oct_readback *self = &domain->readback;
    self->n_sums = OCT_DOMAIN_SUMS;
    self->n_counts = 0;
    self->row++;
    self->read = self->impacts_known = false;
}

uint32_t oct_domain_rows(const oct_domain *domain)
{
    uint32_t n = domain->n > 0 ? domain->n : 1;
    return n < OCT_DOMAIN_ROWS ? n : OCT_DOMAIN_ROWS;
}

static oct_status launch_fold(oct_domain *domain, uint32_t place, uint32_t columns)
{
    /* A work-group a column: on a GPU its lanes fetch what one of them adds up. */
    enum { LANES = 64 };
    bool cpu = oct_device_is_cpu(oct_device_describe(domain->device));
    domain->readback.first = place;
    domain->next.rows = oct_domain_rows(domain);
    domain->next.columns = columns;
    return cpu ? oct_kernel_launch(domain->fold, 1, 1)
               : oct_kernel_launch(domain->fold, (size_t)columns * LANES, LANES);
}

static void widen(double *out, const float *pairs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = (double)pairs[2 * i] + (double)pairs[2 * i + 1];
}

static oct_status read_sums(double *out, oct_domain *domain, uint32_t first, uint32_t n)
{
    oct_buffer *sums = domain->readback.sums;
    float pairs[2 * OCT_READBACK_SUMS];
    if (oct_device_describe(domain->device)->fp64)
        return oct_buffer_read(out, sums, first, n);
    OCT_TRY(oct_buffer_read(pairs, sums, first, n));
    widen(out, pairs, n);
    return OCT_STATUS_OK;
}

oct_status oct_readback_fold(uint32_t *place, oct_domain *domain, uint32_t columns)
{
    oct_readback *self = &domain->readback;
    OCT_CHECK(self->n_sums + columns <= OCT_READBACK_SUMS, OCT_STATUS_INTERNAL,
              "a row of measurements has more than %d sums", OCT_READBACK_SUMS);
    *place = self->n_sums;
    self->n_sums += columns;
    self->read = false;
    return launch_fold(domain, *place, columns);
}

oct_status oct_readback_fold_mass(uint32_t *place, oct_domain *domain, oct_buffer *values)
{
    domain->next.summed = values;
    OCT_TRY(oct_kernel_launch(domain->sum, oct_domain_rows(domain), 0));
    return oct_readback_fold(place, domain, 1);
}

oct_status oct_readback_take_count(uint32_t *place, oct_domain *domain)
{
    oct_readback *self = &domain->readback;
    OCT_CHECK(self->n_counts < OCT_READBACK_COUNTS, OCT_STATUS_INTERNAL,
              "a row of measurements has more than %d counts", OCT_READBACK_COUNTS);
    if (self->n_counts == 0)
        OCT_TRY(oct_buffer_fill(self->counts, 0));
    *place = self->n_counts++;
    self->read = false;
    return OCT_STATUS_OK;
}

static oct_status read_all(oct_domain *domain)
{
    oct_readback *self = &domain->readback;
    if (self->read)
        return OCT_STATUS_OK;
    OCT_TRY(read_sums(self->sum, domain, 0, self->n_sums));
    OCT_TRY(oct_buffer_read(self->count, self->counts, 0, self->n_counts));
    self->read = true;
    return OCT_STATUS_OK;
}

oct_status oct_readback_sums(double *out, oct_domain *domain, uint32_t place, uint32_t columns)
{
    OCT_TRY(read_all(domain));
    memcpy(out, domain->readback.sum + place, columns * sizeof *out);
    return OCT_STATUS_OK;
}

oct_status oct_readback_count(uint32_t *out, oct_domain *domain, uint32_t place)
{
    OCT_TRY(read_all(domain));
    *out = domain->readback.count[place];
    return OCT_STATUS_OK;
}

oct_status oct_readback_largest(double *out, oct_domain *domain, uint32_t place)
{
    uint32_t bits;
    float largest;
    OCT_TRY(oct_readback_count(&bits, domain, place));
    memcpy(&largest, &bits, sizeof largest);
    *out = (double)largest;
    return OCT_STATUS_OK;
}

oct_status oct_readback_impacts(oct_impacts *out, oct_domain *domain)
{
    oct_readback *self = &domain->readback;
    if (!self->impacts_known)
        OCT_TRY(oct_join_impacts(&self->impacts, domain));
    self->impacts_known = true;
    *out = self->impacts;
    return OCT_STATUS_OK;
}

oct_status oct_domain_fold(double *out, oct_domain *domain, uint32_t columns)
{
    OCT_TRY(launch_fold(domain, 0, columns));
    return read_sums(out, domain, 0, columns);
}

oct_status oct_domain_fold_largest(double *out, oct_domain *domain, oct_kernel *kernel,
                                   oct_buffer *largest, uint32_t columns)
{
    float found;
    OCT_TRY(oct_buffer_fill(largest, 0));
    OCT_TRY(oct_kernel_launch(kernel, oct_domain_rows(domain), 0));
    OCT_TRY(oct_domain_fold(out, domain, columns));
    OCT_TRY(oct_buffer_read(&found, largest, 0, 1));
    out[columns] = (double)found;
    return OCT_STATUS_OK;
}

oct_status oct_domain_sum(double *out, oct_domain *domain, oct_buffer *values)
{
    domain->next.summed = values;
    OCT_TRY(oct_kernel_launch(domain->sum, oct_domain_rows(domain), 0));
    return oct_domain_fold(out, domain, 1);
}
