/* Plummer's sphere: density (3M / 4 pi a^3) (1 + r^2/a^2)^(-5/2), isotropic, in equilibrium. */
#include "model/model_sphere.h"

#include <math.h>

static const oct_field fields[] = {
    OCT_SPHERE_N,
    OCT_SPHERE_MASS,
    OCT_SPHERE_SCALE(
        "Plummer's radius; with G = mass = 1, 3 pi/16 = 0.589 gives a total energy of -1/4"),
    OCT_SPHERE_TRUNCATION("20"),
    {.type = OCT_FIELD_END},
};

static void draw(double *radius, double *speed, oct_random *random, const void *model)
{
    const oct_sphere_profile *p = model;
    double enclosed = p->fraction * oct_random_uniform(random);
    double ratio = 1 / sqrt(pow(enclosed, -2.0 / 3) - 1);
    /* Aarseth, Henon & Wielen (1974): v / v_escape = q has the density q^2 (1 - q^2)^(7/2),
     * which is largest at q^2 = 2/9. */
    double q, density, largest = 2.0 / 9 * pow(7.0 / 9, 3.5);
    do {
        q = oct_random_uniform(random);
        double rest = 1 - q * q;
        density = q * q * rest * rest * rest * sqrt(rest);
    } while (largest * oct_random_uniform(random) >= density);
    *radius = p->scale * ratio;
    *speed = q * p->speed * sqrt(2 / sqrt(1 + ratio * ratio));
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    const oct_cut_sphere *model = self;
    double inverse = 1 / model->truncation, fraction = pow(1 + inverse * inverse, -1.5);
    double gm = context->setup->units.G * model->sphere.mass / fraction;
    oct_sphere_profile p = {model->scale, fraction, sqrt(gm / model->scale)};
    return oct_sphere_fill(bodies, first, count, &model->sphere, context, draw, &p);
}

const oct_model oct_model_plummer = {.version = OCT_MODULE_VERSION,
                                     .name = "plummer",
                                     .doc = "Plummer's sphere of stars in equilibrium",
                                     .state_size = sizeof(oct_cut_sphere),
                                     .fields = fields,
                                     .count = oct_sphere_count,
                                     .generate = generate,
                                     .parts = OCT_PARTS_CENTRED};
