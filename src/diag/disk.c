/* What a disk is like: its scales, its bar, and how it rotates. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "diag/diag_components.h"

typedef struct disk {
    double bar_radius; /* 0: by the scale length */
    oct_components *components;
} disk;

enum { FEWEST = 32 }; /* bodies that have scales and a bar */
enum { LENGTH, HEIGHT, STRENGTH, PHASE, SPEED, LAMBDA, ANGULAR, VALUES = ANGULAR + 3 };

static const oct_column columns[] = {
    {"scale_length", 1, 1, 0, 0,
     .doc = "a of the surface density exp(-R/a) that is most likely for the bodies between the "
            "cylinders that hold 10 and 90 % of the mass; R is from the axis of the component's "
            "angular momentum"},
    {"scale_height", 1, 1, 0, 0,
     .doc = "h of the density sech^2(z/h) that has the median of |z|, the distance from the plane "
            "across this axis"},
    {"bar_strength", 1, 0, 0, 0,
     .doc = "A_2/A_0, the second harmonic of the mass about the axis, with the weight "
            "(1 - R^2/R_m^2)^2 within output.bar_radius"},
    {"bar_phase", 1, 0, 0, 0, .unit = "deg",
     .doc = "direction of the bar in the plane from the x axis seen in it, from -90 to 90; none "
            "where the harmonic does not stand out of chance"},
    {"bar_speed", 1, 0, 0, -1,
     .doc = "angular speed that this direction turns with, from the velocities of the moment"},
    {"lambda", 1, 0, 0, 0,
     .doc =
         "spin parameter J/(sqrt(2) M R V) within the radius R that holds 90 % of the mass; V is "
         "the circular velocity there by all bodies"},
    {"angular", 3, 2, 1, -1, .doc = "angular momentum J about the centre within that radius"},
    {0},
};

static const oct_field fields[] = {
    {.name = "bar_radius",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(disk, bar_radius),
     .initial = "0",
     .unit = {1, 0, 0},
     .max = DBL_MAX,
     .doc = "radius R_m within which bars are looked for; 0: twice the scale length"},
    {0}};

static oct_status disk_init(void *state, oct_domain *domain)
{
    return oct_components_share(&((disk *)state)->components, domain);
}

/* The mean of R between two radii of a disk exp(-R/a). With x = R/a it is the ratio of the
 * integrals of x^2 e^-x and x e^-x. */
static double mean_radius(double a, double inner, double outer)
{
    double x = inner / a, y = outer / a, fall = exp(x - y);
    double upper = (x * x + 2 * x + 2) - (y * y + 2 * y + 2) * fall;
    return a * upper / ((x + 1) - (y + 1) * fall);
}

/* The mean is all that the likelihood asks of the bodies; it grows with a, up to that of a disk of
 * one density. */
static double scale_length(const oct_radii *radii)
{
    double inner = oct_radii_of(radii, 0.1), outer = oct_radii_of(radii, 0.9);
    double mass = 0, moment = 0, low = 1e-3 * outer, high = 100 * outer;
    for (uint32_t i = 0; i < OCT_RADII_BINS; i++) {
        double middle = (radii->edges[i] + radii->edges[i + 1]) / 2;
        if (middle < inner || middle > outer)
            continue;
        mass += radii->mass[i];
        moment += radii->mass[i] * middle;
    }
    double mean = moment / mass;
    if (!(mean > mean_radius(low, inner, outer)) || !(mean < mean_radius(high, inner, outer)))
        return NAN;
    for (int i = 0; i < 60; i++) {
        double a = sqrt(low * high);
        *(mean_radius(a, inner, outer) < mean ? &low : &high) = a;
    }
    return sqrt(low * high);
}

static oct_status measure_one(double *out, const disk *self, uint32_t index, oct_radii *radii)
{
    const double degrees = 180 / acos(-1.0);
    oct_components *components = self->components;
    const oct_component *c = &components->found[index];
    oct_bar bar;
    for (int k = 0; k < VALUES; k++)
        out[k] = NAN;
    out[LAMBDA] = c->lambda;
    for (int k = 0; k < 3; k++)
        out[ANGULAR + k] = c->angular[k];
    if (c->n < FEWEST || !(c->mass > 0))
        return OCT_STATUS_OK;
    OCT_TRY(oct_components_radii(radii, components, index, OCT_FROM_AXIS));
    out[LENGTH] = scale_length(radii);
    OCT_TRY(oct_components_radii(radii, components, index, OCT_FROM_PLANE));
    out[HEIGHT] = oct_radii_of(radii, 0.5) / atanh(0.5);
    OCT_TRY(oct_components_bar(&bar, components, index,
                               self->bar_radius > 0 ? self->bar_radius : 2 * out[LENGTH]));
    out[STRENGTH] = bar.strength;
    out[PHASE] = bar.phase * degrees;
    out[SPEED] = bar.speed;
    return OCT_STATUS_OK;
}

static oct_status disk_measure(double *out, void *state, oct_domain *domain)
{
    const disk *self = state;
    oct_radii *radii;
    (void)domain;
    OCT_TRY(oct_components_find(self->components));
    OCT_TRY(oct_alloc(&radii, 1, sizeof *radii, "mass by distance"));
    oct_status status = OCT_STATUS_OK;
    for (uint32_t i = 0; i < self->components->n && status == OCT_STATUS_OK; i++)
        status = measure_one(out + i * VALUES, self, i, radii);
    free(radii);
    return status;
}

static void disk_free(void *state)
{
    oct_components_free(((disk *)state)->components);
}

const oct_diag oct_diag_disk = {
    .version = OCT_MODULE_VERSION,
    .name = "disk",
    .doc = "Scales, bar and spin of each of output.components, whose name ends those of the "
           "columns.",
    .state_size = sizeof(disk),
    .check = oct_components_check,
    .fields = fields,
    .columns = columns,
    .applies = oct_components_asked,
    .init = disk_init,
    .measure = disk_measure,
    .looks = oct_looks_nowhere,
    .part = oct_components_name,
    .memory = oct_components_memory,
    .free = disk_free,
    .shared = true,
};
