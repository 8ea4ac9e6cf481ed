/* What relaxing did before the start, for those who ask and those who read. */
#include <stdio.h>
#include <string.h>

#include "core/lead.h"
#include "core/sim.h"
#include "core/units.h"
#include "util/sized.h"

bool oct_sim_relaxed(oct_relaxation *out, const oct_sim *sim)
{
    if (OCT_SIZED_CHECK(oct_relaxation, thickness_left, out) != OCT_STATUS_OK)
        return false;
    oct_sized_give(out, &sim->relaxed, sizeof sim->relaxed);
    return out->sweeps > 0;
}

void oct_sim_say_relaxed(char *out, size_t bytes, const oct_sim *sim)
{
    const oct_relaxation *r = &sim->relaxed;
    char unit[32] = "", left[96] = "none does";
    *out = '\0';
    if (r->sweeps == 0)
        return;
    if (sim->setup->units.physical) {
        unit[0] = ' ';
        oct_units_describe(unit + 1, sizeof unit - 1, &sim->setup->units, OCT_LENGTH);
    }
    if (r->pairs_left > 0)
        snprintf(left, sizeof left, "%llu still do, by up to %.3g %%",
                 (unsigned long long)r->pairs_left, 100 * r->deepest_left);
    snprintf(out, bytes,
             "relax moved %llu of %llu bodies before the start, by %.3g%s on average and %.3g%s at "
             "most (thickness %.4g%s, before %.4g%s): %llu pairs overlapped, by up to %.3g %%; "
             "after %llu sweeps %s",
             (unsigned long long)r->moved, (unsigned long long)oct_domain_all(sim->domain), r->mean,
             unit, r->farthest, unit, r->thickness_left, unit, r->thickness, unit,
             (unsigned long long)r->pairs, 100 * r->deepest, (unsigned long long)r->sweeps, left);
}
