/* One list of the calls, for tests of failures and of faults. */
#include "refused.h"

#include <stdio.h>
#include <string.h>

#include "octant/access.h"

#define REFUSED(call)                                                                              \
    do {                                                                                           \
        if ((call) != status || !strstr(oct_last_error(), sentence))                               \
            return #call;                                                                          \
    } while (0)

const char *ref_not_refused(oct_sim *sim, oct_status status, const char *sentence, const char *path)
{
    enum { MOST = 1536 };
    uint32_t index[2 * MOST], (*pairs)[2] = NULL;
    double numbers[MOST] = {0};
    uint64_t hash, id = 1, steps = oct_sim_steps(sim);
    size_t n = 0;
    oct_bodies bodies = {0};
    oct_column_buffer buffer = {.size = sizeof buffer};
    oct_stability found = {.size = sizeof found};
    REFUSED(oct_sim_step(sim, 1));
    REFUSED(oct_sim_wait(sim));
    REFUSED(oct_sim_bodies(&bodies, sim));
    REFUSED(oct_sim_set_bodies(sim, &bodies));
    REFUSED(oct_sim_add(sim, &bodies));
    REFUSED(oct_sim_remove(sim, &id, 1));
    REFUSED(oct_sim_set(sim, "run.until=9"));
    REFUSED(oct_sim_settle_forces(sim));
    REFUSED(oct_sim_hash(&hash, sim));
    REFUSED(oct_sim_checkpoint(sim, path));
    REFUSED(oct_sim_snapshot(sim, path));
    REFUSED(oct_sim_measure(numbers, sim));
    REFUSED(oct_sim_measure_one(numbers, sim, "mass"));
    REFUSED(oct_sim_measure_one(numbers, sim, "no such thing"));
    REFUSED(oct_sim_read(numbers, OCT_ELEMENT_DOUBLE, sim, "mass", NULL));
    REFUSED(oct_sim_write(sim, "mass", NULL, numbers, OCT_ELEMENT_DOUBLE));
    REFUSED(oct_sim_buffer(&buffer, sim, "mass"));
    REFUSED(oct_sim_written(sim, "mass"));
    REFUSED(oct_sim_find(index, sim, &id, 1));
    REFUSED(oct_neighbours(index, numbers, sim, 1));
    REFUSED(oct_neighbours(index, numbers, sim, 0));
    REFUSED(oct_densities(numbers, sim, 2));
    REFUSED(oct_densities(numbers, sim, 0));
    REFUSED(oct_touching(&pairs, &n, sim));
    REFUSED(oct_run(sim, NULL));
    REFUSED(oct_stability_watch(&found, sim, NULL));
    REFUSED(oct_compare(sim, sim, NULL));
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    bool untouched = bodies.n == 0 && !pairs && n == 0 && !file && oct_sim_steps(sim) == steps;
    return untouched ? NULL : "nothing may be filled in, written or counted";
}
