/* Bodies that join, leave, or are closed up after they were removed. */
#include "core/sim_population.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/given.h"
#include "core/lead.h"
#include "core/look.h"
#include "core/softening.h"
#include "core/trade.h"

/* How often gaps are looked for, and the part of all bodies that makes closing them worth it. */
enum { CLOSE_EVERY = 64, CLOSE_PART = 4 };

oct_status oct_domain_keep(oct_domain *to, oct_domain *from)
{
    for (uint32_t i = 0; i < to->n_state_arrays; i++)
        for (uint32_t k = 0; k < from->n_state_arrays; k++) {
            const char *name = to->state_arrays[i]->name;
            if (strcmp(name, from->state_arrays[k]->name) == 0 && !oct_domain_column(to, name))
                OCT_TRY(oct_buffer_copy(to->state_arrays[i], from->state_arrays[k]));
        }
    return oct_buffer_copy(to->counters, from->counters);
}

/* The systems of the bodies to be, by number; NULL where there are none. */
static oct_status find_systems(uint32_t **out, oct_domain *from, const uint32_t *stay,
                               uint32_t n_stay, const oct_bodies *added)
{
    oct_status status;
    uint32_t *number = NULL, largest = 0;
    size_t n_added = added ? added->n : 0;
    bool any = from->system_table.n > 0;
    for (size_t i = 0; i < n_added && !any; i++)
        any = added->system[i] != 0;
    *out = NULL;
    if (!any)
        return OCT_STATUS_OK;
    OCT_TRY_DONE(oct_alloc(&number, from->n, sizeof *number, "systems"));
    OCT_TRY_DONE(oct_alloc(out, (size_t)n_stay + n_added, sizeof **out, "systems"));
    if (from->system_table.n > 0)
        OCT_TRY_DONE(oct_buffer_read(number, from->system_table.number, 0, from->n));
    for (uint32_t i = 0; i < n_stay; i++) {
        (*out)[i] = number[stay[i]];
        largest = (*out)[i] > largest ? (*out)[i] : largest;
    }
    for (size_t i = 0; i < n_added; i++)
        (*out)[n_stay + i] = added->system[i];
    /* Systems that join are counted on from those there are. */
    status =
        n_added > 0 ? oct_system_table_renumber(&largest, *out + n_stay, n_added) : OCT_STATUS_OK;
done:
    free(number);
    return status;
}

/* What those who leave have counted stays counted. */
static oct_status keep_impacts(oct_domain *to, oct_domain *from)
{
    const oct_collision *collision = oct_domain_collision(from);
    oct_impacts before;
    if (!collision->left)
        return OCT_STATUS_OK;
    OCT_TRY(collision->impacts(&before, from->collisions.state, from));
    return collision->left(to->collisions.state, to, &before);
}

static oct_status move(oct_domain *to, oct_domain *from, const uint32_t *stay, uint32_t n_stay,
                       const oct_bodies *added)
{
    oct_status status;
    oct_buffer *index = NULL;
    OCT_TRY_DONE(oct_buffer_create(&index, to->device, "bodies that stay", sizeof *stay, n_stay));
    OCT_TRY_DONE(oct_buffer_write(index, stay, 0, n_stay));
    OCT_TRY_DONE(oct_domain_gather(to, from, index, n_stay));
    OCT_TRY_DONE(oct_domain_keep(to, from));
    if (n_stay < from->n)
        OCT_TRY_DONE(keep_impacts(to, from));
    if (added)
        OCT_TRY_DONE(oct_domain_write_bodies(to, n_stay, added));
    /* In a box that repeats itself bodies outside stand for their images inside. */
    const oct_boundary *boundary = oct_domain_boundary(to);
    if (added && boundary->image && boundary->apply)
        OCT_TRY_DONE(boundary->apply(to->boundary.state, to));
    status = oct_device_wait(to->device);
done:
    oct_buffer_free(index);
    return status;
}

oct_status oct_sim_rehouse(oct_sim *sim, const uint32_t *stay, uint32_t n_stay,
                           const oct_bodies *added)
{
    oct_domain *from = sim->domain, *to = NULL;
    size_t n = n_stay + (added ? added->n : 0);
    uint32_t *systems = NULL;
    oct_status status = find_systems(&systems, from, stay, n_stay, added);
    if (status == OCT_STATUS_OK)
        status = oct_domain_create(&to, sim, from->device, (uint32_t)n, systems);
    free(systems);
    if (status == OCT_STATUS_OK)
        status = move(to, from, stay, n_stay, added);
    if (status != OCT_STATUS_OK) {
        oct_domain_free(to);
        return status;
    }
    oct_trader_free(sim->owners.trader);
    sim->owners.trader = NULL;
    sim->domain = to;
    oct_domain_given(to, to->position);
    oct_domain_free(from);
    return OCT_STATUS_OK;
}

/* The bodies that are not removed; types are those of the domain. */
static oct_status list_living(uint32_t **out, uint32_t *n, oct_domain *domain)
{
    uint8_t *type;
    *out = NULL;
    *n = 0;
    OCT_TRY(oct_alloc(&type, domain->n, sizeof *type, "types"));
    oct_status status = oct_alloc(out, domain->n, sizeof **out, "bodies that stay");
    if (status == OCT_STATUS_OK)
        status = oct_buffer_read(type, domain->type, 0, domain->n);
    for (uint32_t i = 0; status == OCT_STATUS_OK && i < domain->n; i++)
        if (type[i] != OCT_TYPE_REMOVED)
            (*out)[(*n)++] = i;
    free(type);
    return status;
}

oct_status oct_sim_close_up(oct_sim *sim)
{
    oct_domain *domain = sim->domain;
    if (!domain->removes || oct_sim_steps(sim) % CLOSE_EVERY != 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_sim_wait(sim));
    uint64_t gaps = sim->removed - sim->closed, all = oct_domain_all(domain);
    if (gaps == 0 || gaps == all || CLOSE_PART * gaps < all)
        return OCT_STATUS_OK;
    uint32_t *stay, n;
    bool fresh = oct_forces_fresh(domain), closed = true;
    oct_status status = list_living(&stay, &n, domain);
    if (status == OCT_STATUS_OK && sim->comm)
        status = oct_owners_close(&closed, sim, stay, n);
    if (status == OCT_STATUS_OK && closed)
        status = oct_sim_rehouse(sim, stay, n, NULL);
    free(stay);
    OCT_TRY(status);
    if (!closed)
        return OCT_STATUS_OK;
    sim->closed = sim->removed;
    /* Bodies have brought their forces with them. */
    oct_forces_begun(sim->domain);
    if (fresh)
        oct_forces_found(sim->domain);
    return OCT_STATUS_OK;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The ids of all bodies, removed ones included: none is given twice. */
static oct_status read_ids(uint64_t **out, oct_domain *domain, size_t more)
{
    OCT_TRY(oct_alloc(out, domain->n + more, sizeof **out, "ids"));
    return oct_buffer_read(*out, domain->id, 0, domain->n);
}

/* Bodies without an id get the next ones; refuses one that there is already. */
static oct_status give_ids(oct_bodies *added, oct_domain *domain)
{
    uint64_t *ids = NULL, largest = 0;
    size_t n = domain->n + added->n;
    oct_status status = read_ids(&ids, domain, added->n);
    for (size_t i = 0; status == OCT_STATUS_OK && i < n; i++) {
        uint64_t id = i < domain->n ? ids[i] : added->id[i - domain->n];
        largest = id > largest ? id : largest;
    }
    for (size_t i = 0; status == OCT_STATUS_OK && i < added->n; i++) {
        if (added->id[i] == 0 && largest == UINT64_MAX)
            status = OCT_FAIL(OCT_STATUS_INPUT, "there is no id left for a new body");
        else if (added->id[i] == 0)
            added->id[i] = ++largest;
        ids[domain->n + i] = added->id[i];
    }
    if (status == OCT_STATUS_OK)
        qsort(ids, n, sizeof *ids, by_value);
    for (size_t i = 1; status == OCT_STATUS_OK && i < n; i++)
        if (ids[i] == ids[i - 1])
            status = OCT_FAIL(OCT_STATUS_INPUT, "there is a body %llu already",
                              (unsigned long long)ids[i]);
    free(ids);
    return status;
}

/* What follows when others than the integrator have changed who is there: energy is compared with
 * what it is from now on. */
static oct_status meet_again(oct_sim *sim)
{
    sim->energy_start = NAN;
    return oct_sim_wait(sim);
}

/* Moves to a domain that has these bodies too. */
static oct_status join(oct_sim *sim, const oct_bodies *added)
{
    uint32_t *stay, n = sim->domain->n;
    OCT_TRY(oct_alloc(&stay, n, sizeof *stay, "bodies that stay"));
    for (uint32_t i = 0; i < n; i++)
        stay[i] = i;
    oct_status status = oct_sim_rehouse(sim, stay, n, added);
    free(stay);
    return status;
}

oct_status oct_sim_add(oct_sim *sim, oct_bodies *bodies)
{
    oct_status status;
    oct_bodies added = {0};
    OCT_TRY(oct_sim_check_alone(sim, "bodies cannot join"));
    OCT_TRY(oct_sim_wait(sim));
    if (bodies->n == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_sim_check_whole(sim));
    OCT_CHECK(sim->domain->n + (uint64_t)bodies->n < INT32_MAX, OCT_STATUS_SPACE,
              "%zu bodies are too many to add to %lu", bodies->n, (unsigned long)sim->domain->n);
    OCT_TRY_DONE(oct_setup_copy(&added, sim->setup, bodies));
    OCT_TRY_DONE(oct_sim_check_softenings(sim, &added));
    OCT_TRY_DONE(oct_domain_check_bodies(sim->domain, &added));
    OCT_TRY_DONE(give_ids(&added, sim->domain));
    OCT_TRY_DONE(join(sim, &added));
    /* What was refused has not changed the caller's bodies either. */
    if (bodies->id)
        memcpy(bodies->id, added.id, added.n * sizeof *added.id);
    if (bodies->type)
        memcpy(bodies->type, added.type, added.n * sizeof *added.type);
done:
    oct_bodies_clear(&added);
    return status == OCT_STATUS_OK ? meet_again(sim) : oct_sim_done(sim, status);
}

/* The places of bodies that stay when these ids leave; ids is sorted on the way. */
static oct_status list_staying(uint32_t *stay, uint32_t *n, oct_domain *domain, uint64_t *ids,
                               size_t n_ids)
{
    uint64_t *all;
    uint8_t *type = NULL;
    size_t found = 0;
    oct_status status = read_ids(&all, domain, 0);
    if (status == OCT_STATUS_OK)
        status = oct_alloc(&type, domain->n, sizeof *type, "types");
    if (status == OCT_STATUS_OK)
        status = oct_buffer_read(type, domain->type, 0, domain->n);
    qsort(ids, n_ids, sizeof *ids, by_value);
    *n = 0;
    for (uint32_t i = 0; status == OCT_STATUS_OK && i < domain->n; i++) {
        bool leaves = type[i] != OCT_TYPE_REMOVED &&
                      bsearch(&all[i], ids, n_ids, sizeof *ids, by_value) != NULL;
        found += leaves;
        if (!leaves)
            stay[(*n)++] = i;
    }
    free(all);
    free(type);
    OCT_TRY(status);
    OCT_CHECK(found == n_ids, OCT_STATUS_MISSING,
              "%zu of the %zu bodies that should leave are not there, or are named twice",
              n_ids - found, n_ids);
    return OCT_STATUS_OK;
}

oct_status oct_sim_remove(oct_sim *sim, const uint64_t *ids, size_t n_ids)
{
    oct_status status;
    uint64_t *sorted = NULL;
    uint32_t *stay = NULL, n = 0;
    OCT_TRY(oct_sim_check_alone(sim, "bodies cannot be taken out"));
    OCT_TRY(oct_sim_wait(sim));
    if (n_ids == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_sim_check_whole(sim));
    OCT_TRY_DONE(oct_alloc(&sorted, n_ids, sizeof *sorted, "ids"));
    OCT_TRY_DONE(oct_alloc(&stay, sim->domain->n, sizeof *stay, "bodies that stay"));
    memcpy(sorted, ids, n_ids * sizeof *ids);
    OCT_TRY_DONE(list_staying(stay, &n, sim->domain, sorted, n_ids));
    if (n_ids == oct_sim_count(sim))
        OCT_TRY_DONE(OCT_FAIL(OCT_STATUS_INPUT, "the last body cannot leave"));
    status = oct_sim_rehouse(sim, stay, n, NULL);
done:
    free(sorted);
    free(stay);
    return status == OCT_STATUS_OK ? meet_again(sim) : oct_sim_done(sim, status);
}
