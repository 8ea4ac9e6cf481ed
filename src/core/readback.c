/* Hands out places, folds into them, and reads them all at once. */
#include "core/readback.h"

#include <stdlib.h>
#include <string.h>

#include "core/join.h"
#include "core/sim.h"

/* A `sum` of the kernels: a double, or two floats. */
enum { SUM_BYTES = 8 };
/* Groups of launches, and columns that a CPU folds together, which may be past the last. */
enum { GROUP = 128, TOGETHER = 8 };

const oct_offer oct_readback_offers[] = {
    OCT_OFFER(oct_readback, "partials", partials), OCT_OFFER(oct_readback, "out", sums),
    OCT_OFFER(oct_readback, "counts", counts),     OCT_OFFER(oct_readback, "sum_rows", stride),
    OCT_OFFER(oct_readback, "rows", fold.rows),    OCT_OFFER(oct_readback, "columns", fold.columns),
    OCT_OFFER(oct_readback, "first", fold.first),  {0}};

uint32_t oct_domain_rows(const oct_domain *domain)
{
    uint32_t n = domain->n > 0 ? domain->n : 1;
    return n < OCT_DOMAIN_ROWS ? n : OCT_DOMAIN_ROWS;
}

/* Launches are of whole groups. */
static uint32_t stride_for(uint64_t n)
{
    return n < OCT_DOMAIN_ROWS ? ((uint32_t)n / GROUP + 1) * GROUP : OCT_DOMAIN_ROWS;
}

oct_status oct_readback_start(oct_domain *domain)
{
    oct_readback *self = &domain->readback;
    self->stride = stride_for(domain->n);
    const oct_buffer_plan plans[] = {
        {&self->sums, "folded sums", SUM_BYTES, OCT_READBACK_FIRST + OCT_READBACK_SUMS},
        {&self->counts, "counts", sizeof(uint32_t), OCT_READBACK_COUNTS},
        {&self->partials, "partials", SUM_BYTES,
         (size_t)self->stride * (OCT_READBACK_SUMS + TOGETHER)}};
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        OCT_TRY(oct_buffer_create(plans[i].at, domain->device, plans[i].name, plans[i].element,
                                  plans[i].count));
        OCT_TRY(oct_buffer_fill(*plans[i].at, 0));
    }
    oct_readback_begin(domain);
    return OCT_STATUS_OK;
}

void oct_readback_end(oct_domain *domain)
{
    oct_buffer_free(domain->readback.sums);
    oct_buffer_free(domain->readback.counts);
    oct_buffer_free(domain->readback.partials);
    oct_readback_over(domain);
}

void oct_readback_memory(oct_needs *needs)
{
    oct_needs_add(needs, SUM_BYTES, OCT_READBACK_FIRST + OCT_READBACK_SUMS);
    oct_needs_add(needs, sizeof(uint32_t), OCT_READBACK_COUNTS);
    oct_needs_add(needs, SUM_BYTES,
                  (uint64_t)stride_for(needs->n) * (OCT_READBACK_SUMS + TOGETHER));
}

void oct_readback_begin(oct_domain *domain)
{
    oct_readback *self = &domain->readback;
    self->n_sums = self->n_folded = OCT_DOMAIN_SUMS;
    self->n_counts = 0;
    self->row++;
    self->read = self->impacts_launched = self->impacts_known = false;
}

/* By the fold that steps go by as well, whose order stays, or by that of rows. */
static oct_status launch_fold(oct_domain *domain, oct_kernel *fold, uint32_t first,
                              uint32_t columns)
{
    /* A work-group a column on a GPU. */
    enum { LANES = 256 };
    oct_readback *self = &domain->readback;
    bool cpu = oct_device_is_cpu(oct_device_describe(domain->device));
    self->fold.first = first;
    self->fold.columns = columns;
    self->fold.rows = oct_domain_rows(domain);
    return cpu ? oct_kernel_launch(fold, (columns + TOGETHER - 1) / TOGETHER, 1)
               : oct_kernel_launch(fold, (size_t)columns * LANES, LANES);
}

/* The numbers of what was read from the device. */
static void widen(double *out, const void *sums, uint32_t n, bool fp64)
{
    float pair[2];
    for (uint32_t i = 0; i < n; i++) {
        const char *at = (const char *)sums + (size_t)i * SUM_BYTES;
        memcpy(fp64 ? (void *)&out[i] : pair, at, SUM_BYTES);
        if (!fp64)
            out[i] = (double)pair[0] + (double)pair[1];
    }
}

oct_status oct_readback_sum(uint32_t *place, oct_domain *domain, oct_kernel *kernel,
                            uint32_t columns, size_t groups)
{
    oct_readback *self = &domain->readback;
    size_t rows = oct_domain_rows(domain);
    OCT_CHECK(self->n_sums + columns <= OCT_READBACK_SUMS, OCT_STATUS_INTERNAL,
              "a row of measurements has more than %d sums", OCT_READBACK_SUMS);
    *place = self->place = self->n_sums;
    self->n_sums += columns;
    self->read = false;
    oct_status status = oct_kernel_launch(kernel, groups ? rows * groups : rows, groups);
    self->place = 0;
    return status;
}

oct_status oct_readback_sum_mass(uint32_t *place, oct_domain *domain, oct_buffer *values)
{
    domain->next.summed = values;
    return oct_readback_sum(place, domain, domain->sum, 1, 0);
}

oct_status oct_readback_fold(oct_domain *domain)
{
    oct_readback *self = &domain->readback;
    if (self->n_folded < self->n_sums)
        OCT_TRY(
            launch_fold(domain, domain->fold_row, self->n_folded, self->n_sums - self->n_folded));
    self->n_folded = self->n_sums;
    return OCT_STATUS_OK;
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

/* All sums, and the counts, which a fold brings along. */
static oct_status fold_all(oct_domain *domain)
{
    oct_readback *self = &domain->readback;
    if (self->n_folded == self->n_sums && self->n_counts > 0)
        OCT_TRY(launch_fold(domain, domain->fold_row, 0, 1));
    return oct_readback_fold(domain);
}

static void take_numbers(oct_domain *domain)
{
    oct_readback *self = &domain->readback;
    memcpy(self->count, self->raw, sizeof self->count);
    widen(self->sum, self->raw + OCT_READBACK_FIRST, self->n_sums,
          oct_device_describe(domain->device)->fp64);
    self->read = true;
}

static oct_status read_all(oct_domain *domain)
{
    oct_readback *self = &domain->readback;
    if (self->read)
        return OCT_STATUS_OK;
    OCT_TRY(fold_all(domain));
    OCT_TRY(oct_buffer_read(self->raw, self->sums, 0, OCT_READBACK_FIRST + self->n_sums));
    take_numbers(domain);
    return OCT_STATUS_OK;
}

void oct_readback_begin_ahead(oct_domain *domain)
{
    oct_readback_over(domain);
    domain->readback.when = OCT_READBACK_AHEAD;
}

oct_status oct_readback_send(oct_domain *domain, oct_fetch *fetch)
{
    oct_readback *self = &domain->readback;
    OCT_TRY(fold_all(domain));
    OCT_TRY(oct_fetch_add(fetch, self->raw, self->sums, OCT_READBACK_FIRST + self->n_sums));
    for (uint32_t i = 0; i < self->n_arrays; i++)
        OCT_TRY(oct_fetch_add(fetch, self->arrays[i].data, self->arrays[i].buffer,
                              self->arrays[i].bytes / self->arrays[i].buffer->element));
    return OCT_STATUS_OK;
}

void oct_readback_arrived(oct_domain *domain)
{
    take_numbers(domain);
    domain->readback.when = OCT_READBACK_THERE;
}

void oct_readback_over(oct_domain *domain)
{
    oct_readback *self = &domain->readback;
    for (uint32_t i = 0; i < self->n_arrays; i++)
        free(self->arrays[i].data);
    self->n_arrays = 0;
    self->when = OCT_READBACK_NOW;
}

/* The array of a buffer among those that are listed; n_arrays where it is not. */
static uint32_t find_array(const oct_readback *self, const oct_buffer *buffer)
{
    uint32_t i = 0;
    while (i < self->n_arrays && self->arrays[i].buffer != buffer)
        i++;
    return i;
}

static oct_status list_array(oct_readback *self, const oct_buffer *buffer, size_t bytes)
{
    OCT_CHECK(self->n_arrays < OCT_READBACK_ARRAYS, OCT_STATUS_INTERNAL,
              "a row of measurements has more than %d arrays", OCT_READBACK_ARRAYS);
    OCT_TRY(oct_alloc(&self->arrays[self->n_arrays].data, bytes, 1, buffer->name));
    self->arrays[self->n_arrays].buffer = buffer;
    self->arrays[self->n_arrays++].bytes = bytes;
    return OCT_STATUS_OK;
}

oct_status oct_readback_read(void *out, oct_domain *domain, oct_buffer *buffer, size_t count)
{
    oct_readback *self = &domain->readback;
    size_t bytes = count * buffer->element;
    uint32_t i = find_array(self, buffer);
    if (self->when == OCT_READBACK_NOW)
        return oct_buffer_read(out, buffer, 0, count);
    if (self->when == OCT_READBACK_AHEAD) {
        memset(out, 0, bytes);
        return i < self->n_arrays ? OCT_STATUS_OK : list_array(self, buffer, bytes);
    }
    OCT_CHECK(i < self->n_arrays && self->arrays[i].bytes == bytes, OCT_STATUS_INTERNAL,
              "%zu bytes of buffer '%s' did not come with their row", bytes, buffer->name);
    memcpy(out, self->arrays[i].data, bytes);
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

oct_status oct_readback_launch_impacts(oct_domain *domain)
{
    oct_readback *self = &domain->readback;
    const oct_collision *collision = oct_domain_collision(domain);
    if (!self->impacts_launched && collision->launch)
        OCT_TRY(collision->launch(domain->collisions.state, domain));
    self->impacts_launched = true;
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
    uint64_t raw[OCT_DOMAIN_SUMS];
    OCT_TRY(launch_fold(domain, domain->fold, 0, columns));
    OCT_TRY(oct_buffer_read(raw, domain->readback.sums, OCT_READBACK_FIRST, columns));
    widen(out, raw, columns, oct_device_describe(domain->device)->fp64);
    return OCT_STATUS_OK;
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
