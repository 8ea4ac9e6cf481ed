/* The pull of a uniform sheet outside of the images of a sheared box, by rays in all directions. On
 * the way from r1 to r2 in the plane, seen from a height z, the sheet in an angle dphi pulls by
 *   G sigma dphi [asinh(r / |z|) - r / sqrt(r^2 + z^2)]  along the ray,
 *   G sigma dphi [z / sqrt(r^2 + z^2)]                    up,
 * and an infinite one by -2 pi G sigma z / |z| in all. */
#include <math.h>

#include "selftest/oracle_sheet.h"

enum { RAYS = 500 };

static const double pi = 3.14159265358979323846;

/* The part of a ray that is between two lines. */
static void clip(double part[2], double from, double along, double low, double high)
{
    double a = (low - from) / along, b = (high - from) / along;
    part[0] = fmax(part[0], fmin(a, b));
    part[1] = fmin(part[1], fmax(a, b));
}

static double along_ray(double r, double z)
{
    return asinh(r / fabs(z)) - r / hypot(r, z);
}

void oct_oracle_beyond(oct_bodies *b, const oct_oracle_gravity *g)
{
    double sigma = 0, end = (g->ghosts[1] + 0.5) * g->size[1];
    for (size_t i = 0; i < b->n; i++)
        sigma += b->mass[i] / (g->size[0] * g->size[1]);
    for (size_t i = 0; i < b->n; i++) {
        const double *x = b->position + 3 * i;
        double *a = b->acceleration + 3 * i, step = 2 * pi / RAYS;
        a[2] -= copysign(2 * pi * g->G * sigma, x[2]);
        for (int ray = 0; ray < RAYS; ray++)
            for (int row = -g->ghosts[0]; row <= g->ghosts[0]; row++) {
                double angle = (ray + 0.37) * step, way[2] = {cos(angle), sin(angle)};
                double slid = (row * g->lag - rint(row * g->lag)) * g->size[1];
                double part[2] = {0, INFINITY};
                clip(part, x[0], way[0], (row - 0.5) * g->size[0], (row + 0.5) * g->size[0]);
                clip(part, x[1], way[1], -end - slid, end - slid);
                if (part[1] <= part[0])
                    continue;
                double pull = along_ray(part[1], x[2]) - along_ray(part[0], x[2]);
                double lift = x[2] / hypot(part[1], x[2]) - x[2] / hypot(part[0], x[2]);
                for (int k = 0; k < 2; k++)
                    a[k] -= g->G * sigma * step * pull * way[k];
                a[2] -= g->G * sigma * step * lift;
            }
    }
}
