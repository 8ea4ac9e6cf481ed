/* Joins numbers that each rank has of its own bodies: a few of the host, or a device's array. */
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"
#include "core/join.h"
#include "core/sim.h"

oct_status oct_join_most(uint32_t *inout, size_t n, const oct_domain *domain)
{
    oct_comm *comm = domain->sim->comm;
    uint32_t *all;
    if (!comm)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&all, n * oct_comm_size(comm), sizeof *all, "numbers of ranks"));
    oct_status status = oct_comm_gather(comm, all, inout, n * sizeof *all);
    for (size_t i = 0; status == OCT_STATUS_OK && i < n * oct_comm_size(comm); i++)
        inout[i % n] = all[i] > inout[i % n] ? all[i] : inout[i % n];
    free(all);
    return status;
}

/* Adds a part to a sum, one number after the other. */
static void add_part(void *sum, const void *part, size_t bytes, oct_total kind)
{
    uint64_t *longs = sum;
    uint32_t *words = sum;
    double *doubles = sum;
    for (size_t i = 0; kind == OCT_TOTAL_LONGS && i < bytes / sizeof *longs; i++)
        longs[i] += ((const uint64_t *)part)[i];
    for (size_t i = 0; kind == OCT_TOTAL_WORDS && i < bytes / sizeof *words; i++)
        words[i] += ((const uint32_t *)part)[i];
    for (size_t i = 0; kind == OCT_TOTAL_DOUBLES && i < bytes / sizeof *doubles; i++)
        doubles[i] += ((const double *)part)[i];
}

oct_status oct_join_total(void *inout, size_t bytes, oct_total kind, const oct_domain *domain)
{
    oct_comm *comm = domain->sim->comm;
    char *all;
    if (!comm || kind == OCT_TOTAL_NONE)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&all, oct_comm_size(comm), bytes, "numbers of ranks"));
    oct_status status = oct_comm_gather(comm, all, inout, bytes);
    memcpy(inout, all, bytes);
    for (uint32_t r = 1; status == OCT_STATUS_OK && r < oct_comm_size(comm); r++)
        add_part(inout, all + r * bytes, bytes, kind);
    free(all);
    return status;
}

/* A `sum` of precision.clh: a double, or two floats that add up to it. */
static void widen(double *sums, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float pair[2];
        memcpy(pair, &sums[i], sizeof pair);
        sums[i] = (double)pair[0] + (double)pair[1];
    }
}

static void narrow(double *sums, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float pair[2] = {(float)sums[i]};
        pair[1] = (float)(sums[i] - (double)pair[0]);
        memcpy(&sums[i], pair, sizeof pair);
    }
}

oct_status oct_join_sums(oct_buffer *sums, const oct_domain *domain)
{
    oct_comm *comm = domain->sim->comm;
    bool pairs = !oct_device_describe(domain->device)->fp64;
    double *values;
    if (!comm)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&values, sums->count, sizeof *values, "sums"));
    oct_status status = oct_buffer_read(values, sums, 0, sums->count);
    if (status == OCT_STATUS_OK && pairs)
        widen(values, sums->count);
    if (status == OCT_STATUS_OK)
        status = oct_comm_sum(comm, values, sums->count);
    if (status == OCT_STATUS_OK && pairs)
        narrow(values, sums->count);
    if (status == OCT_STATUS_OK)
        status = oct_buffer_write(sums, values, 0, sums->count);
    free(values);
    return status;
}
