/* What is the same for all transports: order, checks, counts. */
#include "cluster/comm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint32_t oct_comm_rank(const oct_comm *comm)
{
    return comm->rank;
}

uint32_t oct_comm_size(const oct_comm *comm)
{
    return comm->size;
}

uint32_t oct_comm_place(const oct_comm *comm)
{
    return comm->place;
}

oct_status oct_comm_broken(oct_comm *comm, uint32_t rank, const char *sentence)
{
    comm->failed = comm->told = true;
    return OCT_FAIL(OCT_STATUS_DEVICE, "rank %u of %u has ended: %s", (unsigned)rank,
                    (unsigned)comm->size, sentence);
}

oct_status oct_comm_fail(oct_comm *comm, oct_status status)
{
    if (!comm || status == OCT_STATUS_OK || comm->failed)
        return status;
    comm->failed = true;
    comm->transport->fail(comm, oct_last_error());
    return status;
}

/* All calls but a wait begin so. */
static oct_status check_idle(const oct_comm *comm)
{
    OCT_CHECK(!comm->failed, OCT_STATUS_DEVICE, "rank %u of %u reaches no others any more",
              (unsigned)comm->rank, (unsigned)comm->size);
    OCT_CHECK(!comm->underway, OCT_STATUS_INTERNAL, "an exchange between ranks is under way");
    return OCT_STATUS_OK;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

oct_status oct_comm_gather(oct_comm *comm, void *out, const void *mine, size_t bytes)
{
    OCT_TRY(check_idle(comm));
    oct_traffic_count *count = &comm->traffic.sent[comm->traffic.kind];
    double start = seconds();
    count->messages += comm->size - 1;
    count->bytes += (uint64_t)bytes * (comm->size - 1);
    oct_status status = comm->transport->gather(comm, out, mine, bytes);
    count->waited_s += seconds() - start;
    return status;
}

oct_status oct_comm_start(oct_comm *comm, const oct_parcel *out, const oct_parcel *in)
{
    OCT_TRY(check_idle(comm));
    oct_traffic_count *count = &comm->traffic.sent[comm->traffic.kind];
    for (uint32_t r = 0; r < comm->size; r++) {
        if (r == comm->rank || out[r].bytes == 0)
            continue;
        count->messages++;
        count->bytes += out[r].bytes;
    }
    OCT_TRY(comm->transport->start(comm, out, in));
    comm->underway = true;
    comm->traffic.started = comm->traffic.kind;
    return OCT_STATUS_OK;
}

oct_status oct_comm_wait(oct_comm *comm)
{
    OCT_CHECK(comm->underway, OCT_STATUS_INTERNAL, "no exchange between ranks is under way");
    double start = seconds();
    comm->underway = false;
    oct_status status = comm->transport->wait(comm);
    comm->traffic.sent[comm->traffic.started].waited_s += seconds() - start;
    return status;
}

oct_status oct_comm_exchange(oct_comm *comm, const oct_parcel *out, const oct_parcel *in)
{
    OCT_TRY(oct_comm_start(comm, out, in));
    return oct_comm_wait(comm);
}

oct_status oct_comm_barrier(oct_comm *comm)
{
    char here = 0, *all;
    OCT_TRY(oct_alloc(&all, comm->size, 1, "ranks"));
    oct_status status = oct_comm_gather(comm, all, &here, 1);
    free(all);
    return status;
}

/* Lists of what goes to each rank, and of what comes from it. */
static oct_status make_parcels(oct_parcel **out, oct_parcel **in, const oct_comm *comm)
{
    OCT_TRY(oct_alloc(out, 2 * (size_t)comm->size, sizeof **out, "messages"));
    *in = *out + comm->size;
    return OCT_STATUS_OK;
}

oct_status oct_comm_gather_varied(oct_comm *comm, void *out, const void *mine, const size_t *bytes)
{
    oct_parcel *to, *from;
    char *at = out;
    void *sent = NULL;
    /* A parcel is of either direction; what is sent is only read. */
    memcpy(&sent, &mine, sizeof sent);
    OCT_TRY(make_parcels(&to, &from, comm));
    for (uint32_t r = 0; r < comm->size; at += bytes[r], r++) {
        to[r] = (oct_parcel){sent, bytes[comm->rank]};
        from[r] = (oct_parcel){at, bytes[r]};
    }
    oct_status status = oct_comm_exchange(comm, to, from);
    free(to);
    return status;
}

oct_status oct_comm_broadcast(oct_comm *comm, void *data, size_t bytes)
{
    oct_parcel *to, *from;
    OCT_TRY(make_parcels(&to, &from, comm));
    for (uint32_t r = 1; comm->rank == 0 && r < comm->size; r++)
        to[r] = (oct_parcel){data, bytes};
    if (comm->rank > 0)
        from[0] = (oct_parcel){data, bytes};
    oct_status status = oct_comm_exchange(comm, to, from);
    free(to);
    return status;
}

static double add(double a, double b)
{
    return a + b;
}

static oct_status reduce(oct_comm *comm, double *inout, size_t n, double (*join)(double, double))
{
    double *all;
    OCT_TRY(oct_alloc(&all, n * comm->size, sizeof *all, "parts of a sum"));
    oct_status status = oct_comm_gather(comm, all, inout, n * sizeof *all);
    for (size_t i = 0; status == OCT_STATUS_OK && i < n; i++) {
        inout[i] = all[i];
        for (size_t r = 1; r < comm->size; r++)
            inout[i] = join(inout[i], all[r * n + i]);
    }
    free(all);
    return status;
}

oct_status oct_comm_sum(oct_comm *comm, double *inout, size_t n)
{
    return reduce(comm, inout, n, add);
}

oct_status oct_comm_least(oct_comm *comm, double *inout, size_t n)
{
    return reduce(comm, inout, n, fmin);
}

oct_status oct_comm_most(oct_comm *comm, double *inout, size_t n)
{
    return reduce(comm, inout, n, fmax);
}

oct_status oct_comm_relay(oct_comm *comm, void *state, size_t bytes,
                          oct_status (*add_own)(void *context), void *context)
{
    char *all;
    OCT_TRY(oct_alloc(&all, comm->size, bytes, "a state that goes from rank to rank"));
    oct_status status = OCT_STATUS_OK;
    for (uint32_t r = 0; status == OCT_STATUS_OK && r < comm->size; r++) {
        if (r == comm->rank)
            status = add_own(context);
        if (status == OCT_STATUS_OK)
            status = oct_comm_gather(comm, all, state, bytes);
        if (status == OCT_STATUS_OK)
            memcpy(state, all + r * bytes, bytes);
    }
    free(all);
    return status;
}

void oct_comm_close(oct_comm *comm)
{
    if (comm)
        comm->transport->close(comm);
}

bool oct_comm_launched(void)
{
    /* Open MPI; MPICH and what is like it; Slurm and others with PMIx. */
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]))
            return true;
    return false;
}
