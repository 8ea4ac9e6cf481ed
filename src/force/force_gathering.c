/* Rows of a column are read, told to all ranks, and written behind the rank's own. */
#include "force/force_gathering.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"
#include "core/look.h"
#include "core/sim.h"

/* Rows of all ranks, this one's first; `mine`: those. */
static oct_status tell(char **out, const oct_gathering *g, oct_comm *comm, const void *mine,
                       size_t element)
{
    size_t *bytes = NULL, before = 0, own = g->counts[comm->rank] * element, all = 0;
    char *rows = NULL;
    oct_status status;
    *out = NULL;
    OCT_TRY_DONE(oct_alloc(&bytes, comm->size, sizeof *bytes, "ranks"));
    for (uint32_t r = 0; r < comm->size; r++) {
        bytes[r] = g->counts[r] * element;
        before += r < comm->rank ? bytes[r] : 0;
        all += bytes[r];
    }
    OCT_TRY_DONE(oct_alloc(&rows, all, 1, "bodies of all ranks"));
    OCT_TRY_DONE(oct_alloc(out, all, 1, "bodies of all ranks"));
    OCT_TRY_DONE(oct_comm_gather_varied(comm, rows, mine, bytes));
    memcpy(*out, rows + before, own);
    memcpy(*out + own, rows, before);
    memcpy(*out + own + before, rows + before + own, all - before - own);
done:
    free(bytes);
    free(rows);
    return status;
}

/* The same of a column of the domain. */
static oct_status tell_column(char **out, const oct_gathering *g, const oct_domain *domain,
                              oct_buffer *column)
{
    char *mine;
    *out = NULL;
    OCT_TRY(oct_alloc(&mine, domain->n, column->element, "bodies of this rank"));
    oct_status status = oct_buffer_read(mine, column, 0, domain->n);
    if (status == OCT_STATUS_OK)
        status = tell(out, g, domain->sim->comm, mine, column->element);
    free(mine);
    return status;
}

static oct_status copy_column(oct_gathering *g, const oct_domain *domain, oct_buffer *to,
                              oct_buffer *from)
{
    char *rows;
    oct_status status = tell_column(&rows, g, domain, from);
    if (status == OCT_STATUS_OK)
        status = oct_buffer_write(to, rows, 0, g->domain->n);
    free(rows);
    return status;
}

/* The table of all systems, the rank's own first. */
static oct_status start_systems(oct_gathering *g, const oct_domain *domain)
{
    char *numbers;
    OCT_TRY(tell_column(&numbers, g, domain, domain->system_table.number));
    oct_status status = oct_system_table_start(g->domain, (uint32_t *)(void *)numbers);
    free(numbers);
    return status;
}

oct_status oct_gathering_start(oct_gathering *g, oct_domain *domain)
{
    const oct_sim *sim = domain->sim;
    uint32_t size = oct_comm_size(sim->comm);
    g->n_own = domain->n;
    g->systems_own = domain->system_table.n;
    OCT_TRY(oct_alloc(&g->counts, size, sizeof *g->counts, "ranks"));
    for (uint32_t r = 0; r < size; r++)
        g->counts[r] = (size_t)sim->owners.counts[r];
    OCT_TRY(oct_domain_create_bare(&g->domain, domain, (uint32_t)sim->n_all));
    g->domain->acting = domain->acting;
    g->domain->removes = domain->removes;
    OCT_TRY(start_systems(g, domain));
    return oct_choice_copy(&g->gravity, &domain->setup->gravity);
}

void oct_gathering_end(oct_gathering *g)
{
    oct_choice_end(&g->gravity);
    if (g->domain) {
        /* Images are those of the rank's domain. */
        g->domain->acting = (oct_images){0};
        oct_domain_free(g->domain);
    }
    free(g->counts);
    *g = (oct_gathering){0};
}

oct_status oct_gathering_bring(oct_gathering *g, oct_domain *domain)
{
    bool first = g->domain->placed.serial == 0;
    g->domain->acting = domain->acting;
    g->domain->removes = domain->removes;
    OCT_TRY(copy_column(g, domain, g->domain->position, domain->position));
    if (first || domain->removes)
        OCT_TRY(copy_column(g, domain, g->domain->type, domain->type));
    if (first)
        oct_domain_given(g->domain, g->domain->position);
    return oct_buffer_copy_rows(g->domain->acceleration, 0, domain->acceleration, 0, g->n_own);
}

oct_status oct_gathering_take(oct_gathering *g, oct_domain *domain)
{
    return oct_buffer_copy_rows(domain->acceleration, 0, g->domain->acceleration, 0, g->n_own);
}
