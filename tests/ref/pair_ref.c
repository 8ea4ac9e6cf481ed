/* Plain double loops over all pairs and all images. */
#include "pair_ref.h"

#include <math.h>
#include <string.h>

/* How the box `cell` boxes away sees a body: boxes further out move back along y with the shear,
 * -(3/2) omega x. */
static void image_gap(pair_ref_gap *gap, const oct_bodies *b, size_t i, size_t j,
                      const pair_ref_box *box, const int cell[3])
{
    double speed = -1.5 * box->omega * cell[0] * box->size[0];
    double way = fmod(speed * box->time, box->size[1]);
    if (fabs(way) > box->size[1] / 2)
        way -= copysign(box->size[1], way);
    gap->r2 = 0;
    for (int k = 0; k < 3; k++) {
        double shift = cell[k] * box->size[k] + (k == 1 && box->omega > 0 ? way : 0);
        gap->d[k] = b->position[3 * j + (size_t)k] + shift - b->position[3 * i + (size_t)k];
        gap->v[k] =
            b->velocity[3 * j + (size_t)k] + (k == 1 ? speed : 0) - b->velocity[3 * i + (size_t)k];
        gap->r2 += gap->d[k] * gap->d[k];
    }
}

static bool in_range(pair_ref_gap *gap, size_t i, size_t j, const pair_ref *ref)
{
    gap->range = INFINITY;
    if (ref->range)
        gap->range =
            ref->reach == PAIR_REF_OWN ? ref->range[i] : fmax(ref->range[i], ref->range[j]);
    return sqrt(gap->r2) < gap->range;
}

static void meet(double *sum, const oct_bodies *b, size_t i, size_t j, const pair_ref *ref)
{
    const int *rings = ref->box.rings;
    pair_ref_gap nearest = {.r2 = INFINITY};
    for (int x = -rings[0]; x <= rings[0]; x++)
        for (int y = -rings[1]; y <= rings[1]; y++)
            for (int z = -rings[2]; z <= rings[2]; z++) {
                const int cell[3] = {x, y, z};
                pair_ref_gap gap;
                image_gap(&gap, b, i, j, &ref->box, cell);
                bool itself = i == j && x == 0 && y == 0 && z == 0;
                if (ref->nearest)
                    nearest = gap.r2 < nearest.r2 ? gap : nearest;
                else if (in_range(&gap, i, j, ref) && (ref->self || !itself))
                    ref->law(sum, b, i, j, &gap, ref->context);
            }
    if (ref->nearest && in_range(&nearest, i, j, ref) && (ref->self || i != j))
        ref->law(sum, b, i, j, &nearest, ref->context);
}

void pair_ref_sum(double *sums, size_t width, const oct_bodies *b, const pair_ref *ref)
{
    memset(sums, 0, b->n * width * sizeof *sums);
    for (size_t i = 0; i < b->n; i++)
        for (size_t j = 0; j < b->n; j++)
            meet(sums + i * width, b, i, j, ref);
}
