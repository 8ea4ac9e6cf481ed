/* Block steps over 100 dynamical times of a star cluster about a black hole: `accuracy_block
 * [bodies [softening [dynamical times]]]` prints a table of forces found and energy errors, with
 * steps of each body's own that go by the orbits about the hole, chosen where they begin or
 * symmetrically, and with steps that all share, as long as one wants them or always the same. */
#include <stdio.h>
#include <stdlib.h>

#include "block_cluster.h"
#include "scene_sim.h"

#define ORBIT "levels: 12, eta: 2, orbit: "
#define OWN   ORBIT "0.1"
#define BOTH  ORBIT "0.1, symmetric: true"

int main(int argc, char **argv)
{
    static const char *const ways[] = {
        "dt: 0.00390625, levels: 0",   "dt: 0.001953125, levels: 0",
        "dt: 0.0009765625, levels: 0", "dt: 0.00390625, " BOTH,
        "dt: 0.00390625, " OWN,        "dt: 0.03125, " ORBIT "0.1, symmetric: true, steps: shared",
    };
    unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
    double softening = argc > 2 ? strtod(argv[2], NULL) : 0.01;
    double times = argc > 3 ? strtod(argv[3], NULL) : 100;
    printf("%u bodies, softening %g, %g dynamical times\n", n, softening, times);
    const char *const *rows = argc > 4 ? (const char *const *)argv + 4 : ways;
    size_t n_rows = argc > 4 ? (size_t)argc - 4 : sizeof ways / sizeof ways[0];
    for (size_t i = 0; i < n_rows; i++) {
        ref_block_cluster(n, softening, rows[i], times * REF_BLOCK_DYNAMICAL_TIME);
        fflush(stdout);
    }
    ref_device_close();
    return 0;
}
