/* Sums over rings and shells; heating by Binney & Tremaine's diffusion coefficients. */
#include "disk_ref.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene_sim.h"

static const double pi = 3.14159265358979323846;

static double middle(const ref_disk *p, int ring)
{
    return p->scale * (0.75 + 0.5 * ring);
}

static int ring_of(const ref_disk *p, double radius)
{
    return (int)floor(2 * radius / p->scale - 1);
}

/* What is not the disk, at r from the centre with speed v. */
static void add_sphere(ref_disk *p, double r, double v2, double mass)
{
    int ring = ring_of(p, r);
    for (int k = 0; k < REF_RINGS; k++)
        p->inside[k] += r < middle(p, k) ? mass : 0;
    if (ring < 0 || ring >= REF_RINGS)
        return;
    double low = middle(p, ring) - 0.25 * p->scale, high = low + 0.5 * p->scale;
    double volume = 4 * pi / 3 * (high * high * high - low * low * low);
    p->grain[ring] += mass * mass / volume;
    p->dispersion[ring] += mass * mass / volume * v2 / 3;
}

ref_disk ref_disk_look(oct_sim *sim, double scale)
{
    ref_disk p = {.scale = scale};
    oct_bodies b = {0};
    double centre[3], heights = 0, all = 0;
    ref_ok(oct_sim_bodies(&b, sim));
    double *acceleration = malloc(3 * b.n * sizeof *acceleration);
    assert_non_null(acceleration);
    ref_ok(oct_sim_read(acceleration, OCT_ELEMENT_DOUBLE, sim, "acceleration", NULL));
    for (int k = 0; k < 3; k++)
        centre[k] = b.position[k]; /* of the black hole, which comes first */
    for (size_t i = 0; i < b.n; i++) {
        double x = b.position[3 * i] - centre[0], y = b.position[3 * i + 1] - centre[1];
        double z = b.position[3 * i + 2] - centre[2], r = hypot(x, y);
        int ring = ring_of(&p, r);
        const double *a = acceleration + 3 * i, *v = b.velocity + 3 * i;
        if (b.type[i] != OCT_TYPE_DISK)
            add_sphere(&p, sqrt(r * r + z * z), v[0] * v[0] + v[1] * v[1] + v[2] * v[2], b.mass[i]);
        if (b.type[i] != OCT_TYPE_DISK || ring < 0 || ring >= REF_RINGS)
            continue;
        p.surface[ring] += b.mass[i] / (pi * middle(&p, ring) * scale);
        p.speed[ring] -= x * a[0] + y * a[1];
        p.number[ring]++;
        p.turning += (x * v[1] - y * v[0]) / r;
        heights += z * z;
        all++;
    }
    for (int k = 0; k < REF_RINGS; k++) {
        p.speed[k] = sqrt(p.speed[k] / p.number[k]);
        p.dispersion[k] = sqrt(p.dispersion[k] / p.grain[k]);
    }
    p.height = sqrt(heights / all);
    p.turning /= all;
    free(acceleration);
    oct_bodies_clear(&b);
    return p;
}

/* Two-body heating by the spheres' particles (Binney & Tremaine, equation 7.92), for a star on a
 * circle, X = v / sqrt(2) sigma:
 * d sigma_z^2 / dt = 2 sqrt(2) pi G^2 rho m ln(R / epsilon) / sigma [erf(X) - G(X)] / X. */
static double heating(const ref_disk *p, int ring, double softening)
{
    double sigma = p->dispersion[ring], x = p->speed[ring] / (sqrt(2) * sigma);
    double g = (erf(x) - x * 2 / sqrt(pi) * exp(-x * x)) / (2 * x * x);
    return 2 * sqrt(2) * pi * p->grain[ring] * log(middle(p, ring) / softening) / sigma *
           (erf(x) - g) / x;
}

/* The height of sech^2(z/h) with this sigma_z^2 = pi G Sigma h + (G M / R^3) (pi^2 / 12) h^2. */
static double height_of(const ref_disk *p, int ring, double sigma2)
{
    double slab = pi * p->surface[ring], r = middle(p, ring);
    double sphere = p->inside[ring] / (r * r * r) * pi * pi / 12;
    return (sqrt(slab * slab + 4 * sphere * sigma2) - slab) / (2 * sphere);
}

static double heated(const ref_disk *p, double h, double softening, double time)
{
    double squares = 0, all = 0;
    for (int k = 0; k < REF_RINGS; k++) {
        double slab = pi * p->surface[k], r = middle(p, k);
        double sigma2 = slab * h + p->inside[k] / (r * r * r) * pi * pi / 12 * h * h;
        double then = height_of(p, k, sigma2 + time * heating(p, k, softening));
        print_message("R %.2f: sigma_z^2 %.4f, heating %.1e: height %.3f, then %.3f\n", r, sigma2,
                      heating(p, k, softening), height_of(p, k, sigma2), then);
        squares += p->number[k] * then * then;
        all += p->number[k];
    }
    return sqrt(squares / all) / h;
}

/* By how much stars lag behind more on average once sigma_R^2, the other direction across their
 * paths, has grown as much as sigma_z^2: the asymmetric drift of a disk whose density and squared
 * dispersion fall as exp(-R / a), in a flat rotation curve (Binney & Tremaine, equation 4.228),
 * sigma_R^2 / (2 v) [2 R / a - 1 / 2]. */
static double lagging(const ref_disk *p, double softening, double time)
{
    double lag = 0, all = 0;
    for (int k = 0; k < REF_RINGS; k++) {
        double sigma2 = time * heating(p, k, softening);
        lag += p->number[k] * sigma2 / (2 * p->speed[k]) * (2 * middle(p, k) / p->scale - 0.5);
        all += p->number[k];
    }
    return lag / all;
}

void ref_disk_stays(oct_sim *sim, double scale, double height, double softening, double dt,
                    double rotations)
{
    ref_disk before = ref_disk_look(sim, scale);
    double time = rotations * 2 * pi * 2 * scale / before.speed[3];
    ref_ok(oct_sim_step(sim, (uint64_t)(time / dt)));
    ref_disk after = ref_disk_look(sim, scale);
    for (int k = 0; k < REF_RINGS; k++) {
        double change = after.speed[k] / before.speed[k] - 1;
        print_message("R %5.2f: v_c %.4f %+.1f %%, %5.0f particles %+.1f %%\n", middle(&before, k),
                      before.speed[k], 100 * change, before.number[k],
                      100 * (after.number[k] / before.number[k] - 1));
        assert_true(fabs(change) < 0.05);
    }
    print_message("height %.4f, then %.4f; turning %.4f, then %.4f; energy error %.1e\n",
                  before.height, after.height, before.turning, after.turning,
                  ref_measure(sim, "energy_error"));
    double lag = lagging(&before, softening, time) / before.turning;
    double most = heated(&before, height, softening, time);
    print_message("turning %+.1f %%, by heating %.1f %% less; height grew %.2f times, by heating "
                  "%.2f\n",
                  100 * (after.turning / before.turning - 1), 100 * lag,
                  after.height / before.height, most);
    assert_true(after.turning / before.turning < 1.05);
    assert_true(after.turning / before.turning > 0.95 - lag);
    assert_true(after.height / before.height < most);
}

/* Adds up z^power, z = exp(i phi) about a centre, of the disk's particles inside a radius. */
static double add_angles(double out[2], const oct_bodies *b, const double centre[2], double radius,
                         int power)
{
    double n = 0;
    out[0] = out[1] = 0;
    for (size_t i = 0; i < b->n; i++) {
        double x = b->position[3 * i] - centre[0], y = b->position[3 * i + 1] - centre[1];
        double r = hypot(x, y), angle = power * atan2(y, x);
        if (b->type[i] != OCT_TYPE_DISK || r > radius)
            continue;
        double weight = power == 1 ? r : 1; /* of power 1: the mean place */
        out[0] += weight * cos(angle);
        out[1] += weight * sin(angle);
        n++;
    }
    out[0] /= n;
    out[1] /= n;
    return hypot(out[0], out[1]);
}

double ref_disk_bar(oct_sim *sim, double scale)
{
    oct_bodies b = {0};
    double centre[2] = {0}, mean[2];
    ref_ok(oct_sim_bodies(&b, sim));
    for (double radius = 4 * scale; radius > 0.5 * scale; radius *= 0.8) {
        add_angles(mean, &b, centre, radius, 1);
        centre[0] += mean[0];
        centre[1] += mean[1];
    }
    double strength = add_angles(mean, &b, centre, 2 * scale, 2);
    oct_bodies_clear(&b);
    return strength;
}
