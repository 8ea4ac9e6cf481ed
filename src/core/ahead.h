/* Outputs of a step that the device makes when more steps have been enqueued behind them: a row of
 * measurements, whose numbers are read later, and a copy of the bodies. It need not stand still for
 * them. The state is looked at as for any other output before anybody has them; where the device
 * had halted before, they are made again when the steps are taken again. */
#ifndef OCT_CORE_AHEAD_H
#define OCT_CORE_AHEAD_H

#include "core/sim.h"

/* Whether bodies can be copied so; and whether the row of this number can be had. */
bool oct_ahead_can_copy(const oct_sim *sim);
bool oct_ahead_can_measure(const oct_sim *sim, uint64_t row);
/* Whether nothing may be enqueued before it is finished: one wait is then for steps and row. */
bool oct_ahead_at_once(const oct_sim *sim);
/* Enqueue them, for the present step: one of each, and none before those of another step are
 * finished. What the copy is made in stays where it is until then; it is oct_sim_copy_ahead's. */
oct_status oct_ahead_measure(oct_sim *sim, uint64_t row);
oct_status oct_ahead_copy(oct_state *out, oct_fetch **fetch, oct_sim *sim);
/* Lets the device make them, unless it has. */
oct_status oct_ahead_await(oct_sim *sim);
/* Waits for the device to have made them, but not for what was enqueued since. The copy can then be
 * fetched, and the row's numbers are as oct_diagnose_row_ahead gives them; out: NULL where there is
 * no row. */
oct_status oct_ahead_finish(oct_later *later, double *out, oct_sim *sim);
/* Forgets them. */
void oct_ahead_drop(oct_sim *sim);

/* For who waits for steps: reads what was sent; and makes again what was lost, now that the clock
 * is at its step. */
oct_status oct_ahead_arrive(oct_sim *sim);
oct_status oct_ahead_again(oct_sim *sim);

#endif
