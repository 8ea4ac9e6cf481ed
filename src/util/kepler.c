#include "util/kepler.h"

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

oct_status oct_kepler_advance(double position[3], double velocity[3], double mu, double t)
{
    double r2 = 0, v2 = 0, rv = 0;
    for (int k = 0; k < 3; k++) {
        r2 += position[k] * position[k];
        v2 += velocity[k] * velocity[k];
        rv += position[k] * velocity[k];
    }
    OCT_CHECK(mu > 0 && r2 > 0 && isfinite(mu) && isfinite(r2 + v2) && isfinite(t),
              OCT_STATUS_INPUT,
              "an orbit needs a positive mu, a separation above zero and finite numbers");
    double r = sqrt(r2), axis = 1 / (2 / r - v2 / mu);
    OCT_CHECK(axis > 0 && isfinite(axis), OCT_STATUS_INPUT,
              "the bodies are not bound: only elliptic orbits can be advanced");
    double motion = sqrt(mu / axis) / axis;
    double e_cos = 1 - r / axis, e_sin = rv / sqrt(mu * axis), e = hypot(e_cos, e_sin);
    OCT_CHECK(e < 1, OCT_STATUS_INPUT,
              "the bodies fall straight onto each other: their orbit has no angular momentum");

    double anomaly = atan2(e_sin, e_cos);
    double change = oct_kepler_anomaly(anomaly - e_sin + motion * t, e) - anomaly;
    /* Gauss's f and g functions of the change in eccentric anomaly, which keep their accuracy
     * after many revolutions because t itself does not appear. */
    double sine = sin(change), versine = 2 * sin(change / 2) * sin(change / 2);
    double r_new = axis * (1 - e_cos * cos(change) + e_sin * sine);
    double f = 1 - axis / r * versine;
    double g = ((1 - e_cos) * sine + e_sin * versine) / motion;
    double f_rate = -sqrt(mu * axis) / (r_new * r) * sine;
    double g_rate = 1 - axis / r_new * versine;
    for (int k = 0; k < 3; k++) {
        double x = position[k], v = velocity[k];
        position[k] = f * x + g * v;
        velocity[k] = f_rate * x + g_rate * v;
    }
    return OCT_STATUS_OK;
}
