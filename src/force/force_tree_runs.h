/* What the groups of runs of bodies have in common before they walk the tree on a GPU: an expansion
 * of far cells, and where to begin (kernels/force_tree_runs.cl). */
#ifndef OCT_FORCE_TREE_RUNS_H
#define OCT_FORCE_TREE_RUNS_H

#include "core/sim.h"

/* Bodies in a run where there are many and where there are few, terms of its expansion (35, and one
 * to align). */
enum { OCT_TREE_RUN = 512, OCT_TREE_SHORT_RUN = 128, OCT_TREE_RUN_TERMS = 36 };

/* Slices of walks that there is room for where groups are few (kernels/force_tree_slices.clh): a
 * few of them keep each unit of a large GPU busy. */
enum { OCT_TREE_SLICES = 2048 };

typedef struct oct_tree_runs {
    oct_buffer *centre, *sums, *n_begin; /* the lists themselves are the tree's */
    oct_buffer *parted, *parted_work;    /* of slices; NULL: all groups walk in all steps */
    oct_buffer *torn, *n_torn;           /* bodies of groups that gave up; NULL: none does */
    uint32_t torn_after;                 /* particles that a group sums over before it does */
    double far_reach; /* radii of a group beyond which a cell is far, as accurate as theta */
} oct_tree_runs;

/* Kernels know them as run_centre, run_sums, n_begin, parted, parted_work, torn, n_torn, torn_after
 * and far_reach. */
extern const oct_offer oct_tree_run_offers[];

/* Whether there are steps in which few groups walk. */
bool oct_tree_runs_sliced(const oct_setup *setup);
/* The options that kernels are built with. */
void oct_tree_runs_options(char *out, size_t size, const oct_domain *domain);
oct_status oct_tree_runs_create(oct_tree_runs *out, oct_domain *domain, double theta);
/* Lets groups that have summed over so many particles give up (kernels/force_tree_torn.clh). */
oct_status oct_tree_runs_tear(oct_tree_runs *runs, oct_domain *domain, uint32_t after);
void oct_tree_runs_clear(oct_tree_runs *runs);
void oct_tree_runs_memory(oct_needs *needs);

/* Bodies in a run: of fewer than 2^19 in a box without images a GPU is not kept busy by long ones,
 * and short ones leave less to their groups. The same whoever walks, so that steps of one level
 * have the bits of leapfrog. */
uint32_t oct_tree_run_size(const oct_setup *setup, uint64_t n);
/* Runs of n bodies. */
uint32_t oct_tree_run_count(const oct_setup *setup, uint64_t n);
/* Cells that a run has room to list: what links of cells take where memory counts more than what
 * its groups then test again. */
static inline uint32_t oct_tree_run_room(uint64_t n)
{
    return n < (uint64_t)1 << 28 ? 768 : 480;
}
/* Words that the lists of all runs take. */
static inline size_t oct_tree_run_lists(const oct_setup *setup, uint64_t n)
{
    return (size_t)oct_tree_run_count(setup, n) * oct_tree_run_room(n);
}

#endif
