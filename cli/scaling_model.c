/* What docs/scaling.md expects domains to send for each force; mean of the ranks. */
#include "scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As the scenes have it; bytes of a box that spheres are told by. */
static const double theta = 0.5;
enum { LENT_BOX = 56 };

/* As many spheres to the area as saturn-ring has, 13,429 on 600 m by 600 m. They are a little wider
 * than long: in a row of exact squares a few spheres would stick out of the half, or quarter, of
 * the tree's cube that all others are in. */
void oct_scaling_sides(double sides[2], uint64_t n, uint32_t patches)
{
    const double length = 0.98, side = 600 * sqrt((double)n / patches / 13429 / length);
    sides[0] = patches * side;
    sides[1] = length * side;
}

oct_status oct_scaling_look(oct_scaling_snapshot *out, const oct_scaling_case *what,
                            uint32_t patches, oct_sim *sim)
{
    oct_bodies bodies = {0};
    *out = (oct_scaling_snapshot){.lends = what->lends};
    oct_status status = oct_sim_bodies(&bodies, sim);
    if (status == OCT_STATUS_OK)
        out->bodies = malloc(bodies.n * sizeof *out->bodies);
    if (out->bodies)
        out->n = bodies.n;
    if (what->lends)
        oct_scaling_sides(out->sides, bodies.n, patches);
    for (size_t i = 0; i < out->n; i++) {
        oct_scaling_body *b = &out->bodies[i];
        *b = (oct_scaling_body){.mass = bodies.mass[i], .radius = bodies.radius[i]};
        memcpy(b->x, bodies.position + 3 * i, sizeof b->x);
    }
    oct_bodies_clear(&bodies);
    return status;
}

/* A cell has 4 numbers of the state, 8 of forces and 4 links; a sphere that bounces 8 of the state,
 * its id, type and place. */
void oct_scaling_expect(oct_scaling_result *inout, const oct_scaling_case *what,
                        oct_precision precision, const oct_scaling_snapshot *snapshot,
                        double collisions)
{
    double others = inout->domains - 1, n = (double)inout->n / inout->domains;
    double real = precision == OCT_PRECISION_SINGLE ? 4 : 8;
    double force = precision == OCT_PRECISION_DOUBLE ? 8 : 4;
    double lends = what->lends ? collisions : 0;
    oct_scaling_sizes sizes = {0};
    bool seen = snapshot->n > 0 && oct_scaling_foresee(&sizes, snapshot, inout->domains, theta);
    for (size_t i = 0; i < inout->n_kinds; i++) {
        oct_scaling_traffic *kind = &inout->kinds[i];
        if (strcmp(kind->kind, "sources") == 0 && what->pairs) {
            kind->expected_messages = others;
            kind->expected_bytes = others * n * 4 * real;
        } else if (strcmp(kind->kind, "boxes") == 0 && seen) {
            kind->expected_messages = others * 2 * (1 + lends);
            kind->expected_bytes =
                others * (4 + sizes.parts * 8 * real + lends * (8 + sizes.boxes * LENT_BOX));
        } else if (strcmp(kind->kind, "trees") == 0 && seen) {
            kind->expected_messages = 2 * others;
            kind->expected_bytes =
                8 * others + sizes.cells * (4 * real + 8 * force + 16) + sizes.bodies * 4 * real;
        } else if (strcmp(kind->kind, "lent") == 0 && seen && what->lends) {
            kind->expected_messages = lends * (others + sizes.neighbours);
            kind->expected_bytes = lends * (8 * others + sizes.lent * (8 * real + 13));
        }
    }
}
