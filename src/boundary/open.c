/* Empty space around everything; what strays too far may be removed. */
#include <math.h>
#include <stdlib.h>

#include "core/sim.h"

typedef struct open_space {
    double removal_radius;

    oct_program *program;
    oct_kernel *remove;
    oct_buffer *removed; /* the step in which a particle was removed, 0 for those that are there */
    uint64_t counted;
    uint64_t step; /* that ends next */
} open_space;

static const oct_field fields[] = {
    {.name = "removal_radius",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(open_space, removal_radius),
     .initial = "inf",
     .unit = {1, 0, 0},
     .min = 0,
     .above_min = true,
     .max = INFINITY,
     .doc = "particles farther than this from the origin are removed, counted and logged"},
    {0},
};

static const oct_column_spec removed_step = {
    .name = "removed", .type = OCT_COLUMN_ULONG, .width = 1, .flags = OCT_COLUMN_STATE};

static oct_status open_init(void *state, oct_domain *domain)
{
    open_space *self = state;
    if (!isfinite(self->removal_radius))
        return OCT_STATUS_OK;
    domain->removes = true;
    OCT_TRY(oct_domain_add_array(&self->removed, domain, &removed_step));
    OCT_TRY(oct_domain_build(&self->program, domain, "boundary_open.cl", NULL));
    return OCT_KERNEL(&self->remove, self->program, "boundary_open_remove", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_OUT("removed", &self->removed),
                      OCT_BIND_REAL("radius", &self->removal_radius),
                      OCT_BIND_ULONG("step", &self->step));
}

static oct_status open_apply(void *state, oct_domain *domain)
{
    open_space *self = state;
    if (!self->remove)
        return OCT_STATUS_OK;
    self->step = oct_sim_steps(domain->sim) + 1;
    return oct_kernel_launch(self->remove, domain->n, 0);
}

/* Says which particles went since the last report, in the order of the arrays. */
static oct_status open_waited(void *state, oct_domain *domain)
{
    open_space *self = state;
    if (!self->removed || domain->sim->removed == self->counted)
        return OCT_STATUS_OK;
    self->counted = domain->sim->removed;
    uint64_t *steps, id;
    OCT_TRY(oct_alloc(&steps, domain->n, sizeof *steps, "steps"));
    oct_status status = oct_buffer_read(steps, self->removed, 0, domain->n);
    for (uint32_t i = 0; status == OCT_STATUS_OK && i < domain->n; i++)
        if (steps[i] > domain->sim->waited_before) {
            status = oct_buffer_read(&id, domain->id, i, 1);
            oct_sim_note(domain->sim, "particle %llu was removed in step %llu: farther than %g out",
                         (unsigned long long)id, (unsigned long long)steps[i],
                         self->removal_radius);
        }
    free(steps);
    return status;
}

static bool open_size(double out[3], const void *self)
{
    (void)self;
    out[0] = out[1] = out[2] = 0;
    return false;
}

static void open_free(void *state)
{
    open_space *self = state;
    oct_kernel_free(self->remove);
    oct_program_free(self->program);
}

const oct_boundary oct_boundary_open = {
    .version = OCT_MODULE_VERSION,
    .name = "open",
    .doc = "Empty space all around.",
    .state_size = sizeof(open_space),
    .fields = fields,
    .init = open_init,
    .apply = open_apply,
    .waited = open_waited,
    .size = open_size,
    .free = open_free,
    .shared = true,
};
