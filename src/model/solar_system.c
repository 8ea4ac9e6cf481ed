/* The Sun and its planets on Kepler ellipses in one plane, as in Celestial's appendix B. */
#include "core/setup.h"
#include "model/model_planets.h"
#include "model/model_sphere.h"
#include "util/kepler.h"
#include "util/text.h"

#include <math.h>
#include <string.h>

enum { START_PERICENTRE, START_RANDOM };
static const char *const starts[] = {"pericentre", "random", NULL};

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
     .choices = oct_planet_names,
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

static const double two_pi = 6.283185307179586476925;

static oct_status find_planet(size_t *out, const char *name)
{
    for (*out = 0; *out < OCT_PLANETS; (*out)++)
        if (strcmp(oct_planet_names[*out], name) == 0)
            return OCT_STATUS_OK;
    const char *near = oct_text_nearest(name, oct_planet_names, OCT_PLANETS);
    return OCT_FAIL(OCT_STATUS_INPUT, "there is no planet '%s'%s%s%s", name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static oct_status check(const void *self, const oct_setup *setup)
{
    const solar_system *model = self;
    OCT_TRY(oct_planets_check(&setup->units));
    OCT_CHECK(model->sun || model->planets.n > 0, OCT_STATUS_INPUT,
              "there is neither the Sun nor a planet");
    bool taken[OCT_PLANETS] = {false};
    for (size_t i = 0; i < model->planets.n; i++) {
        size_t index;
        OCT_TRY(find_planet(&index, model->planets.items[i]));
        OCT_CHECK(!taken[index], OCT_STATUS_INPUT, "%s is there twice", oct_planet_names[index]);
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
    const oct_planet sun = oct_sun_in(&setup->units);
    size_t at = first;
    if (model->sun) {
        for (size_t k = 0; k < 3; k++)
            bodies->position[3 * at + k] = bodies->velocity[3 * at + k] = 0;
        bodies->mass[at] = sun.mass;
        bodies->radius[at] = sun.radius;
        bodies->system[at] = 1;
        bodies->type[at++] = OCT_TYPE_STAR;
    }
    for (size_t i = 0; i < model->planets.n; i++, at++) {
        size_t index;
        OCT_TRY(find_planet(&index, model->planets.items[i]));
        const oct_planet planet = oct_planet_in(&setup->units, index);
        double mean_anomaly = 0;
        if (model->start == START_RANDOM) {
            oct_random random = oct_random_start(setup->seed, context->stream, index);
            mean_anomaly = two_pi * oct_random_uniform(&random);
        }
        /* A Sun that is no body does not answer to the planet's pull. */
        double mu = setup->units.G * (sun.mass + (model->sun ? planet.mass : 0));
        oct_kepler_state(bodies->position + 3 * at, bodies->velocity + 3 * at, mu, planet.axis,
                         planet.eccentricity, mean_anomaly);
        bodies->mass[at] = planet.mass;
        bodies->radius[at] = planet.radius;
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
                                          .systems = oct_model_one_system,
                                          .generate = generate};
