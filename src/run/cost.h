/* What the outputs of a run cost: the time that its steps stood still for them. */
#ifndef OCT_RUN_COST_H
#define OCT_RUN_COST_H

#include "octant/octant.h"

typedef enum oct_cost_kind {
    OCT_COST_DIAGNOSTICS,
    OCT_COST_SNAPSHOTS,
    OCT_COST_CHECKPOINTS,
    OCT_COST_FILM,
    OCT_COST_KINDS
} oct_cost_kind;

/* Starts from {0}. */
typedef struct oct_costs {
    double seconds[OCT_COST_KINDS];
    double since; /* when the output that is being made began */
    /* Between the outputs of the start and those of the end: */
    bool on_way;
    double way_since, way_s, due[OCT_COST_KINDS];
    uint64_t count[OCT_COST_KINDS], ahead; /* of these, that were enqueued with the steps */
    double beside_s;                       /* what was done while steps went on */
    oct_run_costs told;                    /* for the last record */
} oct_costs;

void oct_cost_begin(oct_costs *costs);
/* The time since the beginning is that of this kind. The device's profile gets it too. */
oct_status oct_cost_end(oct_costs *costs, oct_cost_kind kind, oct_device *device);
/* The same for the rest of an output that was counted before. */
oct_status oct_cost_end_rest(oct_costs *costs, oct_cost_kind kind, oct_device *device);
/* The outputs of the start have been made, or those of the end begin. */
void oct_cost_set_out(oct_costs *costs);
void oct_cost_arrive(oct_costs *costs);
/* What a run of so many seconds says of them. */
const oct_run_costs *oct_cost_tell(oct_costs *costs, double wall_s);

#endif
