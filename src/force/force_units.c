/* Units of pair forces, as every method has them. */
#include "force/force_units.h"

const oct_offer oct_force_unit_offers[] = {
    OCT_OFFER(oct_force_units, "softening2", softening2),
    OCT_OFFER(oct_force_units, "to_acceleration", acceleration),
    OCT_OFFER(oct_force_units, "to_potential", potential),
    {0}};

const char *oct_force_softening_options(double softening, const oct_domain *domain)
{
    return domain->softening ? " -D SOFTENED -D SOFTENINGS" : softening > 0 ? " -D SOFTENED" : "";
}

void oct_force_units_find(oct_force_units *out, double softening, const oct_domain *domain)
{
    double scale = domain->sim->per_length, length = softening * scale;
    out->softening2 = length * length;
    out->potential = domain->setup->units.G * domain->sim->mass_scale * scale;
    out->acceleration = out->potential * scale;
}
