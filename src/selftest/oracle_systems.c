/* Expansions of systems that are far, the bodies of those that are near. */
#include "selftest/oracle_systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/status.h"

/* Bodies [first, end), their mass, centre, radius and second moments about the centre. */
typedef struct group {
    size_t first, end;
    double mass, x[3], radius, second[3][3];
} group;

/* 1 / sqrt(d^2 + eps^2) and its derivatives along x, y and z. */
typedef struct kernel {
    double g, g1[3], g2[3][3], g3[3][3][3];
} kernel;

static kernel differentiate(const double d[3], double softening)
{
    kernel k;
    double u = 1 / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening * softening);
    double u3 = u * u * u, u5 = u3 * u * u, u7 = u5 * u * u;
    k.g = u;
    for (int a = 0; a < 3; a++) {
        k.g1[a] = -d[a] * u3;
        for (int b = 0; b < 3; b++) {
            k.g2[a][b] = 3 * d[a] * d[b] * u5 - (a == b) * u3;
            for (int c = 0; c < 3; c++)
                k.g3[a][b][c] = -15 * d[a] * d[b] * d[c] * u7 +
                                3 * ((a == b) * d[c] + (a == c) * d[b] + (b == c) * d[a]) * u5;
        }
    }
    return k;
}

static void measure(group *s, const oct_bodies *b)
{
    for (size_t i = s->first; i < s->end; i++) {
        s->mass += b->mass[i];
        for (size_t k = 0; k < 3; k++)
            s->x[k] += b->mass[i] * b->position[3 * i + k];
    }
    for (size_t k = 0; k < 3; k++)
        s->x[k] = s->mass > 0 ? s->x[k] / s->mass : b->position[3 * s->first + k];
    for (size_t i = s->first; i < s->end; i++) {
        double d[3], square = 0;
        for (size_t k = 0; k < 3; k++) {
            d[k] = b->position[3 * i + k] - s->x[k];
            square += d[k] * d[k];
        }
        s->radius = fmax(s->radius, sqrt(square));
        for (size_t k = 0; k < 9; k++)
            s->second[k / 3][k % 3] += b->mass[i] * d[k / 3] * d[k % 3];
    }
}

static size_t divide(group *groups, const oct_bodies *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++) {
        if (i == 0 || b->system[i] == 0 || b->system[i] != b->system[i - 1])
            groups[n++] = (group){.first = i};
        groups[n - 1].end = i + 1;
    }
    for (size_t s = 0; s < n; s++)
        measure(&groups[s], b);
    return n;
}

static bool is_open(const group *a, const group *b, const double shift[3], double opening)
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += pow(b->x[k] + shift[k] - a->x[k], 2);
    return opening > 0 && a->radius + b->radius >= opening * sqrt(square);
}

/* out: acceleration and potential of body i, in units of G. */
static void add_bodies(double out[4], size_t i, const group *from, const double shift[3],
                       const oct_bodies *b, double softening)
{
    for (size_t j = from->first; j < from->end; j++) {
        double d[3];
        for (size_t k = 0; k < 3; k++)
            d[k] = b->position[3 * j + k] + shift[k] - b->position[3 * i + k];
        bool here = shift[0] == 0 && shift[1] == 0 && shift[2] == 0;
        if ((j == i && here) || (softening == 0 && d[0] == 0 && d[1] == 0 && d[2] == 0))
            continue;
        kernel k = differentiate(d, softening);
        for (int c = 0; c < 3; c++)
            out[c] -= b->mass[j] * k.g1[c];
        out[3] -= b->mass[j] * k.g;
    }
}

/* The pull of a system on body i: where it is, or by Taylor's series about its system's centre. */
static void add_system(double out[4], size_t i, const group *own, const group *from,
                       const double shift[3], const oct_bodies *b,
                       const oct_oracle_systems *gravity)
{
    double d[3], s[3], pull[3], phi, m = from->mass, third = gravity->quadrupole ? m : 0;
    for (size_t k = 0; k < 3; k++) {
        s[k] = gravity->bodies ? 0 : b->position[3 * i + k] - own->x[k];
        d[k] = from->x[k] + shift[k] - (b->position[3 * i + k] - s[k]);
    }
    kernel k = differentiate(d, gravity->softening);
    phi = -m * k.g;
    for (int c = 0; c < 3; c++) {
        pull[c] = -m * k.g1[c];
        for (int p = 0; gravity->quadrupole && p < 9; p++)
            pull[c] -= from->second[p / 3][p % 3] * k.g3[p / 3][p % 3][c] / 2;
        for (int a = 0; gravity->quadrupole && a < 3; a++)
            phi -= from->second[c][a] * k.g2[c][a] / 2;
    }
    for (int c = 0; c < 3; c++) {
        out[c] += pull[c];
        phi -= pull[c] * s[c];
        for (int a = 0; a < 3; a++) {
            out[c] += m * k.g2[c][a] * s[a];
            phi -= m * s[c] * k.g2[c][a] * s[a] / 2;
            for (int e = 0; e < 3; e++) {
                out[c] -= third * k.g3[c][a][e] * s[a] * s[e] / 2;
                phi += third * k.g3[c][a][e] * s[c] * s[a] * s[e] / 6;
            }
        }
    }
    out[3] += phi;
}

/* The pull of the systems of one image of the box on body i of system s. */
static void add_image(double out[4], size_t i, const group *own, const group *groups, size_t n,
                      const int cell[3], const oct_bodies *b, oct_oracle_systems *gravity)
{
    double shift[3];
    for (int k = 0; k < 3; k++)
        shift[k] = cell[k] * gravity->size[k];
    for (const group *from = groups; from < groups + n; from++) {
        double bodies = (double)(from->end - from->first) / (double)b->n;
        if (from == own && cell[0] == 0 && cell[1] == 0 && cell[2] == 0) {
            gravity->particles += bodies - 1 / (double)b->n;
            if (!gravity->no_near)
                add_bodies(out, i, own, shift, b, gravity->softening);
        } else if (gravity->no_far) {
            continue;
        } else if (is_open(own, from, shift, gravity->opening)) {
            gravity->particles += bodies;
            add_bodies(out, i, from, shift, b, gravity->softening);
        } else {
            gravity->cells += 1 / (double)b->n;
            add_system(out, i, own, from, shift, b, gravity);
        }
    }
}

oct_status oct_oracle_systems_forces(oct_bodies *b, oct_oracle_systems *gravity)
{
    group *groups;
    OCT_TRY(oct_alloc(&groups, b->n, sizeof *groups, "systems"));
    size_t n = divide(groups, b);
    const int *most = gravity->ghosts;
    gravity->cells = gravity->particles = 0;
    for (size_t s = 0; s < n; s++)
        for (size_t i = groups[s].first; i < groups[s].end; i++) {
            double out[4] = {0};
            for (int x = -most[0]; x <= most[0]; x++)
                for (int y = -most[1]; y <= most[1]; y++)
                    for (int z = -most[2]; z <= most[2]; z++)
                        add_image(out, i, &groups[s], groups, n, (int[]){x, y, z}, b, gravity);
            for (size_t k = 0; k < 3; k++)
                b->acceleration[3 * i + k] = gravity->G * out[k];
            b->potential[i] = gravity->G * out[3];
        }
    free(groups);
    return OCT_STATUS_OK;
}
