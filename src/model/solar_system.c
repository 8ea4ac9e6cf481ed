/* The Sun and its planets on Kepler ellipses in one plane, as in Celestial's appendix B. */
#include "core/setup.h"
#include "core/units.h"
#include "model/model_sphere.h"
#include "util/kepler.h"
#include "util/text.h"

#include <math.h>
#include <string.h>

enum { START_PERICENTRE, START_RANDOM, PLANETS = 8 };
static const char *const starts[] = {"pericentre", "random", NULL};
static const char *const names[PLANETS + 1] = {"mercury", "venus",  "earth",   "mars", "jupiter",
                                               "saturn",  "uranus", "neptune", NULL};

typedef struct solar_system {
    oct_texts planets;
    bool sun;
    int start;
} solar_system;

static const oct_field fields[] = {
    {.name = "planets",
     .type = OCT_FIELD_TEXTS,
     .offset = offsetof(solar_system, planets),
     .initial = "[mercury, venus, earth, mars, jupiter, saturn, uranus, neptune]",
     .choices = names,
     .doc = "the planets, in this order after the Sun"},
    {.name = "sun",
     .type = OCT_FIELD_BOOL,
     .offset = offsetof(solar_system, sun),
     .initial = "true",
     .doc = "whether the Sun is a body; without it the planets circle a mass at the origin that "
            "another force must stand for"},
    {.name = "start",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(solar_system, start),
     .initial = "pericentre",
     .choices = starts,
     .doc = "where the planets start: all at pericentre on +x, or at random by the seed"},
    {.type = OCT_FIELD_END},
};

/* Mass in Earth masses, semi-major axis in AU, mean radius in km: Celestial's tables B.1 to B.3
 * with Mars's eccentricity from NASA's planetary fact sheet, and the radii from there. */
typedef struct planet {
    double mass, axis, eccentricity, radius;
} planet;

static const planet table[PLANETS] = {
    {0.0553, 0.387, 0.205, 2439.7}, {0.815, 0.723, 0.007, 6051.8}, {1, 1, 0.017, 6371},
    {0.107, 1.524, 0.094, 3389.5},  {317.8, 5.204, 0.049, 69911},  {95.2, 9.582, 0.057, 58232},
    {14.5, 19.201, 0.046, 25362},   {17.1, 30.047, 0.011, 24622},
};

static const double sun_in_earths = 332946, sun_radius = 695700;
static const double gauss = 0.01720209895; /* Gauss's constant k: G m_sun = k^2 AU^3 / day^2 */
static const double metres_per_au = 149597870700, seconds_per_day = 86400;
static const double two_pi = 6.283185307179586476925;

static oct_status find_planet(size_t *out, const char *name)
{
    for (*out = 0; *out < PLANETS; (*out)++)
        if (strcmp(names[*out], name) == 0)
            return OCT_STATUS_OK;
    const char *near = oct_text_nearest(name, names, PLANETS);
    return OCT_FAIL(OCT_STATUS_INPUT, "there is no planet '%s'%s%s%s", name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static oct_status check(const void *self, const oct_setup *setup)
{
    const solar_system *model = self;
    OCT_CHECK(setup->units.physical, OCT_STATUS_INPUT,
              "the solar system needs units of a physical size (si, solar or galactic), not %s",
              setup->units.name);
    OCT_CHECK(model->sun || model->planets.n > 0, OCT_STATUS_INPUT,
              "there is neither the Sun nor a planet");
    bool taken[PLANETS] = {false};
    for (size_t i = 0; i < model->planets.n; i++) {
        size_t index;
        OCT_TRY(find_planet(&index, model->planets.items[i]));
        OCT_CHECK(!taken[index], OCT_STATUS_INPUT, "%s is there twice", names[index]);
        taken[index] = true;
    }
    return OCT_STATUS_OK;
}

static oct_status count_bodies(uint64_t *out, const void *self, const oct_model_context *context)
{
    (void)context;
    const solar_system *model = self;
    *out = model->planets.n + (model->sun ? 1 : 0);
    return OCT_STATUS_OK;
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    const solar_system *model = self;
    const oct_setup *setup = context->setup;
    double G = setup->units.G, metre = oct_units_from_si(&setup->units, OCT_LENGTH);
    double au = metres_per_au * metre;
    double day = seconds_per_day * oct_units_from_si(&setup->units, OCT_TIME);
    /* G m is known far better than G, so the masses follow from it whatever G the scene has. */
    double sun_mass = gauss * gauss * au * au * au / (day * day) / G;

    size_t at = first;
    if (model->sun) {
        for (size_t k = 0; k < 3; k++)
            bodies->position[3 * at + k] = bodies->velocity[3 * at + k] = 0;
        bodies->mass[at] = sun_mass;
        bodies->radius[at] = sun_radius * 1000 * metre;
        bodies->system[at] = 1;
        bodies->type[at++] = OCT_TYPE_STAR;
    }
    for (size_t i = 0; i < model->planets.n; i++, at++) {
        size_t index;
        OCT_TRY(find_planet(&index, model->planets.items[i]));
        const planet *row = &table[index];
        double mass = row->mass / sun_in_earths * sun_mass, mean_anomaly = 0;
        if (model->start == START_RANDOM) {
            oct_random random = oct_random_start(setup->seed, context->stream, index);
            mean_anomaly = two_pi * oct_random_uniform(&random);
        }
        /* A Sun that is no body does not answer to the planet's pull. */
        double mu = G * (sun_mass + (model->sun ? mass : 0));
        oct_kepler_state(bodies->position + 3 * at, bodies->velocity + 3 * at, mu, row->axis * au,
                         row->eccentricity, mean_anomaly);
        bodies->mass[at] = mass;
        bodies->radius[at] = row->radius * 1000 * metre;
        bodies->type[at] = OCT_TYPE_BODY;
        bodies->system[at] = model->sun;
    }
    return model->sun ? oct_model_centre(bodies, first, count) : OCT_STATUS_OK;
}

const oct_model oct_model_solar_system = {.version = OCT_MODULE_VERSION,
                                          .name = "solar-system",
                                          .doc = "the Sun and its planets in one plane",
                                          .state_size = sizeof(solar_system),
                                          .fields = fields,
                                          .check = check,
                                          .count = count_bodies,
                                          .generate = generate};
