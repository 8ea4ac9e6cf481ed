/* Shells and bars of components. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/join.h"
#include "diag/diag_components.h"

/* Wide sums of a shell, as in kernels/diag_components.cl, and the number of its bodies. */
enum { MASS, RADIAL, RADIAL_SQUARE, TANGENTIAL_SQUARE, TURNING, ACROSS };
enum { WIDE = OCT_SHELL_SUMS * OCT_SHELLS, WORDS = 2 * WIDE + OCT_SHELLS };
/* Columns of diag_components_bar. */
enum { WEIGHT, COSINE, SINE, COSINE_RATE, SINE_RATE, WEIGHT_SQUARE, BAR_SUMS };

static oct_status shells_of(double *out, void *state, oct_domain *domain, const void *about)
{
    oct_components *self = domain->components;
    uint32_t *words;
    (void)state;
    oct_components_aim(self, about, domain);
    OCT_TRY(oct_buffer_fill(self->shell_sums, 0));
    OCT_TRY(oct_kernel_launch(self->shells, domain->n, 0));
    OCT_TRY(oct_alloc(&words, WORDS, sizeof *words, "shells"));
    oct_status status = oct_buffer_read(words, self->shell_sums, 0, WORDS);
    oct_component_read_wide(out, words, WIDE);
    for (size_t i = 0; i < OCT_SHELLS; i++)
        out[WIDE + i] = words[2 * WIDE + i];
    free(words);
    return status;
}

/* Where a shell begins, in units of the scale: the edges that the kernel compares with. */
static double shell_edge(uint32_t shell)
{
    static const int parts[] = {256, 256 + 48, 256 + 106, 256 + 175};
    return ldexp(parts[shell % 4], (int)(shell / 4) - 127 - 8);
}

static void fill_shells(oct_shell out[OCT_SHELLS], const double *sums,
                        const oct_component_pass *pass, const oct_sim *sim)
{
    double mass = sim->mass_scale / pass->units, v = sim->mass_scale / pass->units_v;
    double square = sim->mass_scale / pass->units_square;
    uint32_t lowest = pass->top - OCT_SHELLS + 1;
    for (uint32_t i = 0; i < OCT_SHELLS; i++, sums += OCT_SHELL_SUMS)
        out[i] = (oct_shell){.inner = i > 0 ? shell_edge(lowest + i) * sim->length_scale : 0,
                             .outer = shell_edge(lowest + i + 1) * sim->length_scale,
                             .mass = sums[MASS] * mass,
                             .radial = sums[RADIAL] * v,
                             .radial_square = sums[RADIAL_SQUARE] * square,
                             .tangential_square = sums[TANGENTIAL_SQUARE] * square,
                             .turning = sums[TURNING] * v,
                             .across = sums[ACROSS] * mass};
    for (uint32_t i = 0; i < OCT_SHELLS; i++)
        out[i].n = sums[i];
}

oct_status oct_components_shells(oct_shell out[OCT_SHELLS], uint32_t *first, uint32_t *end,
                                 oct_components *self, uint32_t index)
{
    const oct_component *c = &self->found[index];
    const oct_sim *sim = self->domain->sim;
    oct_component_pass pass = self->of[index];
    double *sums, mass = c->mass / sim->mass_scale, motion = self->motion[index];
    *first = *end = 0;
    if (!(c->mass > 0))
        return OCT_STATUS_OK;
    memcpy(pass.axis, c->axis, sizeof pass.axis);
    /* Four shells an octave: two bits below the exponent. */
    pass.top = 4 * oct_component_top(pass.radius, 23, OCT_SHELLS / 4) + 3;
    pass.units = oct_component_units(mass);
    pass.units_v = oct_component_units(sqrt(mass * motion)); /* bounds the sum of m |v| */
    pass.units_square = oct_component_units(motion);
    OCT_TRY(oct_alloc(&sums, WIDE + OCT_SHELLS, sizeof *sums, "shells"));
    oct_status status = oct_join_parts(
        sums, NULL, self->domain,
        &(oct_join){.part = shells_of, .about = &pass, .n = (size_t)WIDE + OCT_SHELLS});
    if (status == OCT_STATUS_OK)
        fill_shells(out, sums, &pass, sim);
    free(sums);
    OCT_TRY(status);
    *first = OCT_SHELLS;
    for (uint32_t i = 0; i < OCT_SHELLS; i++) {
        if (!(out[i].n > 0) && !(out[i].across > 0))
            continue;
        *first = i < *first ? i : *first;
        *end = i + 1;
    }
    return OCT_STATUS_OK;
}

static oct_status bar_of(double *out, void *state, oct_domain *domain, const void *about)
{
    oct_components *self = domain->components;
    (void)state;
    oct_components_aim(self, about, domain);
    OCT_TRY(oct_kernel_launch(self->bar, oct_domain_rows(domain), 0));
    return oct_domain_fold(out, domain, BAR_SUMS);
}

/* The x axis as it is seen in the plane; the y axis where the plane is across x. */
static void first_direction(double out[3], const double axis[3])
{
    int along = fabs(axis[0]) < 0.99 ? 0 : 1;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        out[k] = (k == along) - axis[along] * axis[k];
        square += out[k] * out[k];
    }
    for (int k = 0; k < 3; k++)
        out[k] /= sqrt(square);
}

oct_status oct_components_bar(oct_bar *out, oct_components *self, uint32_t index, double radius)
{
    oct_component_pass pass = self->of[index];
    double s[BAR_SUMS];
    *out = (oct_bar){NAN, NAN, NAN};
    if (!(self->found[index].mass > 0) || !(radius > 0))
        return OCT_STATUS_OK;
    memcpy(pass.axis, self->found[index].axis, sizeof pass.axis);
    first_direction(pass.first, pass.axis);
    pass.radius = radius / self->domain->sim->length_scale;
    OCT_TRY(oct_join_parts(s, NULL, self->domain,
                           &(oct_join){.part = bar_of, .about = &pass, .n = BAR_SUMS}));
    double square = s[COSINE] * s[COSINE] + s[SINE] * s[SINE];
    out->strength = s[WEIGHT] > 0 ? sqrt(square) / s[WEIGHT] : NAN;
    /* Angles at random give the sum of squares of the weights; three times its root is rare. */
    if (!(square > 9 * s[WEIGHT_SQUARE]))
        return OCT_STATUS_OK;
    out->phase = atan2(s[SINE], s[COSINE]) / 2;
    out->speed = (s[COSINE] * s[SINE_RATE] - s[SINE] * s[COSINE_RATE]) / square / 2;
    return OCT_STATUS_OK;
}
