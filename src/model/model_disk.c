/* The disk's pull by Bessel functions, its dispersions by Jeans's equations, particles by both. */
#include "model/model_disk.h"

#include <math.h>

enum { N = OCT_DISK_NODES };

static const double pi = 3.14159265358979323846;
static const double outermost = 20; /* scale lengths; beyond is 4e-8 of the mass */

/* Bessel's J_1, to 1e-7: Abramowitz & Stegun 9.4.4 and 9.4.6. */
static double bessel1(double x)
{
    if (x < 3) {
        double y = x * x / 9;
        return x * (0.5 + y * (-0.56249985 +
                               y * (0.21093573 +
                                    y * (-0.03954289 +
                                         y * (0.00443319 + y * (-0.00031761 + y * 0.00001109))))));
    }
    double y = 3 / x;
    double f = 0.79788456 +
               y * (0.00000156 +
                    y * (0.01659667 +
                         y * (0.00017105 + y * (-0.00249511 + y * (0.00113653 - y * 0.00020033)))));
    double phase =
        x - 2.35619449 +
        y * (0.12499612 +
             y * (0.00005650 +
                  y * (-0.00637879 + y * (0.00074348 + y * (0.00079824 - y * 0.00029166)))));
    return f * cos(phase) / sqrt(x);
}

/* What thickness leaves of a wave k in the plane: the mean of exp(-k |z|). */
static double thickness(double kh)
{
    enum { POINTS = 64 };
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        double t = (i + 0.5) / POINTS; /* tanh(z/h), evenly spread over the particles */
        sum += pow((1 - t) / (1 + t), kh / 2);
    }
    return sum / POINTS;
}

/* v^2 = 2 pi G R times the integral of k J_1(kR) S(k) T(k), with the transforms of the exponential,
 * S = (M / 2 pi) / (1 + k^2 a^2)^(3/2), and of the height, T. */
static void tabulate_rotation(oct_disk *disk)
{
    const double step = 0.02, last = 120; /* in 1/a: rounds of J_1 at the outermost radius, decay */
    double h = disk->height / disk->scale;
    for (int i = 0; i < N; i++)
        disk->rotation[i] = 0;
    for (double k = step / 2; k < last; k += step) {
        double weight = step * k * thickness(k * h) / pow(1 + k * k, 1.5);
        for (int i = 1; i < N; i++) {
            double x = outermost * i / (N - 1);
            disk->rotation[i] += weight * x * bessel1(k * x);
        }
    }
    for (int i = 0; i < N; i++)
        disk->rotation[i] *= disk->mass / disk->scale;
}

static double own_rotation(const oct_disk *disk, double radius)
{
    double at = radius / disk->scale / outermost * (N - 1);
    if (at >= N - 1)
        return disk->mass / radius;
    int i = (int)at;
    return disk->rotation[i] + (at - i) * (disk->rotation[i + 1] - disk->rotation[i]);
}

/* Square of the circular speed at a height, where the spheres pull less along the plane. */
static double rotation(const oct_disk *disk, double radius, double z)
{
    double r = hypot(radius, z);
    return own_rotation(disk, radius) +
           disk->spheres(r, disk->others) / r * (radius / r) * (radius / r);
}

double oct_disk_circular(const oct_disk *disk, double radius)
{
    return rotation(disk, radius, 0);
}

double oct_disk_mass(double radius, const void *model)
{
    const oct_disk *disk = model;
    double x = radius / disk->scale;
    return disk->mass * (x < 1e-4 ? x * x / 2 : 1 - (1 + x) * exp(-x));
}

static double surface_density(const oct_disk *disk, double radius)
{
    return disk->mass / (2 * pi * disk->scale * disk->scale) * exp(-radius / disk->scale);
}

/* (kappa / Omega)^2 = 2 + d ln v^2 / d ln R. */
static double epicycle(const oct_disk *disk, double radius)
{
    double step = 0.05, ratio = oct_disk_circular(disk, radius * (1 + step)) /
                                oct_disk_circular(disk, radius * (1 - step));
    double square = 2 + log(ratio) / log((1 + step) / (1 - step));
    return fmin(fmax(square, 1), 4); /* of a point mass, and of a solid body */
}

double oct_disk_toomre(const oct_disk *disk, double radius)
{
    double omega = sqrt(oct_disk_circular(disk, radius)) / radius;
    double sigma = sqrt(disk->dispersion) * exp(-radius / (2 * disk->scale));
    return sigma * omega * sqrt(epicycle(disk, radius)) / (3.36 * surface_density(disk, radius));
}

void oct_disk_solve(oct_disk *disk, double toomre)
{
    tabulate_rotation(disk);
    disk->dispersion = 1;
    double least = INFINITY;
    for (int i = 1; i <= 100; i++)
        least = fmin(least, oct_disk_toomre(disk, 0.1 * i * disk->scale));
    disk->dispersion = toomre / least * (toomre / least);
}

/* The radius with this part of the mass inside. */
static double radius_of(const oct_disk *disk, double part)
{
    double low = 0, high = outermost, inside = 1 - (1 + outermost) * exp(-outermost);
    for (int i = 0; i < 60; i++) {
        double x = (low + high) / 2;
        if (1 - (1 + x) * exp(-x) < part * inside)
            low = x;
        else
            high = x;
    }
    return disk->scale * (low + high) / 2;
}

/* Vertical Jeans: rho sigma_z^2 is the integral over rho K_z from z on, which is pi G Sigma h for
 * the disk's own slab; t = tanh(z/h) makes rho dz even. */
static double vertical_dispersion(const oct_disk *disk, double radius, double z)
{
    enum { POINTS = 16 };
    double h = disk->height, from = tanh(fabs(z) / h), sum = 0;
    for (int i = 0; i < POINTS; i++) {
        double t = from + (1 - from) * (i + 0.5) / POINTS;
        double height = h * atanh(t), r = hypot(radius, height);
        sum += disk->spheres(r, disk->others) * height / (r * r * r);
    }
    /* (1 - t) h / sech^2(z/h) = h / (1 + t). */
    return pi * surface_density(disk, radius) * h + sum / POINTS * h / (1 + from);
}

void oct_disk_draw(double position[3], double velocity[3], oct_random *random, const oct_disk *disk)
{
    double radius = radius_of(disk, oct_random_uniform(random));
    double angle = 2 * pi * oct_random_uniform(random);
    double z = disk->height * atanh(2 * oct_random_uniform(random) - 1);
    double v2 = rotation(disk, radius, z), ratio = epicycle(disk, radius) / 4;
    /* Not more random motion than rotation: near the centre the epicycles' theory ends. */
    double radial = fmin(disk->dispersion * exp(-radius / disk->scale), v2 / 2);
    /* Radial Jeans: the mean square of v_phi is v_c^2 + sigma_R^2 (1 - 2 R/a). */
    double mean2 = v2 + radial * (1 - ratio - 2 * radius / disk->scale);
    double along = sqrt(fmax(mean2, 0)) + sqrt(radial * ratio) * oct_random_normal(random);
    double outward = sqrt(radial) * oct_random_normal(random);
    double c = cos(angle), s = sin(angle);
    position[0] = radius * c;
    position[1] = radius * s;
    position[2] = z;
    velocity[0] = outward * c - along * s;
    velocity[1] = outward * s + along * c;
    velocity[2] = sqrt(vertical_dispersion(disk, radius, z)) * oct_random_normal(random);
}
