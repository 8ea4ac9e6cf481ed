/* Bodies that have left their domain's run of the curve go to the domain whose run they are in, and
 * others come for them: every domain keeps as many bodies as it has, in the rows that it has. Cheap
 * where few have left; runs of other lengths are core/decompose.h's, which looks at costs now and
 * then. Nothing but the state decides who moves. */
#ifndef OCT_CORE_TRADE_H
#define OCT_CORE_TRADE_H

#include "core/sim.h"

/* When a step finds forces: trades if it is time to; all ranks call it. */
oct_status oct_trade(oct_sim *sim);
/* The same, with bodies that may move. Afterwards keys of a rank's bodies are not above those of
 * the next rank's, unless so many have strayed that it is left to a new division. The tree has the
 * box of all bodies. */
oct_status oct_trade_now(oct_sim *sim);
/* Whether a trade has found the box around all bodies, and keys of these through it, for the places
 * where they are. */
bool oct_trade_found(const oct_domain *domain);
/* What is kept from one time to the next, for one domain; NULL is none. */
void oct_trader_free(struct oct_trader *trader);

#endif
