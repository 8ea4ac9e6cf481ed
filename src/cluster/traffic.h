/* What a rank has sent to others, counted where it is sent. */
#ifndef OCT_CLUSTER_TRAFFIC_H
#define OCT_CLUSTER_TRAFFIC_H

#include <stdint.h>

typedef struct oct_traffic {
    uint64_t messages, bytes;
    uint64_t cells, bodies; /* of these, in parts of trees */
} oct_traffic;

#endif
