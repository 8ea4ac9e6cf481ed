/* What a simulation takes on a device, known before anything is allocated. */
#include "core/sim.h"

static uint64_t largest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Bytes of a body in all columns of the table and of the scene's. */
static uint64_t column_bytes(const oct_setup *setup, oct_precision precision)
{
    uint64_t bytes = 0;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++) {
        bool used = !(spec->flags & OCT_COLUMN_WHERE_USED) ||
                    (spec->host == offsetof(oct_bodies, spin) && oct_setup_spins(setup));
        if (!spec->within && used && oct_column_kept(spec, precision))
            bytes += oct_column_element(spec, precision);
    }
    for (size_t i = 0; i < setup->n_columns; i++) {
        const oct_column_plan *plan = &setup->columns[i];
        uint64_t number =
            plan->type == OCT_COLUMN_CHOICE_INTEGER ? sizeof(int64_t) : oct_real_size(precision);
        bytes += number * (plan->width == 3 ? 4 : 1);
    }
    return bytes;
}

/* Bytes that grow with the number of particles. */
static uint64_t bytes_for(const oct_setup *setup, uint64_t n, oct_precision precision,
                          const oct_device_info *device)
{
    uint64_t bytes = n * column_bytes(setup, precision);
    const oct_force *gravity = (const oct_force *)setup->gravity.module;
    if (gravity->memory)
        bytes += gravity->memory(setup->gravity.state, n, precision, device);
    for (size_t i = 0; i < setup->n_forces; i++) {
        const oct_force *force = (const oct_force *)setup->forces[i].module;
        if (force->memory)
            bytes += force->memory(setup->forces[i].state, n, precision, device);
    }
    const oct_integrator *integrator = (const oct_integrator *)setup->integrator.module;
    if (integrator->memory)
        bytes += integrator->memory(n, precision);
    const oct_collision *collision = (const oct_collision *)setup->collisions.module;
    if (collision->memory)
        bytes += collision->memory(setup, n, precision);
    const oct_diag *diag;
    for (size_t i = 0; (diag = oct_setup_diag(setup, i)) != NULL; i++)
        if (diag->memory && (!diag->applies || diag->applies(setup)))
            bytes += diag->memory(n, precision);
    return bytes;
}

void oct_setup_estimate(oct_estimate *out, const oct_setup *setup, uint64_t n,
                        const oct_device_info *device, oct_precision precision)
{
    uint64_t fixed = (uint64_t)OCT_DOMAIN_ROWS * OCT_DOMAIN_SUMS * sizeof(double) + 4096;
    const oct_boundary *boundary = (const oct_boundary *)setup->boundary.module;
    if (precision == OCT_PRECISION_AUTO)
        precision = device->fp64 ? OCT_PRECISION_MIXED : OCT_PRECISION_SINGLE;
    if (boundary->memory)
        fixed += boundary->memory(setup->boundary.state, setup, precision);
    uint64_t real4 = 4 * oct_real_size(precision), grows = bytes_for(setup, n, precision, device);
    *out = (oct_estimate){.n = n,
                          .bytes_total = fixed + grows,
                          .bytes_largest = largest(n * real4, fixed),
                          .bytes_per_particle = (double)grows / (double)(n ? n : 1)};
    out->fits = out->bytes_total <= device->memory && out->bytes_largest <= device->max_buffer;
    /* Bytes a particle hardly depend on n, so one division answers what would fit. */
    uint64_t sample = 1 << 20,
             each = (bytes_for(setup, sample, precision, device) + sample - 1) / sample;
    uint64_t room = device->memory > fixed ? device->memory - fixed : 0;
    out->fitting = room / each;
    if (out->fitting > device->max_buffer / real4)
        out->fitting = device->max_buffer / real4;
}
