/* A user's force: an OpenCL C function in a file of the user's, compiled into a kernel. */
#include "core/user.h"

typedef struct custom {
    char *file;
    oct_code code;
    oct_parameters parameters;

    oct_program *program;
    oct_kernel *add;
    oct_buffer *potential, *numbers;
    bool columns; /* the function takes the scene's columns */
} custom;

static const oct_field fields[] = {
    {.name = "file",
     .type = OCT_FIELD_PATH,
     .offset = offsetof(custom, file),
     .initial = "",
     .doc = "OpenCL C file that defines `real4 octant_force(real3 position, real3 velocity, real "
            "mass, ulong id, real time)`, which returns the acceleration in x, y, z and the "
            "potential (0 where there is none) in w; with `octant_columns columns` after the time "
            "it has what the body has in columns of the scene's: `columns.charge`"},
    {.name = "code",
     .type = OCT_FIELD_CODE,
     .offset = offsetof(custom, code),
     .initial = "",
     .doc = "the same as a text, in place of a file"},
    {.name = "parameters",
     .type = OCT_FIELD_PARAMETERS,
     .offset = offsetof(custom, parameters),
     .initial = "{}",
     .doc = "what the function takes as one more argument, `constant octant_parameters "
            "*parameters`: `{rate: 0.1 /yr, centre: [1, 0, 0]}` is `parameters->rate`, a real, and "
            "`parameters->centre`, a real3; lists of other lengths are arrays; numbers are in the "
            "scene's units"},
    {0},
};

static oct_status custom_check(const void *state, const oct_setup *setup)
{
    const custom *self = state;
    (void)setup;
    return oct_user_check("file", self->file, "code", &self->code);
}

static oct_status custom_init(void *state, oct_domain *domain)
{
    custom *self = state;
    char *types = NULL;
    oct_user_code code = {.path = self->file,
                          .code = &self->code,
                          .parameters = &self->parameters,
                          .what = "force",
                          .name = "octant_force",
                          .type = "real4",
                          .arguments = "real3 position, real3 velocity, real mass, ulong id, "
                                       "real time"};
    OCT_TRY(oct_user_mentions(&self->columns, &code, "octant_columns"));
    if (self->columns) {
        OCT_TRY(oct_user_columns(&types, domain));
        code.types = types;
        code.arguments = "real3 position, real3 velocity, real mass, ulong id, real time, "
                         "octant_columns columns";
    }
    oct_status status =
        oct_user_build(&self->program, &self->numbers, domain, &code, "force_custom.cl", NULL);
    oct_text_free(types);
    OCT_TRY(status);
#define ALL                                                                                        \
    OCT_BIND_DOMAIN(domain), OCT_BIND_OUT("potential", &self->potential),                          \
        OCT_BIND_IN("numbers", &self->numbers)
    OCT_TRY(oct_kernel_create(&self->add, self->program, "force_custom_add"));
    OCT_TRY(self->columns ? OCT_USER_BIND(self->add, domain, ALL) : OCT_BIND(self->add, ALL));
#undef ALL
    return oct_buffer_create(&self->potential, domain->device, "custom.potential",
                             oct_real_size(domain->precision), domain->n);
}

static oct_status custom_accumulate(void *state, oct_domain *domain)
{
    custom *self = state;
    return oct_kernel_launch(self->add, domain->n, 0);
}

static oct_status custom_energy(double *out, void *state, oct_domain *domain)
{
    custom *self = state;
    return oct_domain_sum(out, domain, self->potential);
}

static void custom_memory(oct_needs *needs, const void *state)
{
    const custom *self = state;
    needs->ids = true;
    oct_needs_add(needs, oct_real_size(needs->precision), needs->n);
    oct_user_memory(needs, &self->parameters);
}

static void custom_free(void *state)
{
    custom *self = state;
    oct_kernel_free(self->add);
    oct_program_free(self->program);
    oct_buffer_free(self->potential);
    oct_buffer_free(self->numbers);
}

const oct_force oct_force_custom = {
    .version = OCT_MODULE_VERSION,
    .name = "custom",
    .doc = "A force of your own: an OpenCL C function in a file.",
    .state_size = sizeof(custom),
    .fields = fields,
    .check = custom_check,
    .init = custom_init,
    .accumulate = custom_accumulate,
    .sets = true,
    .energy = custom_energy,
    .memory = custom_memory,
    .free = custom_free,
    .shared = true,
};
