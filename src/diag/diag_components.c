/* Finds the centre of components by spheres that shrink (Power et al. 2003, section 2.5), then
 * their radii and their angular momentum. */
#include "diag/diag_components.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/join.h"

const double oct_lagrange_parts[OCT_LAGRANGE_RADII] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.7, 0.9};

/* Columns of diag_components_ball, and the largest distance behind them. */
enum { COUNT, MASS, CENTRE, MOMENTUM = 5, ANGULAR = 8, MOTION = 11, FARTHEST, BALL_SUMS };
static const oct_join_rule ball_rules[BALL_SUMS] = {[FARTHEST] = OCT_JOIN_MOST};

/* Spheres shrink by this, to this part of the bodies, but not to fewer than these. */
static const double shrinks = 0.75, last_part = 0.01;
enum { FEWEST = 32 };
/* Distances that are no farther than a float goes. */
static const double everywhere = 1e38;

bool oct_components_asked(const oct_setup *setup)
{
    return setup->output.components.n > 0;
}

const char *oct_components_name(const void *self, const oct_setup *setup, size_t index)
{
    const oct_texts *names = &setup->output.components;
    (void)self;
    return index < names->n ? names->items[index] : NULL;
}

/* The types of this name, a bit for each; 0: it is no such name. What is removed has none. */
static uint32_t types_of(const char *name)
{
    static const struct {
        const char *name;
        unsigned type;
    } types[] = {{"halo", OCT_TYPE_BODY},
                 {"disk", OCT_TYPE_DISK},
                 {"bulge", OCT_TYPE_BULGE},
                 {"star", OCT_TYPE_STAR},
                 {"black_hole", OCT_TYPE_BLACK_HOLE}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0)
            return UINT32_C(1) << types[i].type;
    return strcmp(name, "all") == 0 ? OCT_COMPONENT_ALL : 0;
}

oct_status oct_components_resolve(oct_component_pass *out, const char *name, const oct_setup *setup)
{
    *out = (oct_component_pass){.types = OCT_COMPONENT_ALL};
    out->number = (uint64_t)oct_setup_component(setup, name);
    if (out->number)
        return OCT_STATUS_OK;
    out->types = types_of(name);
    for (const char *c = name; *c && !out->types; c++) {
        char model[OCT_COLUMN_NAME];
        if (*c != '_' || c - name >= (ptrdiff_t)sizeof model || !types_of(c + 1))
            continue;
        snprintf(model, sizeof model, "%.*s", (int)(c - name), name);
        out->number = (uint64_t)oct_setup_component(setup, model);
        out->types = out->number ? types_of(c + 1) : 0;
    }
    OCT_CHECK(out->types, OCT_STATUS_INPUT,
              "components: there is no '%.60s'; expected all, halo, disk, bulge, star, black_hole, "
              "the name of a model, or both as in NAME_disk",
              name);
    return OCT_STATUS_OK;
}

oct_status oct_components_check(const void *self, const oct_setup *setup)
{
    const oct_texts *names = &setup->output.components;
    oct_component_pass ignored;
    (void)self;
    OCT_CHECK(!oct_setup_boundary(setup)->image, OCT_STATUS_INPUT,
              "components: they have a centre only in an open box; expected box.boundary: open");
    OCT_CHECK(names->n <= OCT_MOST_COMPONENTS, OCT_STATUS_INPUT,
              "components: there are %zu; expected %d at most", names->n, OCT_MOST_COMPONENTS);
    for (size_t i = 0; i < names->n; i++) {
        OCT_TRY(oct_components_resolve(&ignored, names->items[i], setup));
        for (size_t k = 0; k < i; k++)
            OCT_CHECK(strcmp(names->items[i], names->items[k]) != 0, OCT_STATUS_INPUT,
                      "components: '%s' is there twice", names->items[i]);
    }
    return OCT_STATUS_OK;
}

void oct_components_memory(oct_needs *needs, const void *self)
{
    (void)self;
    if (needs->components)
        return;
    needs->components = true;
    oct_needs_add(needs, sizeof(uint32_t), 1);
    oct_needs_add(needs, 2 * sizeof(uint32_t), OCT_RADII_BINS);
    oct_needs_add(needs, sizeof(uint32_t), (2 * OCT_SHELL_SUMS + 1) * OCT_SHELLS);
}

static oct_status make_kernels(oct_components *self, oct_domain *domain)
{
    oct_component_pass *pass = &self->pass;
#define VECTOR(name, at)                                                                           \
    OCT_BIND_REAL(name "_x", &(at)[0]), OCT_BIND_REAL(name "_y", &(at)[1]),                        \
        OCT_BIND_REAL(name "_z", &(at)[2])
#define PASS                                                                                       \
    OCT_BIND_DOMAIN(domain), OCT_BIND_UINT("types", &pass->types),                                 \
        OCT_BIND_IN("named", &self->named), OCT_BIND_IN("id", &self->ids),                         \
        OCT_BIND_ULONG("number", &pass->number), OCT_BIND_ULONG("wanted", &pass->wanted),          \
        VECTOR("centre", pass->centre)
    OCT_TRY(oct_domain_build(&self->program, domain, "diag_components.cl", NULL));
    OCT_TRY(OCT_KERNEL(&self->ball, self->program, "diag_components_ball", PASS,
                       VECTOR("velocity", pass->velocity),
                       OCT_BIND_OUT("partials", &domain->readback.partials),
                       OCT_BIND_OUT("largest", &self->largest),
                       OCT_BIND_REAL("radius_square", &pass->radius_square)));
    OCT_TRY(OCT_KERNEL(&self->radii, self->program, "diag_components_radii", PASS,
                       VECTOR("axis", pass->axis), OCT_BIND_OUT("sums", &self->radii_sums),
                       OCT_BIND_UINT("measure", &pass->measure), OCT_BIND_UINT("top", &pass->top),
                       OCT_FIX_UINT("bins", OCT_RADII_BINS), OCT_BIND_REAL("units", &pass->units)));
    OCT_TRY(OCT_KERNEL(&self->shells, self->program, "diag_components_shells", PASS,
                       VECTOR("velocity", pass->velocity), VECTOR("axis", pass->axis),
                       OCT_BIND_OUT("sums", &self->shell_sums), OCT_BIND_UINT("top", &pass->top),
                       OCT_FIX_UINT("shells", OCT_SHELLS), OCT_BIND_REAL("units", &pass->units),
                       OCT_BIND_REAL("units_v", &pass->units_v),
                       OCT_BIND_REAL("units_square", &pass->units_square)));
    return OCT_KERNEL(&self->bar, self->program, "diag_components_bar", PASS,
                      VECTOR("velocity", pass->velocity), VECTOR("axis", pass->axis),
                      VECTOR("first", pass->first),
                      OCT_BIND_OUT("partials", &domain->readback.partials),
                      OCT_BIND_REAL("radius", &pass->radius));
#undef PASS
#undef VECTOR
}

static oct_status make_buffers(oct_components *self, oct_device *device)
{
    OCT_TRY(oct_buffer_create(&self->largest, device, "largest distance", sizeof(uint32_t), 1));
    OCT_TRY(oct_buffer_create(&self->radii_sums, device, "mass by distance", 2 * sizeof(uint32_t),
                              OCT_RADII_BINS));
    return oct_buffer_create(&self->shell_sums, device, "shells", sizeof(uint32_t),
                             (2 * OCT_SHELL_SUMS + 1) * OCT_SHELLS);
}

oct_status oct_components_share(oct_components **out, oct_domain *domain)
{
    oct_components *self = domain->components;
    *out = self;
    if (self) {
        self->holders++;
        return OCT_STATUS_OK;
    }
    OCT_TRY(oct_alloc(&self, 1, sizeof *self, "components"));
    self->domain = domain;
    self->holders = 1;
    oct_status status = make_buffers(self, domain->device);
    const char *name;
    while (status == OCT_STATUS_OK &&
           (name = oct_components_name(NULL, domain->setup, self->n)) != NULL)
        status = oct_components_resolve(&self->of[self->n++], name, domain->setup);
    /* Without names a column of this name is the user's, and may be of any kind. */
    const oct_held_column *names = oct_domain_column(domain, "component");
    self->named = names && names->spec.type == OCT_COLUMN_LONG ? names->buffer : NULL;
    if (status == OCT_STATUS_OK)
        status = make_kernels(self, domain);
    if (status != OCT_STATUS_OK) {
        oct_components_free(self);
        return status;
    }
    *out = domain->components = self;
    return OCT_STATUS_OK;
}

void oct_components_free(oct_components *self)
{
    if (!self || --self->holders > 0)
        return;
    self->domain->components = NULL;
    oct_kernel *const kernels[] = {self->ball, self->radii, self->shells, self->bar};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
    oct_buffer *const buffers[] = {self->largest, self->radii_sums, self->shell_sums};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    oct_program_free(self->program);
    free(self);
}

static oct_status ball_of(double *out, void *state, oct_domain *domain, const void *about)
{
    oct_components *self = domain->components;
    (void)state;
    oct_components_aim(self, about, domain);
    return oct_domain_fold_largest(out, domain, self->ball, self->largest, FARTHEST);
}

/* Sums over the bodies within a radius of the centre, in units of the scales. */
static oct_status sum_ball(double out[BALL_SUMS], oct_components *self,
                           const oct_component_pass *pass)
{
    return oct_join_parts(
        out, NULL, self->domain,
        &(oct_join){.part = ball_of, .about = pass, .n = BALL_SUMS, .rules = ball_rules});
}

static void move_centre(oct_component_pass *pass, const double sums[BALL_SUMS], double scale)
{
    for (int k = 0; k < 3 && sums[MASS] > 0; k++) {
        pass->centre[k] += sums[CENTRE + k] / sums[MASS] * scale;
        pass->velocity[k] += sums[MOMENTUM + k] / sums[MASS];
    }
}

oct_status oct_components_centre(bool *found, oct_component_pass *pass, oct_components *self)
{
    double sums[BALL_SUMS], scale = self->domain->sim->length_scale;
    pass->radius_square = everywhere;
    OCT_TRY(sum_ball(sums, self, pass));
    *found = sums[MASS] > 0;
    move_centre(pass, sums, scale);
    OCT_TRY(sum_ball(sums, self, pass));
    double fewest = fmax(last_part * sums[COUNT], FEWEST), radius = sums[FARTHEST];
    while (sums[COUNT] >= fewest && radius > 0) {
        radius *= shrinks;
        pass->radius_square = radius * radius;
        OCT_TRY(sum_ball(sums, self, pass));
        if (sums[COUNT] >= fewest)
            move_centre(pass, sums, scale);
    }
    return OCT_STATUS_OK;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(double value)
{
    float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

uint32_t oct_component_top(double farthest, unsigned shift, uint32_t bins)
{
    uint32_t top = bits_of(farthest) >> shift;
    return top > bins ? top : bins;
}

double oct_component_units(double largest)
{
    int exponent;
    (void)frexp(largest, &exponent);
    return largest > 0 ? ldexp(1, exponent > -60 ? 61 - exponent : 121) : 0;
}

void oct_component_read_wide(double *out, const uint32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t value = (uint64_t)words[2 * i + 1] << 32 | words[2 * i];
        out[i] = value >> 63 ? -(double)(~value + 1) : (double)value;
    }
}

static oct_status radii_of(double *out, void *state, oct_domain *domain, const void *about)
{
    oct_components *self = domain->components;
    uint32_t *words;
    (void)state;
    oct_components_aim(self, about, domain);
    OCT_TRY(oct_buffer_fill(self->radii_sums, 0));
    OCT_TRY(oct_kernel_launch(self->radii, domain->n, 0));
    OCT_TRY(oct_alloc(&words, 2 * OCT_RADII_BINS, sizeof *words, "mass by distance"));
    oct_status status = oct_buffer_read(words, self->radii_sums, 0, OCT_RADII_BINS);
    oct_component_read_wide(out, words, OCT_RADII_BINS);
    free(words);
    return status;
}

oct_status oct_components_radii(oct_radii *out, oct_components *self, uint32_t index,
                                oct_distance_from from)
{
    oct_component_pass pass = self->of[index];
    const oct_sim *sim = self->domain->sim;
    memcpy(pass.axis, self->found[index].axis, sizeof pass.axis);
    pass.measure = (uint32_t)from;
    pass.top = oct_component_top(pass.radius, 15, OCT_RADII_BINS);
    pass.units = oct_component_units(self->found[index].mass / sim->mass_scale);
    OCT_TRY(oct_join_parts(out->mass, NULL, self->domain,
                           &(oct_join){.part = radii_of, .about = &pass, .n = OCT_RADII_BINS}));
    out->total = 0;
    for (uint32_t i = 0; i < OCT_RADII_BINS; i++) {
        uint32_t bits = (pass.top - OCT_RADII_BINS + 1 + i) << 15;
        out->edges[i] = i > 0 ? (double)float_of(bits) * sim->length_scale : 0;
        out->total += out->mass[i];
    }
    out->edges[OCT_RADII_BINS] = (double)float_of((pass.top + 1) << 15) * sim->length_scale;
    return OCT_STATUS_OK;
}

double oct_radii_of(const oct_radii *radii, double part)
{
    double wanted = part * radii->total, before = 0;
    for (uint32_t i = 0; i < OCT_RADII_BINS && radii->total > 0; i++) {
        double mass = radii->mass[i], next = before + mass;
        if (next >= wanted && mass > 0)
            return radii->edges[i] +
                   (radii->edges[i + 1] - radii->edges[i]) * fmax(0, wanted - before) / mass;
        before = next;
    }
    return NAN;
}

/* Angular momentum within the last Lagrange radius, and lambda' = J / (sqrt(2) M R V), where V is
 * the circular velocity by all bodies there (Bullock et al. 2001, equation 5). */
static oct_status find_angular(oct_component *c, oct_components *self,
                               const oct_component_pass *about)
{
    const oct_sim *sim = self->domain->sim;
    double own[BALL_SUMS], all[BALL_SUMS], size = 0;
    double radius = c->lagrange[OCT_LAGRANGE_RADII - 1];
    oct_component_pass pass = *about;
    pass.radius_square = pow(radius / sim->length_scale, 2);
    OCT_TRY(sum_ball(own, self, &pass));
    pass.types = OCT_COMPONENT_ALL;
    pass.number = 0;
    OCT_TRY(sum_ball(all, self, &pass));
    for (int k = 0; k < 3; k++) {
        c->angular[k] = own[ANGULAR + k] * sim->length_scale * sim->mass_scale;
        size += c->angular[k] * c->angular[k];
    }
    size = sqrt(size);
    for (int k = 0; k < 3; k++)
        c->axis[k] = size > 0 ? c->angular[k] / size : k == 2;
    double speed = sqrt(self->domain->setup->units.G * all[MASS] * sim->mass_scale / radius);
    c->lambda = size / (sqrt(2) * own[MASS] * sim->mass_scale * radius * speed);
    if (!isfinite(c->lambda))
        c->lambda = NAN;
    return OCT_STATUS_OK;
}

static oct_status find_one(oct_components *self, uint32_t index, oct_radii *radii)
{
    oct_component *c = &self->found[index];
    oct_component_pass *pass = &self->of[index];
    const oct_sim *sim = self->domain->sim;
    double sums[BALL_SUMS];
    pass->radius_square = everywhere;
    OCT_TRY(sum_ball(sums, self, pass));
    *c = (oct_component){.n = sums[COUNT], .mass = sums[MASS] * sim->mass_scale, .axis[2] = 1};
    self->motion[index] = sums[MOTION];
    pass->radius = sums[FARTHEST];
    bool there = sums[MASS] > 0;
    for (int k = 0; k < 3; k++) {
        c->centre[k] = there ? pass->centre[k] : NAN;
        c->velocity[k] = there ? pass->velocity[k] : NAN;
        c->angular[k] = NAN;
    }
    c->lambda = NAN;
    if (there)
        OCT_TRY(oct_components_radii(radii, self, index, OCT_FROM_CENTRE));
    for (int k = 0; k < OCT_LAGRANGE_RADII; k++)
        c->lagrange[k] = there ? oct_radii_of(radii, oct_lagrange_parts[k]) : NAN;
    return there ? find_angular(c, self, pass) : OCT_STATUS_OK;
}

oct_status oct_components_find(oct_components *self)
{
    const int about = self->domain->setup->output.centre;
    oct_component_pass all = {.types = OCT_COMPONENT_ALL};
    oct_radii *radii;
    if (self->row == self->domain->readback.row)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&radii, 1, sizeof *radii, "mass by distance"));
    bool found;
    oct_status status =
        about == OCT_CENTRE_COMMON ? oct_components_centre(&found, &all, self) : OCT_STATUS_OK;
    for (uint32_t i = 0; i < self->n && status == OCT_STATUS_OK; i++) {
        const oct_component_pass who = self->of[i];
        self->of[i] = all;
        self->of[i].types = who.types;
        self->of[i].number = who.number;
        if (about == OCT_CENTRE_OWN)
            status = oct_components_centre(&found, &self->of[i], self);
        if (status == OCT_STATUS_OK)
            status = find_one(self, i, radii);
    }
    if (status == OCT_STATUS_OK)
        self->row = self->domain->readback.row;
    free(radii);
    return status;
}
