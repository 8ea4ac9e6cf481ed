/* How ranks reach each other. A transport knows threads or MPI; all that is said here is built on
 * what it offers. Calls are collective: all ranks make them, in the same order. Where one has
 * failed they return OCT_STATUS_DEVICE, with a sentence that names it, instead of waiting. */
#ifndef OCT_CLUSTER_COMM_H
#define OCT_CLUSTER_COMM_H

#include "cluster/traffic.h"
#include "util/status.h"

/* What goes to a rank, or comes from it. */
typedef struct oct_parcel {
    void *data;
    size_t bytes;
} oct_parcel;

typedef struct oct_transport {
    const char *name;
    /* What each rank has, in their order: `bytes` of each. */
    oct_status (*gather)(oct_comm *comm, void *out, const void *mine, size_t bytes);
    /* Begins to send out[r] to rank r and to receive in[r] from it; wait ends it. */
    oct_status (*start)(oct_comm *comm, const oct_parcel *out, const oct_parcel *in);
    oct_status (*wait)(oct_comm *comm);
    /* Wakes those that wait for this rank, where that can be done without an end of the process. */
    void (*fail)(oct_comm *comm, const char *sentence);
    void (*close)(oct_comm *comm);
} oct_transport;

struct oct_comm {
    const oct_transport *transport;
    uint32_t rank, size, place;
    bool underway; /* between start and wait */
    bool failed;   /* this rank has, or it was told that another one did */
    bool told;
    oct_traffic_log traffic;
};

/* What each rank has, `bytes` of each, in their order. */
oct_status oct_comm_gather(oct_comm *comm, void *out, const void *mine, size_t bytes);
/* The same of different sizes: bytes[r] of rank r, one after the other. */
oct_status oct_comm_gather_varied(oct_comm *comm, void *out, const void *mine, const size_t *bytes);
/* What the first rank has is what all have. */
oct_status oct_comm_broadcast(oct_comm *comm, void *data, size_t bytes);

/* Sums, least and greatest over the ranks, in their order: timing changes no bit. */
oct_status oct_comm_sum(oct_comm *comm, double *inout, size_t n);
oct_status oct_comm_least(oct_comm *comm, double *inout, size_t n);
oct_status oct_comm_most(oct_comm *comm, double *inout, size_t n);

/* One rank after the other adds to a state of so many bytes, which goes from each to the next; at
 * the end all have it: for sums whose bits depend on their order. */
oct_status oct_comm_relay(oct_comm *comm, void *state, size_t bytes,
                          oct_status (*add_own)(void *context), void *context);

/* Sends out[r] to rank r and receives in[r] from it, one of each for every rank; sizes are known on
 * both sides. One exchange is under way at a time, and what is sent stays as it is until
 * oct_comm_wait, the only call that is made before it. */
oct_status oct_comm_start(oct_comm *comm, const oct_parcel *out, const oct_parcel *in);
oct_status oct_comm_wait(oct_comm *comm);
/* Both at once. */
oct_status oct_comm_exchange(oct_comm *comm, const oct_parcel *out, const oct_parcel *in);

/* That a rank has failed, as a status with a sentence. */
oct_status oct_comm_broken(oct_comm *comm, uint32_t rank, const char *sentence);

/* Ranks that are threads of this process: an array of communicators, which is freed at once. */
oct_status oct_local_create(oct_comm **out[], uint32_t ranks);
void oct_local_free(oct_comm *comms[]);

#endif
