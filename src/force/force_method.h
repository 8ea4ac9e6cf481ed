/* A gravity method that another one holds: found in the registry and filled in through its fields.
 */
#ifndef OCT_FORCE_METHOD_H
#define OCT_FORCE_METHOD_H

#include "core/sim.h"

/* Makes a choice of the named method. Numbers that the holder has a field of the same name for are
 * taken from it, all others are the method's defaults. */
oct_status oct_force_method_make(oct_choice *out, const char *name, const void *holder,
                                 const oct_field *holder_fields);

const oct_force *oct_force_method_of(const oct_choice *choice);

/* Its functions, where it has them. */
oct_status oct_force_method_waited(const oct_choice *method, oct_domain *domain);
/* All pairs where it does not count. */
oct_status oct_force_method_interactions(double out[2], const oct_choice *method,
                                         oct_domain *domain);
/* Adds what it would take. */
void oct_force_method_memory(oct_needs *needs, const char *name, const void *holder,
                             const oct_field *holder_fields);

#endif
