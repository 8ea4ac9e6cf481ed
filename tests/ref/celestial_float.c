/* The loops of Celestial, with its roundings. */
#include "celestial_float.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *need(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        abort();
    return p;
}

void ref_floats_start(ref_floats *out, const oct_bodies *from, size_t bodies, double G)
{
    *out = (ref_floats){.n = from->n, .bodies = bodies};
    out->x = need(out->n, sizeof *out->x);
    out->v = need(out->n, sizeof *out->v);
    out->a = need(out->n, sizeof *out->a);
    out->mu = need(out->n, sizeof *out->mu);
    for (size_t i = 0; i < out->n; i++) {
        out->mu[i] = (float)(G * from->mass[i]);
        for (size_t k = 0; k < 3; k++) {
            out->x[i][k] = (float)from->position[3 * i + k];
            out->v[i][k] = (float)from->velocity[3 * i + k];
        }
    }
}

static void add_pull(float a[3], const float x[3], const float from[3], float mu)
{
    float d[3] = {from[0] - x[0], from[1] - x[1], from[2] - x[2]};
    float r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    float w = mu / (r2 * sqrtf(r2));
    for (size_t k = 0; k < 3; k++)
        a[k] += w * d[k];
}

static void sum_pairs(ref_floats *f, size_t first, size_t end, bool backward)
{
    for (size_t i = first; i < end; i++)
        for (size_t j = first; j < end; j++) {
            size_t from = backward ? first + end - 1 - j : j;
            if (from != i)
                add_pull(f->a[i], f->x[i], f->x[from], f->mu[from]);
        }
}

static void sum_centres(ref_floats *f)
{
    for (size_t first = 1; first < f->n; first += f->bodies) {
        float mu = 0, centre[3] = {0};
        for (size_t i = first; i < first + f->bodies; i++) {
            mu += f->mu[i];
            for (size_t k = 0; k < 3; k++)
                centre[k] += f->mu[i] * f->x[i][k];
        }
        for (size_t k = 0; k < 3; k++)
            centre[k] /= mu;
        sum_pairs(f, first, first + f->bodies, false);
        for (size_t i = 1; i < f->n; i++)
            if (i < first || i >= first + f->bodies)
                add_pull(f->a[i], f->x[i], centre, mu);
    }
    for (size_t i = 1; i < f->n; i++)
        add_pull(f->a[i], f->x[i], f->x[0], f->mu[0]);
}

void ref_floats_step(ref_floats *f, ref_float_way way, float dt)
{
    memset(f->a, 0, f->n * sizeof *f->a);
    if (way == REF_FLOAT_CENTRES)
        sum_centres(f);
    else
        sum_pairs(f, 0, f->n, way == REF_FLOAT_PAIRS_BACKWARD);
    for (size_t i = 1; i < f->n; i++)
        for (size_t k = 0; k < 3; k++) {
            f->v[i][k] += f->a[i][k] * dt;
            f->x[i][k] += f->v[i][k] * dt;
        }
}

double ref_floats_apart(const ref_floats *f, const ref_floats *g)
{
    double total = 0;
    for (size_t i = 0; i < f->n; i++) {
        double d = 0;
        for (size_t k = 0; k < 3; k++)
            d = hypot(d, (double)f->x[i][k] - (double)g->x[i][k]);
        total += d;
    }
    return total;
}

void ref_floats_clear(ref_floats *f)
{
    free(f->x);
    free(f->v);
    free(f->a);
    free(f->mu);
    *f = (ref_floats){0};
}
