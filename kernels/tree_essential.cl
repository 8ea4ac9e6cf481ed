/* What of a tree the particles of other ranks need (essential tree; Salmon 1990, Dubinski 1996).
 * They are described by parts: boxes around runs of their groups, with what the criterion asks of
 * them. A cell that is far enough from all parts is far enough from all groups in them, and nothing
 * below it is sent. Messages are made for n_lots ranks at a time, 32 at most, from first_lot on;
 * all_parts begins with a uint4 for each rank that is sent to: its first part, which is a box
 * around all of its parts, the end of its parts, and the rank; SPAN parts at a time are behind a
 * box around these. Lists have `capacity` words for each.
 *   tree_essential_open   whose parts open a cell, a bit for each rank; a work-item a cell
 *   tree_essential_keep   which cells have only such ancestors, and how many particles they bring
 *   tree_essential_write  the messages, what is kept, one behind the other; a work-item a cell and
 *                         a rank
 *   tree_essential_count  how long they were: one work-item
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

#define LOTS ((global const uint4 *)all_parts)

/* Parts that have a box around them, which is before them. */
#define SPAN 16

/* Of a rank, the box around all of its parts first: most cells are far from most parts. */
static inline bool is_opened(candidate *c, real4 m, uint4 lot, global const real4 *all_parts,
                             global const real4 *acting_shift, uint acting_images, real scale)
{
    bool open = false;
    for (uint image = 0; image < acting_images && !open; image++) {
        real4 shift = acting_shift[image];
        c->at = m + shift;
        c->slack = image > 0 ? SLACK * (force)((sum_of_sides(shift) + sum_of_sides(m)) * scale) : 0;
        if (!opens(c, all_parts[2 * lot.x], all_parts[2 * lot.x + 1], scale))
            continue;
        for (uint s = lot.x + 1; s < lot.y && !open; s += SPAN + 1) {
            if (!opens(c, all_parts[2 * s], all_parts[2 * s + 1], scale))
                continue;
            for (uint p = s + 1; p < min(s + SPAN + 1, lot.y) && !open; p++)
                open = opens(c, all_parts[2 * p], all_parts[2 * p + 1], scale);
        }
    }
    return open;
}

kernel void tree_essential_open(global uint *opened, global const uint4 *links,
                                global const real4 *mass, global const force4 *quad,
                                global const force4 *box, global const uint *total, uint capacity,
                                global const real4 *all_parts, uint first_lot, uint n_lots,
                                global const real4 *acting_shift, uint acting_images, real scale)
{
    uint cell = (uint)get_global_id(0), open = 0;
    if (cell >= min(total[0], capacity))
        return;
    uint4 link = links[cell];
    real4 m = mass[cell];
    candidate c = {m, (force)m.w, 0, quad[2 * cell + 1], CELL_LOW(cell), CELL_HIGH(cell)};
    c.low.w = c.high.w = 0;
    bool few = CELL_IS_LEAF(link) && CELL_COUNT(link) <= FEW;
    for (uint lot = 0; lot < n_lots; lot++)
        if (few || is_opened(&c, m, LOTS[first_lot + lot], all_parts, acting_shift, acting_images,
                             scale))
            open |= 1u << lot;
    opened[cell] = open;
}

kernel void tree_essential_keep(global uint *kept, global uint *bodies, global const uint *opened,
                                global const uint4 *links, global const uint *total, uint capacity,
                                uint n_lots)
{
    uint cell = (uint)get_global_id(0), keep = 0, open = 0, count = 0;
    if (cell >= capacity)
        return;
    if (cell < total[0]) {
        uint4 link = links[cell];
        keep = 0xffffffffu;
        for (uint above = link.w; above != NO_CELL && keep != 0; above = links[above].w)
            keep &= opened[above];
        open = opened[cell];
        count = CELL_IS_LEAF(link) ? CELL_COUNT(link) : 0;
    }
    for (uint lot = 0; lot < n_lots; lot++) {
        kept[(size_t)lot * capacity + cell] = keep >> lot & 1;
        bodies[(size_t)lot * capacity + cell] = (keep & open) >> lot & 1 ? count : 0;
    }
}

#ifdef SOFTENINGS
#define ESSENTIAL_SOFT , global const force2 *soft, global const force *sorted_soft
#else
#define ESSENTIAL_SOFT
#endif

/* Cells and particles of all messages before that of a lot. */
static inline uint2 lot_begin(global const uint *kept_at, global const uint *bodies_at,
                              global const uint *n_kept, global const uint *n_bodies,
                              uint capacity, uint lot, uint n_lots)
{
    size_t at = (size_t)lot * capacity;
    return lot < n_lots ? (uint2)(kept_at[at], bodies_at[at]) : (uint2)(n_kept[0], n_bodies[0]);
}

static inline ulong words_of(uint2 length)
{
    return (ulong)length.x * CELL_WORDS + (ulong)length.y * BODY_WORDS;
}

/* sent: words so far, which are none when the first are sent, then cells and particles of each
 * message. */
static inline uint words_before(global const uint *sent, uint first_lot)
{
    return first_lot > 0 ? sent[0] : 0;
}

kernel void tree_essential_write(global uint *words, global const uint *sent, uint room,
                                 global const uint *kept, global const uint *kept_at,
                                 global const uint *bodies_at, global const uint *n_kept,
                                 global const uint *n_bodies, global const uint *opened,
                                 global const uint4 *links, global const real4 *mass,
                                 global const force4 *quad, global const force4 *box,
                                 global const real4 *sorted, global const uint *total,
                                 uint capacity, uint first_lot, uint n_lots ESSENTIAL_SOFT)
{
    uint cell = (uint)(get_global_id(0) % capacity), lot = (uint)(get_global_id(0) / capacity);
    size_t lists = (size_t)lot * capacity;
    if (lot >= n_lots || cell >= min(total[0], capacity) || !kept[lists + cell])
        return;
    uint before = words_before(sent, first_lot);
    if (before + words_of((uint2)(n_kept[0], n_bodies[0])) > room)
        return;
    uint2 begin = lot_begin(kept_at, bodies_at, n_kept, n_bodies, capacity, lot, n_lots);
    uint2 end = lot_begin(kept_at, bodies_at, n_kept, n_bodies, capacity, lot + 1, n_lots);
    uint4 link = links[cell];
    bool shut = (opened[cell] >> lot & 1) == 0;
    uint n_cells = end.x - begin.x, first = bodies_at[lists + cell] - begin.y;
    global uint *message = words + before + words_of(begin);
    global uint *to = message + (size_t)(kept_at[lists + cell] - begin.x) * CELL_WORDS;
    global uint *bodies = message + (size_t)n_cells * CELL_WORDS;
    put_real4(to, mass[cell]);
    put_pair(to + QUAD_WORD, quad + 2 * cell);
    to[LINK_WORD] = link.x < total[0] ? kept_at[lists + link.x] - begin.x : n_cells;
    to[LINK_WORD + 1] = shut ? NO_CELL : first;
    to[LINK_WORD + 2] = shut ? LEAF_BIT | SHUT : link.z;
    to[LINK_WORD + 3] = link.w == NO_CELL ? NO_CELL : kept_at[lists + link.w] - begin.x;
#ifdef SOFTENINGS
    vstore2(soft[cell], 0, (global force *)(to + SOFT_WORD));
#endif
#if CRITERION == CRITERION_MIN_DISTANCE
    put_pair(to + BOX_WORD, box + 2 * cell);
#endif
    for (uint j = 0; CELL_IS_LEAF(link) && !shut && j < CELL_COUNT(link); j++) {
        global uint *body = bodies + (size_t)(first + j) * BODY_WORDS;
        put_real4(body, sorted[link.y + j]);
#ifdef SOFTENINGS
        *(global force *)(body + BODY_SOFT_WORD) = sorted_soft[link.y + j];
#endif
    }
}

kernel void tree_essential_count(global uint *sent, global const real4 *all_parts, uint first_lot,
                                 uint n_lots, uint capacity, global const uint *kept_at,
                                 global const uint *bodies_at, global const uint *n_kept,
                                 global const uint *n_bodies)
{
    if (get_global_id(0) > 0)
        return;
    for (uint lot = 0; lot < n_lots; lot++) {
        uint rank = LOTS[first_lot + lot].z;
        uint2 length =
            lot_begin(kept_at, bodies_at, n_kept, n_bodies, capacity, lot + 1, n_lots) -
            lot_begin(kept_at, bodies_at, n_kept, n_bodies, capacity, lot, n_lots);
        sent[1 + 2 * rank] = length.x;
        sent[2 + 2 * rank] = length.y;
    }
    ulong end = words_before(sent, first_lot) + words_of((uint2)(n_kept[0], n_bodies[0]));
    sent[0] = (uint)min(end, (ulong)0xffffffffu);
}
