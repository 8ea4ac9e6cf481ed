/* All that is summed over bodies is joined here. Each domain of a simulation gives its part,
 * numbers with a rule for each, and the parts are joined in the order of the domains: the result
 * does not depend on who is ready first, and with one domain it is its part, bit for bit. Where
 * ranks share the simulation all of them ask, and get the same. */
#ifndef OCT_CORE_JOIN_H
#define OCT_CORE_JOIN_H

#include "core/domain.h"

typedef enum oct_join_rule {
    OCT_JOIN_SUM, /* counts are sums too: they are exact up to 2^53 */
    OCT_JOIN_LEAST,
    OCT_JOIN_MOST,
    OCT_JOIN_MEAN /* by the number of bodies */
} oct_join_rule;

/* What is joined, and who finds a domain's part of it: `self` is the state that the module has in
 * that domain, `about` what all need to know. */
typedef struct oct_join {
    oct_status (*part)(double *out, void *self, oct_domain *domain, const void *about);
    const void *about;
    size_t n;
    const oct_join_rule *rules; /* n of them; NULL: all are sums */
} oct_join;

/* Joins the parts of all domains. `self`: the module's state in `domain`, which is any of them. */
oct_status oct_join_parts(double *out, void *self, oct_domain *domain, const oct_join *join);
/* Joins `part`, of so many bodies, to the whole, of so many before. */
void oct_join_add(double *whole, const double *part, size_t n, const oct_join_rule *rules,
                  uint64_t before, uint64_t more);

/* Sums of a kernel that writes rows of partial sums (oct_domain_fold), over all domains: launches
 * it in each. `kernel`: where a module's state has it. */
oct_status oct_join_kernel(double *out, void *self, oct_domain *domain, size_t kernel, size_t n);
/* The mass of all bodies. */
oct_status oct_join_mass(double *out, oct_domain *domain);
/* What collisions have done; all 0 where there are none that count. */
oct_status oct_join_impacts(oct_impacts *out, oct_domain *domain);
/* How often each impact speed occurred, as of a collision method. */
oct_status oct_join_speeds(double *lowest, uint64_t counts[OCT_SPEED_BINS], oct_domain *domain);
/* Bodies in the arrays of all domains. */
uint64_t oct_join_count(const oct_domain *domain);

/* Of numbers that each rank has: the greatest, one by one, and the sums, of so many bytes of them.
 */
oct_status oct_join_most(uint32_t *inout, size_t n, const oct_domain *domain);
oct_status oct_join_total(void *inout, size_t bytes, oct_total kind, const oct_domain *domain);
/* An array of sums over a rank's bodies, `sum` of kernels/precision.clh, becomes that of all. */
oct_status oct_join_sums(oct_buffer *sums, const oct_domain *domain);

/* The counters of all domains: the first particle that is no number, with its id, all that were
 * removed, and the first halt. */
oct_status oct_join_counters(uint32_t out[OCT_COUNTERS], uint64_t *bad, const oct_domain *domain);

#endif
