/* Who has which softening, from scenes, files and programs. */
#include "core/softening.h"

#include <string.h>

#include "core/sim.h"

#define OF_TYPE(member, text)                                                                      \
    {                                                                                              \
        .name = #member, .type = OCT_FIELD_REAL, .offset = offsetof(oct_softenings, member),       \
        .initial = "0", .unit = {1, 0, 0}, .min = 0, .max = 1e300, .doc = text                     \
    }

const oct_field oct_softening_fields[] = {
    OF_TYPE(halo, "of bodies of type 1, such as those of a halo; 0: softening"),
    OF_TYPE(disk, "of type 2, the bodies of a disk"),
    OF_TYPE(bulge, "of type 3, the bodies of a bulge"),
    OF_TYPE(star, "of type 4, stars"),
    OF_TYPE(black_hole, "of type 5, black holes"),
    {0}};

double oct_setup_softening(const oct_setup *setup)
{
    double softening = 0;
    if (setup->gravity.module)
        (void)oct_field_real(&softening, setup->gravity.state, setup->gravity.module->fields,
                             "softening");
    return softening;
}

/* What gravity has by type; NULL where its method has one softening for all. */
static const oct_softenings *by_type(const oct_setup *setup)
{
    const oct_field *f = setup->gravity.module ? setup->gravity.module->fields : NULL;
    while (f && f->type != OCT_FIELD_END && f->group != oct_softening_fields)
        f++;
    return f && f->type != OCT_FIELD_END
               ? (const oct_softenings *)(const void *)((const char *)setup->gravity.state +
                                                        f->offset)
               : NULL;
}

static double of_type(const oct_softenings *softenings, unsigned type)
{
    const double all[] = {[OCT_TYPE_BODY] = softenings->halo,
                          [OCT_TYPE_DISK] = softenings->disk,
                          [OCT_TYPE_BULGE] = softenings->bulge,
                          [OCT_TYPE_STAR] = softenings->star,
                          [OCT_TYPE_BLACK_HOLE] = softenings->black_hole};
    type &= OCT_TYPE_MASK;
    return type < sizeof all / sizeof all[0] ? all[type] : 0;
}

/* Whether a model or one within it says so. */
static bool entry_softens(const oct_model_entry *entry)
{
    const oct_model_entry *within;
    bool any = entry->placement.softening > 0;
    for (size_t i = 0; !any && (within = oct_choice_within(&entry->model, i, NULL)) != NULL; i++)
        any = entry_softens(within);
    return any;
}

bool oct_setup_softens(const oct_setup *setup)
{
    const oct_softenings *softenings = by_type(setup);
    bool any = false;
    for (unsigned type = OCT_TYPE_BODY; softenings && type <= OCT_TYPE_BLACK_HOLE; type++)
        any = any || of_type(softenings, type) > 0;
    for (size_t i = 0; i < setup->n_models; i++)
        any = any || entry_softens(&setup->models[i]);
    return any;
}

void oct_setup_soften(oct_bodies *bodies, size_t first, size_t count, double of_model,
                      const oct_setup *setup)
{
    const oct_softenings *softenings = by_type(setup);
    for (size_t i = first; i < first + count; i++) {
        double *own = &bodies->softening[i];
        if (of_model > 0)
            *own = of_model;
        else if (*own == 0 && softenings)
            *own = of_type(softenings, bodies->type[i]);
    }
}

bool oct_bodies_soften(const oct_bodies *bodies)
{
    for (size_t i = 0; bodies->softening && i < bodies->n; i++)
        if (bodies->softening[i] != 0)
            return true;
    return false;
}

oct_status oct_setup_settle_softenings(oct_bodies *bodies, const oct_setup *setup)
{
    double common = oct_setup_softening(setup);
    bool differ = false;
    for (size_t i = 0; i < bodies->n; i++)
        differ = differ || (bodies->softening[i] != 0 && bodies->softening[i] != common);
    if (!differ)
        memset(bodies->softening, 0, bodies->n * sizeof *bodies->softening);
    return differ ? oct_setup_check_softenings(setup) : OCT_STATUS_OK;
}

oct_status oct_setup_check_softenings(const oct_setup *setup)
{
    OCT_CHECK(
        by_type(setup) || !oct_setup_has_gravity(setup), OCT_STATUS_INPUT,
        "bodies have softenings of their own, and gravity.method %s has one for all: expected "
        "direct, tree or auto",
        setup->gravity.module->name);
    return OCT_STATUS_OK;
}

oct_status oct_sim_check_softenings(const oct_sim *sim, const oct_bodies *bodies)
{
    OCT_CHECK(sim->softened || !oct_bodies_soften(bodies), OCT_STATUS_INPUT,
              "bodies have softenings of their own, and those that the simulation began with had "
              "none: expected 0 for all, or a simulation that begins with some");
    return OCT_STATUS_OK;
}
