/* What a rank has sent to others, counted where it is sent, by what it is. A gather counts as a
 * message to each of the others, however the transport makes it. */
#ifndef OCT_CLUSTER_TRAFFIC_H
#define OCT_CLUSTER_TRAFFIC_H

#include "octant/cluster.h"

typedef enum oct_traffic_kind {
    OCT_TRAFFIC_SUMS,   /* what is joined over ranks, what the first one tells the others */
    OCT_TRAFFIC_CUTS,   /* of the curve */
    OCT_TRAFFIC_BODIES, /* that change their owners */
    OCT_TRAFFIC_BOXES,  /* by which ranks describe their bodies */
    OCT_TRAFFIC_TREES,
    OCT_TRAFFIC_SOURCES, /* that go round */
    OCT_TRAFFIC_LENT,
    OCT_TRAFFIC_PAIRS, /* of bodies of two ranks: whose turn has come */
    OCT_TRAFFIC_FILES,
    OCT_TRAFFIC_KINDS
} oct_traffic_kind;

typedef struct oct_traffic_count {
    uint64_t messages, bytes;
    double waited_s; /* for others, and for what they send */
} oct_traffic_count;

typedef struct oct_traffic_log {
    oct_traffic_kind kind;    /* of what is sent now */
    oct_traffic_kind started; /* of the exchange under way */
    oct_traffic_count sent[OCT_TRAFFIC_KINDS];
    uint64_t cells, bodies; /* in parts of trees */
} oct_traffic_log;

/* From now on what is sent is of this kind; returns what it was of before. After a failure nobody
 * need care: nothing is sent any more. */
oct_traffic_kind oct_comm_about(oct_comm *comm, oct_traffic_kind kind);
/* As oct_traffic has it. */
const char *oct_traffic_name(oct_traffic_kind kind);
/* All kinds together. */
oct_traffic_count oct_traffic_total(const oct_traffic_log *log);

#endif
