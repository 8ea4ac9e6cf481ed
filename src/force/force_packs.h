/* Runs of bodies of solar systems, one for each work-group of a kernel. */
#ifndef OCT_FORCE_FORCE_PACKS_H
#define OCT_FORCE_FORCE_PACKS_H

#include "core/domain.h"

/* Runs of at most so many bodies, first and last + 1, of the first systems of a domain: of whole
 * ones, as many as fit where they are grouped, or of parts of one. */
oct_status oct_packs_make(oct_buffer **out, oct_domain *domain, const char *name, uint32_t first,
                          size_t most, bool grouped);

#endif
