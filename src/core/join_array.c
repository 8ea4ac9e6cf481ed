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

oct_status oct_join_total(uint64_t *inout, const oct_domain *domain)
{
    oct_comm *comm = domain->sim->comm;
    uint64_t *all;
    if (!comm)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&all, oct_comm_size(comm), sizeof *all, "numbers of ranks"));
    oct_status status = oct_comm_gather(comm, all, inout, sizeof *inout);
    *inout = 0;
    for (uint32_t r = 0; status == OCT_STATUS_OK && r < oct_comm_size(comm); r++)
        *inout += all[r];
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
