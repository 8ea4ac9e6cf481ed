/* Gravity in an infinite periodic universe by Ewald's sum over all pairs. With alpha = 4 / L the
 * next images are all that is felt in real space. */
#include <math.h>

#include "selftest/oracle.h"

static const double pi = 3.14159265358979323846;

static void add_near(double a[3], double *phi, const double d[3], double m, double alpha,
                     double softening)
{
    double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrt(r2);
    double soft2 = r2 + softening * softening, soft = sqrt(soft2);
    if (r == 0) {
        *phi += m * 2 * alpha / sqrt(pi);
        return;
    }
    double gauss = 2 * alpha / sqrt(pi) * exp(-alpha * alpha * r2);
    double pull = 1 / (soft2 * soft) - (erf(alpha * r) / r - gauss) / r2;
    for (int k = 0; k < 3; k++)
        a[k] += m * pull * d[k];
    *phi -= m * (1 / soft - erf(alpha * r) / r);
}

static void add_pairs(oct_bodies *b, size_t i, const oct_oracle_gravity *g, const double alpha)
{
    double *a = b->acceleration + 3 * i;
    for (size_t j = 0; j < b->n; j++)
        for (int image = 0; image < 27; image++) {
            const int cell[3] = {image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1};
            double d[3];
            for (int k = 0; k < 3; k++) {
                d[k] = b->position[3 * j + (size_t)k] - b->position[3 * i + (size_t)k];
                d[k] += g->size[k] * (cell[k] - rint(d[k] / g->size[k]));
            }
            add_near(a, &b->potential[i], d, b->mass[j], alpha, oct_oracle_softening(b, i, j, g));
        }
}

/* The waves, each with its opposite, through the density's amplitude sum m exp(ikx). */
static void add_wave(oct_bodies *b, const double k[3], double factor)
{
    double re = 0, im = 0;
    for (size_t i = 0; i < b->n; i++) {
        const double *x = b->position + 3 * i;
        double phase = k[0] * x[0] + k[1] * x[1] + k[2] * x[2];
        re += b->mass[i] * cos(phase);
        im += b->mass[i] * sin(phase);
    }
    for (size_t i = 0; i < b->n; i++) {
        const double *x = b->position + 3 * i;
        double phase = k[0] * x[0] + k[1] * x[1] + k[2] * x[2];
        double pull = factor * (im * cos(phase) - re * sin(phase));
        for (size_t n = 0; n < 3; n++)
            b->acceleration[3 * i + n] += pull * k[n];
        b->potential[i] -= factor * (re * cos(phase) + im * sin(phase));
    }
}

void oct_oracle_ewald(oct_bodies *b, const oct_oracle_gravity *g)
{
    double shortest = fmin(g->size[0], fmin(g->size[1], g->size[2])), alpha = 4 / shortest;
    double volume = g->size[0] * g->size[1] * g->size[2], mass = 0;
    int most[3];
    for (int k = 0; k < 3; k++)
        most[k] = (int)ceil(12 * alpha * g->size[k] / (2 * pi));
    for (size_t i = 0; i < b->n; i++) {
        b->potential[i] = 0;
        for (size_t k = 0; k < 3; k++)
            b->acceleration[3 * i + k] = 0;
        add_pairs(b, i, g, alpha);
        mass += b->mass[i];
    }
    for (int x = -most[0]; x <= most[0]; x++)
        for (int y = -most[1]; y <= most[1]; y++)
            for (int z = -most[2]; z <= most[2]; z++) {
                double k[3] = {2 * pi * x / g->size[0], 2 * pi * y / g->size[1],
                               2 * pi * z / g->size[2]};
                double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
                bool half = x > 0 || (x == 0 && (y > 0 || (y == 0 && z > 0)));
                if (half && k2 < 144 * alpha * alpha)
                    add_wave(b, k, 8 * pi / volume * exp(-k2 / (4 * alpha * alpha)) / k2);
            }
    for (size_t i = 0; i < b->n; i++) {
        b->potential[i] = g->G * (b->potential[i] + mass * pi / (alpha * alpha * volume));
        for (size_t k = 0; k < 3; k++)
            b->acceleration[3 * i + k] *= g->G;
    }
}
