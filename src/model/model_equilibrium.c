/* Tables of spheres: integrals over shells, Eddington's inversion, particles drawn from them. */
#include "model/model_equilibrium.h"

#include <math.h>
#include <stdlib.h>

enum { N = OCT_EQUILIBRIUM_NODES };

static const double pi = 3.14159265358979323846;

/* 4 pi r^3 rho between two radii over ln r, by Gauss's rule with three points. */
static double shell(double from, double to, oct_equilibrium_at density, const void *model)
{
    const double offset = sqrt(0.6) / 2, width = log(to / from);
    const double at[3] = {0.5 - offset, 0.5, 0.5 + offset};
    const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double r = from * exp(at[i] * width);
        sum += weight[i] * r * r * r * density(r, model);
    }
    return 4 * pi * width * sum;
}

/* The potential is the integral of the pull inward from infinity. Between nodes the pull is taken
 * as a cubic in ln r through four of them. */
static void integrate_potential(oct_equilibrium *p)
{
    double width = log(p->radius[N - 1] / p->radius[0]) / (N - 1);
    p->potential[N - 1] = p->pull[N - 1];
    for (int i = N - 2; i >= 0; i--) {
        double inner = p->pull[i > 0 ? i - 1 : 0], outer = p->pull[i < N - 2 ? i + 2 : N - 1];
        double sum = 13 * (p->pull[i] + p->pull[i + 1]) - inner - outer;
        p->potential[i] = p->potential[i + 1] + width * sum / 24;
    }
}

oct_equilibrium *oct_equilibrium_create(double inner, double outer, oct_equilibrium_at density,
                                        const void *model)
{
    const double step = 1e-4; /* the difference below is right to 1e-8 */
    oct_equilibrium *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    for (int i = 0; i < N; i++) {
        double r = p->radius[i] = inner * pow(outer / inner, i / (double)(N - 1));
        double rise = density(r * exp(step), model) - density(r * exp(-step), model);
        p->slope[i] = rise / (2 * step);
    }
    /* Inside the first node the density is a power of r, which its slope tells. */
    double first = density(inner, model), power = 3 + p->slope[0] / first;
    p->enclosed[0] = 4 * pi * inner * inner * inner * first / power;
    for (int i = 1; i < N; i++)
        p->enclosed[i] = p->enclosed[i - 1] + shell(p->radius[i - 1], p->radius[i], density, model);
    for (int i = 0; i < N; i++)
        p->pull[i] = p->enclosed[i] / p->radius[i];
    integrate_potential(p);
    return p;
}

void oct_equilibrium_free(oct_equilibrium *profile)
{
    free(profile);
}

void oct_equilibrium_add(oct_equilibrium *profile, oct_equilibrium_at enclosed, const void *model)
{
    for (int i = 0; i < N; i++)
        profile->pull[i] += enclosed(profile->radius[i], model) / profile->radius[i];
    integrate_potential(profile);
}

/* f(E) sqrt(8) pi^2 = integral from 0 to E of (d^2 rho / d psi^2) d psi / sqrt(E - psi), with
 * d rho / d psi taken as linear between nodes, and from the last node down to zero. */
static double invert(const oct_equilibrium *p, const double gradient[N], int at)
{
    double energy = p->potential[at], sum = 0, root = 0;
    for (int k = at; k < N; k++) {
        double next = k < N - 1 ? p->potential[k + 1] : 0;
        double change = gradient[k] - (k < N - 1 ? gradient[k + 1] : 0);
        double outer = sqrt(energy - next);
        sum += 2 * (outer - root) * change / (p->potential[k] - next);
        root = outer;
    }
    return sum / (sqrt(8) * pi * pi);
}

/* The largest of (1 - psi / psi_i) f(psi), by the upper ends of both in each interval. `most` has
 * the largest f of any energy up to a node's, so that the bound holds in all of a shell. */
static double bound_of(const oct_equilibrium *p, const double most[N], int at)
{
    double bound = 0;
    for (int k = at; k < N; k++) {
        double next = k < N - 1 ? p->potential[k + 1] : 0;
        bound = fmax(bound, (1 - next / p->potential[at]) * most[k]);
    }
    return bound;
}

oct_status oct_equilibrium_solve(oct_equilibrium *p, const char *name)
{
    double gradient[N], most[N];
    for (int i = 0; i < N; i++)
        gradient[i] = -p->slope[i] / p->pull[i];
    for (int i = 0; i < N; i++) {
        p->frequency[i] = invert(p, gradient, i);
        OCT_CHECK(p->frequency[i] >= 0, OCT_STATUS_INPUT,
                  "%s cannot be in equilibrium with equal random speeds in all directions: at "
                  "%.3g of its outermost radius fewer than no particles would be needed; expected "
                  "a steeper density, or less mass of others there",
                  name, p->radius[i] / p->radius[N - 1]);
    }
    for (int i = N - 1; i >= 0; i--)
        most[i] = fmax(p->frequency[i], i < N - 1 ? most[i + 1] : 0);
    for (int i = 0; i < N; i++)
        p->bound[i] = bound_of(p, most, i);
    return OCT_STATUS_OK;
}

/* The last node i < N - 1 with values[i] <= value, values rising; 0 where there is none. */
static int find_rising(const double values[N], double value)
{
    int low = 0, high = N - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (values[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The same for values that fall. */
static int find_falling(const double values[N], double value)
{
    int low = 0, high = N - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (values[middle] >= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double oct_equilibrium_mass(const oct_equilibrium *p, double radius)
{
    if (radius >= p->radius[N - 1])
        return p->enclosed[N - 1];
    int i = find_rising(p->radius, radius);
    double power = log(p->enclosed[i + 1] / p->enclosed[i]) / log(p->radius[1] / p->radius[0]);
    return p->enclosed[i] * pow(radius / p->radius[i], power);
}

/* The mass is a power of r between nodes, and inside the first one. */
static double radius_of(const oct_equilibrium *p, double mass)
{
    int i = find_rising(p->enclosed, mass);
    double power = log(p->radius[1] / p->radius[0]) / log(p->enclosed[i + 1] / p->enclosed[i]);
    return p->radius[i] * pow(mass / p->enclosed[i], power);
}

/* The logarithm of f is linear in the energy between nodes; nobody is bound less than the last. */
static double frequency_of(const oct_equilibrium *p, double energy)
{
    if (energy <= p->potential[N - 1])
        return 0;
    int i = find_falling(p->potential, energy);
    double part = (p->potential[i] - energy) / (p->potential[i] - p->potential[i + 1]);
    double ratio = p->frequency[i + 1] / p->frequency[i];
    return ratio > 0 ? p->frequency[i] * pow(ratio, part) : 0;
}

void oct_equilibrium_draw(double *radius, double *speed, oct_random *random, const void *model)
{
    const oct_equilibrium *p = model;
    double r = radius_of(p, p->enclosed[N - 1] * oct_random_uniform(random));
    int i = find_rising(p->radius, r);
    double part = log(r / p->radius[i]) / log(p->radius[1] / p->radius[0]);
    double depth = p->potential[i] + fmax(part, 0) * (p->potential[i + 1] - p->potential[i]);
    double x;
    do
        x = oct_random_uniform(random);
    while (p->bound[i] * oct_random_uniform(random) >=
           x * x * frequency_of(p, depth * (1 - x * x)));
    *radius = r;
    *speed = x * sqrt(2 * depth);
}
