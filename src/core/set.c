/* Sets of bodies: marks, lists, and what cannot be done for some bodies alone. */
#include "core/set.h"

#include <stdlib.h>

#include "core/sim.h"

/* Whoever does not know of sets would change bodies that are not meant. */
static oct_status check_module(const char *family, const oct_choice *choice, bool knows)
{
    OCT_CHECK(knows, OCT_STATUS_INPUT,
              "%s %s is for all bodies at once: it cannot be had with steps that differ from body "
              "to body",
              family, choice->module->name);
    return OCT_STATUS_OK;
}

oct_status oct_set_check(const oct_setup *setup)
{
    const oct_force *gravity = (const oct_force *)setup->gravity.module;
    const oct_boundary *boundary = (const oct_boundary *)setup->boundary.module;
    const oct_collision *collision = (const oct_collision *)setup->collisions.module;
    OCT_TRY(check_module("gravity", &setup->gravity, gravity->sets || !gravity->accumulate));
    OCT_TRY(check_module("boundary", &setup->boundary, boundary->sets || !boundary->pull));
    OCT_TRY(check_module("collision method", &setup->collisions,
                         collision->sets || !collision->collide));
    for (size_t i = 0; i < setup->n_forces; i++)
        OCT_TRY(check_module("force", &setup->forces[i],
                             ((const oct_force *)setup->forces[i].module)->sets));
    return OCT_STATUS_OK;
}

static oct_status set_init(oct_set *set, oct_domain *domain)
{
    const oct_buffer_plan rows[] = {
        {&set->marks, "set.marks", 1, domain->n},
        {&set->bodies, "set.bodies", sizeof(uint32_t), domain->n},
        {&set->n_bodies, "set.n_bodies", sizeof(uint32_t), 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        OCT_TRY(oct_buffer_create(rows[i].at, domain->device, rows[i].name, rows[i].element,
                                  rows[i].count));
        OCT_TRY(oct_buffer_fill(*rows[i].at, 0));
    }
    OCT_TRY(oct_primitives_create(&set->primitives, domain->device, domain->precision,
                                  OCT_VARIANT_AUTO));
    OCT_TRY(oct_domain_build(&set->program, domain, "set.cl", NULL));
    return OCT_KERNEL(&set->clear, set->program, "set_clear", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_IN("active", &set->marks));
}

void oct_set_memory(oct_needs *needs)
{
    needs->sets = true;
    oct_needs_add(needs, 1, needs->n);
    oct_needs_add(needs, sizeof(uint32_t), needs->n);
    oct_needs_add(needs, sizeof(uint32_t), 1);
    oct_primitives_memory(&needs->memory, needs->device, needs->precision);
}

oct_status oct_set_create(oct_set **out, oct_domain *domain)
{
    oct_set *set;
    *out = NULL;
    OCT_TRY(oct_set_check(domain->setup));
    OCT_TRY(oct_alloc(&set, 1, sizeof *set, "set"));
    set->domain = domain;
    oct_status status = set_init(set, domain);
    if (status != OCT_STATUS_OK) {
        oct_set_free(set);
        return status;
    }
    domain->has_sets = true;
    *out = set;
    return OCT_STATUS_OK;
}

void oct_set_free(oct_set *set)
{
    if (!set)
        return;
    if (set->domain->set == set)
        oct_domain_restrict(set->domain, NULL);
    oct_kernel_free(set->clear);
    oct_program_free(set->program);
    oct_primitives_free(set->primitives);
    oct_buffer_free(set->marks);
    oct_buffer_free(set->bodies);
    oct_buffer_free(set->n_bodies);
    free(set);
}

oct_status oct_set_list(oct_set *set)
{
    oct_made now = OCT_MADE(set->marks);
    if (oct_made_fresh(&set->listed, &now))
        return OCT_STATUS_OK;
    OCT_TRY(oct_array_compact(set->primitives, set->bodies, set->n_bodies, set->marks, 0,
                              set->domain->n));
    set->listed = now;
    return OCT_STATUS_OK;
}

oct_status oct_set_clear(oct_set *set)
{
    bool cleared = set->cleared;
    set->cleared = false;
    return cleared ? OCT_STATUS_OK : oct_kernel_launch(set->clear, set->domain->n, 0);
}

void oct_domain_restrict(oct_domain *domain, oct_set *set)
{
    domain->set = set;
    domain->active = set ? set->marks : NULL;
    domain->listed = set ? set->bodies : NULL;
    domain->n_listed = set ? set->n_bodies : NULL;
}
