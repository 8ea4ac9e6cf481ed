/* What a simulation takes on a device, known before anything is allocated. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/estimate.h"
#include "core/look.h"
#include "core/sim.h"
#include "core/softening.h"

void oct_needs_add(oct_needs *needs, uint64_t element, uint64_t count)
{
    oct_memory_add(&needs->memory, element, count);
}

/* What is added from here on is for this. */
static void begin_part(oct_ledger *ledger, const oct_needs *needs, const char *family,
                       const char *name)
{
    if (!ledger)
        return;
    if (ledger->n > 0)
        ledger->parts[ledger->n - 1].bytes += needs->memory.now - ledger->counted;
    ledger->counted = needs->memory.now;
    oct_ledger_part part = {0};
    snprintf(part.name, sizeof part.name, "%s%s%s", family, *family && *name ? ": " : "", name);
    /* What takes nothing needs no line. */
    if (ledger->n > 0 && ledger->parts[ledger->n - 1].bytes == 0)
        ledger->n--;
    if (ledger->n < OCT_LEDGER_PARTS)
        ledger->parts[ledger->n++] = part;
}

/* The columns of the table and of the scene. Those that are not kept in a precision are empty. */
static void add_columns(oct_needs *needs, bool systems, oct_ledger *ledger)
{
    const oct_setup *setup = needs->setup;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++) {
        begin_part(ledger, needs, "column", spec->name);
        bool spin = spec->host == offsetof(oct_bodies, spin) && oct_setup_spins(setup);
        bool system = spec->host == offsetof(oct_bodies, system) && systems;
        bool soft = spec->host == offsetof(oct_bodies, softening) && oct_setup_softens(setup);
        /* When it is known who takes them. */
        if (spec->host == offsetof(oct_bodies, id))
            continue;
        if (!spec->within && (!(spec->flags & OCT_COLUMN_WHERE_USED) || spin || system || soft))
            oct_needs_add(needs, oct_column_element(spec, needs->precision),
                          oct_column_kept(spec, needs->precision) ? needs->n : 0);
        if (!spec->within && spec->flags & OCT_COLUMN_OF_FORCES && oct_looks_apart(setup))
            oct_needs_add(needs, oct_column_element(spec, needs->precision), needs->n);
    }
    for (size_t i = 0; i < setup->n_columns; i++) {
        const oct_column_plan *plan = &setup->columns[i];
        uint64_t number = plan->type == OCT_COLUMN_CHOICE_INTEGER ? sizeof(int64_t)
                                                                  : oct_real_size(needs->precision);
        begin_part(ledger, needs, "column", plan->name);
        oct_needs_add(needs, number * (plan->width == 3 ? 4 : 1), needs->n);
    }
}

/* What a domain has beside its modules. */
static void add_domain(oct_needs *needs, bool systems, oct_ledger *ledger)
{
    add_columns(needs, systems, ledger);
    begin_part(ledger, needs, "images, counters, sums", "");
    oct_images_memory(needs);
    oct_needs_add(needs, sizeof(uint32_t), OCT_COUNTERS);
    oct_readback_memory(needs);
    if (systems) {
        oct_needs_add(needs, sizeof(uint32_t), needs->n);
        oct_needs_add(needs, sizeof(uint32_t), needs->systems + 1);
    }
}

/* Ids that are 1, 2, 3, ... take memory where kernels want them. */
static void add_ids(oct_needs *needs, oct_ledger *ledger)
{
    const oct_setup *setup = needs->setup;
    bool given = needs->ids;
    for (size_t i = 0; i < setup->n_models && !given; i++)
        given = ((const oct_model *)setup->models[i].model.module)->keeps_ids;
    begin_part(ledger, needs, "column", "id");
    if (given)
        oct_needs_add(needs, sizeof(uint64_t), needs->n);
}

static void add_module(oct_needs *needs, const oct_choice *choice, const char *family,
                       oct_ledger *ledger)
{
    begin_part(ledger, needs, family, choice->module->name);
    if (choice->module->memory)
        choice->module->memory(needs, choice->state);
}

/* What is asked for many numbers of bodies. */
typedef struct question {
    const oct_setup *setup;
    const oct_device_info *device;
    oct_precision precision;
    double systems; /* to a body; 0: there are none */
} question;

static oct_memory memory_for(const question *about, uint64_t n, oct_ledger *ledger)
{
    const oct_setup *setup = about->setup;
    oct_needs needs = {
        .setup = setup, .device = about->device, .precision = about->precision, .n = n};
    needs.systems = about->systems > 0 ? (uint64_t)ceil(about->systems * (double)n) : n;
    add_domain(&needs, about->systems > 0, ledger);
    /* The integrator comes first: whether it has sets is for the others to know. */
    const struct {
        const char *family;
        const oct_choice *choice;
    } choices[] = {{"integrator", &setup->integrator},
                   {"boundary", &setup->boundary},
                   {"gravity", &setup->gravity},
                   {"collisions", &setup->collisions}};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        add_module(&needs, choices[i].choice, choices[i].family, ledger);
    for (size_t i = 0; i < setup->n_forces; i++)
        add_module(&needs, &setup->forces[i], "force", ledger);
    const oct_choice *diag;
    for (size_t i = 0; (diag = oct_setup_diag(setup, i)) != NULL; i++)
        add_module(&needs, diag, "measurement", ledger);
    add_ids(&needs, ledger);
    begin_part(ledger, &needs, "octree", "");
    if (needs.last)
        needs.last(&needs);
    begin_part(ledger, &needs, "", "");
    return needs.memory;
}

static bool fits(const oct_memory *memory, const oct_device_info *device)
{
    return memory->now <= device->memory && memory->largest <= device->max_buffer;
}

/* The most particles that fit: halves the interval in which they end. */
static uint64_t find_fitting(const question *about)
{
    uint64_t low = 0, high = UINT64_C(1) << 31; /* kernels index particles with 32 bits */
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        oct_memory memory = memory_for(about, middle, NULL);
        if (fits(&memory, about->device))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static question ask(const oct_setup *setup, uint64_t n, const oct_device_info *device,
                    oct_precision precision)
{
    if (precision == OCT_PRECISION_AUTO)
        precision = device->fp64 ? OCT_PRECISION_MIXED : OCT_PRECISION_SINGLE;
    question about = {.setup = setup, .device = device, .precision = precision};
    uint64_t bodies, systems;
    oct_setup_count_systems(&bodies, &systems, setup);
    if (systems > 0 && n > 0)
        about.systems = fmin(1, (double)(n > bodies ? n - bodies + systems : systems) / (double)n);
    return about;
}

/* Bytes a particle are those that as many more would take: what few share is not theirs. */
static uint64_t more_than(uint64_t n)
{
    return n ? n : 1;
}

void oct_setup_ledger(oct_ledger *out, const oct_setup *setup, uint64_t n,
                      const oct_device_info *device, oct_precision precision)
{
    question about = ask(setup, n, device, precision);
    oct_ledger larger = {0};
    uint64_t more = more_than(n);
    *out = larger;
    memory_for(&about, n, out);
    memory_for(&about, n + more, &larger);
    /* The last one begins where all is counted. */
    out->n -= out->n > 0;
    for (size_t i = 0; i < out->n; i++) {
        oct_ledger_part *part = &out->parts[i];
        for (size_t k = 0; k < larger.n; k++)
            if (strcmp(larger.parts[k].name, part->name) == 0)
                part->bytes_per_particle =
                    (double)(larger.parts[k].bytes - part->bytes) / (double)more;
    }
}

void oct_setup_estimate(oct_estimate *out, const oct_setup *setup, uint64_t n,
                        const oct_device_info *device, oct_precision precision)
{
    question about = ask(setup, n, device, precision);
    uint64_t more = more_than(n);
    oct_memory memory = memory_for(&about, n, NULL), larger = memory_for(&about, n + more, NULL);
    *out = (oct_estimate){.n = n,
                          .bytes_total = memory.now,
                          .bytes_largest = memory.largest,
                          .bytes_per_particle = (double)(larger.now - memory.now) / (double)more,
                          .fits = fits(&memory, device),
                          .fitting = find_fitting(&about)};
}
