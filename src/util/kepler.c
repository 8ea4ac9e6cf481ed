/* Kepler's equation by Newton's method, and universal variables for every conic. */
#include "util/kepler.h"

#include <float.h>
#include <math.h>

static const double two_pi = 6.283185307179586476925;

double oct_kepler_anomaly(double mean_anomaly, double eccentricity)
{
    double mean = remainder(mean_anomaly, two_pi);
    /* Danby's start; M = 0 is the root itself. */
    double anomaly = mean + 0.85 * eccentricity * ((mean > 0) - (mean < 0));
    double residual = anomaly - eccentricity * sin(anomaly) - mean;
    /* From this start each Newton-Raphson step shrinks the residual until round-off is reached. */
    for (;;) {
        double next = anomaly - residual / (1 - eccentricity * cos(anomaly));
        double left = next - eccentricity * sin(next) - mean;
        if (!(fabs(left) < fabs(residual)))
            return anomaly + (mean_anomaly - mean);
        anomaly = next;
        residual = left;
    }
}

void oct_kepler_state(double position[3], double velocity[3], double mu, double semi_major_axis,
                      double eccentricity, double mean_anomaly)
{
    double a = semi_major_axis, e = eccentricity;
    double anomaly = oct_kepler_anomaly(mean_anomaly, e);
    double flattening = sqrt((1 - e) * (1 + e));
    double rate = sqrt(mu / a) / (a * (1 - e * cos(anomaly)));
    position[0] = a * (cos(anomaly) - e);
    position[1] = a * flattening * sin(anomaly);
    position[2] = 0;
    velocity[0] = -a * rate * sin(anomaly);
    velocity[1] = a * rate * flattening * cos(anomaly);
    velocity[2] = 0;
}

/* Stumpff's functions, c_k(z) = sum of (-z)^j / (k + 2 j)! over j: up to 2 by that series. No move
 * on a hyperbola is longer than z = -1, see longest. */
static void stumpff(double *c2, double *c3, double z)
{
    enum { TERMS = 11 }; /* the next one is 2^12 / 26! = 1e-23 */
    if (z >= 2) {
        double x = sqrt(z);
        *c2 = 2 * sin(x / 2) * sin(x / 2) / z;
        *c3 = (x - sin(x)) / (x * z);
        return;
    }
    *c2 = *c3 = 1;
    for (int k = TERMS; k > 0; k--) {
        *c2 = 1 - z / ((2 * k + 1) * (2 * k + 2)) * *c2;
        *c3 = 1 - z / ((2 * k + 2) * (2 * k + 3)) * *c3;
    }
    *c2 /= 2;
    *c3 /= 6;
}

/* An orbit by its start: distance, r.v, mu, and beta = 2 mu / r - v^2 = mu / a. */
typedef struct orbit {
    double r, rv, mu, beta;
} orbit;

/* A point of it by the universal anomaly s, ds = dt / r: G_k = s^k c_k(beta s^2), the distance and
 * the time since the start. */
typedef struct point {
    double g1, g2, g3, r, t;
} point;

static point point_at(const orbit *o, double s)
{
    double z = o->beta * s * s, c2, c3;
    stumpff(&c2, &c3, z);
    point p = {.g1 = s * (1 - z * c3), .g2 = s * s * c2, .g3 = s * s * s * c3};
    p.r = o->r * (1 - z * c2) + o->rv * p.g1 + o->mu * p.g2;
    p.t = o->r * p.g1 + o->rv * p.g2 + o->mu * p.g3;
    return p;
}

/* The largest anomaly of one move. An ellipse is round then. On a hyperbola the functions grow
 * exponentially, and a body that comes in from afar would be the small difference of large
 * numbers: it goes there in stages. */
static double longest(const orbit *o)
{
    return o->beta == 0 ? INFINITY : (o->beta > 0 ? two_pi : 1) / sqrt(fabs(o->beta));
}

/* The anomaly at a time above 0, or the largest one if that is earlier. Time grows with s, so the
 * root is bracketed: a step of Newton-Raphson that leaves the bracket, or is not half as long as
 * the one before, is replaced by a bisection. */
static double anomaly_at(const orbit *o, double t)
{
    double low = 0, high = longest(o), s = fmin(t / o->r, high / 2), step = INFINITY;
    if (o->beta < 0 && point_at(o, high).t <= t)
        return high;
    for (;;) {
        point p = point_at(o, s);
        /* An s so large that its functions overflow is too large as well. */
        if (p.t < t)
            low = s;
        else
            high = s;
        /* Rounding hides a smaller difference. */
        if (fabs(p.t - t) <= DBL_EPSILON * (o->r * p.g1 + fabs(o->rv) * p.g2 + o->mu * p.g3))
            return s;
        double next = s - (p.t - t) / p.r;
        if (!(next > low && next < high && fabs(next - s) <= step / 2))
            next = isfinite(high) ? low + (high - low) / 2 : 2 * s;
        if (next == s || next <= low || next >= high)
            return s;
        step = isfinite(high) ? fabs(next - s) : INFINITY;
        s = next;
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Gauss's f - 1, g and their rates, as functions of s alone: an error in s moves the body along its
 * orbit, but not off it. */
static void move(double x[3], double v[3], const orbit *o, const point *p)
{
    double f = -o->mu * p->g2 / o->r, g = o->r * p->g1 + o->rv * p->g2;
    double f_rate = -o->mu * p->g1 / (p->r * o->r), g_rate = -o->mu * p->g2 / p->r;
    for (int k = 0; k < 3; k++) {
        double place = x[k], speed = v[k];
        x[k] += f * place + g * speed;
        v[k] += f_rate * place + g_rate * speed;
    }
}

static oct_status start_orbit(orbit *out, const double position[3], const double velocity[3],
                              double mu)
{
    double r2 = dot(position, position), v2 = dot(velocity, velocity);
    OCT_CHECK(mu > 0 && r2 > 0 && isfinite(mu) && isfinite(r2 + v2), OCT_STATUS_INPUT,
              "an orbit needs a positive mu, a separation above zero and finite numbers");
    *out = (orbit){.r = sqrt(r2), .rv = dot(position, velocity), .mu = mu};
    out->beta = 2 * mu / out->r - v2;
    return OCT_STATUS_OK;
}

oct_status oct_kepler_advance(double position[3], double velocity[3], double mu, double t)
{
    orbit o;
    double x[3], v[3], s;
    OCT_TRY(start_orbit(&o, position, velocity, mu));
    OCT_CHECK(isfinite(t), OCT_STATUS_INPUT, "an orbit cannot be moved by a time that is infinite");
    if (o.beta > 0)
        t = remainder(t, two_pi * mu / (o.beta * sqrt(o.beta)));
    /* Back in time is forward on the orbit that is run through the other way. */
    double sign = t < 0 ? -1 : 1, left = fabs(t);
    for (int k = 0; k < 3; k++) {
        x[k] = position[k];
        v[k] = sign * velocity[k];
    }
    do {
        o.r = sqrt(dot(x, x));
        o.rv = dot(x, v);
        s = anomaly_at(&o, left);
        point p = point_at(&o, s);
        OCT_CHECK(p.r > 0, OCT_STATUS_INPUT, "the bodies are in one place at this time");
        move(x, v, &o, &p);
        left -= p.t;
    } while (o.beta < 0 && s == longest(&o) && left > 0);
    for (int k = 0; k < 3; k++) {
        position[k] = x[k];
        velocity[k] = sign * v[k];
    }
    return OCT_STATUS_OK;
}

static void cross(double out[3], const double x[3], const double v[3])
{
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        out[k] = x[l] * v[m] - x[m] * v[l];
    }
}

static double turned(double angle)
{
    return angle < 0 ? angle + two_pi : angle;
}

/* Time since the pericentre, in units of sqrt(|a|^3 / mu). */
static double mean_anomaly(const orbit *o, double eccentricity, double momentum)
{
    double e_cos = 1 - o->r * o->beta / o->mu, e_sin = o->rv * sqrt(fabs(o->beta)) / o->mu;
    if (o->beta > 0)
        return turned(atan2(e_sin, e_cos) - e_sin);
    if (o->beta < 0)
        return e_sin - asinh(e_sin / eccentricity);
    /* Barker's equation, with the tangent of half the true anomaly. */
    double tangent = o->rv / momentum;
    return sqrt(2) * (tangent + tangent * tangent * tangent / 3);
}

oct_status oct_kepler_elements(oct_elements *out, const double position[3],
                               const double velocity[3], double mu)
{
    orbit o;
    OCT_TRY(start_orbit(&o, position, velocity, mu));
    double h[3];
    cross(h, position, velocity);
    double momentum = sqrt(dot(h, h));
    if (momentum == 0) /* a straight line, which lies in many planes: any of them */
        cross(h, position,
              position[0] == 0 && position[1] == 0 ? (double[3]){1, 0, 0} : (double[3]){0, 0, 1});
    double flat = hypot(h[0], h[1]), length = hypot(flat, h[2]);
    /* The node's direction and, a quarter of a turn on along the orbit, h x node. */
    double node[3] = {flat > 0 ? -h[1] / flat : 1, flat > 0 ? h[0] / flat : 0, 0}, across[3];
    cross(across, h, node);
    double e_cos = momentum * momentum / (mu * o.r) - 1, e_sin = momentum * o.rv / (mu * o.r);
    double latitude = atan2(dot(position, across) / length, dot(position, node));
    double eccentricity = hypot(e_cos, e_sin);
    *out = (oct_elements){
        .semi_major_axis = mu / o.beta,
        .eccentricity = eccentricity,
        .inclination = atan2(flat, h[2]),
        .node = turned(atan2(node[1], node[0])),
        .pericentre = turned(remainder(latitude - atan2(e_sin, e_cos), two_pi)),
        .mean_anomaly = mean_anomaly(&o, eccentricity, momentum),
    };
    return OCT_STATUS_OK;
}
