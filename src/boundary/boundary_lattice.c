/* Chooses rings and terms for the shape of the box, and takes moments to coefficients. */
#include "boundary/boundary_lattice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/join.h"

enum { CHUNK = 1024, MOST_CHUNKS = 1024, GPU_WORKERS = 64 };

void oct_lattice_rings(uint32_t rings[3], const double size[3])
{
    double longest = fmax(size[0], fmax(size[1], size[2]));
    /* What is left then begins half the longest side away at least, in every direction. */
    for (int k = 0; k < 3; k++)
        rings[k] = (uint32_t)fmax(1, ceil(longest / (2 * size[k]) * (1 - 1e-12)));
}

/* Where a series on [-1, 1] converges like rho^-k when its function is singular at i y. */
static double rho_beside(double y)
{
    return y + sqrt(y * y + 1);
}

static double rho_ahead(double x)
{
    return x + sqrt(x * x - 1);
}

/* As many terms in each direction as give the accuracy that `least` give in a cube without margin,
 * where what is left begins two halves of a side away. Half of the margin counts: errors are
 * largest between its ends, where few bodies are. */
static void choose_terms(uint32_t terms[3], const double size[3], double margin,
                         const uint32_t rings[3], uint32_t least)
{
    for (int k = 0; k < 3; k++) {
        double gap = INFINITY, half = (size[k] + margin) / 2;
        for (int j = 0; j < 3; j++)
            gap = j == k ? gap : fmin(gap, rings[j] * size[j] - margin);
        double rho = fmin(rho_beside(gap / half), rho_ahead((rings[k] + 1) * size[k] / half - 1));
        terms[k] = (uint32_t)fmax(least, ceil(least * log(rho_beside(2)) / log(rho) - 1e-9));
    }
}

static double sides_of(double sides[3], const double size[3])
{
    double unit = cbrt(size[0]) * cbrt(size[1]) * cbrt(size[2]);
    for (int k = 0; k < 3; k++)
        sides[k] = size[k] / unit;
    return unit;
}

/* Errors of forces in a cube: 1e-6 in the median and 2e-5 at most, or 3e-8 and 1e-6. */
static uint32_t least_terms(oct_precision precision)
{
    return precision == OCT_PRECISION_DOUBLE ? 10 : 8;
}

static uint32_t chunk_of(uint64_t n)
{
    uint64_t chunk = (n + MOST_CHUNKS - 1) / MOST_CHUNKS;
    return (uint32_t)(chunk > CHUNK ? chunk : CHUNK);
}

void oct_lattice_memory(oct_needs *needs, const double size[3], double margin)
{
    uint32_t rings[3], terms[3], chunk = chunk_of(needs->n);
    oct_lattice_rings(rings, size);
    choose_terms(terms, size, margin, rings, least_terms(needs->precision));
    uint64_t n = (uint64_t)terms[0] * terms[1] * terms[2];
    oct_expansion_memory(needs, terms, false);
    oct_needs_add(needs, oct_real_size(needs->precision), n * n);
    oct_needs_add(needs, 8, n * ((needs->n + chunk - 1) / chunk));
    oct_needs_add(needs, 8, n);
}

static oct_status write_matrix(oct_lattice *self, oct_domain *domain, const double sides[3],
                               double margin, const uint32_t rings[3])
{
    size_t n = (size_t)self->terms * self->terms;
    double *matrix;
    OCT_TRY(oct_alloc(&matrix, n, sizeof *matrix, "lattice"));
    oct_status status = oct_lattice_matrix(matrix, sides, margin, rings, self->expansion.terms);
    /* Floats are written over the doubles they come from. */
    if (domain->precision == OCT_PRECISION_SINGLE)
        for (size_t i = 0; i < n; i++)
            ((float *)(void *)matrix)[i] = (float)matrix[i];
    if (status == OCT_STATUS_OK)
        status = oct_buffer_write(self->matrix, matrix, 0, n);
    free(matrix);
    return status;
}

static oct_status make_kernels(oct_lattice *self, oct_domain *domain, const uint32_t terms[3])
{
    char options[160];
    uint32_t rows = terms[0] * terms[1];
    bool cpu = oct_device_is_cpu(oct_device_describe(domain->device));
    self->workers = cpu ? 1 : GPU_WORKERS;
    self->blocks = cpu ? 1 : (rows + GPU_WORKERS - 1) / GPU_WORKERS;
    snprintf(options, sizeof options,
             "-D TERMS_X=%u -D TERMS_Y=%u -D TERMS_Z=%u -D WORKERS=%u -D ROWS=%u", terms[0],
             terms[1], terms[2], self->workers, cpu ? rows : 1);
    OCT_TRY(oct_domain_build(&self->program, domain, "boundary_lattice.cl", options));
    OCT_TRY(
        OCT_KERNEL(&self->find_moments, self->program, "boundary_lattice_moments",
                   OCT_BIND_DOMAIN(domain), OCT_BIND_OFFERS(oct_expansion_offers, &self->expansion),
                   OCT_BIND_OUT("partials", &self->partials), OCT_BIND_UINT("chunk", &self->chunk),
                   OCT_BIND_UINT("blocks", &self->blocks)));
    OCT_TRY(OCT_KERNEL(&self->fold, self->program, "boundary_lattice_fold",
                       OCT_BIND_OUT("moments", &self->moments),
                       OCT_BIND_IN("partials", &self->partials),
                       OCT_BIND_UINT("chunks", &self->chunks)));
    return OCT_KERNEL(&self->apply, self->program, "boundary_lattice_apply",
                      OCT_BIND_OUT("coefficients", &self->expansion.coefficients),
                      OCT_BIND_IN("matrix", &self->matrix), OCT_BIND_IN("moments", &self->moments));
}

oct_status oct_lattice_start(oct_lattice *self, oct_domain *domain, const double size[3],
                             double margin)
{
    double sides[3], width[3];
    uint32_t rings[3], terms[3], n = domain->n;
    size_t real = oct_real_size(domain->precision), sum = 8;
    oct_lattice_rings(rings, size);
    self->unit = sides_of(sides, size);
    choose_terms(terms, size, margin, rings, least_terms(domain->precision));
    for (int k = 0; k < 3; k++)
        width[k] = size[k] + 2 * margin;
    self->terms = terms[0] * terms[1] * terms[2];
    self->chunk = chunk_of(n);
    self->chunks = (n + self->chunk - 1) / self->chunk;
    OCT_TRY(make_kernels(self, domain, terms));
    OCT_TRY(oct_expansion_start(&self->expansion, domain, self->program, terms, width, false));
    OCT_TRY(oct_buffer_create(&self->matrix, domain->device, "lattice", real,
                              (size_t)self->terms * self->terms));
    OCT_TRY(oct_buffer_create(&self->partials, domain->device, "lattice.partials", sum,
                              (size_t)self->chunks * self->terms));
    OCT_TRY(oct_buffer_create(&self->moments, domain->device, "lattice.moments", sum, self->terms));
    return write_matrix(self, domain, sides, margin / self->unit, rings);
}

oct_status oct_lattice_add(oct_lattice *self, oct_domain *domain)
{
    OCT_TRY(oct_kernel_launch(self->find_moments,
                              (size_t)self->chunks * self->blocks * self->workers, self->workers));
    OCT_TRY(oct_kernel_launch(self->fold, self->terms, 0));
    OCT_TRY(oct_join_sums(self->moments, domain));
    OCT_TRY(oct_kernel_launch(self->apply, self->terms, 0));
    return oct_expansion_add(&self->expansion, domain,
                             domain->setup->units.G * domain->sim->mass_scale / self->unit);
}

void oct_lattice_end(oct_lattice *self)
{
    oct_kernel_free(self->find_moments);
    oct_kernel_free(self->fold);
    oct_kernel_free(self->apply);
    oct_program_free(self->program);
    oct_buffer_free(self->matrix);
    oct_buffer_free(self->partials);
    oct_buffer_free(self->moments);
    oct_expansion_end(&self->expansion);
}
