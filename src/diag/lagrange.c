/* Lagrange radii: how a component's mass is spread about its centre. */
#include "diag/diag_components.h"

typedef struct lagrange {
    oct_components *components;
} lagrange;

#define RADIUS(part)                                                                               \
    {                                                                                              \
        "lagrange_" #part, 1, 1, 0, 0,                                                             \
            .doc = "radius about the centre that holds " #part " % of the "                        \
                   "component's mass"                                                              \
    }
static const oct_column columns[] = {
    RADIUS(1),  RADIUS(2),  RADIUS(5),  RADIUS(10), RADIUS(20),
    RADIUS(50), RADIUS(70), RADIUS(90), {0},
};
#undef RADIUS

static oct_status lagrange_init(void *state, oct_domain *domain)
{
    return oct_components_share(&((lagrange *)state)->components, domain);
}

static oct_status lagrange_measure(double *out, void *state, oct_domain *domain)
{
    oct_components *components = ((lagrange *)state)->components;
    (void)domain;
    OCT_TRY(oct_components_find(components));
    for (uint32_t i = 0; i < components->n; i++)
        for (int k = 0; k < OCT_LAGRANGE_RADII; k++)
            *out++ = components->found[i].lagrange[k];
    return OCT_STATUS_OK;
}

static void lagrange_free(void *state)
{
    oct_components_free(((lagrange *)state)->components);
}

const oct_diag oct_diag_lagrange = {
    .version = OCT_MODULE_VERSION,
    .name = "lagrange",
    .doc = "Lagrange radii of each of output.components, whose name ends those of the columns.",
    .state_size = sizeof(lagrange),
    .check = oct_components_check,
    .columns = columns,
    .applies = oct_components_asked,
    .init = lagrange_init,
    .measure = lagrange_measure,
    .looks = oct_looks_nowhere,
    .part = oct_components_name,
    .memory = oct_components_memory,
    .free = lagrange_free,
    .shared = true,
};
