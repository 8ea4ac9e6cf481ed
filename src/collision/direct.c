/* Collisions found by looking at all pairs: for few bodies, and the oracle. */
#include "collision/collision.h"

static oct_status direct_search(void *state, oct_domain *domain, bool wait)
{
    oct_collider *c = state;
    (void)wait;
    return oct_collider_launch_search(c, domain, c->home ? c->home->n : domain->n,
                                      c->end_guest - c->first_guest, 0);
}

static oct_status direct_init(void *state, oct_domain *domain)
{
    oct_collider *c = state;
    c->search = direct_search;
    c->kernel = "collision_search_direct";
    c->kernel_guests = "collision_search_direct_guests";
    return oct_collider_init(c, domain);
}

const oct_collision oct_collision_direct = {
    .version = OCT_MODULE_VERSION,
    .name = "direct",
    .doc = "Hard spheres; all pairs are looked at, which is quick for few bodies.",
    .state_size = sizeof(oct_collider),
    OCT_COLLIDER_TABLE,
    .waited = oct_collider_waited,
    .sets = true,
    .all_pairs = true,
    .init = direct_init,
    .memory = oct_collider_memory,
    .free = oct_collider_clear,
};
