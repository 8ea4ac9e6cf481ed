/* What a rank has sent to others, counted where it is sent. */
#ifndef OCT_CLUSTER_TRAFFIC_H
#define OCT_CLUSTER_TRAFFIC_H

#include <stdint.h>

typedef struct oct_traffic {
    uint64_t messages, bytes;
} oct_traffic;

#endif
