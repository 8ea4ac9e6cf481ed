/* The host looks for massless bodies when masses were written. Where there are some, and steps may
 * change masses too, the device lists the others anew for each force. */
#include "core/sources.h"

#include <stdlib.h>

#include "core/sim.h"

/* Whether steps change masses: bodies merge, are removed, or have modules of a program's own. */
static bool masses_change(const oct_domain *domain)
{
    return domain->removes || domain->setup->added.n > 0;
}

/* The mass of a body in a packed position, as the precision has it. */
static double mass_at(const void *position, size_t i, oct_precision precision)
{
    return precision == OCT_PRECISION_SINGLE ? (double)((const float *)position)[4 * i + 3]
                                             : ((const double *)position)[4 * i + 3];
}

static bool holds(const uint8_t *type, const oct_system_table *systems)
{
    for (uint32_t s = 0; s < systems->n; s++) {
        uint32_t begin = systems->starts[s], end = systems->starts[s + 1];
        for (uint32_t i = begin; i < end; i++)
            if (type[i] == OCT_TYPE_REMOVED || (end - begin > 1 && type[i] & OCT_TYPE_HELD))
                return true;
    }
    return false;
}

/* Fills `out` with those that pull. *massless: there are others, which are not removed. */
static oct_status look(uint32_t *out, uint32_t *count, bool *massless, oct_domain *domain)
{
    oct_status status;
    uint8_t *type = NULL;
    void *position = NULL;
    *count = 0;
    OCT_TRY_DONE(oct_alloc(&type, domain->n, sizeof *type, "types"));
    OCT_TRY_DONE(oct_alloc(&position, domain->n, domain->position->element, "positions"));
    OCT_TRY_DONE(oct_buffer_read(type, domain->type, 0, domain->n));
    status = oct_buffer_read(position, domain->position, 0, domain->n);
    for (uint32_t i = 0; status == OCT_STATUS_OK && i < domain->n; i++)
        if (type[i] == OCT_TYPE_REMOVED || mass_at(position, i, domain->precision) != 0)
            out[(*count)++] = i;
    domain->sources.held = holds(type, &domain->system_table);
    *massless = *count < domain->n;
done:
    free(type);
    free(position);
    return status;
}

static oct_status make_buffers(oct_domain *domain)
{
    oct_sources *sources = &domain->sources;
    if (sources->n_bodies)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_create(&sources->bodies, domain->device, "sources", sizeof(uint32_t),
                              domain->n));
    return oct_buffer_create(&sources->n_bodies, domain->device, "n_sources", sizeof(uint32_t), 1);
}

static oct_status make_kernel(oct_domain *domain)
{
    oct_sources *sources = &domain->sources;
    if (sources->mark)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_create(&sources->marks, domain->device, "sources.marks", 1, domain->n));
    OCT_TRY(oct_primitives_create(&sources->primitives, domain->device, domain->precision,
                                  OCT_VARIANT_AUTO));
    OCT_TRY(oct_domain_build(&sources->program, domain, "sources.cl", NULL));
    return OCT_KERNEL(&sources->mark, sources->program, "sources_mark", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_OUT("marks", &sources->marks));
}

/* Those of a restored state have not come from outside, but there is an array of them. */
static oct_made masses_now(const oct_domain *domain)
{
    return (oct_made){.from = {{.serial = domain->position->serial}, domain->placed}};
}

/* Looks at all masses, and puts the list on the device where not all pull. */
static oct_status find_sources(oct_domain *domain)
{
    oct_sources *sources = &domain->sources;
    uint32_t *list, count;
    bool massless = false;
    OCT_TRY(oct_alloc(&list, domain->n, sizeof *list, "sources"));
    oct_status status = look(list, &count, &massless, domain);
    if (status == OCT_STATUS_OK && massless) {
        status = make_buffers(domain);
        if (status == OCT_STATUS_OK && count > 0)
            status = oct_buffer_write(sources->bodies, list, 0, count);
        if (status == OCT_STATUS_OK)
            status = oct_buffer_write(sources->n_bodies, &count, 0, 1);
    }
    free(list);
    OCT_TRY(status);
    if (massless && masses_change(domain))
        OCT_TRY(make_kernel(domain));
    sources->list = massless ? sources->bodies : NULL;
    sources->n = massless ? sources->n_bodies : NULL;
    sources->listed = OCT_MADE(domain->position);
    sources->found = masses_now(domain);
    return OCT_STATUS_OK;
}

oct_status oct_sources_list(oct_domain *domain)
{
    oct_sources *sources = &domain->sources;
    oct_made masses = masses_now(domain), positions = OCT_MADE(domain->position);
    if (!oct_made_fresh(&sources->found, &masses))
        return find_sources(domain);
    if (!sources->list || !masses_change(domain) || oct_made_fresh(&sources->listed, &positions))
        return OCT_STATUS_OK;
    OCT_TRY(oct_kernel_launch(sources->mark, domain->n, 0));
    OCT_TRY(oct_array_compact(sources->primitives, sources->bodies, sources->n_bodies,
                              sources->marks, 0, domain->n));
    sources->listed = positions;
    return OCT_STATUS_OK;
}

void oct_sources_end(oct_domain *domain)
{
    oct_sources *sources = &domain->sources;
    oct_kernel_free(sources->mark);
    oct_program_free(sources->program);
    oct_primitives_free(sources->primitives);
    oct_buffer_free(sources->bodies);
    oct_buffer_free(sources->n_bodies);
    oct_buffer_free(sources->marks);
}
