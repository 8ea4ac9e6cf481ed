/* Whose forces there are, and what onlookers see. The acceleration column belongs to the steps: a
 * body's is that of its own last force. Who measures, writes or shows between steps sees those of
 * all bodies where they are now; where a step has left others, in columns of the onlookers' own. */
#ifndef OCT_CORE_LOOK_H
#define OCT_CORE_LOOK_H

#include "core/sim.h"

/* Whether the forces in the acceleration column are those of all bodies as they are now. */
bool oct_forces_fresh(const oct_domain *domain);
/* A step finds forces: from here on the column is the steps'. Then that it has, for all bodies. */
void oct_forces_begun(oct_domain *domain);
void oct_forces_found(oct_domain *domain);
/* Collisions have come, of which the host does not know whether bodies have moved in them; `fresh`:
 * forces were, before. Then whether nothing else came since, and that no body has moved. */
void oct_forces_collided(oct_domain *domain, bool fresh);
bool oct_forces_doubtful(const oct_domain *domain);
void oct_forces_still(oct_domain *domain);
/* Finds forces for a step without a trace where the device stands still: what they were then is
 * what they stay. */
oct_status oct_forces_find_aside(oct_sim *sim);
/* Others than the steps have written a column: no forces from before count. */
void oct_domain_given(oct_domain *domain, const oct_buffer *column);

/* In between everybody sees what onlookers see of the columns that follow from others: forces as
 * oct_sim_look has left them, where they are still those of now, and velocities of now where bodies
 * are in the middle of steps of their own. One that fails has opened nothing. */
oct_status oct_look_open(oct_domain *domain);
void oct_look_close(oct_domain *domain);

/* As oct_sim_look, without a wait: core/ahead.h. */
oct_status oct_look_ahead(oct_sim *sim);
/* As oct_sim_look, for the bodies of a set; NULL: all. The others' forces are not to be looked at,
 * until they have been forgotten. */
oct_status oct_sim_look_for(oct_sim *sim, struct oct_set *of);
void oct_look_forget(oct_domain *domain);

/* Whether onlookers find forces of their own: a step may leave bodies elsewhere than it found its
 * forces. Steps use the same columns where forces stay after collisions as they were before. */
bool oct_looks_apart(const oct_setup *setup);
/* Whether bodies are in the middle of steps of their own at a time of the clock. */
bool oct_steps_differ(const oct_setup *setup, const oct_clock *clock);
/* Refuses what would change bodies or steps then; says when that can be done. */
oct_status oct_sim_check_whole(const oct_sim *sim);

#endif
