/* Every measurement of a patch as a plain loop. */
#include "selftest/oracle_diag.h"

#include <math.h>

void oct_oracle_delta(double out[3], const oct_bodies *bodies, const oct_oracle_patch *patch,
                      size_t i, size_t j, int ix, int iy)
{
    const double *a = bodies->position + 3 * i, *b = bodies->position + 3 * j, *size = patch->size;
    out[0] = b[0] + ix * size[0] - a[0];
    out[1] = remainder(b[1] + ix * patch->offset - a[1], size[1]) + iy * size[1];
    out[2] = b[2] - a[2];
}

static double length(const double d[3])
{
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

enum { HEIGHT = 3 };

/* A component of the velocity without the shear, or the height. */
static double motion(const oct_bodies *b, const oct_oracle_patch *patch, size_t i, size_t k)
{
    const double *x = b->position + 3 * i, *v = b->velocity + 3 * i;
    return k == HEIGHT ? x[2] : v[k] + (k == 1 ? 1.5 * patch->omega * x[0] : 0);
}

/* Standard deviation; weight NULL: all count the same. */
static double deviation(const oct_bodies *b, const oct_oracle_patch *patch, const double *weight,
                        size_t k)
{
    double total = 0, mean = 0, squares = 0;
    for (size_t i = 0; i < b->n; i++) {
        total += weight ? weight[i] : 1;
        mean += (weight ? weight[i] : 1) * motion(b, patch, i, k);
    }
    mean /= total;
    for (size_t i = 0; i < b->n; i++)
        squares += (weight ? weight[i] : 1) * pow(motion(b, patch, i, k) - mean, 2);
    return sqrt(squares / total);
}

void oct_oracle_sheet_columns(double out[OCT_ORACLE_SHEET_COLUMNS], const oct_bodies *b,
                              const oct_oracle_patch *patch, double G)
{
    double pi = acos(-1.0), area = patch->size[0] * patch->size[1], omega = patch->omega;
    double mass = 0, disc = 0, cut = 0, product = 0, radius = 0;
    for (size_t i = 0; i < b->n; i++) {
        double z = b->position[3 * i + 2], r2 = pow(b->radius[i], 2);
        radius += b->radius[i] / (double)b->n;
        mass += b->mass[i];
        disc += pi * r2;
        cut += pi * fmax(r2 - z * z, 0);
        product += b->mass[i] * motion(b, patch, i, 0) * motion(b, patch, i, 1);
    }
    for (size_t k = 0; k < 3; k++) {
        out[k] = deviation(b, patch, NULL, k);
        out[3 + k] = deviation(b, patch, b->mass, k);
    }
    out[6] = deviation(b, patch, NULL, HEIGHT);
    out[7] = cut / area;
    out[8] = disc / area;
    out[9] = mass / area;
    out[10] = out[3] * omega / (3.36 * G * out[9]);
    out[11] = 4 * pi * pi * G * out[9] / (omega * omega);
    out[12] = 2 / (3 * omega) * product / mass;
    out[13] = radius;
    for (size_t k = 0; k < 3; k++)
        out[14 + k] = out[k] / (radius * omega);
}

oct_oracle_overlaps oct_oracle_overlap(const oct_bodies *b, const oct_oracle_patch *patch)
{
    oct_oracle_overlaps found = {0};
    for (size_t i = 0; i < b->n; i++)
        for (size_t j = i + 1; j < b->n; j++)
            for (int image = 0; image < 9; image++) {
                double d[3];
                oct_oracle_delta(d, b, patch, i, j, image % 3 - 1, image / 3 - 1);
                double overlap = 1 - length(d) / (b->radius[i] + b->radius[j]);
                if (overlap <= 0)
                    continue;
                found.pairs++;
                found.across += image != 4;
                found.mean += overlap;
                found.largest = fmax(found.largest, overlap);
            }
    found.mean /= found.pairs > 0 ? (double)found.pairs : 1;
    return found;
}

/* No two images of a body are within half of the shorter side. */
double oct_oracle_stress(double *total, const oct_bodies *b, const oct_oracle_patch *patch,
                         double softening)
{
    double sum = 0, sizes = 0, mass = 0, within = fmin(patch->size[0], patch->size[1]) / 2;
    for (size_t i = 0; i < b->n; i++) {
        mass += b->mass[i];
        for (size_t j = i + 1; j < b->n; j++)
            for (int ix = -1; ix <= 1; ix++) {
                double d[3];
                oct_oracle_delta(d, b, patch, i, j, ix, 0);
                if (length(d) >= within)
                    continue;
                double r = hypot(length(d), softening);
                double part = b->mass[i] * b->mass[j] * d[0] * d[1] / pow(r, 3);
                sum += part;
                sizes += fabs(part);
            }
    }
    double unit = 2 / (3 * patch->omega) / mass;
    *total = unit * sizes;
    return -unit * sum;
}

/* Whether a ray through this point of the midplane passes all spheres. */
static bool passes(const oct_bodies *b, const oct_oracle_patch *patch, int images, double x,
                   double y, const double e[3])
{
    const double *size = patch->size;
    for (int ix = -images; ix <= images; ix++) {
        double lag = remainder(ix * patch->offset, size[1]);
        for (int iy = -images; iy <= images; iy++)
            for (size_t i = 0; i < b->n; i++) {
                const double *p = b->position + 3 * i;
                double d[3] = {p[0] + ix * size[0] - x, p[1] + lag + iy * size[1] - y, p[2]};
                double along = d[0] * e[0] + d[1] * e[1] + d[2] * e[2];
                for (int k = 0; k < 3; k++)
                    d[k] -= along * e[k];
                if (length(d) < b->radius[i])
                    return false;
            }
    }
    return true;
}

size_t oct_oracle_passing(const oct_bodies *b, const oct_oracle_patch *patch, int images,
                          double elevation, double azimuth, size_t rays)
{
    size_t passed = 0;
    double degree = acos(-1.0) / 180, B = elevation * degree, A = azimuth * degree;
    const double direction[3] = {cos(B) * cos(A), cos(B) * sin(A), sin(B)};
    for (size_t i = 0; i < rays * rays; i++) {
        double x = (((double)(i / rays) + 0.5) / (double)rays - 0.5) * patch->size[0];
        double y = (((double)(i % rays) + 0.5) / (double)rays - 0.5) * patch->size[1];
        passed += passes(b, patch, images, x, y, direction);
    }
    return passed;
}

/* The mean over the patch of the product of two spots of unit mass, Gaussians of this variance
 * whose centres are d apart, times its area; all images of one of them are counted. */
static double overlap_of_spots(const oct_oracle_patch *patch, const double d[2], double variance)
{
    const double *size = patch->size, pi = acos(-1.0), reach = 9 * sqrt(variance);
    int rings_x = (int)ceil(reach / size[0]) + 1, rings_y = (int)ceil(reach / size[1]) + 1;
    double sum = 0;
    for (int ix = -rings_x; ix <= rings_x; ix++)
        for (int iy = -rings_y; iy <= rings_y; iy++) {
            double x = d[0] + ix * size[0];
            double y = remainder(d[1] + ix * patch->offset, size[1]) + iy * size[1];
            sum += exp(-(x * x + y * y) / (4 * variance));
        }
    return sum * size[0] * size[1] / (4 * pi * variance);
}

void oct_oracle_wakes(double out[2], const oct_bodies *b, const oct_oracle_patch *patch,
                      double width)
{
    double mass = 0, squares = 0, pairs = 0, variance = width * width / (8 * log(2));
    for (size_t i = 0; i < b->n; i++) {
        mass += b->mass[i];
        squares += pow(b->mass[i], 2);
        for (size_t j = i + 1; j < b->n; j++) {
            double d[3];
            oct_oracle_delta(d, b, patch, i, j, 0, 0);
            pairs += 2 * b->mass[i] * b->mass[j] * overlap_of_spots(patch, d, variance);
        }
    }
    /* Spread evenly, each product would be 1. */
    double shot = squares / (mass * mass), even = 1 - shot;
    out[0] = sqrt(fmax(pairs / (mass * mass) - even, 0));
    out[1] = sqrt(shot * (overlap_of_spots(patch, (double[2]){0}, variance) - 1));
}
