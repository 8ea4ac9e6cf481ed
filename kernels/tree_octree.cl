/* All that makes an octree of sorted particles, in one program: to start a compiler takes longer
 * than to compile one of these. */
#include "tree_build.cl"
#include "tree_keys.cl"
#include "tree_moments.cl"
#ifdef ROWS
#include "tree_rows.cl"
#endif
#ifdef RECORDS
#include "tree_records.cl"
#endif
