/* A user's force: an OpenCL C function in a file of the user's, compiled into a kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim.h"
#include "util/file.h"

typedef struct custom {
    char *file;

    oct_program *program;
    oct_kernel *add;
    oct_buffer *potential;
} custom;

static const oct_field fields[] = {
    {.name = "file",
     .type = OCT_FIELD_PATH,
     .offset = offsetof(custom, file),
     .doc = "OpenCL C file that defines `real4 octant_force(real3 position, real3 velocity, real "
            "mass, ulong id, real time)`, which returns the acceleration in x, y, z and the "
            "potential (0 where there is none) in w"},
    {0},
};

static oct_status compile(custom *self, oct_sim *sim, const char *text)
{
    const oct_include includes[] = {{.name = "user.clh", .label = self->file, .text = text}, {0}};
    const oct_build build = {
        .file = "force_custom.cl", .precision = sim->precision, .includes = includes};
    oct_status status = oct_program_create(&self->program, sim->device, &build);
    if (status == OCT_STATUS_DEVICE)
        return oct_fail_within(OCT_STATUS_INPUT, "the force in '%s' is not valid OpenCL C",
                               self->file);
    return status;
}

static oct_status custom_init(void *state, oct_sim *sim)
{
    custom *self = state;
    char *text;
    OCT_TRY(oct_file_read(&text, NULL, self->file, 1 << 20));
    oct_status status = compile(self, sim, text);
    free(text);
    OCT_TRY(status);
    OCT_TRY(oct_kernel_create(&self->add, self->program, "force_custom_add"));
    return oct_buffer_create(&self->potential, sim->device, "custom.potential",
                             oct_real_size(sim->precision), sim->n);
}

static oct_status custom_accumulate(void *state, oct_sim *sim)
{
    custom *self = state;
    return OCT_LAUNCH(self->add, sim->n, 0, OCT_OUT(sim->acceleration), OCT_OUT(self->potential),
                      OCT_IN(sim->position), OCT_IN(sim->velocity), OCT_IN(sim->id),
                      OCT_IN(sim->type), OCT_REAL(sim->time), OCT_UINT(sim->n));
}

static oct_status custom_energy(double *out, void *state, oct_sim *sim)
{
    custom *self = state;
    return oct_sim_sum(out, sim, self->potential);
}

static uint64_t custom_memory(const void *self, uint64_t n, oct_precision precision,
                              const oct_device_info *device)
{
    (void)self;
    (void)device;
    return n * oct_real_size(precision);
}

static void custom_free(void *state)
{
    custom *self = state;
    oct_kernel_free(self->add);
    oct_program_free(self->program);
    oct_buffer_free(self->potential);
}

const oct_force oct_force_custom = {
    .version = OCT_MODULE_VERSION,
    .name = "custom",
    .doc = "A force of your own: an OpenCL C function in a file.",
    .state_size = sizeof(custom),
    .fields = fields,
    .init = custom_init,
    .accumulate = custom_accumulate,
    .energy = custom_energy,
    .memory = custom_memory,
    .free = custom_free,
};
