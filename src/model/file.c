/* Bodies from a file of any kind that is read, with the ids they have there. */
#include "core/setup.h"
#include "util/status.h"

typedef struct file_model {
    char *path, *units;
} file_model;

static const oct_field fields[] = {
    {.name = "path",
     .type = OCT_FIELD_PATH,
     .offset = offsetof(file_model, path),
     .doc = "a snapshot, a checkpoint, a CSV file, or one of Tipsy's or GADGET's; relative to the "
            "scene's folder"},
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
    OCT_TRY(oct_setup_add_columns(out, setup));
    OCT_TRY(
        setup->read_bodies(out, NULL, model->path, model->units[0] ? &from : NULL, &setup->units));
    OCT_CHECK(out->n > 0, OCT_STATUS_INPUT, "'%s' holds no bodies", model->path);
    return OCT_STATUS_OK;
}

static oct_status count_bodies(uint64_t *out, const void *self, const oct_model_context *context)
{
    oct_bodies read = {0};
    oct_status status = read_file(&read, self, context);
    *out = oct_setup_share(context->setup, read.n);
    oct_bodies_clear(&read);
    return status;
}

/* Which bodies belong together is known when they are read. */
static uint64_t count_systems(const void *self, uint64_t n, const oct_setup *setup)
{
    (void)self;
    (void)setup;
    return n;
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    oct_status status;
    oct_bodies read = {0};
    OCT_TRY_DONE(read_file(&read, self, context));
    OCT_CHECK_DONE(oct_setup_share(context->setup, read.n) == count, OCT_STATUS_INPUT,
                   "'%s' changed while it was being read: it had %zu bodies and now has %zu",
                   ((const file_model *)self)->path, count, read.n);
    oct_bodies_copy(bodies, first, &read, 0, count, OCT_COLUMN_DERIVED);
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
                                  .systems = count_systems,
                                  .generate = generate,
                                  .keeps_ids = true};
