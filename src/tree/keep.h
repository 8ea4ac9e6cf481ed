/* A tree that is kept while bodies move, for steps in which few of them want forces: its order and
 * its cells stay, moments and boxes are those of now. It is built anew when walks have summed over
 * so much more than in its first ones that a build would have been cheaper: by counts, so that the
 * bits do not depend on a clock. All of it is in the state. */
#ifndef OCT_TREE_KEEP_H
#define OCT_TREE_KEEP_H

#include "tree/tree.h"

/* Whether the domain has a tree that stays right when it is kept. */
bool oct_tree_can_keep(const oct_domain *domain);
/* Keeps the domain's tree from now on; for init of an integrator, which then lets a tree be
 * forgotten whose bodies others than the steps have moved, and one that a build would have paid
 * for: after each walk element `place` of `due` says so. */
oct_status oct_tree_keep(oct_domain *domain, oct_buffer *due, uint32_t place);
/* Adds the buffers of that. */
void oct_tree_keep_memory(oct_needs *needs);
/* The next tree is built anew. */
void oct_tree_forget(oct_tree *tree);

/* Forgets a tree that a build would have paid for, by the state: where no walk has said so yet.
 * Nothing happens to a tree that is not kept. */
oct_status oct_tree_review(oct_tree *tree);
/* For forces of steps, after the walks, which have left the interactions of each group in `work`.
 */
oct_status oct_tree_tally(oct_tree *tree, oct_buffer *work);

/* For the tree itself. Renews it; not done: it has to be built. */
oct_status oct_tree_renew(bool *done, oct_tree *tree, oct_domain *domain);
/* That it was built, that its cells were lost. */
oct_status oct_tree_keeper_built(oct_tree *tree, oct_domain *domain);
void oct_tree_keeper_lost(oct_tree_keeper *keeper);
void oct_tree_keeper_free(oct_tree_keeper *keeper);

#endif
