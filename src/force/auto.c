/* Gravity by direct summation or by the octree, whichever is faster for this many particles on
 * this kind of device. The two are found in the registry and filled in through their fields. */
#include <string.h>

#include "core/sim.h"
#include "util/number.h"

typedef struct auto_gravity {
    double theta, softening;

    oct_choice method;
} auto_gravity;

static const oct_field fields[] = {
    {.name = "theta",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(auto_gravity, theta),
     .initial = "0.5",
     .min = 0,
     .above_min = true,
     .max = 2,
     .doc = "opening angle θ, where the tree is taken"},
    {.name = "softening",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(auto_gravity, softening),
     .initial = "0",
     .unit = {1, 0, 0},
     .min = 0,
     .max = 1e300,
     .doc = "Plummer softening length ε"},
    {0},
};

/* From how many particles on the tree is faster: see docs/performance.md. */
static uint64_t crossover(const oct_device_info *info)
{
    return oct_device_is_cpu(info) ? 5000 : 28000;
}

static const oct_force *force_of(const oct_choice *choice)
{
    return (const oct_force *)choice->module;
}

static const oct_field *find_field(const oct_field *list, const char *name)
{
    for (; list->type != OCT_FIELD_END; list++)
        if (strcmp(list->name, name) == 0)
            return list;
    return NULL;
}

/* A field from its default; methods have numbers and choices only. */
static oct_status fill_default(void *state, const oct_field *field)
{
    char *slot = (char *)state + field->offset;
    const char *end;
    double number;
    if (field->type == OCT_FIELD_CHOICE) {
        int index = 0;
        while (field->choices[index] && strcmp(field->choices[index], field->initial) != 0)
            index++;
        memcpy(slot, &index, sizeof index);
        return OCT_STATUS_OK;
    }
    OCT_CHECK((field->type == OCT_FIELD_REAL || field->type == OCT_FIELD_INT) && field->initial &&
                  oct_number_read(&number, &end, field->initial) && *end == '\0',
              OCT_STATUS_INTERNAL, "method auto cannot fill in the field '%s'", field->name);
    int64_t integer = (int64_t)number;
    if (field->type == OCT_FIELD_REAL)
        memcpy(slot, &number, sizeof number);
    else
        memcpy(slot, &integer, sizeof integer);
    return OCT_STATUS_OK;
}

/* Makes a choice of the named method with the fields this module shares with it. */
static oct_status make_method(oct_choice *out, const auto_gravity *self, const char *name)
{
    const oct_module *module = oct_module_find(oct_forces, name);
    OCT_CHECK(module, OCT_STATUS_INTERNAL, "method auto needs a method '%s'", name);
    OCT_TRY(oct_choice_init(out, module));
    for (const oct_field *field = module->fields; field->type != OCT_FIELD_END; field++) {
        const oct_field *own = find_field(fields, field->name);
        if (own)
            memcpy((char *)out->state + field->offset, (const char *)self + own->offset,
                   sizeof(double));
        else
            OCT_TRY(fill_default(out->state, field));
    }
    return OCT_STATUS_OK;
}

static oct_status auto_init(void *state, oct_sim *sim)
{
    auto_gravity *self = state;
    bool tree = sim->n >= crossover(oct_device_describe(sim->device));
    OCT_TRY(make_method(&self->method, self, tree ? "tree" : "direct"));
    /* Direct summation has no demands; what the tree refuses is left to it. */
    const oct_force *force = force_of(&self->method);
    if (force->check && force->check(self->method.state, sim->setup) != OCT_STATUS_OK) {
        oct_choice_clear(&self->method);
        OCT_TRY(make_method(&self->method, self, "direct"));
    }
    return force_of(&self->method)->init(self->method.state, sim);
}

static oct_status auto_accumulate(void *state, oct_sim *sim)
{
    auto_gravity *self = state;
    return force_of(&self->method)->accumulate(self->method.state, sim);
}

static oct_status auto_waited(void *state, oct_sim *sim)
{
    auto_gravity *self = state;
    const oct_force *force = force_of(&self->method);
    return force->waited ? force->waited(self->method.state, sim) : OCT_STATUS_OK;
}

static oct_status auto_interactions(double out[2], void *state, oct_sim *sim)
{
    auto_gravity *self = state;
    const oct_force *force = force_of(&self->method);
    if (force->interactions)
        return force->interactions(out, self->method.state, sim);
    out[0] = 0;
    out[1] = (double)sim->n * sim->acting.n;
    return OCT_STATUS_OK;
}

static uint64_t auto_memory(const void *state, uint64_t n, oct_precision precision,
                            const oct_device_info *device)
{
    oct_choice method = {0};
    const char *name = n >= crossover(device) ? "tree" : "direct";
    uint64_t bytes = 0;
    if (make_method(&method, state, name) == OCT_STATUS_OK)
        bytes = force_of(&method)->memory(method.state, n, precision, device);
    oct_choice_clear(&method);
    return bytes;
}

static void auto_free(void *state)
{
    auto_gravity *self = state;
    oct_choice_clear(&self->method);
}

const oct_force oct_force_auto = {
    .version = OCT_MODULE_VERSION,
    .name = "auto",
    .doc = "Gravity by direct summation or by the tree, whichever is faster for this many "
           "particles on this device.",
    .state_size = sizeof(auto_gravity),
    .fields = fields,
    .gravity = true,
    .init = auto_init,
    .accumulate = auto_accumulate,
    .waited = auto_waited,
    .interactions = auto_interactions,
    .memory = auto_memory,
    .free = auto_free,
};
