/* A patch of a planetary ring: spheres all over a rotating box, on circular orbits but for a
 * random motion. Sizes are those of OCCLUDE, eq. 20. */
#include "core/review.h"
#include "core/units.h"
#include "model/model_ball.h"
#include "util/parallel.h"
#include "util/random.h"

#include <float.h>
#include <math.h>

#define MOST_PARTICLES 2147483648.0

enum { LAW_FIXED, LAW_POWER };

typedef struct radius_law {
    int law;
    double value, slope, min, max;
} radius_law;

typedef struct ring {
    double surface_density, optical_depth;
    int64_t n;
    double density;
    radius_law radius;
    double spread, dispersion;
    bool flat;
} ring;

static const char *const laws[] = {"fixed", "power", NULL};

static const oct_field radius_fields[] = {
    {.name = "law",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(radius_law, law),
     .initial = "fixed",
     .choices = laws,
     .doc = "fixed: all particles have the radius `value`; power: their number in dr is "
            "proportional to r^slope from min to max"},
    {.name = "value",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(radius_law, value),
     .initial = "0",
     .unit = {.length = 1},
     .max = DBL_MAX,
     .doc = "the radius of the law fixed; radius: 1 m is short for radius: {value: 1 m}"},
    {.name = "slope",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(radius_law, slope),
     .initial = "-3",
     .min = -20,
     .max = 20,
     .doc = "exponent of the law power"},
    {.name = "min",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(radius_law, min),
     .initial = "0",
     .unit = {.length = 1},
     .max = DBL_MAX,
     .doc = "smallest radius of the law power"},
    {.name = "max",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(radius_law, max),
     .initial = "0",
     .unit = {.length = 1},
     .max = DBL_MAX,
     .doc = "largest radius of the law power"},
    {.type = OCT_FIELD_END},
};

static const oct_field fields[] = {
    {.name = "surface_density",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(ring, surface_density),
     .initial = "0",
     .unit = {.length = -2, .mass = 1},
     .max = DBL_MAX,
     .doc = "mass over the area of the box; one of surface_density, optical_depth and n is given"},
    {.name = "optical_depth",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(ring, optical_depth),
     .initial = "0",
     .max = DBL_MAX,
     .doc = "cross-section of all particles over the area of the box"},
    {.name = "n",
     .type = OCT_FIELD_INT,
     .offset = offsetof(ring, n),
     .initial = "0",
     .max = MOST_PARTICLES,
     .doc = "number of particles"},
    {.name = "density",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(ring, density),
     .unit = {.length = -3, .mass = 1},
     .above_min = true,
     .max = DBL_MAX,
     .doc = "density of a particle"},
    {.name = "radius",
     .type = OCT_FIELD_GROUP,
     .offset = offsetof(ring, radius),
     .group = radius_fields},
    {.name = "spread",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(ring, spread),
     .initial = "0",
     .unit = {.length = 1},
     .max = DBL_MAX,
     .doc = "standard deviation of the heights z; 0: the mean radius"},
    {.name = "dispersion",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(ring, dispersion),
     .initial = "0",
     .unit = {.length = 1, .time = -1},
     .max = DBL_MAX,
     .doc = "standard deviation of each component of the velocity beside the shear"},
    {.name = "flat",
     .type = OCT_FIELD_BOOL,
     .offset = offsetof(ring, flat),
     .initial = "false",
     .doc = "whether all are in one plane, without vertical speeds: they never leave it"},
    {.type = OCT_FIELD_END},
};

/* Radii from min to min exp(span), their number in dr proportional to r^(index - 1). */
typedef struct sizes {
    double min, max, span, index;
} sizes;

static sizes sizes_of(const radius_law *law)
{
    if (law->law == LAW_FIXED)
        return (sizes){.min = law->value, .max = law->value, .index = 1};
    return (sizes){law->min, law->max, log(law->max / law->min), law->slope + 1};
}

/* (x^index - 1) / index with ln x = span: the integral of x^(index - 1), for any index. */
static double integral(double span, double index)
{
    return index == 0 ? span : expm1(index * span) / index;
}

/* Mean of r^power. */
static double mean_power(const sizes *s, double power)
{
    double ratio =
        s->span > 0 ? integral(s->span, s->index + power) / integral(s->span, s->index) : 1;
    return pow(s->min, power) * ratio;
}

/* Spheres in one plane push each other along it alone, so that a ring left to itself needs some
 * height to become as thick as it wants to be. */
static double height(const ring *model)
{
    sizes s = sizes_of(&model->radius);
    return model->flat ? 0 : model->spread > 0 ? model->spread : mean_power(&s, 1);
}

/* The radius that a part u of the particles is below. */
static double quantile(const sizes *s, double u)
{
    double k = s->index;
    double grown = k == 0 ? u * s->span : log1p(u * expm1(k * s->span)) / k;
    return fmin(s->min * exp(grown), s->max);
}

static double particles(const ring *model, const oct_setup *setup)
{
    const oct_boundary *boundary = oct_setup_boundary(setup);
    sizes s = sizes_of(&model->radius);
    double size[3];
    boundary->size(size, setup->boundary.state);
    double area = size[0] * size[1];
    if (model->surface_density > 0)
        return round(area * model->surface_density /
                     (oct_model_ball_mass(1, model->density) * mean_power(&s, 3)));
    if (model->optical_depth > 0)
        return round(area * model->optical_depth / (acos(-1.0) * mean_power(&s, 2)));
    return (double)model->n;
}

static oct_status check_radius(const radius_law *law)
{
    if (law->law == LAW_FIXED) {
        OCT_CHECK(law->min == 0 && law->max == 0, OCT_STATUS_INPUT,
                  "radius.min and radius.max belong to 'law: power'; expected radius.value with "
                  "'law: fixed'");
        OCT_CHECK(law->value > 0, OCT_STATUS_INPUT,
                  "radius is missing or 0; expected a length above 0, or {law: power, slope, min, "
                  "max}");
        return OCT_STATUS_OK;
    }
    OCT_CHECK(law->value == 0, OCT_STATUS_INPUT,
              "radius.value belongs to 'law: fixed'; expected radius.min and radius.max with "
              "'law: power'");
    OCT_CHECK(law->min > 0, OCT_STATUS_INPUT,
              "radius.min is missing or 0; expected a length above 0 with 'law: power'");
    OCT_CHECK(
        law->max >= law->min && law->max <= 1e6 * law->min, OCT_STATUS_INPUT,
        "radius.max is %g and radius.min %g; expected the first to be 1 to 1e6 times the second",
        law->max, law->min);
    return OCT_STATUS_OK;
}

static oct_status check(const void *self, const oct_setup *setup)
{
    const ring *model = self;
    const oct_boundary *boundary = oct_setup_boundary(setup);
    double size[3];
    OCT_CHECK(boundary->rotation && boundary->size && boundary->size(size, setup->boundary.state),
              OCT_STATUS_INPUT,
              "a ring needs a rotating box and not 'boundary: %s'; expected 'boundary: shear'",
              boundary->name);
    int given = (model->surface_density > 0) + (model->optical_depth > 0) + (model->n > 0);
    OCT_CHECK(given == 1, OCT_STATUS_INPUT,
              "%s of surface_density, optical_depth and n is above 0; expected exactly one",
              given ? "more than one" : "none");
    OCT_CHECK(!model->flat || model->spread == 0, OCT_STATUS_INPUT,
              "spread is %g and flat is true; expected one of the two", model->spread);
    OCT_TRY(check_radius(&model->radius));
    OCT_TRY(oct_model_ball_fits(setup, sizes_of(&model->radius).max));
    double n = particles(model, setup);
    OCT_CHECK(n >= 1 && n <= MOST_PARTICLES, OCT_STATUS_INPUT,
              "the box of %g by %g would hold %g particles; expected 1 to %.0f", size[0], size[1],
              n, MOST_PARTICLES);
    return OCT_STATUS_OK;
}

static void review(const void *self, const oct_setup *setup, const oct_reviewer *to)
{
    const ring *model = self;
    char unit[64];
    oct_units_describe(unit, sizeof unit, &setup->units, OCT_LENGTH);
    if (model->flat)
        oct_review_note(to, "ring: all particles are in one plane, and stay there (flat: true)");
    else if (model->spread == 0)
        oct_review_note(to,
                        "ring: heights are spread by %.6g %s, the mean radius (no spread given)",
                        height(model), unit);
}

static oct_status count_bodies(uint64_t *out, const void *self, const oct_model_context *context)
{
    *out = oct_setup_share(context->setup, (uint64_t)particles(self, context->setup));
    return OCT_STATUS_OK;
}

typedef struct filling {
    oct_bodies *bodies;
    size_t first;
    uint64_t from, whole; /* the first is this one of so many */
    const ring *model;
    sizes sizes;
    double size[3], omega, height;
    uint64_t seed;
    uint32_t stream;
} filling;

static oct_status fill(void *context, size_t first, size_t end)
{
    const filling *f = context;
    const ring *model = f->model;
    for (size_t i = first; i < end; i++) {
        oct_random random = oct_random_start(f->seed, f->stream, f->from + i);
        double *x = f->bodies->position + 3 * (f->first + i);
        double *v = f->bodies->velocity + 3 * (f->first + i);
        /* One radius from each of `whole` equal parts of the distribution: the total mass is then
         * the one asked for, whatever the seed. */
        double u = ((double)(f->from + i) + oct_random_uniform(&random)) / (double)f->whole;
        double radius = quantile(&f->sizes, u);
        for (int k = 0; k < 2; k++)
            x[k] = f->size[k] * (oct_random_uniform(&random) - 0.5);
        x[2] = f->height * oct_random_normal(&random);
        for (int k = 0; k < 3; k++)
            v[k] = (k == 2 && model->flat ? 0 : model->dispersion) * oct_random_normal(&random);
        v[1] -= 1.5 * f->omega * x[0];
        f->bodies->radius[f->first + i] = radius;
        f->bodies->mass[f->first + i] = oct_model_ball_mass(radius, model->density);
        f->bodies->type[f->first + i] = OCT_TYPE_BODY;
    }
    return OCT_STATUS_OK;
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    const ring *model = self;
    const oct_setup *setup = context->setup;
    const oct_boundary *boundary = oct_setup_boundary(setup);
    filling f = {.bodies = bodies,
                 .first = first,
                 .from = context->from,
                 .whole = context->whole ? context->whole : count,
                 .model = model,
                 .sizes = sizes_of(&model->radius),
                 .height = height(model),
                 .seed = setup->seed,
                 .stream = context->stream};
    boundary->size(f.size, setup->boundary.state);
    f.omega = oct_setup_omega(setup);
    return oct_parallel(count, fill, &f);
}

const oct_model oct_model_ring = {.version = OCT_MODULE_VERSION,
                                  .name = "ring",
                                  .doc = "a patch of a planetary ring: spheres all over a rotating "
                                         "box, which move with its shear",
                                  .state_size = sizeof(ring),
                                  .fields = fields,
                                  .check = check,
                                  .review = review,
                                  .count = count_bodies,
                                  .generate = generate,
                                  .parts = OCT_PARTS_ANY};
