/* Another code that runs a benchmark's case beside ours: tools/peer-<name>, found in PATH or in the
 * folder `tools` of where we are, and started with $OCTANT_PYTHON or python3. */
#ifndef OCT_BENCH_PEER_H
#define OCT_BENCH_PEER_H

#include "bench.h"

/* How to run it. */
typedef struct oct_peer_way {
    unsigned threads; /* 0: one for each core */
    bool morton;      /* particles in Morton order */
} oct_peer_way;

typedef struct oct_peer_time {
    char version[32];
    unsigned threads; /* that it really used */
    double ms_step;
} oct_peer_time;

/* Runs the peer on a file of bodies with these arguments. When it fails it has said why on standard
 * error, and oct_last_error() says nothing. */
oct_status oct_peer_run(oct_peer_time *out, const char *peer, const char *bodies,
                        const char *arguments, oct_peer_way way);

#endif
