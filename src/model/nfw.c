/* The halo of Navarro, Frenk & White (1996, ApJ 462, 563), density 1 / (r (r + a)^2), whose mass is
 * made finite by a factor sech(r / r_t) (McMillan & Dehnen 2007, MNRAS 378, 541), isotropic, in
 * equilibrium. */
#include "model/model_equilibrium.h"
#include "model/model_sphere.h"

#include <math.h>

static const oct_field fields[] = {
    OCT_SPHERE_N,
    OCT_SPHERE_MASS,
    OCT_SPHERE_SCALE("radius a at which the density falls as r^-2"),
    {.name = "truncation",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(oct_cut_sphere, truncation),
     .initial = "10",
     .min = 0.1,
     .max = 1e4,
     .doc = "radius r_t at which the density begins to fall off, as sech(r / r_t), in scale radii"},
    {.type = OCT_FIELD_END},
};

/* In scale radii. */
static double density(double r, const void *model)
{
    const oct_cut_sphere *halo = model;
    double x = 1 + r;
    return 1 / (r * x * x * cosh(r / halo->truncation));
}

typedef struct drawing {
    const oct_equilibrium *profile;
    double scale, speed;
} drawing;

static void draw(double *radius, double *speed, oct_random *random, const void *model)
{
    const drawing *d = model;
    oct_equilibrium_draw(radius, speed, random, d->profile);
    *radius *= d->scale;
    *speed *= d->speed;
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    const oct_cut_sphere *halo = self;
    /* Beyond 36 r_t is 1e-15 of the density. */
    oct_equilibrium *profile = oct_equilibrium_create(1e-5, 36 * halo->truncation, density, halo);
    OCT_CHECK(profile, OCT_STATUS_MEMORY, "not enough memory for the profile of a halo");
    oct_status status = oct_equilibrium_solve(profile, "nfw");
    if (status == OCT_STATUS_OK) {
        double gm = context->setup->units.G * halo->sphere.mass;
        double drawn = oct_equilibrium_mass(profile, INFINITY);
        drawing d = {profile, halo->scale, sqrt(gm / (drawn * halo->scale))};
        status = oct_sphere_fill(bodies, first, count, &halo->sphere, context, draw, &d);
    }
    oct_equilibrium_free(profile);
    return status;
}

const oct_model oct_model_nfw = {.version = OCT_MODULE_VERSION,
                                 .name = "nfw",
                                 .doc = "the halo of Navarro, Frenk and White, in equilibrium",
                                 .state_size = sizeof(oct_cut_sphere),
                                 .fields = fields,
                                 .count = oct_sphere_count,
                                 .generate = generate,
                                 .parts = OCT_PARTS_CENTRED};
