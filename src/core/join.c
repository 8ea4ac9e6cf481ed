/* Asks the domains of a simulation for their parts, one after the other. */
#include "core/join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim.h"

static double join_two(oct_join_rule rule, double a, double b, double before, double more)
{
    switch (rule) {
    case OCT_JOIN_LEAST:
        return fmin(a, b);
    case OCT_JOIN_MOST:
        return fmax(a, b);
    case OCT_JOIN_MEAN:
        return before + more > 0 ? (a * before + b * more) / (before + more) : 0;
    default:
        return a + b;
    }
}

void oct_join_add(double *whole, const double *part, size_t n, const oct_join_rule *rules,
                  uint64_t before, uint64_t more)
{
    for (size_t i = 0; i < n; i++)
        whole[i] = join_two(rules ? rules[i] : OCT_JOIN_SUM, whole[i], part[i], (double)before,
                            (double)more);
}

/* The choices of a domain that have states, by index; NULL past the last. */
static const oct_choice *choice_at(const oct_domain *domain, size_t index)
{
    const oct_choice *const own[] = {&domain->boundary, &domain->gravity, &domain->collisions,
                                     &domain->integrator};
    const size_t n = sizeof own / sizeof own[0], forces = domain->setup->n_forces;
    if (index < n)
        return own[index];
    if (index < n + forces)
        return &domain->forces[index - n];
    return index < n + forces + domain->n_diags ? &domain->diags[index - n - forces] : NULL;
}

/* What a module that has this state in a domain has in another one; NULL for who has none. */
static void *state_in(const oct_domain *other, const void *self, const oct_domain *domain)
{
    const oct_choice *choice;
    for (size_t i = 0; self && (choice = choice_at(domain, i)) != NULL; i++)
        if (choice->state == self)
            return choice_at(other, i)->state;
    return NULL;
}

oct_status oct_join_parts(double *out, void *self, oct_domain *domain, const oct_join *join)
{
    oct_domain *first = domain->sim->domain;
    double *part = NULL;
    uint64_t bodies = first->n;
    OCT_TRY(join->part(out, first == domain ? self : state_in(first, self, domain), first,
                       join->about));
    if (!first->beside)
        return OCT_STATUS_OK;
    oct_status status = oct_alloc(&part, join->n, sizeof *part, "a part of a sum");
    for (oct_domain *d = first->beside; d && status == OCT_STATUS_OK; d = d->beside) {
        status = join->part(part, d == domain ? self : state_in(d, self, domain), d, join->about);
        if (status == OCT_STATUS_OK)
            oct_join_add(out, part, join->n, join->rules, bodies, d->n);
        bodies += d->n;
    }
    free(part);
    return status;
}

/* Where a state has its kernel, and how many sums that writes. */
typedef struct kernel_sums {
    size_t kernel, n;
} kernel_sums;

static oct_status sum_by_kernel(double *out, void *self, oct_domain *domain, const void *about)
{
    const kernel_sums *sums = about;
    oct_kernel *kernel;
    memcpy(&kernel, (const char *)self + sums->kernel, sizeof kernel);
    OCT_TRY(oct_kernel_launch(kernel, OCT_DOMAIN_ROWS, 0));
    return oct_domain_fold(out, domain, (uint32_t)sums->n);
}

oct_status oct_join_kernel(double *out, void *self, oct_domain *domain, size_t kernel, size_t n)
{
    const kernel_sums sums = {kernel, n};
    return oct_join_parts(out, self, domain,
                          &(oct_join){.part = sum_by_kernel, .about = &sums, .n = n});
}

static oct_status mass_of(double *out, void *self, oct_domain *domain, const void *about)
{
    (void)self;
    (void)about;
    return oct_domain_sum(out, domain, NULL);
}

oct_status oct_join_mass(double *out, oct_domain *domain)
{
    return oct_join_parts(out, NULL, domain, &(oct_join){.part = mass_of, .n = 1});
}

static oct_status impacts_of(double *out, void *self, oct_domain *domain, const void *about)
{
    oct_impacts impacts;
    (void)about;
    OCT_TRY(oct_setup_collision(domain->setup)->impacts(&impacts, self, domain));
    out[0] = impacts.pairs;
    out[1] = impacts.energy;
    out[2] = impacts.transport;
    return OCT_STATUS_OK;
}

oct_status oct_join_impacts(oct_impacts *out, oct_domain *domain)
{
    double sums[3] = {0};
    if (oct_setup_collision(domain->setup)->impacts)
        OCT_TRY(oct_join_parts(sums, domain->collisions.state, domain,
                               &(oct_join){.part = impacts_of, .n = 3}));
    *out = (oct_impacts){.pairs = sums[0], .energy = sums[1], .transport = sums[2]};
    return OCT_STATUS_OK;
}

oct_status oct_join_speeds(double *lowest, uint64_t counts[OCT_SPEED_BINS], oct_domain *domain)
{
    uint64_t part[OCT_SPEED_BINS];
    memset(counts, 0, OCT_SPEED_BINS * sizeof *counts);
    for (oct_domain *d = domain->sim->domain; d; d = d->beside) {
        OCT_TRY(oct_domain_collision(d)->speeds(lowest, part, d->collisions.state, d));
        for (size_t i = 0; i < OCT_SPEED_BINS; i++)
            counts[i] += part[i];
    }
    return OCT_STATUS_OK;
}

uint64_t oct_join_count(const oct_domain *domain)
{
    uint64_t n = 0;
    for (const oct_domain *d = domain->sim->domain; d; d = d->beside)
        n += d->n;
    return n;
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

oct_status oct_join_counters(uint32_t out[OCT_COUNTERS], oct_domain **bad, oct_domain *domain)
{
    uint32_t part[OCT_COUNTERS];
    *bad = domain->sim->domain;
    OCT_TRY(oct_buffer_read(out, (*bad)->counters, 0, OCT_COUNTERS));
    for (oct_domain *d = (*bad)->beside; d; d = d->beside) {
        OCT_TRY(oct_buffer_read(part, d->counters, 0, OCT_COUNTERS));
        if (part[OCT_COUNTER_BAD_STEP] < out[OCT_COUNTER_BAD_STEP]) {
            out[OCT_COUNTER_BAD_STEP] = part[OCT_COUNTER_BAD_STEP];
            out[OCT_COUNTER_BAD_INDEX] = part[OCT_COUNTER_BAD_INDEX];
            *bad = d;
        }
        out[OCT_COUNTER_REMOVED] += part[OCT_COUNTER_REMOVED];
        out[OCT_COUNTER_HALT] = lesser(out[OCT_COUNTER_HALT], part[OCT_COUNTER_HALT]);
    }
    return OCT_STATUS_OK;
}
