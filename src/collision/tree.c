/* Collisions found with the octree that gravity uses. */
#include "tree/tree.h"
#include "collision/collision.h"

#include <string.h>

typedef struct tree_collisions {
    oct_collider collider;
    int kernel; /* a kernel_choice */

    oct_tree *tree;
} tree_collisions;

enum { LEAF = 16 };

typedef enum kernel_choice {
    KERNEL_AUTO,
    KERNEL_LANES,
    KERNEL_PORTABLE,
    KERNEL_TILES
} kernel_choice;
static const char *const kernel_names[] = {"auto", "lanes", "portable", "tiles", NULL};
/* An image and a place in one word, as in kernels/collision_search_tiles.clh. */
enum { TILE = 32, MOST_IN_TILES = 1 << 28 };

static const oct_field fields[] = {
    {.name = "kernel",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(tree_collisions, kernel),
     .initial = "auto",
     .choices = kernel_names,
     .doc = "how bodies search: groups in vector lanes (CPUs), groups with local memory (GPUs), "
            "each for itself, or what suits the device"},
    {0},
};

static oct_status tree_search(void *state, oct_domain *domain, bool wait)
{
    tree_collisions *self = state;
    oct_collider *c = &self->collider;
    oct_domain *own = c->home ? c->home : domain;
    uint32_t guests = c->end_guest - c->first_guest;
    /* Who lends bodies has brought the tree up to date. */
    if (!c->home)
        OCT_TRY(wait ? oct_tree_update(self->tree, own) : oct_tree_enqueue(self->tree, own));
    OCT_TRY(c->lanes ? oct_tree_list_groups(self->tree, own)
                     : oct_tree_list_places(self->tree, own));
    if (c->tiles && !own->set)
        return oct_collider_launch_search(c, own, (size_t)oct_tree_groups(own->n) * TILE, 0, TILE);
    return oct_collider_launch_search(c, own, c->lanes ? oct_tree_groups(own->n) : own->n,
                                      c->lanes ? oct_tree_groups(guests) : guests,
                                      c->lanes ? 1 : 0);
}

/* Whether groups of bodies search together. */
static bool in_lanes(const tree_collisions *self, const oct_device_info *device)
{
    return self->kernel == KERNEL_LANES ||
           (self->kernel == KERNEL_AUTO && oct_device_is_cpu(device));
}

static bool is_pocl(const oct_device_info *device)
{
    return strstr(device->platform, "Portable Computing Language") != NULL;
}

/* Whether groups of work-items do, where the tree has records. */
static bool in_tiles(const tree_collisions *self, const oct_device_info *device, uint64_t n)
{
    bool suits = !oct_device_is_cpu(device) && !is_pocl(device);
    return n <= MOST_IN_TILES &&
           (self->kernel == KERNEL_TILES || (self->kernel == KERNEL_AUTO && suits));
}

static oct_status tree_init(void *state, oct_domain *domain)
{
    tree_collisions *self = state;
    oct_tree_options options = {.theta = 1, .leaf = LEAF, .cells = true};
    oct_collider *c = &self->collider;
    const oct_device_info *device = oct_device_describe(domain->device);
    OCT_CHECK(
        self->kernel != KERNEL_TILES || !is_pocl(device), OCT_STATUS_INPUT,
        "kernel tiles of collisions crashes the compiler of PoCL: expected kernel auto, lanes "
        "or portable");
    c->lanes = in_lanes(self, device);
    /* Bodies of other ranks search each for itself. A tree that gravity walks by rows has none. */
    c->tiles = !c->home && in_tiles(self, device, domain->n) &&
               (!domain->tree || domain->tree->options.records);
    options.records = c->tiles;
    c->search = tree_search;
    c->by_tree = true;
    c->kernel = c->lanes   ? "collision_search_lanes"
                : c->tiles ? "collision_search_tiles"
                           : "collision_search_tree";
    c->kernel_set = c->lanes ? NULL : "collision_search_tree_set";
    c->kernel_guests = c->lanes ? "collision_search_lanes_guests" : "collision_search_tree_guests";
    OCT_TRY(oct_collider_init(self, domain));
    return oct_tree_share(&self->tree, c->home ? c->home : domain, &options);
}

static oct_status tree_waited(void *state, oct_domain *domain)
{
    tree_collisions *self = state;
    OCT_TRY(oct_tree_waited(self->tree, domain));
    return oct_collider_waited(self, domain);
}

static void tree_memory(oct_needs *needs, const void *state)
{
    oct_collider_memory(needs, state);
    oct_tree_memory(needs);
    if (in_tiles(state, needs->device, needs->n) && !needs->octree.rows)
        needs->octree.records = true;
    oct_tree_list_memory(needs, !in_lanes(state, needs->device));
}

static void tree_free(void *state)
{
    tree_collisions *self = state;
    oct_collider_clear(self);
    oct_tree_free(self->tree);
}

const oct_collision oct_collision_tree = {
    .version = OCT_MODULE_VERSION,
    .name = "tree",
    .doc = "Hard spheres; those that touch are found with an octree.",
    .state_size = sizeof(tree_collisions),
    .fields = fields,
    OCT_COLLIDER_TABLE,
    .waited = tree_waited,
    .sets = true,
    .init = tree_init,
    .memory = tree_memory,
    .free = tree_free,
};
