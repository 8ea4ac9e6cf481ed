/* The series' kernel, and the points and weights by which others find its coefficients. */
#include "boundary/boundary_expansion.h"

#include <math.h>

const oct_offer oct_expansion_offers[] = {OCT_OFFER(oct_expansion, "coefficients", coefficients),
                                          OCT_OFFER(oct_expansion, "to_x", to[0]),
                                          OCT_OFFER(oct_expansion, "to_y", to[1]),
                                          OCT_OFFER(oct_expansion, "to_z", to[2]),
                                          {0}};

static size_t term_size(oct_precision precision, bool symmetric)
{
    return symmetric ? oct_force_size(precision) : oct_real_size(precision);
}

void oct_expansion_memory(oct_needs *needs, const uint32_t terms[3], bool symmetric)
{
    oct_needs_add(needs, term_size(needs->precision, symmetric),
                  (uint64_t)terms[0] * terms[1] * terms[2]);
}

oct_status oct_expansion_start(oct_expansion *out, oct_domain *domain, oct_program *program,
                               const uint32_t terms[3], const double size[3], bool symmetric)
{
    bool cpu = oct_device_is_cpu(oct_device_describe(domain->device));
    size_t term = term_size(domain->precision, symmetric);
    size_t n = 1;
    for (int k = 0; k < 3; k++) {
        out->terms[k] = terms[k];
        out->size[k] = size[k];
        out->to[k] = 2 / size[k];
        n *= terms[k];
    }
    out->lanes = !cpu ? 1 : term == sizeof(double) ? 8 : 16;
    OCT_TRY(oct_buffer_create(&out->coefficients, domain->device, "series", term, n));
    return OCT_KERNEL(&out->add, program, "boundary_expansion_add", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_OFFERS(oct_expansion_offers, out),
                      OCT_BIND_REAL("to_potential", &out->unit));
}

oct_status oct_expansion_add(oct_expansion *self, oct_domain *domain, double unit)
{
    self->unit = unit;
    return oct_kernel_launch(self->add, (domain->n + self->lanes - 1) / self->lanes, 0);
}

void oct_expansion_end(oct_expansion *self)
{
    oct_kernel_free(self->add);
    oct_buffer_free(self->coefficients);
}

static double angle(uint32_t i, uint32_t terms)
{
    return acos(-1) * (i + 0.5) / terms;
}

double oct_expansion_point(uint32_t i, uint32_t terms)
{
    return cos(angle(i, terms));
}

void oct_expansion_weights(double *out, uint32_t terms)
{
    for (uint32_t k = 0; k < terms; k++)
        for (uint32_t i = 0; i < terms; i++)
            out[k * terms + i] = (k ? 2 : 1) * cos(k * angle(i, terms)) / terms;
}
