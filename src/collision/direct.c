/* Collisions found by looking at all pairs: for few bodies, and the oracle. */
#include "collision/collision.h"

static oct_status direct_search(void *state, oct_domain *domain)
{
    oct_collider *c = state;
    return OCT_LAUNCH(c->find, domain->n, 0, OCT_PAIR_LIST(c, domain), OCT_IN(domain->position),
                      OCT_IN(domain->velocity), OCT_IN(domain->type), OCT_IN(domain->around.shift),
                      OCT_IN(domain->around.velocity), OCT_UINT(domain->around.n),
                      OCT_UINT(c->overlapping), OCT_UINT(domain->n));
}

static oct_status direct_init(void *state, oct_domain *domain)
{
    oct_collider *c = state;
    c->search = direct_search;
    c->kernel = "collision_search_direct";
    return oct_collider_init(c, domain);
}

const oct_collision oct_collision_direct = {
    .version = OCT_MODULE_VERSION,
    .name = "direct",
    .doc = "Hard spheres; all pairs are looked at, which is quick for few bodies.",
    .state_size = sizeof(oct_collider),
    OCT_COLLIDER_TABLE,
    .all_pairs = true,
    .init = direct_init,
    .memory = oct_collider_memory,
    .free = oct_collider_clear,
};
