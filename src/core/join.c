/* Asks the domains of a simulation for their parts, one after the other. */
#include "core/join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"
#include "core/lead.h"

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

/* The parts of all ranks, in their order: one row of numbers from each, with its bodies last. */
static oct_status join_ranks(double *inout, const oct_domain *domain, const oct_join *join)
{
    oct_comm *comm = domain->sim->comm;
    double *rows, *mine;
    size_t width = join->n + 1;
    if (!comm)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&rows, (oct_comm_size(comm) + 1) * width, sizeof *rows, "parts of a sum"));
    mine = rows + oct_comm_size(comm) * width;
    memcpy(mine, inout, join->n * sizeof *mine);
    mine[join->n] = domain->n;
    oct_status status = oct_comm_gather(comm, rows, mine, width * sizeof *mine);
    if (status == OCT_STATUS_OK) {
        double bodies = rows[join->n];
        memcpy(inout, rows, join->n * sizeof *inout);
        for (uint32_t r = 1; r < oct_comm_size(comm); r++) {
            const double *part = rows + r * width;
            oct_join_add(inout, part, join->n, join->rules, (uint64_t)bodies,
                         (uint64_t)part[join->n]);
            bodies += part[join->n];
        }
    }
    free(rows);
    return status;
}

oct_status oct_join_parts(double *out, void *self, oct_domain *domain, const oct_join *join)
{
    oct_domain *first = domain->sim->domain;
    double *part = NULL;
    uint64_t bodies = first->n;
    OCT_TRY(join->part(out, first == domain ? self : state_in(first, self, domain), first,
                       join->about));
    if (!first->beside)
        return join_ranks(out, first, join);
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
    OCT_TRY(oct_kernel_launch(kernel, oct_domain_rows(domain), 0));
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
    return oct_join_total(counts, OCT_SPEED_BINS * sizeof *counts, OCT_TOTAL_LONGS, domain);
}

uint64_t oct_join_count(const oct_domain *domain)
{
    uint64_t n = 0;
    if (domain->sim->comm)
        return domain->sim->n_all;
    for (const oct_domain *d = domain->sim->domain; d; d = d->beside)
        n += d->n;
    return n;
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Counters of some bodies, and the id of the first that is no number. */
typedef struct counted {
    uint32_t counters[OCT_COUNTERS];
    uint64_t bad;
} counted;

static oct_status count_domain(counted *out, const oct_domain *domain)
{
    OCT_TRY(oct_buffer_read(out->counters, domain->counters, 0, OCT_COUNTERS));
    out->bad = 0;
    if (out->counters[OCT_COUNTER_BAD_STEP] == UINT32_MAX)
        return OCT_STATUS_OK;
    return oct_buffer_read(&out->bad, domain->id, out->counters[OCT_COUNTER_BAD_INDEX], 1);
}

static void join_counted(counted *whole, const counted *part)
{
    uint32_t *all = whole->counters;
    if (part->counters[OCT_COUNTER_BAD_STEP] < all[OCT_COUNTER_BAD_STEP]) {
        all[OCT_COUNTER_BAD_STEP] = part->counters[OCT_COUNTER_BAD_STEP];
        all[OCT_COUNTER_BAD_INDEX] = part->counters[OCT_COUNTER_BAD_INDEX];
        whole->bad = part->bad;
    }
    all[OCT_COUNTER_REMOVED] += part->counters[OCT_COUNTER_REMOVED];
    all[OCT_COUNTER_HALT] = lesser(all[OCT_COUNTER_HALT], part->counters[OCT_COUNTER_HALT]);
}

static oct_status join_ranks_counted(counted *inout, oct_comm *comm)
{
    counted *all;
    OCT_TRY(oct_alloc(&all, oct_comm_size(comm), sizeof *all, "counters"));
    oct_status status = oct_comm_gather(comm, all, inout, sizeof *inout);
    if (status == OCT_STATUS_OK)
        *inout = all[0];
    for (uint32_t r = 1; status == OCT_STATUS_OK && r < oct_comm_size(comm); r++)
        join_counted(inout, &all[r]);
    free(all);
    return status;
}

oct_status oct_join_counters(uint32_t out[OCT_COUNTERS], uint64_t *bad, const oct_domain *domain)
{
    counted whole, part;
    const oct_domain *first = domain->sim->domain;
    OCT_TRY(count_domain(&whole, first));
    for (const oct_domain *d = first->beside; d; d = d->beside) {
        OCT_TRY(count_domain(&part, d));
        join_counted(&whole, &part);
    }
    if (domain->sim->comm)
        OCT_TRY(join_ranks_counted(&whole, domain->sim->comm));
    memcpy(out, whole.counters, sizeof whole.counters);
    *bad = whole.bad;
    return OCT_STATUS_OK;
}
