/* Octrees of test distributions, copied to the host: numbers of any precision as double. */
#ifndef OCT_TESTS_TREE_REF_H
#define OCT_TESTS_TREE_REF_H

#include "tree/tree.h"

enum { REF_LEAF = 16, REF_DEEPEST = OCT_TREE_LEVELS };
#define REF_NO_CELL  0xffffffffu
#define REF_LEAF_BIT 0x80000000u
#define REF_LAST_KEY (((uint64_t)1 << 3 * REF_DEEPEST) - 1)

/* A cell's links, as in kernels/tree.clh. */
typedef struct ref_link {
    uint32_t next, first, count, parent;
} ref_link;

/* A tree and what it was built from. */
typedef struct ref_tree {
    oct_sim *sim;
    oct_tree *tree;
    uint32_t n, cells;
    double *position, *velocity, *sorted, *bounds;
    uint64_t *keys;
    uint32_t *order;
    ref_link *links;
    uint8_t *level;
    double *mass, *quad, *box;
    double *third; /* NULL without third moments */
} ref_tree;

static inline uint32_t ref_cell_count(ref_link link)
{
    return link.count & ~REF_LEAF_BIT;
}

typedef enum ref_shape {
    REF_SHAPE_CUBE,
    REF_SHAPE_PLUMMER,
    REF_SHAPE_FAR_CLUSTERS, /* of size 1, 10^6 apart */
    REF_SHAPE_LINE,
    REF_SHAPE_PLANE,
    REF_SHAPE_POINT,
    REF_SHAPE_SPOT,   /* all but ten within 10^-9 of the extent */
    REF_SHAPE_POWERS, /* at 2^-j: a particle on the border of every level's cells */
    REF_SHAPE_GRID,   /* 16^3 */
    REF_SHAPES
} ref_shape;

extern const char *const ref_shape_names[REF_SHAPES];

/* Particles of different masses and radii. Every removed-th (0: none) has been removed: it has no
 * mass and is far outside. */
oct_sim *ref_tree_sim(ref_shape kind, uint32_t n, oct_precision precision, uint32_t removed);
ref_tree ref_tree_build(oct_sim *sim, oct_curve curve, oct_criterion criterion);
/* Without instructions of one vendor. */
ref_tree ref_tree_build_portable(oct_sim *sim, oct_curve curve, oct_criterion criterion);
/* With leaves that are counted where they are made. */
ref_tree ref_tree_build_scanned(oct_sim *sim);
/* With third moments. */
ref_tree ref_tree_build_thirds(oct_sim *sim, bool portable);
/* With the rows that walks in vector lanes take. */
ref_tree ref_tree_build_rows(oct_sim *sim, oct_criterion criterion);
/* With records of its cells, to which second moments may move. */
ref_tree ref_tree_build_records(oct_sim *sim, oct_criterion criterion, bool moves);
void ref_tree_clear(ref_tree *tree);
/* The rows of a buffer as they are; to be freed. */
void *ref_download(oct_buffer *buffer, size_t rows);

#endif
