/* All that is measured in a patch of a disk, in one program: to start a compiler takes longer than
 * to compile one of these. */
#include "diag_overlap.cl"
#include "diag_sheet.cl"
#include "diag_sight.cl"
/* Before the branches: a file is put in place once, where it is first named. */
#include "diag_stress.clh"
#ifdef OCT_CPU
#include "diag_stress_lanes.cl"
#else
#include "diag_stress.cl"
#endif
#include "diag_wakes.cl"
