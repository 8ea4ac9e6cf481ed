/* Hernquist's sphere (1990, ApJ 356, 359): density (M / 2 pi) a / (r (r + a)^3), isotropic, in
 * equilibrium. */
#include "model/model_sphere.h"

#include <math.h>

static const oct_field fields[] = {
    OCT_SPHERE_N,
    OCT_SPHERE_MASS,
    OCT_SPHERE_SCALE("Hernquist's radius a; half of the mass is inside 2.41 a"),
    OCT_SPHERE_TRUNCATION("100"),
    {.type = OCT_FIELD_END},
};

/* Hernquist's equation 17 is (E / (1 - E))^(5/2) times a constant and this factor of the binding
 * energy E = q^2 in units of G M / a, which falls from 128/5 at E = 0 to 3 pi/2 at E = 1. */
static double slow_factor(double energy)
{
    if (energy < 1e-3) /* the terms below cancel; the next of the series is 8/11 E^3 */
        return 128.0 / 5 + energy * (-192.0 / 7 + energy * (16.0 / 3));
    double q = sqrt(energy);
    double rest = q * sqrt(1 - energy) * (1 - 2 * energy) * ((8 * energy - 8) * energy - 3);
    return (3 * asin(q) + rest) / (q * energy * energy);
}

/* v^2 times (E / (1 - E))^(5/2) where the potential is -depth and v^2/2 = kinetic. */
static double steep_factor(double kinetic, double depth)
{
    return kinetic * pow((depth - kinetic) / (1 - depth + kinetic), 2.5);
}

static void draw(double *radius, double *speed, oct_random *random, const void *model)
{
    const oct_sphere_profile *p = model;
    double root = sqrt(p->fraction * oct_random_uniform(random)); /* r / (r + a) */
    double depth = 1 - root;
    /* The steep factor has its maximum where kinetic^2 + b kinetic - c = 0. */
    double b = 3.5 - 2 * depth, c = depth * root;
    double bound = 128.0 / 5 * steep_factor(2 * c / (b + sqrt(b * b + 4 * c)), depth);
    double x, kinetic, density;
    do {
        x = oct_random_uniform(random);
        kinetic = depth * x * x;
        density = steep_factor(kinetic, depth) * slow_factor(depth - kinetic);
    } while (bound * oct_random_uniform(random) >= density);
    *radius = p->scale * root / depth;
    *speed = p->speed * sqrt(2 * depth) * x;
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    const oct_cut_sphere *model = self;
    double root = 1 / (1 + 1 / model->truncation), fraction = root * root;
    double gm = context->setup->units.G * model->sphere.mass / fraction;
    oct_sphere_profile p = {model->scale, fraction, sqrt(gm / model->scale)};
    return oct_sphere_fill(bodies, first, count, &model->sphere, context, draw, &p);
}

const oct_model oct_model_hernquist = {.version = OCT_MODULE_VERSION,
                                       .name = "hernquist",
                                       .doc = "Hernquist's sphere of stars in equilibrium",
                                       .state_size = sizeof(oct_cut_sphere),
                                       .fields = fields,
                                       .count = oct_sphere_count,
                                       .generate = generate,
                                       .parts = OCT_PARTS_CENTRED};
