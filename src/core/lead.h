/* A simulation that ranks share. Each rank has one, with the domain of its own bodies, and all of
 * them take the same steps. The first leads: what it is asked to do with the whole it tells the
 * others, who follow in oct_sim_serve. So its program, the loop of a run, the clock on the wall and
 * files are its business alone. */
#ifndef OCT_CORE_LEAD_H
#define OCT_CORE_LEAD_H

#include "core/sim.h"

/* What the first rank tells the others to do with it. */
typedef enum oct_order_kind {
    OCT_ORDER_END,
    OCT_ORDER_ADVANCE, /* number: steps; until: a tick */
    OCT_ORDER_WAIT,
    OCT_ORDER_LOOK,
    OCT_ORDER_SETTLE,
    OCT_ORDER_EXPORT,
    OCT_ORDER_COPY,
    OCT_ORDER_MEASURE,  /* number: of the row; until: its kind */
    OCT_ORDER_TABULATE, /* number: of the measurement */
    OCT_ORDER_PARTS,
    OCT_ORDER_SAMPLE, /* number: its first place, stride << 32; until: how many */
    OCT_ORDER_SPEEDS
} oct_order_kind;

typedef struct oct_order {
    oct_order_kind kind;
    uint64_t number;
    int64_t until;
} oct_order;

/* Around what all ranks do together; one within another is part of it. With a simulation of its own
 * nothing happens. A failure between them is that of all ranks. */
oct_status oct_lead_begin(oct_sim *sim, oct_order order);
oct_status oct_lead_end(oct_sim *sim, oct_status status);
/* What oct_sim_free begins with: lets the others go. */
void oct_lead_finish(oct_sim *sim);

/* Bodies in the arrays of all ranks, before and after there is a domain. */
uint64_t oct_domain_all(const oct_domain *domain);

/* Refuses what a module or a setting does not do where ranks share the bodies. */
oct_status oct_lead_check(const oct_setup *setup, const oct_comm *comm);

/* oct_join_speeds of a simulation's bodies, for the first rank. */
oct_status oct_sim_impact_speeds(double *lowest, uint64_t counts[OCT_SPEED_BINS], oct_sim *sim);

/* A measurement of a row, and a table, as the others take part in them. */
oct_status oct_diagnose_follow(oct_sim *sim, oct_order order);

#endif
