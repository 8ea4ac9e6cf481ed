/* Plummer's sphere: density (3M / 4 pi a^3) (1 + r^2/a^2)^(-5/2), isotropic, in equilibrium. */
#include "model/model_sphere.h"

#include <math.h>

typedef struct plummer {
    oct_sphere sphere;
    double scale, truncation;
} plummer;

static const oct_field fields[] = {
    OCT_SPHERE_N,
    OCT_SPHERE_MASS,
    {.name = "scale",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(plummer, scale),
     .initial = "1",
     .unit = {.length = 1},
     .above_min = true,
     .max = DBL_MAX,
     .doc = "Plummer's radius; with G = mass = 1, 3 pi/16 = 0.589 gives a total energy of -1/4"},
    {.name = "truncation",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(plummer, truncation),
     .initial = "20",
     .above_min = true,
     .max = INFINITY,
     .doc = "outermost radius, in scale radii; inf for none"},
    {.type = OCT_FIELD_END},
};

/* The untruncated model that has the particles' mass inside the truncation radius. */
typedef struct profile {
    double scale, fraction, speed; /* the mass fraction inside; the speed sqrt(G M / a) */
} profile;

static void draw(double *radius, double *speed, oct_random *random, const void *model)
{
    const profile *p = model;
    double enclosed = p->fraction * oct_random_uniform(random);
    double ratio = 1 / sqrt(pow(enclosed, -2.0 / 3) - 1);
    /* Aarseth, Henon & Wielen (1974): v / v_escape = q has the density q^2 (1 - q^2)^(7/2),
     * which is largest at q^2 = 2/9. */
    double q, density, largest = 2.0 / 9 * pow(7.0 / 9, 3.5);
    do {
        q = oct_random_uniform(random);
        density = q * q * pow(1 - q * q, 3.5);
    } while (largest * oct_random_uniform(random) >= density);
    *radius = p->scale * ratio;
    *speed = q * p->speed * sqrt(2 / sqrt(1 + ratio * ratio));
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    const plummer *model = self;
    double inverse = 1 / model->truncation, fraction = pow(1 + inverse * inverse, -1.5);
    double gm = context->setup->units.G * model->sphere.mass / fraction;
    profile p = {model->scale, fraction, sqrt(gm / model->scale)};
    oct_sphere_fill(bodies, first, count, &model->sphere, context, draw, &p);
    return OCT_STATUS_OK;
}

const oct_model oct_model_plummer = {.version = OCT_MODULE_VERSION,
                                     .name = "plummer",
                                     .doc = "Plummer's sphere of stars in equilibrium",
                                     .state_size = sizeof(plummer),
                                     .fields = fields,
                                     .count = oct_sphere_count,
                                     .generate = generate};
