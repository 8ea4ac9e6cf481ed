/* Who is heavy is found on the host, when bodies have come. */
#include "integrator/integrator_heavy.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"
#include "core/join.h"
#include "core/lead.h"

const oct_offer oct_heavy_offers[] = {OCT_OFFER(oct_heavy, "heavy", mass),
                                      OCT_OFFER(oct_heavy, "heavy_bodies", bodies),
                                      OCT_OFFER(oct_heavy, "centres", centres),
                                      OCT_OFFER(oct_heavy, "n_centres", n),
                                      {0}};

oct_status oct_heavy_create(oct_heavy *out, oct_domain *domain, bool centres)
{
    size_t real = oct_real_size(domain->precision);
    OCT_TRY(oct_buffer_create(&out->mass, domain->device, "block.heavy", real, 1));
    OCT_TRY(oct_buffer_fill(out->mass, 0));
    OCT_TRY(oct_domain_add_state(domain, out->mass));
    if (!centres)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_create(&out->bodies, domain->device, "block.heavy_bodies", sizeof(uint32_t),
                              OCT_HEAVY_MOST));
    return oct_buffer_create(&out->centres, domain->device, "block.centres", 4 * real,
                             2 * (size_t)OCT_HEAVY_MOST);
}

void oct_heavy_memory(oct_needs *needs, bool centres)
{
    uint64_t real = oct_real_size(needs->precision);
    oct_needs_add(needs, real, 1);
    if (!centres)
        return;
    oct_needs_add(needs, sizeof(uint32_t), OCT_HEAVY_MOST);
    oct_needs_add(needs, 4 * real, 2 * (uint64_t)OCT_HEAVY_MOST);
}

void oct_heavy_clear(oct_heavy *heavy)
{
    oct_buffer_free(heavy->mass);
    oct_buffer_free(heavy->bodies);
    oct_buffer_free(heavy->centres);
    free(heavy->shares);
}

/* A number as kernels have it. */
static double real_at(const void *rows, size_t index, const oct_domain *domain)
{
    bool single = domain->precision == OCT_PRECISION_SINGLE;
    return single ? (double)((const float *)rows)[index] : ((const double *)rows)[index];
}

/* Once for a run: bodies that leave it later must not make others heavy, resumed or not. */
static oct_status find_mass(double *out, oct_heavy *heavy, oct_domain *domain, double mean_masses)
{
    char now[sizeof(double)] = {0};
    double total;
    OCT_TRY(oct_buffer_read(now, heavy->mass, 0, 1));
    *out = real_at(now, 0, domain);
    if (*out != 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_join_mass(&total, domain));
    double mass = mean_masses * total / (double)oct_domain_all(domain);
    float narrow = (float)mass;
    bool single = domain->precision == OCT_PRECISION_SINGLE;
    *out = single ? (double)narrow : mass;
    return oct_buffer_write(heavy->mass, single ? (void *)&narrow : (void *)&mass, 0, 1);
}

static oct_status check_number(uint64_t n)
{
    OCT_CHECK(
        n <= OCT_HEAVY_MOST, OCT_STATUS_INPUT,
        "more than %d bodies are heavier than integrator.heavy mean masses, too many to go by "
        "the orbits about each: expected a larger integrator.heavy, or integrator.orbit: 0",
        OCT_HEAVY_MOST);
    return OCT_STATUS_OK;
}

/* The numbers of those that are heavy in the domain; *n: how many, where they have room. */
static oct_status list_these(uint32_t found[OCT_HEAVY_MOST], uint32_t *n, const oct_domain *domain,
                             double mass, void *rows, uint32_t most)
{
    *n = 0;
    for (uint32_t first = 0; first < domain->n; first += most) {
        uint32_t count = domain->n - first < most ? domain->n - first : most;
        OCT_TRY(oct_buffer_read(rows, domain->position, first, count));
        for (uint32_t i = 0; i < count; i++) {
            if (!(real_at(rows, 4 * (size_t)i + 3, domain) > mass))
                continue;
            OCT_TRY(check_number(*n + 1));
            found[(*n)++] = first + i;
        }
    }
    return OCT_STATUS_OK;
}

/* Centres are in the order of the ranks; for those of others there is no body here. */
static oct_status list_ranks(oct_heavy *heavy, uint32_t found[OCT_HEAVY_MOST], uint32_t n,
                             const oct_domain *domain)
{
    oct_comm *comm = domain->sim->comm;
    uint32_t own[OCT_HEAVY_MOST];
    uint64_t all = 0, before = 0;
    size_t mine = n * 2 * heavy->centres->element;
    if (!heavy->shares)
        OCT_TRY(oct_alloc(&heavy->shares, oct_comm_size(comm), sizeof mine, "heavy bodies"));
    OCT_TRY(oct_comm_gather(comm, heavy->shares, &mine, sizeof mine));
    for (uint32_t r = 0; r < oct_comm_size(comm); r++) {
        before += r < oct_comm_rank(comm) ? heavy->shares[r] : 0;
        all += heavy->shares[r];
    }
    before /= 2 * heavy->centres->element;
    all /= 2 * heavy->centres->element;
    OCT_TRY(check_number(all));
    memcpy(own, found, n * sizeof *own);
    for (uint32_t k = 0; k < all; k++)
        found[k] = k - before < n ? own[k - before] : UINT32_MAX;
    heavy->n = (uint32_t)all;
    return OCT_STATUS_OK;
}

static oct_status list_all(oct_heavy *heavy, oct_domain *domain, double mass, void *rows,
                           uint32_t most)
{
    uint32_t found[OCT_HEAVY_MOST];
    OCT_TRY(list_these(found, &heavy->n, domain, mass, rows, most));
    if (domain->sim->comm)
        OCT_TRY(list_ranks(heavy, found, heavy->n, domain));
    return heavy->n > 0 ? oct_buffer_write(heavy->bodies, found, 0, heavy->n) : OCT_STATUS_OK;
}

oct_status oct_heavy_join(oct_heavy *heavy, const oct_domain *domain)
{
    oct_comm *comm = domain->sim->comm;
    char *rows;
    size_t before = 0, bytes = heavy->n * 2 * heavy->centres->element;
    if (!comm)
        return OCT_STATUS_OK;
    for (uint32_t r = 0; r < oct_comm_rank(comm); r++)
        before += heavy->shares[r];
    OCT_TRY(oct_alloc(&rows, 2, bytes, "heavy bodies"));
    oct_status status = oct_buffer_read(rows, heavy->centres, 0, 2 * (size_t)heavy->n);
    if (status == OCT_STATUS_OK)
        status = oct_comm_gather_varied(comm, rows + bytes, rows + before, heavy->shares);
    if (status == OCT_STATUS_OK)
        status = oct_buffer_write(heavy->centres, rows + bytes, 0, 2 * (size_t)heavy->n);
    free(rows);
    return status;
}

oct_status oct_heavy_find(oct_heavy *heavy, oct_domain *domain, double mean_masses)
{
    enum { AT_ONCE = 4096 };
    double mass;
    void *rows;
    OCT_TRY(find_mass(&mass, heavy, domain, mean_masses));
    if (!heavy->bodies)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&rows, AT_ONCE, domain->position->element, "masses"));
    oct_status status = list_all(heavy, domain, mass, rows, AT_ONCE);
    free(rows);
    if (status == OCT_STATUS_OK)
        heavy->listed = domain->placed;
    return status;
}
