/* Collisions found by looking at all pairs: for few bodies, and the oracle. */
#include "collision/collision.h"

typedef struct direct_collisions {
    oct_collider collider;
    oct_program *program;
    oct_kernel *kernel;
} direct_collisions;

static oct_status direct_search(void *state, oct_domain *domain)
{
    direct_collisions *self = state;
    oct_collider *c = &self->collider;
    return OCT_LAUNCH(self->kernel, domain->n, 0, OCT_PAIR_LIST(c, domain),
                      OCT_IN(domain->position), OCT_IN(domain->velocity), OCT_IN(domain->type),
                      OCT_IN(domain->around.shift), OCT_IN(domain->around.velocity),
                      OCT_UINT(domain->around.n), OCT_UINT(c->overlapping), OCT_UINT(domain->n));
}

static oct_status direct_init(void *state, oct_domain *domain)
{
    direct_collisions *self = state;
    self->collider.search = direct_search;
    OCT_TRY(oct_collider_init(self, domain));
    OCT_TRY(oct_domain_build(&self->program, domain, "collision_search.cl", NULL));
    return oct_kernel_create(&self->kernel, self->program, "collision_search_direct");
}

static void direct_free(void *state)
{
    direct_collisions *self = state;
    oct_collider_clear(self);
    oct_kernel_free(self->kernel);
    oct_program_free(self->program);
}

const oct_collision oct_collision_direct = {
    .version = OCT_MODULE_VERSION,
    .name = "direct",
    .doc = "Hard spheres; all pairs are looked at, which is quick for few bodies.",
    .state_size = sizeof(direct_collisions),
    OCT_COLLIDER_TABLE,
    .all_pairs = true,
    .init = direct_init,
    .memory = oct_collider_memory,
    .free = direct_free,
};
