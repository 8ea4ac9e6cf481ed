/* The sheet without the images' rectangle, expanded once for each row and slid with the shear. */
#include "boundary/boundary_sheet.h"
#include "sheet_terms.clh"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/join.h"

/* Terms in each direction and of the offset. */
enum { TERMS_X = SHEET_TERMS_X, TERMS_Y = SHEET_TERMS_Y, TERMS_Z = SHEET_TERMS_Z };
static const uint32_t all_terms[3] = {TERMS_X, TERMS_Y, TERMS_Z};
enum { TERMS = TERMS_X * TERMS_Y * TERMS_Z, OFFSETS = 10 };

/* Integral of dx dy / r over [0, u] x [0, v] at the height z above its corner. */
static double corner(double u, double v, double z)
{
    double r = sqrt(u * u + v * v + z * z), sum = 0;
    if (u != 0)
        sum += u * asinh(v / hypot(u, z));
    if (v != 0)
        sum += v * asinh(u / hypot(v, z));
    return z != 0 ? sum - z * atan(u * v / (z * r)) : sum;
}

/* The potential of a missing rectangle in units of G sigma, its corners as seen from the place. */
static double missing(double low_x, double high_x, double low_y, double high_y, double z)
{
    return corner(high_x, high_y, z) - corner(low_x, high_y, z) - corner(high_x, low_y, z) +
           corner(low_x, low_y, z);
}

/* What a row of images that has slid by `offset` leaves out, in all layers. */
static double missing_row(const oct_outer_sheet *self, const double at[3], uint32_t row,
                          double offset)
{
    const double *size = self->size;
    double low_x = (row - 0.5) * size[0] - at[0], sum = 0;
    double end = (self->rings[1] + 0.5) * size[1];
    for (int layer = -(int)self->rings[2]; layer <= (int)self->rings[2]; layer++) {
        double z = at[2] - layer * size[2];
        sum += missing(low_x, low_x + size[0], -end - offset - at[1], end - offset - at[1], z);
        /* Once for all rows: the infinite sheet itself. */
        sum += row == 0 ? 2 * acos(-1) * fabs(z) : 0;
    }
    return sum;
}

/* From values in the points of the expansion to its coefficients, one direction after the other. */
static void transform(double *out, const double *values)
{
    double from[TERMS], weights[TERMS_X * TERMS_X];
    memcpy(out, values, sizeof from);
    for (uint32_t axis = 0, stride = TERMS; axis < 3; axis++) {
        uint32_t n = all_terms[axis];
        stride /= n;
        oct_expansion_weights(weights, n);
        memcpy(from, out, sizeof from);
        for (uint32_t i = 0; i < TERMS; i++) {
            uint32_t k = i / stride % n;
            out[i] = 0;
            for (uint32_t j = 0; j < n; j++)
                out[i] += weights[k * n + j] * from[i + j * stride - k * stride];
        }
    }
}

static void expand_row(double *out, const oct_outer_sheet *self, uint32_t row, double offset)
{
    double values[TERMS];
    for (uint32_t i = 0; i < TERMS; i++) {
        const double *size = self->expansion.size;
        const double at[3] = {oct_expansion_point(i / TERMS_Z / TERMS_Y, TERMS_X) * size[0] / 2,
                              oct_expansion_point(i / TERMS_Z % TERMS_Y, TERMS_Y) * size[1] / 2,
                              oct_expansion_point(i % TERMS_Z, TERMS_Z) * size[2] / 2};
        values[i] = missing_row(self, at, row, offset) / self->size[0];
    }
    transform(out, values);
}

/* A row and its opposite one, which is its mirror image through the origin: terms that are odd in
 * x and y together cancel. */
static void expand_moving(oct_outer_sheet *self)
{
    double weights[OFFSETS * OFFSETS], one[TERMS];
    oct_expansion_weights(weights, OFFSETS);
    for (uint32_t row = 1; row <= self->rings[0]; row++)
        for (uint32_t p = 0; p < OFFSETS; p++) {
            expand_row(one, self, row, oct_expansion_point(p, OFFSETS) * self->size[1] / 2);
            for (uint32_t q = 0; q < OFFSETS; q++) {
                double *to = self->moving + ((row - 1) * OFFSETS + q) * TERMS;
                for (uint32_t i = 0; i < TERMS; i++) {
                    bool odd = (i / TERMS_Z / TERMS_Y + i / TERMS_Z % TERMS_Y) % 2;
                    to[i] += odd ? 0 : 2 * weights[q * OFFSETS + p] * one[i];
                }
            }
        }
}

void oct_outer_sheet_memory(oct_needs *needs)
{
    oct_expansion_memory(needs, all_terms, true);
    oct_needs_add(needs, sizeof(double), 1);
}

oct_status oct_outer_sheet_start(oct_outer_sheet *self, oct_domain *domain, oct_program *program,
                                 const double size[3], const uint32_t rings[3])
{
    /* Bodies farther from the sheet than half a side feel what they would feel there. */
    const double extent[3] = {size[0], size[1], fmin(size[2], fmin(size[0], size[1]))};
    memcpy(self->size, size, sizeof self->size);
    memcpy(self->rings, rings, sizeof self->rings);
    self->known_mass = NAN;
    OCT_TRY(oct_expansion_start(&self->expansion, domain, program, all_terms, extent, true));
    OCT_TRY(oct_buffer_create(&self->mass, domain->device, "sheet.mass", sizeof(double), 1));
    OCT_TRY(oct_buffer_fill(self->mass, 0));
    OCT_TRY(oct_domain_add_state(domain, self->mass));
    OCT_TRY(oct_alloc(&self->fixed, TERMS, sizeof *self->fixed, "sheet"));
    OCT_TRY(oct_alloc(&self->now, TERMS, sizeof *self->now, "sheet"));
    OCT_TRY(oct_alloc(&self->moving, (size_t)rings[0] * OFFSETS * TERMS, sizeof *self->moving,
                      "sheet"));
    expand_row(self->fixed, self, 0, 0);
    expand_moving(self);
    return OCT_STATUS_OK;
}

void oct_outer_sheet_end(oct_outer_sheet *self)
{
    oct_expansion_end(&self->expansion);
    oct_buffer_free(self->mass);
    free(self->fixed);
    free(self->moving);
    free(self->now);
}

/* New bodies have a mass of their own; a state that goes on has that of its start. */
static oct_status find_mass(oct_outer_sheet *self, oct_domain *domain)
{
    if (!oct_edition_same(self->placed, domain->placed)) {
        OCT_TRY(oct_join_mass(&self->known_mass, domain));
        OCT_TRY(oct_buffer_write(self->mass, &self->known_mass, 0, 1));
    } else if (isnan(self->known_mass))
        OCT_TRY(oct_buffer_read(&self->known_mass, self->mass, 0, 1));
    self->placed = domain->placed;
    return OCT_STATUS_OK;
}

/* An infinite sheet has no zero of its potential; here it is the middle of the box. There T_k is 0
 * for odd k, and 1 and -1 in turn for even ones. */
static void set_zero(double *values)
{
    double middle = 0;
    for (uint32_t i = 0; i < TERMS; i++) {
        const uint32_t k[3] = {i / TERMS_Z / TERMS_Y, i / TERMS_Z % TERMS_Y, i % TERMS_Z};
        if (k[0] % 2 == 0 && k[1] % 2 == 0 && k[2] % 2 == 0)
            middle += (k[0] + k[1] + k[2]) / 2 % 2 ? -values[i] : values[i];
    }
    values[0] -= middle;
}

/* Coefficients as the expansion's precision has them, over those in double. */
static void narrow(double *values, size_t element)
{
    for (size_t i = 0; i < TERMS && element == sizeof(float); i++)
        ((float *)(void *)values)[i] = (float)values[i];
}

oct_status oct_outer_sheet_add(oct_outer_sheet *self, oct_domain *domain, double offset)
{
    oct_buffer *coefficients = self->expansion.coefficients;
    OCT_TRY(find_mass(self, domain));
    memcpy(self->now, self->fixed, TERMS * sizeof *self->now);
    for (uint32_t row = 1; row <= self->rings[0]; row++) {
        double x = 2 * remainder(row * offset, self->size[1]) / self->size[1];
        double angle = acos(fmax(-1, fmin(1, x)));
        for (uint32_t q = 0; q < OFFSETS; q++) {
            const double *from = self->moving + ((row - 1) * OFFSETS + q) * TERMS;
            double value = cos(q * angle);
            for (uint32_t i = 0; i < TERMS; i++)
                self->now[i] += value * from[i];
        }
    }
    set_zero(self->now);
    narrow(self->now, coefficients->element);
    OCT_TRY(oct_buffer_post(coefficients, self->now, 0, TERMS));
    return oct_expansion_add(&self->expansion, domain,
                             domain->setup->units.G * self->known_mass / self->size[1]);
}
