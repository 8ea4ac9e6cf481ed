/* Adds up times between two readings of the clock. */
#include "run/cost.h"

#include "device/device.h"
#include "run/burst.h"

void oct_cost_begin(oct_costs *costs)
{
    costs->since = oct_burst_clock();
}

oct_status oct_cost_end(oct_costs *costs, oct_cost_kind kind, oct_device *device)
{
    static const char *const names[OCT_COST_KINDS] = {"diagnostics", "snapshots", "checkpoints",
                                                      "film"};
    double now = oct_burst_clock();
    costs->seconds[kind] += now - costs->since;
    return oct_device_note_span(device, OCT_LANE_HOST, names[kind], costs->since, now);
}

const oct_run_costs *oct_cost_tell(oct_costs *costs, double wall_s, double beside_s)
{
    double total = 0;
    for (int kind = 0; kind < OCT_COST_KINDS; kind++)
        total += costs->seconds[kind];
    costs->told = (oct_run_costs){
        .size = sizeof(oct_run_costs),
        .share = wall_s > 0 ? total / wall_s : 0,
        .total_s = total,
        .diagnostics_s = costs->seconds[OCT_COST_DIAGNOSTICS],
        .snapshots_s = costs->seconds[OCT_COST_SNAPSHOTS],
        .checkpoints_s = costs->seconds[OCT_COST_CHECKPOINTS],
        .film_s = costs->seconds[OCT_COST_FILM],
        .beside_s = beside_s,
    };
    return &costs->told;
}
