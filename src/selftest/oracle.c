/* Sums over all pairs and images, and the steps of the plain integrators. */
#include "selftest/oracle.h"

#include <math.h>
#include <string.h>

static void add_pair(double *a, double *phi, const double *d, double m, double softening)
{
    double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening * softening;
    if (r2 == 0)
        return;
    double r = sqrt(r2), s = m / (r2 * r);
    for (int k = 0; k < 3; k++)
        a[k] += s * d[k];
    *phi -= m / r;
}

double oct_oracle_softening(const oct_bodies *b, size_t i, size_t j, const oct_oracle_gravity *g)
{
    double one = b->softening[i] > 0 ? b->softening[i] : g->softening;
    double other = b->softening[j] > 0 ? b->softening[j] : g->softening;
    return one == other ? one : sqrt((one * one + other * other) / 2);
}

static void add_images(double *a, double *phi, const double *d, double m, bool self,
                       double softening, const oct_oracle_gravity *g)
{
    const int *rings = g->ghosts;
    for (int x = -rings[0]; x <= rings[0]; x++)
        for (int y = -rings[1]; y <= rings[1]; y++)
            for (int z = -rings[2]; z <= rings[2]; z++) {
                double behind = x * g->lag - rint(x * g->lag);
                double shifted[3] = {d[0] + x * g->size[0], d[1] + (y - behind) * g->size[1],
                                     d[2] + z * g->size[2]};
                if (!(self && x == 0 && y == 0 && z == 0))
                    add_pair(a, phi, shifted, m, softening);
            }
}

void oct_oracle_forces(oct_bodies *b, const oct_oracle_gravity *g)
{
    for (size_t i = 0; i < b->n; i++) {
        double a[3] = {0}, phi = 0;
        for (size_t j = 0; j < b->n; j++) {
            double d[3];
            for (size_t k = 0; k < 3; k++)
                d[k] = b->position[3 * j + k] - b->position[3 * i + k];
            add_images(a, &phi, d, b->mass[j], i == j, oct_oracle_softening(b, i, j, g), g);
        }
        for (size_t k = 0; k < 3; k++)
            b->acceleration[3 * i + k] = g->G * a[k];
        b->potential[i] = g->G * phi;
    }
}

static void kick(oct_bodies *b, double dt)
{
    for (size_t k = 0; k < 3 * b->n; k++)
        b->velocity[k] += b->acceleration[k] * dt;
}

static void drift(oct_bodies *b, double dt)
{
    for (size_t k = 0; k < 3 * b->n; k++)
        b->position[k] += b->velocity[k] * dt;
}

void oct_oracle_step(oct_bodies *b, const oct_oracle_gravity *g, const char *integrator, double dt)
{
    oct_oracle_forces(b, g);
    if (strcmp(integrator, "euler") == 0) {
        drift(b, dt);
        kick(b, dt);
    } else if (strcmp(integrator, "symplectic-euler") == 0) {
        kick(b, dt);
        drift(b, dt);
    } else {
        kick(b, dt / 2);
        drift(b, dt);
        oct_oracle_forces(b, g);
        kick(b, dt / 2);
    }
}

double oct_oracle_vector_error(const double *a, const double *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double difference = 0, length = 0;
        for (size_t k = 3 * i; k < 3 * i + 3; k++) {
            difference += (a[k] - b[k]) * (a[k] - b[k]);
            length += b[k] * b[k];
        }
        double error = sqrt(difference / (length > 0 ? length : 1));
        worst = oct_oracle_worse(worst, error);
    }
    return worst;
}

double oct_oracle_forces_error(const oct_bodies *got, const oct_bodies *expected)
{
    double worst = oct_oracle_vector_error(got->acceleration, expected->acceleration, got->n);
    double mean = 0;
    for (size_t i = 0; i < got->n; i++)
        mean += fabs(expected->potential[i]) / (double)got->n;
    for (size_t i = 0; i < got->n; i++) {
        double error = fabs(got->potential[i] - expected->potential[i]) /
                       fmax(fabs(expected->potential[i]), mean);
        worst = oct_oracle_worse(worst, error);
    }
    return worst;
}
