/* Two galaxies, each any model, that approach each other on the Kepler orbit of two points of their
 * masses. */
#include "core/setup.h"
#include "core/system_table.h"
#include "model/model_sphere.h"

#include <math.h>

enum { GALAXIES = 2 };

typedef struct merger {
    oct_model_entry galaxies[GALAXIES];
    double mass_ratio, size_slope;
    double pericentre, eccentricity, energy, separation;
} merger;

static const oct_field fields[] = {
    {.name = "first",
     .type = OCT_FIELD_MODEL,
     .offset = offsetof(merger, galaxies[0]),
     .doc = "a model, with its inclination and node to the plane of the orbit"},
    {.name = "second",
     .type = OCT_FIELD_MODEL,
     .offset = offsetof(merger, galaxies[1]),
     .doc = "the other one"},
    {.name = "mass_ratio",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(merger, mass_ratio),
     .initial = "0",
     .max = 1e12,
     .doc = "mass of the first over that of the second, which is scaled to it with its size and "
            "speeds; 0: both are as they are given"},
    {.name = "size_slope",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(merger, size_slope),
     .initial = "0.5",
     .min = 0,
     .max = 1,
     .doc = "how the second is scaled, size ~ mass^slope: 1/2 keeps its surface density, 1/3 its "
            "density, 0 its size; speeds follow, as sqrt(mass / size)"},
    {.name = "pericentre",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(merger, pericentre),
     .unit = {.length = 1},
     .max = DBL_MAX,
     .doc = "least distance of the centres on the orbit of two points; 0: head on"},
    {.name = "eccentricity",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(merger, eccentricity),
     .initial = "1",
     .max = 1e6,
     .doc = "of the orbit: below 1 an ellipse, 1 a parabola, above 1 a hyperbola"},
    {.name = "energy",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(merger, energy),
     .initial = "0",
     .unit = {.length = 2, .time = -2},
     .doc = "v^2/2 - G M/r of the relative orbit, in place of the eccentricity; 0: a parabola"},
    {.name = "separation",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(merger, separation),
     .unit = {.length = 1},
     .above_min = true,
     .max = DBL_MAX,
     .doc = "distance of the centres at the start, before the pericentre"},
    {.type = OCT_FIELD_END},
};

static const char *const keys[GALAXIES] = {"first", "second"};

static oct_status within_galaxy(oct_status status, const merger *m, int which)
{
    return status == OCT_STATUS_OK ? status
                                   : oct_fail_within(status, "%s.%s", keys[which],
                                                     m->galaxies[which].model.module->name);
}

static oct_status check(const void *self, const oct_setup *setup)
{
    (void)setup;
    const merger *m = self;
    for (int k = 0; k < GALAXIES; k++)
        for (int i = 0; i < 3; i++)
            OCT_CHECK(m->galaxies[k].placement.offset[i] == 0 &&
                          m->galaxies[k].placement.velocity[i] == 0,
                      OCT_STATUS_INPUT,
                      "%s has an offset or a velocity, which follow from the orbit; expected none",
                      keys[k]);
    OCT_CHECK(m->energy == 0 || m->eccentricity == 1, OCT_STATUS_INPUT,
              "both eccentricity and energy are given; expected one of them");
    OCT_CHECK(m->pericentre > 0 || m->eccentricity == 1, OCT_STATUS_INPUT,
              "the pericentre is 0, where the eccentricity says nothing; expected energy in its "
              "place, or eccentricity 1");
    OCT_CHECK(m->separation >= m->pericentre, OCT_STATUS_INPUT,
              "separation %g is less than the pericentre %g; expected a start before it is reached",
              m->separation, m->pericentre);
    return OCT_STATUS_OK;
}

/* Random numbers of their own for models within models: the entry of the scene in the lower half,
 * the way to the model in the upper, as in a heap. */
static oct_model_context context_within(const oct_model_context *context, int which)
{
    oct_model_context inner = *context;
    uint32_t way = 2 * (context->stream >> 16) + 1 + (uint32_t)which;
    inner.stream = way << 16 | (context->stream & 0xffff);
    return inner;
}

static oct_status count_galaxies(uint64_t out[GALAXIES], const merger *m,
                                 const oct_model_context *context)
{
    for (int k = 0; k < GALAXIES; k++) {
        oct_model_context inner = context_within(context, k);
        OCT_TRY(within_galaxy(oct_entry_count(&out[k], &m->galaxies[k], &inner), m, k));
    }
    return OCT_STATUS_OK;
}

static oct_status count(uint64_t *out, const void *self, const oct_model_context *context)
{
    uint64_t n[GALAXIES] = {0};
    OCT_TRY(count_galaxies(n, self, context));
    *out = n[0] + n[1];
    return OCT_STATUS_OK;
}

/* Which bodies of the models within belong together is known when they are made. */
static uint64_t count_systems(const void *self, uint64_t n, const oct_setup *setup)
{
    (void)setup;
    const merger *m = self;
    bool any = false;
    for (int k = 0; k < GALAXIES; k++)
        any = any || ((const oct_model *)m->galaxies[k].model.module)->systems;
    return any ? n : 0;
}

static double mass_of(const oct_bodies *bodies, size_t first, size_t n)
{
    oct_exact_sum sum = {0};
    for (size_t i = first; i < first + n; i++)
        oct_exact_sum_add(&sum, bodies->mass[i]);
    return oct_exact_sum_value(&sum);
}

/* Gravity knows no scale: masses times f, lengths times l and speeds times sqrt(f / l) are the same
 * galaxy in another size. */
static void scale(oct_bodies *bodies, size_t first, size_t n, double f, double slope)
{
    double length = pow(f, slope), speed = sqrt(f / length);
    for (size_t i = first; i < first + n; i++) {
        bodies->mass[i] *= f;
        for (size_t k = 0; k < 3; k++) {
            bodies->position[3 * i + k] *= length;
            bodies->velocity[3 * i + k] *= speed;
        }
    }
}

/* The second's position and velocity relative to the first: inward bound in the x-y plane, round z
 * from x towards y, with the pericentre on +x. With q = r_min, p = q (1 + e) and E the energy,
 * e cos(nu) = p/r - 1, v_t = sqrt(mu p)/r, v_r^2 = (1 - q/r)(2 E + mu (1 + e)/r). */
static oct_status find_orbit(double position[3], double velocity[3], const merger *m, double mu)
{
    double q = m->pericentre, r = m->separation, energy = m->energy, e = m->eccentricity;
    if (energy != 0)
        e = 1 + 2 * energy * q / mu;
    else if (q > 0)
        energy = mu * (e - 1) / (2 * q);
    OCT_CHECK(e >= -1e-12, OCT_STATUS_INPUT,
              "energy %g is below that of a circle of the pericentre's radius, %g; expected one "
              "above it",
              energy, -mu / (2 * q));
    e = fmax(e, 0);
    double excess = 2 * energy + mu * (1 + e) / r;
    /* On a circle, and at the apocentre, nothing is left but round-off. */
    OCT_CHECK(excess >= -1e-12 * mu / r && (e > 1e-12 || r <= q * (1 + 1e-12)), OCT_STATUS_INPUT,
              "separation %g is beyond the apocentre %g of the orbit; expected one up to there", r,
              e < 1 ? q * (1 + e) / (1 - e) : INFINITY);
    double radial = -sqrt((1 - q / r) * fmax(excess, 0)), along = sqrt(mu * q * (1 + e)) / r;
    /* e sin(nu) = v_r v_t r / mu, which is not 0 for a fall along a line alone. */
    double angle = atan2(radial * along * r / mu, q * (1 + e) / r - 1);
    double c = cos(angle), s = sin(angle);
    position[0] = r * c;
    position[1] = r * s;
    velocity[0] = radial * c - along * s;
    velocity[1] = radial * s + along * c;
    position[2] = velocity[2] = 0;
    return OCT_STATUS_OK;
}

/* Makes one galaxy at rest at the origin. */
static oct_status make_galaxy(double *mass, oct_bodies *bodies, size_t first, size_t n,
                              const oct_model_entry *entry, const oct_model_context *context)
{
    OCT_TRY(oct_entry_make(bodies, first, n, entry, context));
    *mass = mass_of(bodies, first, n);
    OCT_CHECK(*mass > 0, OCT_STATUS_INPUT, "its bodies have no mass; expected some for an orbit");
    return oct_model_centre(bodies, first, n);
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t n_all, const void *self,
                           const oct_model_context *context)
{
    const merger *m = self;
    uint64_t n[GALAXIES];
    double mass[GALAXIES], position[3], velocity[3];
    uint32_t systems = 0;
    OCT_TRY(count_galaxies(n, m, context));
    OCT_CHECK(n[0] + n[1] == n_all, OCT_STATUS_INPUT,
              "a file changed while it was being read: there were %zu bodies and now are %llu",
              n_all, (unsigned long long)(n[0] + n[1]));
    for (int k = 0; k < GALAXIES; k++) {
        oct_model_context inner = context_within(context, k);
        size_t at = first + (k ? n[0] : 0);
        OCT_TRY(
            within_galaxy(make_galaxy(&mass[k], bodies, at, n[k], &m->galaxies[k], &inner), m, k));
        OCT_TRY(
            within_galaxy(oct_system_table_renumber(&systems, bodies->system + at, n[k]), m, k));
    }
    if (m->mass_ratio > 0) {
        scale(bodies, first + n[0], n[1], mass[0] / (m->mass_ratio * mass[1]), m->size_slope);
        mass[1] = mass[0] / m->mass_ratio;
    }
    double total = mass[0] + mass[1];
    OCT_TRY(find_orbit(position, velocity, m, context->setup->units.G * total));
    for (int k = 0; k < GALAXIES; k++) {
        /* Seen from either, the other passes the pericentre on the +x of its own frame. */
        oct_placement placement = {.node = k ? 180 : 0};
        double share = (k ? mass[0] : -mass[1]) / total;
        for (int i = 0; i < 3; i++) {
            placement.offset[i] = share * position[i];
            placement.velocity[i] = share * velocity[i];
        }
        OCT_TRY(oct_bodies_place(bodies, first + (k ? n[0] : 0), n[k], &placement));
    }
    return oct_model_centre(bodies, first, n_all);
}

const oct_model oct_model_merger = {.version = OCT_MODULE_VERSION,
                                    .name = "merger",
                                    .doc = "two models on an orbit towards each other",
                                    .state_size = sizeof(merger),
                                    .fields = fields,
                                    .check = check,
                                    .count = count,
                                    .systems = count_systems,
                                    .generate = generate};
