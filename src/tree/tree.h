/* The octree: built from the particles on the device, entirely by kernels. Cells are in
 * depth-first order (kernels/tree.clh says what they hold); particles are copied in the order of
 * a space-filling curve, and `order` leads back to the state's own. */
#ifndef OCT_TREE_TREE_H
#define OCT_TREE_TREE_H

#include "array/primitives.h"
#include "array/sort.h"
#include "core/sim.h"

typedef enum oct_curve { OCT_CURVE_HILBERT, OCT_CURVE_MORTON } oct_curve;
/* As in kernels/tree.clh. */
typedef enum oct_criterion {
    OCT_CRITERION_OFFSET,
    OCT_CRITERION_GEOMETRIC,
    OCT_CRITERION_MIN_DISTANCE,
    OCT_CRITERION_RELATIVE
} oct_criterion;

/* Groups of so many bodies that follow each other in its order walk the tree together. */
enum { OCT_TREE_LEVELS = 21, OCT_TREE_GROUP = 64 };

typedef struct oct_tree_options {
    oct_curve curve;
    oct_criterion criterion;
    double theta;
    uint32_t leaf; /* particles in a leaf, unless it is as deep as cells go */
    bool portable; /* without instructions of one vendor */
    bool rows;     /* siblings side by side besides, for walks in vector lanes */
    bool softened; /* with kernels/tree_soft.clh, for bodies with softenings of their own */
    bool thirds;   /* with third moments, in `third` */
    bool records;  /* with kernels/tree_records.cl, for walks that test many cells at a time */
    bool cells;    /* cells stay as they were built, for walks by their links */
    bool kept;     /* with kernels/tree_keep_climb.cl's arrays, where there are records */
    bool lent;     /* it is built in the memory of accelerations, and moments of records move out */
    bool apart;    /* no array is in the memory of another: all can be looked at afterwards */
    bool scanned;  /* leaves are counted where they are made, on any device; else where it pays */
    bool bounded;  /* `around` is what its owner has written there before it is built */
    bool shifted;  /* with kernels/tree_shift.cl: cells are elsewhere each time it is built */
    size_t lists;  /* words that walks have for lists of their own, `begin` in kernels */
} oct_tree_options;

typedef struct oct_tree_active oct_tree_active;
typedef struct oct_tree_keeper oct_tree_keeper;
struct oct_pool;

/* What finds the moments of all cells, in one launch or in one a level; the other is NULL. */
typedef struct oct_tree_moments {
    oct_kernel *climb, *level;
} oct_tree_moments;

typedef struct oct_tree {
    oct_tree_options options;
    oct_domain *domain;
    uint32_t holders;
    oct_made built;     /* what it is the tree of */
    uint32_t capacity;  /* cells there is room for */
    oct_edition placed; /* the bodies that this was found out with */
    double bodies;      /* within the box, those of other ranks too */
    uint64_t looked;    /* version of `peak` when it was last read */

    oct_sort *sort;
    oct_primitives *primitives;
    oct_program *program;
    oct_kernel *shift; /* NULL: cells are where the box around bodies has them */
    oct_kernel *make_keys, *leaves, *cells;
    oct_kernel *scanned;      /* leaves and the scan in one launch; NULL: not on this device */
    oct_buffer *sums, *begun; /* of its blocks */
    uint32_t chunk, turn;
    bool children_first; /* who climbs knows all children of a cell, and counts later siblings */
    oct_tree_moments moments;
    oct_kernel *write_rows;           /* NULL without rows */
    oct_kernel *rank, *record, *move; /* NULL without records */
    uint32_t keys_each;               /* keys that a work-item makes */

    uint32_t lent_from;       /* bodies from which on it may be lent memory */
    struct oct_pool *pool;    /* the arrays of bodies and cells: tree/room.c; NULL: none yet */
    oct_buffer *keys, *order; /* while they are sorted they may be in the scratch */
    oct_buffer *own_keys, *own_order, *sort_keys, *sort_order;
    oct_buffer *sorted, *places, *leaf_level;
    oct_buffer *bounds;       /* what cells are halves of */
    oct_buffer *around;       /* the box around its bodies; `bounds` itself where it is not moved */
    oct_buffer *total, *peak; /* cells now; the most there have been, and whether bodies were not
                                 in order */
    unsigned bits;            /* of the keys that are sorted by; 0: not chosen */
    oct_buffer *unsettled;    /* 1: these were not enough */
    oct_buffer *links, *level_of, *arrived, *mass, *quad, *box;
    oct_buffer *third;                /* NULL without third moments */
    oct_buffer *rows, *row_of;        /* NULL without rows */
    oct_buffer *row_end;              /* slots that rows take */
    oct_buffer *place, *test;         /* the records */
    oct_buffer *moved;                /* their moments, where `quad` does not stay; else NULL */
    oct_buffer *walked, *walked_quad; /* cells as walks find them: mass and quad, or records */
    oct_buffer *seat, *came;          /* of a tree with records that is kept; else NULL */
    oct_buffer *begin;                /* lists of walks; NULL: none */
    oct_buffer *soft, *sorted_soft; /* what cells and bodies bring to softenings; NULL: the same */
    oct_buffer *radii; /* velocities, which have them; NULL: nobody asks how large bodies are */
    double softening2; /* that of bodies without one of their own, in units of forces */
    /* Of the kernels: the operation that this build is, 1 over theta, the level whose moments are
     * found. */
    uint32_t operation, level_now;
    double inverse_theta;

    oct_tree_keeper *keeper; /* tree/keep.h; NULL: it is built for any place of the bodies */
    oct_tree_active *active; /* once there was a set; else NULL */
    /* Lists of the domain's set, and how many are in them; NULL: all. */
    oct_buffer *groups, *n_groups, *active_places, *n_places;
} oct_tree;

/* What kernels find by name in the tree that a domain has when they are launched. */
extern const oct_offer oct_tree_offers[];
#define OCT_BIND_TREE(domain) OCT_BIND_OFFERS_OF(oct_tree_offers, &(domain)->tree)

/* The tree of a simulation: made for the first who asks, with these options; the others share it.
 * Whoever needs special options asks first: gravity does. */
oct_status oct_tree_share(oct_tree **out, oct_domain *domain, const oct_tree_options *options);
void oct_tree_free(oct_tree *tree);
/* Builds the tree of the particles as they are now, unless it is theirs already. Waits to see how
 * many cells there are, and makes room for them. */
oct_status oct_tree_update(oct_tree *tree, oct_domain *domain);
/* The same without a wait, but for the first time with new bodies. A tree that outgrows its buffers
 * halts the device, and the steps are taken again when oct_tree_waited has made room. */
oct_status oct_tree_enqueue(oct_tree *tree, oct_domain *domain);
/* The same for one who does not mind which cells there are, by a rank alone: where the bounds are
 * not those of the bodies as they are, it takes their own, and its owner builds it again. */
oct_status oct_tree_update_alone(oct_tree *tree, oct_domain *domain);
/* For tree/keep.c. Builds it anew, whether or not it is fresh; makes kernels that find moments, of
 * a program that has them, or frees them; finds moments and makes all that is made of them. */
oct_status oct_tree_build(oct_tree *tree, oct_domain *domain, bool wait);
oct_status oct_tree_moments_create(oct_tree_moments *out, oct_tree *tree, oct_program *program);
void oct_tree_moments_free(oct_tree_moments *moments);
oct_status oct_tree_find_moments(oct_tree *tree, const oct_tree_moments *moments);
/* When the host has waited anyway: makes room before the tree outgrows its buffers. */
oct_status oct_tree_waited(oct_tree *tree, oct_domain *domain);
/* Adds the buffers of the tree, once for all who share it, for one who walks by its links. */
void oct_tree_memory(oct_needs *needs);
/* The same for one who walks its rows, or its records with lists of so many words. */
void oct_tree_rows_memory(oct_needs *needs, oct_criterion criterion);
void oct_tree_records_memory(oct_needs *needs, oct_criterion criterion, uint64_t lists);
/* Adds the buffers of a list of a set's groups, or places, once for all; none without sets. */
void oct_tree_list_memory(oct_needs *needs, bool places);
/* The groups that a domain of n bodies has. */
static inline uint32_t oct_tree_groups(uint32_t n)
{
    return (n + OCT_TREE_GROUP - 1) / OCT_TREE_GROUP;
}
/* Makes `groups` of the tree the list of those groups that have a body of the domain's set, or
 * `active_places` that of places in its order that have one; the tree is that of the bodies as they
 * are. Without a wait; kernels are launched for all there can be. */
oct_status oct_tree_list_groups(oct_tree *tree, oct_domain *domain);
oct_status oct_tree_list_places(oct_tree *tree, oct_domain *domain);
void oct_tree_active_free(oct_tree_active *active);
/* Where each body of the state, in which removed ones keep their places, is in oct_sim_bodies;
 * UINT32_MAX for those. To be freed. */
oct_status oct_tree_places(uint32_t **out, oct_domain *domain);

#endif
