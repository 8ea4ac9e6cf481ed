/* The matrix of a lattice, by Ewald's sum: the potential of a unit mass and its background is
 *   -sum_n erfc(alpha r_n) / r_n - sum_k c_k cos kd + pi / (alpha^2 V),  r_n = |d + nL|,
 *   c_k = (4 pi / V k^2) exp(-k^2 / 4 alpha^2).
 * Of the acting images, whose -1 / r_n are taken off, erf is left, and alpha can be so large that
 * nothing is left of the others in real space. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/boundary_lattice.h"

/* exp(-36) and erfc(6) are below the last digit of a double. */
#define NOTHING 6.0

/* One direction. Two points of the series are as far apart as two mirrored ones, so that few
 * distances differ. */
typedef struct axis {
    double side, width; /* of the box, and of where bodies are */
    uint32_t rings, terms, distances, waves;
    double *distance;
    double *weights; /* of each distance, for each product of two polynomials */
    double *cosines; /* of each wave, at each distance */
} axis;

typedef struct lattice {
    axis axes[3];
    double alpha, volume;
    double *field; /* at all combinations of distances */
    double *out;
} lattice;

static double wave_number(const axis *a, uint32_t wave)
{
    return 2 * acos(-1) * wave / a->side;
}

static oct_status axis_make(axis *a, double alpha)
{
    uint32_t n = a->terms, d = 0;
    double *transform;
    a->waves = (uint32_t)ceil(2 * NOTHING * alpha * a->side / (2 * acos(-1))) + 1;
    OCT_TRY(oct_alloc(&a->distance, n * n, sizeof(double), "lattice"));
    OCT_TRY(oct_alloc(&a->weights, (size_t)n * n * n * n, sizeof(double), "lattice"));
    OCT_TRY(oct_alloc(&a->cosines, (size_t)n * n * a->waves, sizeof(double), "lattice"));
    OCT_TRY(oct_alloc(&transform, n * n, sizeof *transform, "lattice"));
    oct_expansion_weights(transform, n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i; i + j < n; j++, d++) {
            uint32_t mirror_i = n - 1 - i, mirror_j = n - 1 - j;
            const uint32_t pairs[4][2] = {
                {i, j}, {j, i}, {mirror_i, mirror_j}, {mirror_j, mirror_i}};
            a->distance[d] = (oct_expansion_point(i, n) - oct_expansion_point(j, n)) * a->width / 2;
            for (uint32_t w = 0; w < a->waves; w++)
                a->cosines[d * a->waves + w] = cos(wave_number(a, w) * a->distance[d]);
            for (uint32_t p = 0; p < 4; p++) {
                bool again = false;
                for (uint32_t q = 0; q < p; q++)
                    again = again || memcmp(pairs[p], pairs[q], sizeof pairs[p]) == 0;
                for (uint32_t k = 0; k < n * n && !again; k++)
                    a->weights[(size_t)d * n * n + k] +=
                        transform[k / n * n + pairs[p][0]] * transform[k % n * n + pairs[p][1]];
            }
        }
    a->distances = d;
    free(transform);
    return OCT_STATUS_OK;
}

static double acting(const lattice *l, const double d[3])
{
    const axis *x = &l->axes[0], *y = &l->axes[1], *z = &l->axes[2];
    double total = 0;
    for (uint32_t i = 0; i <= 2 * x->rings; i++)
        for (uint32_t j = 0; j <= 2 * y->rings; j++)
            for (uint32_t k = 0; k <= 2 * z->rings; k++) {
                double a = d[0] + ((double)i - x->rings) * x->side;
                double b = d[1] + ((double)j - y->rings) * y->side;
                double c = d[2] + ((double)k - z->rings) * z->side;
                double r = sqrt(a * a + b * b + c * c);
                total += r > 0 ? erf(l->alpha * r) / r : 2 * l->alpha / sqrt(acos(-1));
            }
    return total;
}

/* Each wave stands for its mirror images too. */
static double wave_term(const lattice *l, const uint32_t w[3])
{
    double k2 = 0, term = 4 * acos(-1) / l->volume;
    for (int k = 0; k < 3; k++) {
        double number = wave_number(&l->axes[k], w[k]);
        k2 += number * number;
        term *= w[k] ? 2 : 1;
    }
    return k2 > 0 ? term * exp(-k2 / (4 * l->alpha * l->alpha)) / k2 : 0;
}

static oct_status find_field(const lattice *l)
{
    const axis *x = &l->axes[0], *y = &l->axes[1], *z = &l->axes[2];
    double *planes, *rows;
    OCT_TRY(oct_alloc(&planes, (size_t)(y->waves + 1) * z->waves, sizeof *planes, "lattice"));
    rows = planes + (size_t)y->waves * z->waves;
    for (uint32_t i = 0; i < x->distances; i++) {
        for (uint32_t v = 0; v < y->waves; v++)
            for (uint32_t w = 0; w < z->waves; w++) {
                double sum = 0;
                for (uint32_t u = 0; u < x->waves; u++)
                    sum += wave_term(l, (uint32_t[]){u, v, w}) * x->cosines[i * x->waves + u];
                planes[v * z->waves + w] = sum;
            }
        for (uint32_t j = 0; j < y->distances; j++) {
            for (uint32_t w = 0; w < z->waves; w++) {
                rows[w] = 0;
                for (uint32_t v = 0; v < y->waves; v++)
                    rows[w] += planes[v * z->waves + w] * y->cosines[j * y->waves + v];
            }
            for (uint32_t k = 0; k < z->distances; k++) {
                double sum = -acos(-1) / (l->alpha * l->alpha * l->volume);
                for (uint32_t w = 0; w < z->waves; w++)
                    sum += rows[w] * z->cosines[k * z->waves + w];
                sum -= acting(l, (double[]){x->distance[i], y->distance[j], z->distance[k]});
                l->field[(i * y->distances + j) * z->distances + k] = -sum;
            }
        }
    }
    free(planes);
    return OCT_STATUS_OK;
}

/* From values at distances to coefficients of products of two polynomials, along x, y and z. */
static oct_status find_products(const lattice *l)
{
    const axis *x = &l->axes[0], *y = &l->axes[1], *z = &l->axes[2];
    size_t plane = (size_t)y->distances * z->distances, terms = x->terms * y->terms * z->terms;
    double *sheet, *row;
    OCT_TRY(oct_alloc(&sheet, plane + z->distances, sizeof *sheet, "lattice"));
    row = sheet + plane;
    for (uint32_t p = 0; p < x->terms * x->terms; p++) {
        memset(sheet, 0, plane * sizeof *sheet);
        for (uint32_t i = 0; i < x->distances; i++)
            for (size_t k = 0; k < plane; k++)
                sheet[k] +=
                    x->weights[(size_t)i * x->terms * x->terms + p] * l->field[i * plane + k];
        for (uint32_t q = 0; q < y->terms * y->terms; q++) {
            memset(row, 0, z->distances * sizeof *row);
            for (uint32_t j = 0; j < y->distances; j++)
                for (uint32_t k = 0; k < z->distances; k++)
                    row[k] += y->weights[(size_t)j * y->terms * y->terms + q] *
                              sheet[j * z->distances + k];
            for (uint32_t r = 0; r < z->terms * z->terms; r++) {
                double sum = 0;
                for (uint32_t k = 0; k < z->distances; k++)
                    sum += z->weights[(size_t)k * z->terms * z->terms + r] * row[k];
                size_t to = (p / x->terms * y->terms + q / y->terms) * z->terms + r / z->terms;
                size_t from = (p % x->terms * y->terms + q % y->terms) * z->terms + r % z->terms;
                l->out[to * terms + from] = sum;
            }
        }
    }
    free(sheet);
    return OCT_STATUS_OK;
}

static oct_status find_matrix(lattice *l)
{
    const axis *a = l->axes;
    for (int k = 0; k < 3; k++)
        OCT_TRY(axis_make(&l->axes[k], l->alpha));
    OCT_TRY(oct_alloc(&l->field, (size_t)a[0].distances * a[1].distances * a[2].distances,
                      sizeof(double), "lattice"));
    OCT_TRY(find_field(l));
    return find_products(l);
}

oct_status oct_lattice_matrix(double *out, const double size[3], double margin,
                              const uint32_t rings[3], const uint32_t terms[3])
{
    lattice l = {.volume = size[0] * size[1] * size[2], .out = out};
    double gap = INFINITY;
    for (int k = 0; k < 3; k++) {
        l.axes[k] = (axis){
            .side = size[k], .width = size[k] + 2 * margin, .rings = rings[k], .terms = terms[k]};
        gap = fmin(gap, rings[k] * size[k] - 2 * margin);
    }
    l.alpha = NOTHING / gap;
    oct_status status = find_matrix(&l);
    for (int k = 0; k < 3; k++) {
        free(l.axes[k].distance);
        free(l.axes[k].weights);
        free(l.axes[k].cosines);
    }
    free(l.field);
    return status;
}
