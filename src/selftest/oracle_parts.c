/* Steps of wh, respa and two-rate for bodies in plain arrays. */
#include "selftest/oracle_parts.h"

#include <math.h>
#include <string.h>

#include "util/status.h"

/* Adds a dt to the velocities: the pull of the own system's bodies, of all others, or both. */
static void kick(oct_bodies *b, double G, double dt, bool near, bool far)
{
    for (size_t i = 0; i < b->n; i++)
        for (size_t j = 0; j < b->n; j++) {
            bool same = i == j || (b->system[i] != 0 && b->system[i] == b->system[j]);
            if (i == j || !(same ? near : far))
                continue;
            double d[3], r2 = 0;
            for (size_t k = 0; k < 3; k++) {
                d[k] = b->position[3 * j + k] - b->position[3 * i + k];
                r2 += d[k] * d[k];
            }
            for (size_t k = 0; k < 3; k++)
                b->velocity[3 * i + k] += dt * G * b->mass[j] * d[k] / (r2 * sqrt(r2));
        }
}

static void drift(oct_bodies *b, double dt)
{
    for (size_t i = 0; i < 3 * b->n; i++)
        b->position[i] += dt * b->velocity[i];
}

/* Vectors of n bodies from Cartesian to Jacobi coordinates or back, from the definition: planet i
 * is seen from the centre of mass of those before it; slot 0 holds the centre of all. */
static void to_jacobi(double *x, const double *mass, size_t n)
{
    for (size_t k = 0; k < 3; k++) {
        double before = 0, centre = 0;
        for (size_t i = 0; i < n; i++) {
            double place = x[3 * i + k];
            x[3 * i + k] = place - centre;
            centre = (before * centre + mass[i] * place) / (before + mass[i]);
            before += mass[i];
        }
        x[k] = centre;
    }
}

static void from_jacobi(double *x, const double *mass, size_t n)
{
    for (size_t k = 0; k < 3; k++) {
        double mass_left = 0, centre = x[k];
        for (size_t i = 0; i < n; i++)
            mass_left += mass[i];
        for (size_t i = n - 1; i > 0; i--) {
            centre -= mass[i] / mass_left * x[3 * i + k];
            x[3 * i + k] += centre;
            mass_left -= mass[i];
        }
        x[k] = centre;
    }
}

/* What the Kepler orbits of a system do in a time: the motion itself, or the change of velocities
 * that their forces would make at the present places. */
static oct_status follow_orbits(double *x, double *v, const double *mass, size_t n, double G,
                                double dt, bool move)
{
    double before = mass[0];
    to_jacobi(x, mass, n);
    to_jacobi(v, mass, n);
    for (size_t k = 0; k < 3; k++)
        x[k] += move ? dt * v[k] : 0;
    for (size_t i = 1; i < n; i++) {
        double *place = x + 3 * i, *speed = v + 3 * i, r = 0, mu = G * (before += mass[i]);
        if (move) {
            OCT_TRY(oct_kepler_advance(place, speed, mu, dt));
            continue;
        }
        for (size_t k = 0; k < 3; k++)
            r = hypot(r, place[k]);
        for (size_t k = 0; k < 3; k++)
            speed[k] -= dt * mu * place[k] / (r * r * r);
    }
    from_jacobi(x, mass, n);
    from_jacobi(v, mass, n);
    return OCT_STATUS_OK;
}

static oct_status follow_all_orbits(oct_bodies *b, double G, double dt, bool move)
{
    for (size_t i = 0, end; i < b->n; i = end) {
        for (end = i + 1; end < b->n && b->system[i] != 0 && b->system[end] == b->system[i];)
            end++;
        OCT_TRY(follow_orbits(b->position + 3 * i, b->velocity + 3 * i, b->mass + i, end - i, G, dt,
                              move));
    }
    return OCT_STATUS_OK;
}

static oct_status wh_step(oct_bodies *b, double G, double dt, bool far)
{
    OCT_TRY(follow_all_orbits(b, G, dt / 2, true));
    kick(b, G, dt, true, far);
    OCT_TRY(follow_all_orbits(b, G, -dt, false));
    return follow_all_orbits(b, G, dt / 2, true);
}

/* In half inner steps: near kicks in the middle of each inner one, the far one in the middle of
 * all. */
static void respa_step(oct_bodies *b, const oct_oracle_parts *step)
{
    double h = step->dt / step->substeps;
    for (int half = 0; half < 2 * step->substeps; half++) {
        if (half == step->substeps)
            kick(b, step->G, step->dt, false, true);
        if (half % 2 == 1)
            kick(b, step->G, h, true, false);
        drift(b, h / 2);
    }
}

static oct_status two_rate_step(oct_bodies *b, const oct_oracle_parts *step)
{
    oct_status status;
    oct_bodies held = {0};
    double h = step->dt / step->substeps;
    OCT_TRY_DONE(oct_bodies_resize(&held, b->n));
    memcpy(held.position, b->position, 3 * b->n * sizeof *b->position);
    memcpy(held.mass, b->mass, b->n * sizeof *b->mass);
    memcpy(held.system, b->system, b->n * sizeof *b->system);
    kick(&held, step->G, h, false, true);
    for (int i = 0; i < step->substeps; i++) {
        if (step->euler) { /* with the old velocities, which the old places have not kicked yet */
            oct_bodies old = *b;
            old.position = held.acceleration;
            memcpy(old.position, b->position, 3 * b->n * sizeof *b->position);
            drift(b, h);
            kick(&old, step->G, h, true, false);
        } else {
            kick(b, step->G, h, true, false);
        }
        for (size_t k = 0; k < 3 * b->n; k++)
            b->velocity[k] += held.velocity[k];
        if (!step->euler)
            drift(b, h);
    }
done:
    oct_bodies_clear(&held);
    return status;
}

oct_status oct_oracle_parts_step(oct_bodies *bodies, const oct_oracle_parts *step)
{
    if (strcmp(step->integrator, "wh") == 0)
        return wh_step(bodies, step->G, step->dt, !step->alone);
    if (strcmp(step->integrator, "two-rate") == 0)
        return two_rate_step(bodies, step);
    respa_step(bodies, step);
    return OCT_STATUS_OK;
}
