/* A transport for more ranks than there are cores: threads of one process that run one at a time,
 * in turn, each until it waits for the others. What they send is copied when the last has come, and
 * counted for each pair of ranks. A rank that fails has to end the process. */
#ifndef OCT_TESTS_TURNS_H
#define OCT_TESTS_TURNS_H

#include "cluster/comm.h"

typedef struct turns turns;

/* Bytes of a kind that a rank has sent to another since turns_forget. */
uint64_t turns_bytes(const turns *t, oct_traffic_kind kind, uint32_t from, uint32_t to);
/* Messages of a kind that a rank has sent since then. */
uint64_t turns_messages(const turns *t, oct_traffic_kind kind, uint32_t rank);
/* Begins to count anew; the rank whose turn it is calls it. */
void turns_forget(turns *t);

/* Calls `work` in a thread for each of the ranks, and returns when all have ended. */
void turns_run(uint32_t ranks, oct_status (*work)(oct_comm *comm, turns *t));

#endif
