/* What docs/scaling.md expects domains to send for each force; mean of the ranks. */
#include "scaling.h"

#include <math.h>
#include <string.h>

/* As the library has them: boxes that describe a domain's bodies, of groups of 64 bodies with four
 * each; those for collisions, of runs of 16 bodies with seven doubles each. */
enum { GROUP = 64, BOXES = 4, PARTS = 256, RUN = 16, MOST_RUNS = 4096, LENT_BOX = 56 };

static double up(double x, double of)
{
    return ceil(x / of);
}

/* Parts of the trees of a Plummer sphere, theta = 0.5, bytes, as tools/scaling fits them to what
 * was simulated: leaves at faces, and boxes that reach over faces; 16 % off in the mean square. */
static double tree_bytes(double n, double domains)
{
    double faces = 1 - pow(domains, -1.0 / 3);
    return faces * (3873 * pow(n, 2.0 / 3) + 338 * n / cbrt(PARTS));
}

/* Boxes are put together in runs of one length, so that there are no more than PARTS. */
static double count_parts(double n)
{
    double boxes = BOXES * up(n, GROUP);
    return up(boxes, up(boxes, PARTS));
}

/* The same for collisions, but for bodies that have strayed, which are told one by one. */
static double count_lent_boxes(double n)
{
    double runs = up(n, fmax(RUN, up(n, MOST_RUNS)));
    return up(runs, up(runs, PARTS));
}

void oct_scaling_expect(oct_scaling_result *inout, const oct_scaling_case *what, double real)
{
    double others = inout->domains - 1, n = (double)inout->n / inout->domains;
    for (size_t i = 0; i < inout->n_kinds; i++) {
        oct_scaling_traffic *kind = &inout->kinds[i];
        if (strcmp(kind->kind, "sources") == 0 && what->pairs) {
            kind->expected_messages = others;
            kind->expected_bytes = others * n * 4 * real;
        } else if (strcmp(kind->kind, "boxes") == 0) {
            kind->expected_messages = others * 2.0 * (what->trees + what->lends);
            kind->expected_bytes = others * (what->trees * (4 + count_parts(n) * 8 * real) +
                                             what->lends * (8 + count_lent_boxes(n) * LENT_BOX));
        } else if (strcmp(kind->kind, "trees") == 0 && what->trees) {
            kind->expected_messages = 2 * others;
            if (!what->lends)
                kind->expected_bytes = tree_bytes(n, inout->domains) * (real + 4) / 12;
        }
    }
}
