/* Bodies from a snapshot, a checkpoint or a CSV file, with the ids they have there. */
#include "core/setup.h"
#include "util/status.h"

#include <string.h>

typedef struct file_model {
    char *path, *units;
} file_model;

static const oct_field fields[] = {
    {.name = "path",
     .type = OCT_FIELD_PATH,
     .offset = offsetof(file_model, path),
     .doc = "a snapshot, a checkpoint or a CSV file; relative to the scene's folder"},
    {.name = "units",
     .type = OCT_FIELD_TEXT,
     .offset = offsetof(file_model, units),
     .initial = "",
     .doc = "what the file's numbers are in, where it does not say: si, nbody, solar, galactic, or "
            "sizes such as 'AU, Msun, yr'; without it they are in the scene's units"},
    {.type = OCT_FIELD_END},
};

static oct_status check(const void *self, const oct_setup *setup)
{
    const file_model *model = self;
    oct_units ignored;
    (void)setup;
    return model->units[0] ? oct_units_from_text(&ignored, model->units) : OCT_STATUS_OK;
}

static oct_status read_file(oct_bodies *out, const void *self, const oct_model_context *context)
{
    const file_model *model = self;
    const oct_setup *setup = context->setup;
    oct_units from;
    if (model->units[0])
        OCT_TRY(oct_units_from_text(&from, model->units));
    OCT_TRY(
        setup->read_bodies(out, NULL, model->path, model->units[0] ? &from : NULL, &setup->units));
    if (out->n > 0)
        return OCT_STATUS_OK;
    oct_bodies_clear(out);
    return OCT_FAIL(OCT_STATUS_INPUT, "'%s' holds no bodies", model->path);
}

static oct_status count_bodies(uint64_t *out, const void *self, const oct_model_context *context)
{
    oct_bodies read = {0};
    OCT_TRY(read_file(&read, self, context));
    *out = oct_setup_share(context->setup, read.n);
    oct_bodies_clear(&read);
    return OCT_STATUS_OK;
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    oct_status status;
    oct_bodies read = {0};
    OCT_TRY(read_file(&read, self, context));
    OCT_CHECK_DONE(oct_setup_share(context->setup, read.n) == count, OCT_STATUS_INPUT,
                   "'%s' changed while it was being read: it had %zu bodies and now has %zu",
                   ((const file_model *)self)->path, count, read.n);
    memcpy(bodies->position + 3 * first, read.position, 3 * count * sizeof *read.position);
    memcpy(bodies->velocity + 3 * first, read.velocity, 3 * count * sizeof *read.velocity);
    memcpy(bodies->spin + 3 * first, read.spin, 3 * count * sizeof *read.spin);
    memcpy(bodies->mass + first, read.mass, count * sizeof *read.mass);
    memcpy(bodies->radius + first, read.radius, count * sizeof *read.radius);
    memcpy(bodies->id + first, read.id, count * sizeof *read.id);
    memcpy(bodies->type + first, read.type, count * sizeof *read.type);
    memcpy(bodies->system + first, read.system, count * sizeof *read.system);
    status = OCT_STATUS_OK;
done:
    oct_bodies_clear(&read);
    return status;
}

const oct_model oct_model_file = {.version = OCT_MODULE_VERSION,
                                  .name = "file",
                                  .doc = "bodies from a file, with their ids",
                                  .state_size = sizeof(file_model),
                                  .fields = fields,
                                  .check = check,
                                  .count = count_bodies,
                                  .generate = generate,
                                  .keeps_ids = true};
