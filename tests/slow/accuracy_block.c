/* Block steps over many crossing times of a star cluster about a black hole: `accuracy_block
 * [crossing times]` prints forces found and energy errors with steps of each body's own, chosen
 * where they begin or symmetrically, and with one step for all. */
#include <math.h>
#include <stdlib.h>

#include "block_cluster.h"
#include "scene_sim.h"

int main(int argc, char **argv)
{
    static const char *const ways[] = {"eta: 0.2", "eta: 0.2, symmetric: true",
                                       "eta: 0.3, steps: shared", "eta: 0.2, steps: shared"};
    double times = argc > 1 ? strtod(argv[1], NULL) : 100;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        ref_block_cluster(0.02, ways[i], times * 2 * sqrt(2));
    ref_device_close();
    return 0;
}
