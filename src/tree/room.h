/* The memory of a tree. Building it goes through stages, and few of its arrays are in use in all of
 * them: the others share memory. */
#ifndef OCT_TREE_ROOM_H
#define OCT_TREE_ROOM_H

#include "tree/tree.h"

/* Cells to have room for where there are so many now, and bodies. */
uint64_t oct_tree_room_for(uint64_t cells, uint64_t n);
/* Whether so many cells leave little of the room. */
bool oct_tree_room_is_low(uint64_t cells, uint64_t capacity);
/* Makes all arrays anew, with room for so many cells; nothing is copied. Where there is no memory
 * for the old ones beside them, and `give_up` says so, these are given up first: without success
 * the tree then has none, and makes some when it is built. */
oct_status oct_tree_make_room(oct_tree *tree, uint64_t capacity, bool give_up);
/* For the first build: as many cells as there usually are. */
oct_status oct_tree_make_first_room(oct_tree *tree);
void oct_tree_lose_room(oct_tree *tree);
/* Whether leaves are made and counted in one launch: whoever waits for the sum of a block must be
 * shown it while both are at work. The most blocks of such a launch. */
bool oct_tree_scans(const oct_device_info *info);
enum { OCT_TREE_SCAN_BLOCKS = 1024 };
/* The fewest bodies with which a tree may be built in the memory of accelerations: with fewer a GPU
 * has memory enough, and two launches more count there. */
uint32_t oct_tree_lent_from(const oct_device_info *device);
/* Lets cells stay after the build, for walks that go by their links. */
oct_status oct_tree_let_stay(oct_tree *tree);
/* The same for a tree that is kept, with the arrays of that. */
oct_status oct_tree_let_keep(oct_tree *tree);

#endif
