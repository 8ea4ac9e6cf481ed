/* What of a tree the particles of another rank need (essential tree; Salmon 1990, Dubinski 1996).
 * They are described by parts: boxes around runs of their groups, with what the criterion asks of
 * them. A cell that is far enough from all parts is far enough from all groups in them, and nothing
 * below it is sent.
 *   tree_essential_open   which cells some part opens, a work-item a cell
 *   tree_essential_keep   which cells have only such ancestors, and how many particles they bring
 *   tree_essential_write  the message: what is kept, behind the messages before it
 *   tree_essential_count  how long it was: one work-item
 * Any work-group size. */
#include "force_tree.clh"
#include "tree_message.clh"

/* Of all lengths that a distance is made of: more than rounding takes off any of them. */
#define SLACK ((force)4e-6)
/* Smaller numbers may be 0 on another device. */
#define LEAST_NUMBER ((force)1e-30)

typedef struct {
    real4 at; /* its centre of mass, in an image of the box */
    force mass, slack;
    force4 b, low, high;
} candidate;

static inline real sum_of_sides(real4 x)
{
    return fabs(x.x) + fabs(x.y) + fabs(x.z);
}

/* Whether a group within the part might open it: the distance of its nearest box is no less than
 * that of the part, up to rounding in any precision, and its `least` is the part's. */
static inline bool opens(const candidate *c, real4 low, real4 high, real scale)
{
    force least = (force)low.w;
    if (high.w == 0)
        return false;
    force4 span = relative(high, low, scale);
    force4 gap = fmax(fmax(relative(low, c->at, scale) - c->high,
                           c->low - relative(high, c->at, scale)),
                      (force4)(0));
    force size = sqrt(span.x * span.x + span.y * span.y + span.z * span.z);
    force d = sqrt(gap.x * gap.x + gap.y * gap.y + gap.z * gap.z);
    d -= SLACK * (d + size + c->b.w) + c->slack;
    force d2 = d * d;
    bool enough = d > 0 && d2 > LEAST_NUMBER && FAR_ENOUGH(d2, c->mass, c->b, least);
#if CRITERION == CRITERION_RELATIVE
    enough = enough && (!(least > 0) || d2 * d2 * sqrt(d2) * least > LEAST_NUMBER);
#endif
    return !enough;
}

/* Parts from `first_part` on, the box around all of them first. */
kernel void tree_essential_open(global uint *opened, global const uint4 *links,
                                global const real4 *mass, global const force4 *quad,
                                global const force4 *box, global const uint *total, uint capacity,
                                global const real4 *all_parts, uint first_part, uint end_part,
                                global const real4 *acting_shift, uint acting_images, real scale)
{
    uint cell = (uint)get_global_id(0);
    if (cell >= min(total[0], capacity))
        return;
    uint4 link = links[cell];
    real4 m = mass[cell];
    candidate c = {m, (force)m.w, 0, quad[2 * cell + 1], CELL_LOW(cell), CELL_HIGH(cell)};
    c.low.w = c.high.w = 0;
    bool open = CELL_IS_LEAF(link) && CELL_COUNT(link) <= FEW;
    for (uint image = 0; image < acting_images && !open; image++) {
        real4 shift = acting_shift[image];
        c.at = m + shift;
        if (image > 0)
            c.slack = SLACK * (force)((sum_of_sides(shift) + sum_of_sides(m)) * scale);
        if (!opens(&c, all_parts[2 * first_part], all_parts[2 * first_part + 1], scale))
            continue;
        for (uint p = first_part + 1; p < end_part && !open; p++)
            open = opens(&c, all_parts[2 * p], all_parts[2 * p + 1], scale);
    }
    opened[cell] = open;
}

kernel void tree_essential_keep(global uint *kept, global uint *bodies, global const uint *opened,
                                global const uint4 *links, global const uint *total, uint capacity)
{
    uint cell = (uint)get_global_id(0);
    if (cell >= capacity)
        return;
    kept[cell] = bodies[cell] = 0;
    if (cell >= total[0])
        return;
    uint4 link = links[cell];
    for (uint above = link.w; above != NO_CELL; above = links[above].w)
        if (!opened[above])
            return;
    kept[cell] = 1;
    if (CELL_IS_LEAF(link) && opened[cell])
        bodies[cell] = CELL_COUNT(link);
}

#ifdef SOFTENINGS
#define ESSENTIAL_SOFT , global const force2 *soft, global const force *sorted_soft
#else
#define ESSENTIAL_SOFT
#endif

/* sent: words so far, then cells and particles of each message. */
kernel void tree_essential_write(global uint *words, global const uint *sent, uint room,
                                 global const uint *kept, global const uint *kept_at,
                                 global const uint *bodies_at, global const uint *n_kept,
                                 global const uint *n_bodies, global const uint *opened,
                                 global const uint4 *links, global const real4 *mass,
                                 global const force4 *quad, global const force4 *box,
                                 global const real4 *sorted, global const uint *total,
                                 uint capacity ESSENTIAL_SOFT)
{
    uint cell = (uint)get_global_id(0);
    if (cell >= min(total[0], capacity) || !kept[cell])
        return;
    if ((ulong)sent[0] + (ulong)n_kept[0] * CELL_WORDS + (ulong)n_bodies[0] * BODY_WORDS > room)
        return;
    uint4 link = links[cell];
    bool shut = !opened[cell];
    global uint *to = words + sent[0] + (size_t)kept_at[cell] * CELL_WORDS;
    global uint *bodies = words + sent[0] + (size_t)n_kept[0] * CELL_WORDS;
    put_real4(to, mass[cell]);
    put_pair(to + QUAD_WORD, quad + 2 * cell);
    to[LINK_WORD] = link.x < total[0] ? kept_at[link.x] : n_kept[0];
    to[LINK_WORD + 1] = shut ? NO_CELL : bodies_at[cell];
    to[LINK_WORD + 2] = shut ? LEAF_BIT | SHUT : link.z;
    to[LINK_WORD + 3] = link.w == NO_CELL ? NO_CELL : kept_at[link.w];
#ifdef SOFTENINGS
    vstore2(soft[cell], 0, (global force *)(to + SOFT_WORD));
#endif
#if CRITERION == CRITERION_MIN_DISTANCE
    put_pair(to + BOX_WORD, box + 2 * cell);
#endif
    for (uint j = 0; CELL_IS_LEAF(link) && !shut && j < CELL_COUNT(link); j++) {
        global uint *body = bodies + (size_t)(bodies_at[cell] + j) * BODY_WORDS;
        put_real4(body, sorted[link.y + j]);
#ifdef SOFTENINGS
        *(global force *)(body + BODY_SOFT_WORD) = sorted_soft[link.y + j];
#endif
    }
}

kernel void tree_essential_count(global uint *sent, uint message, global const uint *n_kept,
                                 global const uint *n_bodies)
{
    if (get_global_id(0) > 0)
        return;
    sent[1 + 2 * message] = n_kept[0];
    sent[2 + 2 * message] = n_bodies[0];
    ulong end = (ulong)sent[0] + (ulong)n_kept[0] * CELL_WORDS + (ulong)n_bodies[0] * BODY_WORDS;
    sent[0] = (uint)min(end, (ulong)0xffffffffu);
}
