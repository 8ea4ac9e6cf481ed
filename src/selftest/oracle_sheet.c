/* Epicycles in closed form, and how far a box lags behind. */
#include "selftest/oracle_sheet.h"

#include <math.h>

/* With more digits than the state has: an angle of many turns must not lose them. */
void oct_oracle_epicycle(oct_bodies *bodies, const oct_oracle_sheet *sheet, double time)
{
    long double w = sheet->omega, w_z = sheet->omega_z;
    long double c = cosl(w * time), s = sinl(w * time);
    long double c_z = cosl(w_z * time), s_z = sinl(w_z * time);
    for (size_t i = 0; i < bodies->n; i++) {
        double *x = bodies->position + 3 * i, *v = bodies->velocity + 3 * i;
        long double x_g = 4 * (long double)x[0] + 2 * v[1] / w, y_g = x[1] - 2 * v[0] / w;
        long double a = x[0] - x_g, b = v[0] / w, z = x[2], b_z = v[2] / w_z;
        long double turned[2] = {c * a + s * b, c * b - s * a};
        x[0] = (double)(x_g + turned[0]);
        x[1] = (double)(y_g - 1.5L * w * x_g * time + 2 * turned[1]);
        x[2] = (double)(c_z * z + s_z * b_z);
        v[0] = (double)(w * turned[1]);
        v[1] = (double)(-1.5L * w * x_g - 2 * w * turned[0]);
        v[2] = (double)(w_z * (c_z * b_z - s_z * z));
    }
}

static long double fold(long double x)
{
    return x - rintl(x);
}

double oct_oracle_lag(const oct_oracle_sheet *sheet, double time)
{
    return (double)fold(1.5L * sheet->omega * sheet->size[0] / sheet->size[1] * time);
}

double oct_oracle_sheet_error(const oct_bodies *inside, const oct_bodies *unwrapped,
                              const oct_oracle_sheet *sheet, double time)
{
    double worst = inside->n == unwrapped->n ? 0 : INFINITY, lag = oct_oracle_lag(sheet, time);
    const double *size = sheet->size;
    for (size_t i = 0; i < inside->n && i < unwrapped->n; i++) {
        double d[6], cell = 0;
        for (size_t k = 0; k < 3; k++) {
            double x = inside->position[3 * i + k];
            d[k] = x - unwrapped->position[3 * i + k];
            d[k + 3] = inside->velocity[3 * i + k] - unwrapped->velocity[3 * i + k];
            if (size[k] > 0 && !(x >= -size[k] / 2 && x < size[k] / 2))
                return INFINITY;
        }
        cell = rint(d[0] / size[0]);
        d[0] -= cell * size[0];
        d[1] = size[1] * (double)fold(d[1] / size[1] + cell * lag);
        d[2] = size[2] > 0 ? size[2] * (double)fold(d[2] / size[2]) : d[2];
        d[4] += cell * 1.5 * sheet->omega * size[0];
        for (int k = 0; k < 6; k++)
            worst = oct_oracle_worse(worst, k < 3 ? fabs(d[k]) : fabs(d[k]) / sheet->omega);
    }
    return worst;
}
