/* The viscosity of a sheet as a whole. */
#include "core/diagnose.h"
#include "diag/diag_patch.h"

static const oct_column columns[] = {
    {"viscosity", 1, 2, 0, -1,
     .doc = "total viscosity: viscosity_local, viscosity_collisional and viscosity_gravity, as far "
            "as there are collisions and gravity"},
    {0},
};

static void viscosity_derive(double *out, const oct_domain *domain, const double *values)
{
    static const char *const parts[] = {"viscosity_local", "viscosity_collisional",
                                        "viscosity_gravity"};
    *out = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const double *part = oct_diagnose_value(domain->sim, values, parts[i]);
        *out += part ? *part : 0;
    }
}

const oct_diag oct_diag_viscosity = {
    .version = OCT_MODULE_VERSION,
    .name = "viscosity",
    .doc = "Total viscosity of a rotating sheet.",
    .columns = columns,
    .applies = oct_patch_rotates,
    .derive = viscosity_derive,
    .shared = true,
    .ahead = true,
};
