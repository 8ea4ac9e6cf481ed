/* Who is heavy is found on the host, when bodies have come. */
#include "integrator/integrator_heavy.h"

#include <stdlib.h>

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
    OCT_TRY(oct_domain_sum(&total, domain, NULL));
    double mass = mean_masses * total / domain->n;
    float narrow = (float)mass;
    bool single = domain->precision == OCT_PRECISION_SINGLE;
    *out = single ? (double)narrow : mass;
    return oct_buffer_write(heavy->mass, single ? (void *)&narrow : (void *)&mass, 0, 1);
}

static oct_status list_these(oct_heavy *heavy, oct_domain *domain, double mass, void *rows,
                             uint32_t most)
{
    uint32_t found[OCT_HEAVY_MOST], n = 0;
    for (uint32_t first = 0; first < domain->n; first += most) {
        uint32_t count = domain->n - first < most ? domain->n - first : most;
        OCT_TRY(oct_buffer_read(rows, domain->position, first, count));
        for (uint32_t i = 0; i < count; i++) {
            if (!(real_at(rows, 4 * (size_t)i + 3, domain) > mass))
                continue;
            OCT_CHECK(n < OCT_HEAVY_MOST, OCT_STATUS_INPUT,
                      "more than %d bodies are heavier than integrator.heavy mean masses, too many "
                      "to go by the orbits about each: expected a larger integrator.heavy, or "
                      "integrator.orbit: 0",
                      OCT_HEAVY_MOST);
            found[n++] = first + i;
        }
    }
    heavy->n = n;
    return n > 0 ? oct_buffer_write(heavy->bodies, found, 0, n) : OCT_STATUS_OK;
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
    oct_status status = list_these(heavy, domain, mass, rows, AT_ONCE);
    free(rows);
    if (status == OCT_STATUS_OK)
        heavy->listed = domain->placed;
    return status;
}
