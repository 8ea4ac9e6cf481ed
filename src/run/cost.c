/* Adds up times between two readings of the clock. */
#include "run/cost.h"

#include <math.h>

#include "device/device.h"
#include "run/burst.h"

void oct_cost_begin(oct_costs *costs)
{
    costs->since = oct_burst_clock();
}

oct_status oct_cost_end_rest(oct_costs *costs, oct_cost_kind kind, oct_device *device)
{
    static const char *const names[OCT_COST_KINDS] = {"diagnostics", "snapshots", "checkpoints",
                                                      "film"};
    double now = oct_burst_clock();
    costs->seconds[kind] += now - costs->since;
    costs->due[kind] += costs->on_way ? now - costs->since : 0;
    return oct_device_note_span(device, OCT_LANE_HOST, names[kind], costs->since, now);
}

oct_status oct_cost_end(oct_costs *costs, oct_cost_kind kind, oct_device *device)
{
    costs->count[kind] += costs->on_way;
    return oct_cost_end_rest(costs, kind, device);
}

void oct_cost_set_out(oct_costs *costs)
{
    costs->on_way = true;
    costs->way_since = oct_burst_clock();
}

void oct_cost_arrive(oct_costs *costs)
{
    if (costs->on_way)
        costs->way_s = oct_burst_clock() - costs->way_since;
    costs->on_way = false;
}

const oct_run_costs *oct_cost_tell(oct_costs *costs, double wall_s)
{
    double total = 0, due = 0;
    for (int kind = 0; kind < OCT_COST_KINDS; kind++) {
        total += costs->seconds[kind];
        due += costs->due[kind];
    }
    costs->told = (oct_run_costs){
        .size = sizeof(oct_run_costs),
        .share = wall_s > 0 ? total / wall_s : 0,
        .total_s = total,
        .diagnostics_s = costs->seconds[OCT_COST_DIAGNOSTICS],
        .snapshots_s = costs->seconds[OCT_COST_SNAPSHOTS],
        .checkpoints_s = costs->seconds[OCT_COST_CHECKPOINTS],
        .film_s = costs->seconds[OCT_COST_FILM],
        .beside_s = costs->beside_s,
        .way_s = costs->way_s,
        .due_share = costs->way_s > 0 ? due / costs->way_s : NAN,
        .due_diagnostics_s = costs->due[OCT_COST_DIAGNOSTICS],
        .due_snapshots_s = costs->due[OCT_COST_SNAPSHOTS],
        .due_checkpoints_s = costs->due[OCT_COST_CHECKPOINTS],
        .due_film_s = costs->due[OCT_COST_FILM],
        .rows = costs->count[OCT_COST_DIAGNOSTICS],
        .snapshots = costs->count[OCT_COST_SNAPSHOTS],
        .checkpoints = costs->count[OCT_COST_CHECKPOINTS],
        .frames = costs->count[OCT_COST_FILM],
        .ahead = costs->ahead,
    };
    return &costs->told;
}
