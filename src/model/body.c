/* One solid body, such as a moonlet among the particles of a ring. */
#include "model/model_ball.h"

#include <float.h>
#include <string.h>

typedef struct body {
    double mass, density, radius, spin[3];
} body;

static const oct_field fields[] = {
    {.name = "mass",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(body, mass),
     .initial = "0",
     .unit = {.mass = 1},
     .max = DBL_MAX,
     .doc = "its mass; 0: from density and radius"},
    {.name = "density",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(body, density),
     .initial = "0",
     .unit = {.length = -3, .mass = 1},
     .max = DBL_MAX,
     .doc = "its density, in place of its mass"},
    {.name = "radius",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(body, radius),
     .initial = "0",
     .unit = {.length = 1},
     .max = DBL_MAX,
     .doc = "its radius; 0: a point, which touches nothing but spheres"},
    {.name = "spin",
     .type = OCT_FIELD_REAL3,
     .offset = offsetof(body, spin),
     .initial = "[0, 0, 0]",
     .unit = {.time = -1},
     .min = -DBL_MAX,
     .max = DBL_MAX,
     .doc = "its angular velocity in the inertial frame"},
    {.type = OCT_FIELD_END},
};

static oct_status check(const void *self, const oct_setup *setup)
{
    const body *model = self;
    OCT_CHECK((model->mass > 0) != (model->density > 0), OCT_STATUS_INPUT,
              "%s of mass and density is above 0; expected exactly one of them",
              model->mass > 0 ? "each" : "neither");
    OCT_CHECK(model->mass > 0 || model->radius > 0, OCT_STATUS_INPUT,
              "radius is missing or 0; expected one above 0 where density is given");
    return oct_model_ball_fits(setup, model->radius);
}

static oct_status count_bodies(uint64_t *out, const void *self, const oct_model_context *context)
{
    (void)self, (void)context;
    *out = 1;
    return OCT_STATUS_OK;
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    (void)count, (void)context;
    const body *model = self;
    bodies->mass[first] =
        model->mass > 0 ? model->mass : oct_model_ball_mass(model->radius, model->density);
    bodies->radius[first] = model->radius;
    memcpy(bodies->spin + 3 * first, model->spin, sizeof model->spin);
    bodies->type[first] = OCT_TYPE_BODY;
    return OCT_STATUS_OK;
}

const oct_model oct_model_body = {.version = OCT_MODULE_VERSION,
                                  .name = "body",
                                  .doc = "one body at its offset, such as a moonlet in a ring",
                                  .state_size = sizeof(body),
                                  .fields = fields,
                                  .check = check,
                                  .count = count_bodies,
                                  .generate = generate};
