/* Two bodies on a Kepler ellipse. */
#include "model/model_planets.h"
#include "util/kepler.h"

#include <float.h>

typedef struct two_body {
    double mass1, mass2, semi_major_axis, eccentricity, radius1, radius2, anomaly;
} two_body;

static const double degree = 0.01745329251994329576924;

static const oct_field fields[] = {
    {.name = "mass1",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(two_body, mass1),
     .unit = {.mass = 1},
     .above_min = true,
     .max = DBL_MAX,
     .doc = "mass of the first body"},
    {.name = "mass2",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(two_body, mass2),
     .unit = {.mass = 1},
     .max = DBL_MAX,
     .doc = "mass of the second body"},
    {.name = "semi_major_axis",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(two_body, semi_major_axis),
     .unit = {.length = 1},
     .above_min = true,
     .max = DBL_MAX,
     .doc = "semi-major axis of the relative orbit"},
    {.name = "eccentricity",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(two_body, eccentricity),
     .initial = "0",
     .max = 0.999999,
     .doc = "eccentricity of the orbit"},
    {.name = "radius1",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(two_body, radius1),
     .initial = "0",
     .unit = {.length = 1},
     .max = DBL_MAX,
     .doc = "radius of the first body"},
    {.name = "radius2",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(two_body, radius2),
     .initial = "0",
     .unit = {.length = 1},
     .max = DBL_MAX,
     .doc = "radius of the second body"},
    {.name = "anomaly",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(two_body, anomaly),
     .initial = "0",
     .min = -360,
     .max = 360,
     .doc = "mean anomaly at the start, in degrees; 0 is the pericentre"},
    {.type = OCT_FIELD_END},
};

static oct_status count_bodies(uint64_t *out, const void *self, const oct_model_context *context)
{
    (void)self, (void)context;
    *out = 2;
    return OCT_STATUS_OK;
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    (void)count;
    const two_body *model = self;
    double total = model->mass1 + model->mass2, position[3], velocity[3];
    oct_kepler_state(position, velocity, context->setup->units.G * total, model->semi_major_axis,
                     model->eccentricity, model->anomaly * degree);
    const double masses[] = {model->mass1, model->mass2};
    const double radii[] = {model->radius1, model->radius2};
    /* In the barycentric frame each body holds the other's share of the separation. */
    const double shares[] = {-model->mass2 / total, model->mass1 / total};
    for (size_t i = 0; i < 2; i++) {
        size_t at = first + i;
        for (size_t k = 0; k < 3; k++) {
            bodies->position[3 * at + k] = shares[i] * position[k];
            bodies->velocity[3 * at + k] = shares[i] * velocity[k];
        }
        bodies->mass[at] = masses[i];
        bodies->radius[at] = radii[i];
        bodies->type[at] = OCT_TYPE_BODY;
        bodies->system[at] = 1;
    }
    return OCT_STATUS_OK;
}

const oct_model oct_model_two_body = {.version = OCT_MODULE_VERSION,
                                      .name = "two-body",
                                      .doc = "two bodies on a Kepler ellipse in the x-y plane",
                                      .state_size = sizeof(two_body),
                                      .fields = fields,
                                      .count = count_bodies,
                                      .systems = oct_model_one_system,
                                      .generate = generate};
