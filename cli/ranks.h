/* Who shares a run: threads of this process, a domain each, or the processes of mpirun. */
#ifndef OCT_CLI_RANKS_H
#define OCT_CLI_RANKS_H

#include "command.h"

#define OCT_OPTION_DOMAINS                                                                         \
    {                                                                                              \
        .name = "domains", .value = "N",                                                           \
        .doc = "share the bodies among N domains, on the devices chosen in turn"                   \
    }

#define OCT_OPTION_SHARES                                                                          \
    {                                                                                              \
        .name = "shares", .value = "A,B,...",                                                      \
        .doc = "how much of the work each domain gets, as numbers that are compared: 3,1"          \
    }

typedef struct oct_ranks {
    uint32_t domains;   /* of this process; 1 under mpirun */
    const char *shares; /* of all domains, a list; NULL: the same */
    size_t n;
    oct_device **devices; /* that domains are on, in turn */
    oct_comm *comm;       /* of processes; NULL: this one is alone, or there are threads */
} oct_ranks;

/* What the command line asks for. False after a sentence on standard error. */
bool oct_ranks_parse(oct_ranks *out, const oct_call *call);
/* Opens the devices, and reaches the other processes where there are some. */
oct_status oct_ranks_open(oct_ranks *ranks, const oct_call *call);
/* Whether there is more than one domain. */
bool oct_ranks_several(const oct_ranks *ranks);
/* Whether there is a share for each domain, where some are given. False after a sentence on
 * standard error. */
bool oct_ranks_fit(const oct_ranks *ranks);
/* The share of the work that a rank gets; 0 where none is given. */
double oct_ranks_share(const oct_ranks *ranks, const oct_comm *comm);
/* Calls work for each domain of this process, with a device; comm is NULL where there is one
 * domain. */
oct_status oct_ranks_work(const oct_ranks *ranks,
                          oct_status (*work)(oct_comm *comm, oct_device *device, void *context),
                          void *context);
/* Says what has failed, once for all ranks; returns the exit status. */
int oct_ranks_report(const oct_ranks *ranks, oct_status status);
/* Frees all of it; after a failure the other processes end here. */
void oct_ranks_close(oct_ranks *ranks, oct_status status);

#endif
