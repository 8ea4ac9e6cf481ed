/* The measurements of a simulation: the diag modules that apply to it. */
#ifndef OCT_CORE_DIAGNOSE_H
#define OCT_CORE_DIAGNOSE_H

#include "core/sim.h"

oct_status oct_diagnose_start(oct_sim *sim);
/* Measures the start, which later measurements are compared with. */
oct_status oct_diagnose_first(oct_sim *sim);
void oct_diagnose_end(oct_sim *sim);

#endif
