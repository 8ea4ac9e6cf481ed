/* King's sphere (1966, AJ 71, 64): a lowered isothermal, f ~ exp(W - v^2/2) - 1, which ends where
 * its own potential sets nobody free. Speeds are in units of its sigma, radii in King's r_0 =
 * sqrt(9 sigma^2 / (4 pi G rho_0)), potentials W in sigma^2. */
#include "model/model_sphere.h"
#include "util/status.h"

#include <math.h>
#include <stdlib.h>

typedef struct king {
    oct_sphere sphere;
    double scale, depth;
} king;

static const oct_field fields[] = {
    OCT_SPHERE_N,
    OCT_SPHERE_MASS,
    {.name = "scale",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(king, scale),
     .initial = "1",
     .unit = {.length = 1},
     .above_min = true,
     .max = DBL_MAX,
     .doc = "King's core radius r_0"},
    {.name = "depth",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(king, depth),
     .initial = "6",
     .min = 0.1,
     .max = 15,
     .doc = "central potential W_0 in units of sigma^2; 3, 6, 9 and 12 put the edge at 4.70, 18.0, "
            "131 and 548 r_0"},
    {.type = OCT_FIELD_END},
};

enum { NODES = 4096 };

/* The sphere from the centre to its edge. `pull` is -r^2 dW/dr, nine times the mass inside r where
 * the central density is 1. */
typedef struct structure {
    size_t n;
    double radius[NODES], potential[NODES], pull[NODES];
    double scale, speed;
} structure;

/* The density of a place with potential W, up to a constant; a series where the terms cancel. */
static double density(double w)
{
    if (w <= 0)
        return 0;
    double root = sqrt(w);
    if (w < 0.05)
        return 8 / (15 * sqrt(acos(-1.0))) * w * w * root *
               (1 + w * (2.0 / 7 + w * (4.0 / 63 + w * (8.0 / 693))));
    return exp(w) * erf(root) - 2 / sqrt(acos(-1.0)) * root * (1 + 2 * w / 3);
}

/* Poisson's equation: d(r^2 dW/dr)/dr = -9 r^2 rho(W)/rho(W_0), by the classical Runge-Kutta. */
static void advance(double *w, double *pull, double r, double step, double centre)
{
    double k[4], q[4], at = r, value = *w, mass = *pull;
    for (int i = 0; i < 4; i++) {
        k[i] = at > 0 ? -mass / (at * at) : 0;
        q[i] = 9 * at * at * density(value) / centre;
        double ahead = i == 2 ? step : step / 2;
        at = r + ahead;
        value = *w + ahead * k[i];
        mass = *pull + ahead * q[i];
    }
    *w += step / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
    *pull += step / 6 * (q[0] + 2 * q[1] + 2 * q[2] + q[3]);
}

static oct_status solve(structure *s, double depth)
{
    double w = depth, pull = 0, r = 0, centre = density(depth);
    for (s->n = 0; s->n < NODES; s->n++) {
        s->radius[s->n] = r;
        s->potential[s->n] = w;
        s->pull[s->n] = pull;
        /* Steps follow the radius, and near the edge half of the way there. */
        double step = 0.01 * (r + 0.1), slope = r > 0 ? pull / (r * r) : 0;
        if (slope * step > 0.5 * w)
            step = 0.5 * w / slope;
        if (w < 1e-9 * depth)
            break;
        advance(&w, &pull, r, step, centre);
        r += step;
    }
    OCT_CHECK(s->n < NODES, OCT_STATUS_INTERNAL, "King's sphere of depth %g has no edge", depth);
    s->n++;
    return OCT_STATUS_OK;
}

/* The potential at the radius that has this part of the mass inside. */
static double draw_radius(double *potential, const structure *s, double part)
{
    double wanted = part * s->pull[s->n - 1];
    size_t low = 0, high = s->n - 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (s->pull[middle] <= wanted)
            low = middle;
        else
            high = middle;
    }
    /* Between nodes the mass grows with the volume. */
    double inner = pow(s->radius[low], 3), outer = pow(s->radius[high], 3);
    double share = (wanted - s->pull[low]) / (s->pull[high] - s->pull[low]);
    double r = cbrt(inner + share * (outer - inner));
    double along = (r - s->radius[low]) / (s->radius[high] - s->radius[low]);
    *potential = s->potential[low] + along * (s->potential[high] - s->potential[low]);
    return r;
}

static void draw(double *radius, double *speed, oct_random *random, const void *model)
{
    const structure *s = model;
    double w;
    *radius = s->scale * draw_radius(&w, s, oct_random_uniform(random));
    /* v^2 (exp(y) - 1), y = W - v^2/2, is largest where exp(y) (1 - W + y) = 1: Newton's steps from
     * y = W stay above that root, since the left side is convex there. */
    double y = w;
    for (int i = 0; i < 50; i++) {
        double step = (1 - w + y - exp(-y)) / (1 + exp(-y));
        y -= step;
        if (fabs(step) < 1e-12 * w)
            break;
    }
    double bound = 2 * (w - y) * expm1(y) * (1 + 1e-9), v2;
    do {
        double x = oct_random_uniform(random);
        v2 = 2 * w * x * x;
    } while (bound * oct_random_uniform(random) >= v2 * expm1(w - v2 / 2));
    *speed = s->speed * sqrt(v2);
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    const king *model = self;
    structure *s = malloc(sizeof *s);
    OCT_CHECK(s, OCT_STATUS_MEMORY, "not enough memory for the structure of King's sphere");
    oct_status status = solve(s, model->depth);
    if (status == OCT_STATUS_OK) {
        double gm = context->setup->units.G * model->sphere.mass;
        s->scale = model->scale;
        s->speed = sqrt(gm / (s->pull[s->n - 1] * model->scale));
        status = oct_sphere_fill(bodies, first, count, &model->sphere, context, draw, s);
    }
    free(s);
    return status;
}

const oct_model oct_model_king = {.version = OCT_MODULE_VERSION,
                                  .name = "king",
                                  .doc = "King's sphere of stars with an edge, in equilibrium",
                                  .state_size = sizeof(king),
                                  .fields = fields,
                                  .count = oct_sphere_count,
                                  .generate = generate,
                                  .parts = OCT_PARTS_CENTRED};
