/* Collisions in one program, the search that the method needs and the resolution: neither comes
 * alone. SEARCH_LANES: groups search in vector lanes; SEARCH_TILES: groups of work-items do. The
 * user's law of restitution comes last. */
#include "collision.clh"
#include "tree.clh"
#include "tree_walk.clh"
#ifdef SEARCH_LANES
#include "collision_search_lanes.cl"
#else
#include "collision_search.cl"
#endif
#ifdef SEARCH_TILES
#include "collision_search_tiles.clh"
#endif
#include "collision_resolve.cl"
