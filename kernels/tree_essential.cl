/* What of a tree the particles of other ranks need (essential tree; Salmon 1990, Dubinski 1996).
 * They are described by parts: boxes around runs of their groups, with what the criterion asks of
 * them. A cell that is far enough from all parts is far enough from all groups in them, and nothing
 * below it is sent. Messages are made for n_lots ranks at a time, 32 at most, from first_lot on;
 * all_parts begins with a uint4 for each rank that is sent to: its first part, which is a box
 * around all of its parts, the end of its parts, and the rank; SPAN parts at a time are behind a
 * box around these. Marks are `capacity` words for each that say which cells are sent, then as many
 * that say how many particles of them; then sums of all marks before, those of cells going on with
 * those of particles.
 *   tree_essential_open   whose parts open a cell, a bit for each rank, or nothing where those of a
 *                         cell above it do not; a work-item OPENED_EACH cells
 *   tree_essential_keep   which cells have only such ancestors, and how many particles they bring
 *   tree_essential_write  the messages, what is kept, one behind the other, and how long they are;
 *                         a work-item a cell and a rank
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

/* Cells come after those above them: a work-item that takes many in a row has mostly seen whether
 * anybody opens the one above. */
kernel void tree_essential_open(global uint *opened, global const uint4 *links,
                                global const real4 *mass, global const force4 *quad,
                                global const force4 *box, global const uint *total, uint capacity,
                                global const real4 *all_parts, uint first_lot, uint n_lots,
                                global const real4 *acting_shift, uint acting_images, real scale)
{
    uint first = (uint)get_global_id(0) * OPENED_EACH;
    uint end = min(first + OPENED_EACH, min(total[0], capacity));
    for (uint cell = first; cell < end; cell++) {
        uint4 link = links[cell];
        bool known = link.w != NO_CELL && link.w >= first;
        uint lots = known ? opened[link.w] : 0xffffffffu, open = 0;
        if (lots != 0) {
            real4 m = mass[cell];
            candidate c = {m, (force)m.w, 0, quad[2 * cell + 1], CELL_LOW(cell), CELL_HIGH(cell)};
            c.low.w = c.high.w = 0;
            bool few = CELL_IS_LEAF(link) && CELL_COUNT(link) <= FEW;
            for (uint lot = 0; lot < n_lots; lot++)
                if ((lots >> lot & 1) &&
                    (few || is_opened(&c, m, LOTS[first_lot + lot], all_parts, acting_shift,
                                      acting_images, scale)))
                    open |= 1u << lot;
        }
        opened[cell] = open;
    }
}

kernel void tree_essential_keep(global uint *marks, global const uint *opened,
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
    global uint *bodies = marks + (size_t)n_lots * capacity;
    for (uint lot = 0; lot < n_lots; lot++) {
        marks[(size_t)lot * capacity + cell] = keep >> lot & 1;
        bodies[(size_t)lot * capacity + cell] = (keep & open) >> lot & 1 ? count : 0;
    }
}

#ifdef SOFTENINGS
#define ESSENTIAL_SOFT , global const force2 *soft, global const force *sorted_soft
#else
#define ESSENTIAL_SOFT
#endif

/* Sums of marks. */
typedef struct {
    global const uint *cells, *bodies;
    uint all_cells, all_bodies, capacity, n_lots;
} sums;

/* Cells and particles of all messages before that of a lot. */
static inline uint2 lot_begin(const sums *s, uint lot)
{
    size_t at = (size_t)lot * s->capacity;
    return lot < s->n_lots ? (uint2)(s->cells[at], s->bodies[at] - s->all_cells)
                           : (uint2)(s->all_cells, s->all_bodies);
}

static inline ulong words_of(uint2 length)
{
    return (ulong)length.x * CELL_WORDS + (ulong)length.y * BODY_WORDS;
}

/* sent: cells and particles of each message, then from words_at on words so far, of which there are
 * none when the first are sent, and words with these. */
static void write_lengths(global uint *sent, uint words_at, const sums *s,
                          global const real4 *all_parts, uint first_lot, uint before)
{
    for (uint lot = 0; lot < s->n_lots; lot++) {
        uint rank = LOTS[first_lot + lot].z;
        uint2 length = lot_begin(s, lot + 1) - lot_begin(s, lot);
        sent[2 * rank] = length.x;
        sent[2 * rank + 1] = length.y;
    }
    ulong end = before + words_of((uint2)(s->all_cells, s->all_bodies));
    sent[words_at + 1] = (uint)min(end, (ulong)0xffffffffu);
}

kernel void tree_essential_write(global uint *words, global uint *sent, uint words_at, uint room,
                                 global const uint *marks, global const uint *n_marks,
                                 global const uint *opened, global const uint4 *links,
                                 global const real4 *mass, global const force4 *quad,
                                 global const force4 *box, global const real4 *sorted,
                                 global const uint *total, uint capacity,
                                 global const real4 *all_parts, uint first_lot,
                                 uint n_lots ESSENTIAL_SOFT)
{
    uint cell = (uint)(get_global_id(0) % capacity), lot = (uint)(get_global_id(0) / capacity);
    size_t lists = (size_t)lot * capacity, all_lists = (size_t)n_lots * capacity;
    if (lot >= n_lots)
        return;
    uint n_cells = marks[all_lists], before = first_lot > 0 ? sent[words_at] : 0;
    sums s = {marks, marks + all_lists, n_cells, n_marks[0] - n_cells, capacity, n_lots};
    if (get_global_id(0) == 0)
        write_lengths(sent, words_at, &s, all_parts, first_lot, before);
    /* Sums go on behind the last cell of all. */
    if (cell >= min(total[0], capacity) || marks[lists + cell] == marks[lists + cell + 1])
        return;
    if (before + words_of((uint2)(s.all_cells, s.all_bodies)) > room)
        return;
    uint2 begin = lot_begin(&s, lot), end = lot_begin(&s, lot + 1);
    uint4 link = links[cell];
    bool shut = (opened[cell] >> lot & 1) == 0;
    n_cells = end.x - begin.x;
    uint first = s.bodies[lists + cell] - s.all_cells - begin.y;
    global uint *message = words + before + words_of(begin);
    global uint *to = message + (size_t)(marks[lists + cell] - begin.x) * CELL_WORDS;
    global uint *bodies = message + (size_t)n_cells * CELL_WORDS;
    put_real4(to, mass[cell]);
    put_pair(to + QUAD_WORD, quad + 2 * cell);
    to[LINK_WORD] = link.x < total[0] ? marks[lists + link.x] - begin.x : n_cells;
    to[LINK_WORD + 1] = shut ? NO_CELL : first;
    to[LINK_WORD + 2] = shut ? LEAF_BIT | SHUT : link.z;
    to[LINK_WORD + 3] = link.w == NO_CELL ? NO_CELL : marks[lists + link.w] - begin.x;
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
