/* What domains send of their trees and lend of their spheres, expected from boxes and densities. */
#ifndef OCT_CLI_SCALING_TREES_H
#define OCT_CLI_SCALING_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct oct_scaling_body {
    double x[3], mass, radius;
    uint64_t key;
} oct_scaling_body;

typedef struct oct_scaling_snapshot {
    size_t n;
    oct_scaling_body *bodies; /* are put in another order, and elsewhere */
    double sides[2];          /* of a patch that repeats itself in x and y; 0: none */
    bool lends;               /* spheres collide */
} oct_scaling_snapshot;

/* To all others for each force, and what describes a domain; means of the domains. */
typedef struct oct_scaling_sizes {
    double cells, bodies, lent; /* of trees, and spheres */
    double neighbours;          /* that spheres are lent to */
    double parts, boxes;        /* for trees, and for spheres */
} oct_scaling_sizes;

/* What so many domains send. False without memory, or where one has no bodies. */
bool oct_scaling_foresee(oct_scaling_sizes *out, const oct_scaling_snapshot *snapshot,
                         uint32_t domains, double theta);

#endif
