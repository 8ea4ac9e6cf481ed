/* How far planets are from the orbits that they would have with their star alone. */
#include "core/join.h"
#include "core/sim.h"

typedef struct kepler_error {
    bool asked;
    oct_program *program;
    oct_kernel *start, *sum;
    oct_buffer *orbits;     /* at the start of the run, two a body; part of the state */
    uint32_t sums, largest; /* places in the row */
    double period[3];       /* of the box */
} kepler_error;

/* Columns of the kernel. */
enum { COUNT, TOTAL, LARGEST, SUMS };
static const oct_join_rule rules[SUMS] = {[LARGEST] = OCT_JOIN_MOST};
enum { ORBIT_BYTES = 4 * sizeof(double) };

static const oct_column columns[] = {
    {"kepler_error_max", 1, 1, 0, 0,
     .doc = "largest distance of a planet from where its Kepler orbit about its star, that of the "
            "start, would have it"},
    {"kepler_error_mean", 1, 1, 0, 0, .doc = "mean of these distances over all planets"},
    {0},
};

static const oct_field fields[] = {
    {.name = "kepler_error",
     .type = OCT_FIELD_BOOL,
     .offset = offsetof(kepler_error, asked),
     .initial = "false",
     .doc = "whether planets are compared with their Kepler orbits (kepler_error_max), where there "
            "are solar systems"},
    {0}};

static bool kepler_error_wanted(const void *self)
{
    return ((const kepler_error *)self)->asked;
}

/* Two real4 in double: position and mu, velocity. */
static const oct_column_spec start_orbit = {.name = "kepler_orbits",
                                            .type = OCT_COLUMN_ULONG,
                                            .width = 2 * ORBIT_BYTES / sizeof(uint64_t),
                                            .flags = OCT_COLUMN_STATE | OCT_COLUMN_DERIVED};

static oct_status kepler_error_init(void *state, oct_domain *domain)
{
    kepler_error *self = state;
    OCT_CHECK(domain->system_table.n > 0, OCT_STATUS_INPUT,
              "output.kepler_error: there is no solar system in the scene whose planets could be "
              "compared with Kepler orbits");
    OCT_CHECK(oct_device_describe(domain->device)->fp64, OCT_STATUS_INPUT,
              "output.kepler_error needs a device with double precision, which '%s' has not",
              oct_device_describe(domain->device)->name);
    OCT_TRY(oct_domain_build(&self->program, domain, "diag_kepler_error.cl", NULL));
#define PERIODS                                                                                    \
    OCT_BIND_REAL("period_x", &self->period[0]), OCT_BIND_REAL("period_y", &self->period[1]),      \
        OCT_BIND_REAL("period_z", &self->period[2])
    OCT_TRY(OCT_KERNEL(&self->start, self->program, "diag_kepler_error_start",
                       OCT_BIND_DOMAIN(domain), OCT_BIND_OUT("orbits", &self->orbits),
                       OCT_BIND_REAL("G", &domain->setup->units.G), PERIODS));
    OCT_TRY(OCT_KERNEL(&self->sum, self->program, "diag_kepler_error_sum", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_OUT("partials", &domain->readback.partials),
                       OCT_BIND_OUT("counts", &domain->readback.counts),
                       OCT_BIND_UINT("largest", &self->largest),
                       OCT_BIND_IN("orbits", &self->orbits), PERIODS));
#undef PERIODS
    return oct_domain_add_array(&self->orbits, domain, &start_orbit);
}

static void kepler_error_memory(oct_needs *needs, const void *self)
{
    (void)self;
    oct_needs_add(needs, 2 * ORBIT_BYTES, needs->n);
}

static oct_status kepler_error_launch(void *state, oct_domain *domain)
{
    kepler_error *self = state;
    oct_setup_periods(self->period, domain->setup);
    OCT_TRY(oct_readback_take_count(&self->largest, domain));
    if (oct_sim_steps(domain->sim) == 0)
        OCT_TRY(oct_kernel_launch(self->start, domain->n, 0));
    return oct_readback_sum(&self->sums, domain, self->sum, LARGEST, 0);
}

/* A domain's sums, and the largest of its bodies. */
static oct_status sums_of(double *out, void *state, oct_domain *domain, const void *about)
{
    const kepler_error *self = state;
    (void)about;
    OCT_TRY(oct_readback_sums(out, domain, self->sums, LARGEST));
    return oct_readback_largest(&out[LARGEST], domain, self->largest);
}

static oct_status kepler_error_measure(double *out, void *state, oct_domain *domain)
{
    double sums[SUMS];
    OCT_TRY(oct_join_parts(sums, state, domain,
                           &(oct_join){.part = sums_of, .n = SUMS, .rules = rules}));
    out[0] = sums[LARGEST];
    out[1] = sums[COUNT] > 0 ? sums[TOTAL] / sums[COUNT] : 0;
    return OCT_STATUS_OK;
}

static void kepler_error_free(void *state)
{
    kepler_error *self = state;
    oct_kernel_free(self->start);
    oct_kernel_free(self->sum);
    oct_program_free(self->program);
}

const oct_diag oct_diag_kepler_error = {
    .version = OCT_MODULE_VERSION,
    .name = "kepler-error",
    .doc = "Distance of planets from their Kepler orbits, where output.kepler_error asks for it.",
    .state_size = sizeof(kepler_error),
    .fields = fields,
    .columns = columns,
    .wanted = kepler_error_wanted,
    .from_start = true,
    .init = kepler_error_init,
    .shared = true,
    .launch = kepler_error_launch,
    .measure = kepler_error_measure,
    .looks = oct_looks_nowhere,
    .memory = kepler_error_memory,
    .free = kepler_error_free,
    .ahead = true,
};
