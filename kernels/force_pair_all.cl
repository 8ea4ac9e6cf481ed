/* A user's function summed over all pairs of bodies. Each is met in its nearest image or, with
 * -D EVERY_IMAGE, in every image that acts. Of 27 that stand still (-D LATTICE) the nearest one is
 * known axis by axis. A body meets itself with -D SELF alone.
 *   force_pair_all   TARGETS bodies a work-item, sources in the state's order: the order of a sum
 *                    is always the same
 * Reads the state and columns; adds to acceleration, writes potential and other columns. Any
 * work-group size. */
#include "force_pair.clh"

#ifdef LATTICE
/* Which of 0, size and -size brings a coordinate nearest to 0. */
static inline uint nearest_step(real d, real size)
{
    return d > size / 2 ? 2 : d < -size / 2 ? 1 : 0;
}
#endif

/* The nearest image of a body; of two that are as near, the first. */
static inline uint nearest_image(const pair_target *t, real4 x, global const real4 *image_shift,
                                 uint images)
{
#ifdef LATTICE
    real3 d = x.xyz - t->body.position;
    return nearest_step(d.x, image_shift[1].x) + 3 * nearest_step(d.y, image_shift[3].y) +
           9 * nearest_step(d.z, image_shift[9].z);
#else
    uint nearest = 0;
    real least = INFINITY;
    for (uint image = 0; image < images; image++) {
        real r2 = pair_square(gap_to(t, x.xyz, image_shift[image]));
        nearest = r2 < least ? image : nearest;
        least = fmin(least, r2);
    }
    return nearest;
#endif
}

static inline void meet_images(pair_target *t, const pair_state *s, uint j,
                               global const real4 *image_shift,
                               global const real4 *image_velocity, uint images)
{
    real4 x = s->position[j];
    bool same = j == t->index;
#ifdef EVERY_IMAGE
    for (uint image = 0; image < images; image++)
#else
    uint image = images == 1 || same ? 0 : nearest_image(t, x, image_shift, images);
#endif
#ifndef SELF
    if (!(same && image == 0))
#endif
        meet(t, s, x, j, image_shift[image], image_velocity[image]);
}

kernel void force_pair_all(PAIR_ARGUMENTS)
{
    uint first = (uint)get_global_id(0) * TARGETS;
    const pair_state s = PAIR_STATE;
    for (uint i = first; i < n && i < first + TARGETS; i++) {
        pair_target t = start_target(&s, i);
        for (uint j = 0; j < n && t.body.type != OCT_TYPE_REMOVED; j++)
            meet_images(&t, &s, j, image_shift, image_velocity, images);
        end_target(&t, &s, acceleration, potential);
    }
}

#include "force_pair_user.clh"
