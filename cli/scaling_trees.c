/* What domains send each other, expected from where their boxes are and how dense bodies are. Each
 * domain is described by the boxes that it tells the others, and by its density: the number of
 * bodies and the box of coarse cells, of COARSE bodies at most. A tree of bodies that are drawn
 * from that density is held against the boxes of each other domain: what these open (d < l/theta +
 * delta) is what will be sent. No constant is fitted. */
#include "scaling_trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As the library has them: levels of cells, bodies of a leaf, of a box and of a group; boxes that
 * describe a domain; bodies of a run for collisions, and runs, at most. */
enum { LEVELS = 21, LEAF = 16, RUN = 16, GROUP = 64, PARTS = 256, MOST_RUNS = 4096, FEW = 2 };
/* Bodies of a coarse cell; bodies that are told one by one, at most. */
enum { COARSE = 64, POINTS = 512 };
/* A run that is so many times wider than usual is told body by body, as in collision_lend.c. */
static const double torn = 4;

typedef oct_scaling_body body;

typedef struct box {
    double low[3], high[3], radius;
} box;

typedef struct cell {
    double at[3], mass, reach;
    size_t next; /* behind all below it */
    uint32_t count;
    bool leaf;
} cell;

typedef struct domain {
    body *bodies;
    size_t n, n_parts, n_boxes;
    box *parts, *boxes, around;
    cell *cells;
    size_t n_cells, room;
} domain;

static double next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};

static box box_around(const body *bodies, size_t n)
{
    box b = nothing;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            b.low[k] = fmin(b.low[k], bodies[i].x[k]);
            b.high[k] = fmax(b.high[k], bodies[i].x[k]);
            b.radius = fmax(b.radius, bodies[i].radius);
        }
    return b;
}

static void swap_longer(uint32_t *a, uint32_t *b, unsigned *bits_a, unsigned *bits_b)
{
    uint32_t x = *a;
    unsigned bits = *bits_a;
    if (*bits_b <= *bits_a)
        return;
    *a = *b;
    *b = x;
    *bits_a = *bits_b;
    *bits_b = bits;
}

static void undo(uint32_t *first, uint32_t *other, uint32_t p, unsigned bit)
{
    if (*other >> bit & 1) {
        *first ^= p;
    } else {
        uint32_t t = (*first ^ *other) & p;
        *first ^= t;
        *other ^= t;
    }
}

/* The curve of kernels/tree_keys.cl: flat where a coordinate has fewer bits than others. */
static uint64_t hilbert(const uint32_t at[3], const unsigned bits[3])
{
    uint32_t c[3] = {at[0], at[1], at[2]}, t = 0;
    unsigned b[3] = {bits[0], bits[1], bits[2]};
    uint64_t key = 0;
    swap_longer(&c[0], &c[1], &b[0], &b[1]);
    swap_longer(&c[1], &c[2], &b[1], &b[2]);
    swap_longer(&c[0], &c[1], &b[0], &b[1]);
    for (unsigned bit = (b[0] > 0 ? b[0] : 1) - 1; bit > 0; bit--) {
        uint32_t p = (1u << bit) - 1;
        if (c[0] >> bit & 1)
            c[0] ^= p;
        if (bit < b[1])
            undo(&c[0], &c[1], p, bit);
        if (bit < b[2])
            undo(&c[0], &c[2], p, bit);
    }
    c[1] ^= c[0] & ((1u << b[1]) - 1);
    c[2] ^= c[1] & ((1u << b[2]) - 1);
    for (unsigned bit = (b[0] > 0 ? b[0] : 1) - 1; bit > 0; bit--)
        if (c[bit < b[2] ? 2 : bit < b[1] ? 1 : 0] >> bit & 1)
            t ^= (1u << bit) - 1;
    c[0] ^= t;
    c[1] ^= t & ((1u << b[1]) - 1);
    c[2] ^= t & ((1u << b[2]) - 1);
    for (int level = LEVELS - 1; level >= 0; level--)
        for (int k = 0; k < 3; k++)
            key = key << 1 | (c[k] >> level & 1);
    return key;
}

/* Cells of a sheet of n bodies are up to four times as high as they are wide, as in
 * kernels/tree_keys.cl. */
static void find_units(double unit[3], const box *b, size_t n)
{
    double e[3], side = 0;
    for (int k = 0; k < 3; k++)
        side = fmax(side, b->high[k] - b->low[k]);
    for (int k = 0; k < 3; k++) {
        e[k] = side > 0 ? (b->high[k] - b->low[k]) / side : 0;
        unit[k] = side > 0 ? (1 << LEVELS) / side : 0;
    }
    double thin = fmin(e[0], fmin(e[1], e[2]));
    double wide = fmax(fmin(e[0], e[1]), fmin(fmax(e[0], e[1]), e[2]));
    double apart2 = wide / (double)n, thin2 = thin * thin;
    if (8 * thin < wide && thin2 < 400 * apart2)
        for (int k = 0; k < 3; k++)
            unit[k] *= e[k] > thin ? 1 : thin2 < 144 * apart2 ? 0.25 : 0.5;
}

static int by_key(const void *a, const void *b)
{
    const body *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* Puts bodies in the order of the curve through a box, in which there are `all`. */
static void sort_bodies(body *bodies, size_t n, const box *b, size_t all)
{
    const uint32_t most = (1u << LEVELS) - 1;
    double unit[3];
    unsigned bits[3];
    find_units(unit, b, all);
    for (int k = 0; k < 3; k++) {
        double last = fmin((b->high[k] - b->low[k]) * unit[k], most);
        bits[k] = 0;
        while ((uint32_t)last >> bits[k] != 0)
            bits[k]++;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t at[3];
        for (int k = 0; k < 3; k++)
            at[k] = (uint32_t)fmin((bodies[i].x[k] - b->low[k]) * unit[k], most);
        bodies[i].key = hilbert(at, bits);
    }
    qsort(bodies, n, sizeof *bodies, by_key);
}

/* Where the next child of a cell begins, of bodies in the order of the curve. */
static size_t child_end(const body *bodies, size_t first, size_t end, int level)
{
    int shift = 3 * (LEVELS - level - 1);
    uint64_t child = bodies[first].key >> shift;
    size_t low = first, high = end;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (bodies[middle].key >> shift == child)
            low = middle;
        else
            high = middle;
    }
    return low + 1;
}

/* Where cells are: the lowest corner of all, and cells of the last level to a length. */
typedef struct frame {
    double low[3], unit[3];
    uint64_t random;
} frame;

/* Other bodies for those of a coarse cell, as many, anywhere in the box that these are from: the
 * one around n of them is (n - 1)/(n + 1) as wide, and the cell is no narrower. */
static void draw_cell(body *bodies, size_t n, int level, frame *f)
{
    box b = box_around(bodies, n);
    double more = n > 1 ? 1 / ((double)n - 1) : 0;
    for (int k = 0; k < 3; k++) {
        double side = exp2(LEVELS - level) / f->unit[k], wide = b.high[k] - b.low[k];
        double corner = f->low[k] + side * floor((bodies[0].x[k] - f->low[k]) / side);
        double low = fmax(b.low[k] - more * wide, fmin(corner, b.low[k]));
        double high = fmin(b.high[k] + more * wide, fmax(corner + side, b.high[k]));
        for (size_t i = 0; i < n; i++)
            bodies[i].x[k] = low + (high - low) * next_random(&f->random);
    }
}

static void draw(body *bodies, size_t n, int level, frame *f)
{
    if (n <= COARSE || level == LEVELS) {
        draw_cell(bodies, n, level, f);
        return;
    }
    for (size_t first = 0, end; first < n; first = end) {
        end = child_end(bodies, first, n, level);
        draw(bodies + first, end - first, level + 1, f);
    }
}

static bool grow(domain *d)
{
    size_t room = 2 * d->room + 1024;
    cell *cells = realloc(d->cells, room * sizeof *cells);
    if (!cells)
        return false;
    d->cells = cells;
    d->room = room;
    return true;
}

/* A cell with all below it, in depth-first order. */
static bool add_cell(domain *d, size_t first, size_t end, int level, double inverse_theta)
{
    box b = box_around(d->bodies + first, end - first);
    cell c = {.count = (uint32_t)(end - first), .leaf = end - first <= LEAF || level == LEVELS};
    double mass = 0, size = 0, delta2 = 0;
    size_t index = d->n_cells++;
    if (d->n_cells > d->room && !grow(d))
        return false;
    for (size_t i = first; i < end; i++) {
        mass += d->bodies[i].mass;
        for (int k = 0; k < 3; k++)
            c.at[k] += d->bodies[i].mass * d->bodies[i].x[k];
    }
    for (int k = 0; k < 3; k++) {
        c.at[k] /= mass;
        size = fmax(size, b.high[k] - b.low[k]);
        delta2 += pow((b.high[k] + b.low[k]) / 2 - c.at[k], 2);
    }
    c.reach = size * inverse_theta + sqrt(delta2);
    for (size_t at = first, to; !c.leaf && at < end; at = to) {
        to = child_end(d->bodies, at, end, level);
        if (!add_cell(d, at, to, level + 1, inverse_theta))
            return false;
    }
    c.next = d->n_cells;
    d->cells[index] = c;
    return true;
}

static size_t up(size_t x, size_t of)
{
    return (x + of - 1) / of;
}

/* What is beyond the last body counts as that. */
static box run_box(const domain *d, size_t first, size_t length)
{
    first = first < d->n ? first : d->n - 1;
    size_t left = d->n - first;
    return box_around(d->bodies + first, left < length ? left : length);
}

/* Boxes around runs of one length, no more than PARTS: by these others open cells. */
static bool add_parts(domain *d)
{
    size_t runs = GROUP / RUN * up(d->n, GROUP), each = RUN * up(runs, PARTS);
    d->n_parts = up(RUN * runs, each);
    d->parts = malloc(d->n_parts * sizeof *d->parts);
    for (size_t i = 0; d->parts && i < d->n_parts; i++)
        d->parts[i] = run_box(d, i * each, each);
    return d->parts != NULL;
}

static double side_of(const box *b)
{
    double side = 0;
    for (int k = 0; k < 3; k++)
        side = fmax(side, b->high[k] - b->low[k]);
    return side;
}

/* How wide runs may be that are told as one. */
static double widest(const domain *d, size_t run)
{
    double roots = 0, n = 0, wide;
    size_t wider, most = POINTS / run;
    for (size_t i = 0; i < d->n; i += run) {
        box b = run_box(d, i, run);
        if (side_of(&b) > 0) {
            roots += 1 / sqrt(side_of(&b));
            n++;
        }
    }
    if (n == 0 || most == 0)
        return INFINITY;
    for (wide = torn * (n / roots) * (n / roots);; wide *= 2) {
        wider = 0;
        for (size_t i = 0; i < d->n; i += run) {
            box b = run_box(d, i, run);
            wider += side_of(&b) > wide;
        }
        if (wider <= most)
            return wide;
    }
}

static void extend(box *b, const box *by)
{
    for (int k = 0; k < 3; k++) {
        b->low[k] = fmin(b->low[k], by->low[k]);
        b->high[k] = fmax(b->high[k], by->high[k]);
    }
    b->radius = fmax(b->radius, by->radius);
}

/* The same for collisions, and bodies of torn runs one by one. */
static bool add_boxes(domain *d)
{
    size_t run = up(d->n, MOST_RUNS) > RUN ? up(d->n, MOST_RUNS) : RUN;
    size_t together = run * up(up(d->n, run), PARTS);
    double wide = widest(d, run);
    d->boxes = malloc((up(d->n, together) + POINTS + run) * sizeof *d->boxes);
    for (size_t i = 0; d->boxes && i < d->n; i += together) {
        box all = nothing;
        for (size_t k = i; k < i + together && k < d->n; k += run) {
            box b = run_box(d, k, run);
            if (side_of(&b) <= wide)
                extend(&all, &b);
            for (size_t at = k; side_of(&b) > wide && at < k + run && at < d->n; at++)
                d->boxes[d->n_boxes++] = box_around(d->bodies + at, 1);
        }
        if (all.low[0] <= all.high[0])
            d->boxes[d->n_boxes++] = all;
    }
    return d->boxes != NULL;
}

static bool make_domain(domain *d, const box *all, size_t n, double theta, bool lends)
{
    frame f = {.random = 1};
    sort_bodies(d->bodies, d->n, all, n);
    d->around = box_around(d->bodies, d->n);
    if (!add_parts(d) || (lends && !add_boxes(d)))
        return false;
    memcpy(f.low, all->low, sizeof f.low);
    find_units(f.unit, all, n);
    draw(d->bodies, d->n, 0, &f);
    sort_bodies(d->bodies, d->n, all, n);
    return add_cell(d, 0, d->n, 0, 1 / theta);
}

static double distance2(const double x[3], const box *b)
{
    double d2 = 0;
    for (int k = 0; k < 3; k++) {
        double gap = fmax(fmax(b->low[k] - x[k], x[k] - b->high[k]), 0);
        d2 += gap * gap;
    }
    return d2;
}

static bool reaches(const double x[3], double reach, bool touch, const domain *to)
{
    const box *boxes = touch ? to->boxes : to->parts;
    size_t n = touch ? to->n_boxes : to->n_parts;
    double far = reach + (touch ? to->around.radius : 0);
    if (distance2(x, &to->around) > far * far)
        return false;
    for (size_t i = 0; i < n; i++) {
        far = reach + (touch ? boxes[i].radius : 0);
        if (distance2(x, &boxes[i]) <= far * far)
            return true;
    }
    return false;
}

/* Whether something is within reach of what another domain has, in an image of the box. */
static bool is_near(const double x[3], double reach, bool touch, const domain *to,
                    const double sides[2])
{
    int images = sides[0] > 0;
    for (int i = -images; i <= images; i++)
        for (int j = -images; j <= images; j++) {
            const double at[3] = {x[0] + sides[0] * i, x[1] + sides[1] * j, x[2]};
            if (reaches(at, reach, touch, to))
                return true;
        }
    return false;
}

static void count(oct_scaling_sizes *inout, const domain *from, const domain *to,
                  const double sides[2], bool lends)
{
    for (size_t i = 0; i < from->n_cells;) {
        const cell *c = &from->cells[i];
        bool open = (c->leaf && c->count <= FEW) || is_near(c->at, c->reach, false, to, sides);
        inout->cells++;
        if (open && c->leaf)
            inout->bodies += c->count;
        i = open ? i + 1 : c->next;
    }
    double lent = 0;
    for (size_t i = 0; lends && i < from->n; i++)
        lent += is_near(from->bodies[i].x, from->bodies[i].radius, true, to, sides);
    inout->lent += lent;
    inout->neighbours += lent > 0;
}

/* Cuts the curve into runs of one length, and counts. */
static bool share_out(domain *list, oct_scaling_sizes *out, const oct_scaling_snapshot *s,
                      uint32_t domains, double theta)
{
    box all = box_around(s->bodies, s->n);
    sort_bodies(s->bodies, s->n, &all, s->n);
    for (uint32_t i = 0; i < domains; i++) {
        size_t first = s->n * i / domains, end = s->n * (i + 1) / domains;
        list[i].bodies = s->bodies + first;
        list[i].n = end - first;
        if (list[i].n == 0 || !make_domain(&list[i], &all, s->n, theta, s->lends))
            return false;
        out->parts += (double)list[i].n_parts / domains;
        out->boxes += (double)list[i].n_boxes / domains;
    }
    for (uint32_t i = 0; i < domains; i++)
        for (uint32_t j = 0; j < domains; j++)
            if (i != j)
                count(out, &list[i], &list[j], s->sides, s->lends);
    out->cells /= domains;
    out->bodies /= domains;
    out->lent /= domains;
    out->neighbours /= domains;
    return true;
}

bool oct_scaling_foresee(oct_scaling_sizes *out, const oct_scaling_snapshot *snapshot,
                         uint32_t domains, double theta)
{
    domain *list = calloc(domains, sizeof *list);
    *out = (oct_scaling_sizes){0};
    bool good = list && share_out(list, out, snapshot, domains, theta);
    for (uint32_t i = 0; list && i < domains; i++) {
        free(list[i].parts);
        free(list[i].boxes);
        free(list[i].cells);
    }
    free(list);
    return good;
}
