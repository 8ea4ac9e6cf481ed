/* All that makes an octree of sorted particles, in one program: to start a compiler takes longer
 * than to compile one of these. */
#include "tree_build.cl"
/* That criterion goes by cubic cells. */
#if CRITERION != CRITERION_GEOMETRIC
#define TALL
#endif
#include "tree_keys.cl"
#ifdef SHIFTED
#include "tree_shift.cl"
#endif
#include "tree_moments.cl"
#include "tree_rows.cl"
#ifdef RECORDS
#include "tree_records.cl"
#endif
