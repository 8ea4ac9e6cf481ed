/* Transforms the grid along y and x, and its powers back into a correlation. */
#include "diag/diag_waves.h"

#include <math.h>
#include <stdlib.h>

#include "util/parallel.h"

typedef struct transform {
    oct_waves *waves;
    int sign;
    double blur, shot;
    oct_waves_chance *chance; /* of each mode along y */
} transform;

/* Lines of `length` cells whose first is among [first, end): the pieces of a parallel loop. */
static size_t line_from(size_t first, size_t length)
{
    return (first + length - 1) / length;
}

static oct_status transform_rows(void *context, size_t first, size_t end)
{
    const transform *t = context;
    size_t length = t->waves->cells[1];
    oct_fft_factors factors;
    oct_fft_prepare(&factors, length, t->sign);
    for (size_t x = line_from(first, length); x * length < end; x++)
        oct_fft_with(t->waves->values + x * length, &factors);
    return OCT_STATUS_OK;
}

/* Squares of what the shares of a body make of a wave that turns by 2 angle from cell to cell, and
 * of all waves that look the same on the grid: sinc^4, and the sum of sinc^4(angle + pi j). */
static double share(double angle)
{
    double sinc = angle == 0 ? 1 : sin(angle) / angle;
    return sinc * sinc * sinc * sinc;
}

static double share_alike(double angle)
{
    return 1 - 2.0 / 3 * sin(angle) * sin(angle);
}

/* Powers of the waves of one mode along y, without the level of bodies at random. */
static void take_powers(double complex *line, const transform *t, size_t mode)
{
    const oct_waves *w = t->waves;
    const double pi = acos(-1.0), nx = w->cells[0], ny = w->cells[1];
    double my = oct_waves_signed(mode, w->cells[1]), cells = nx * ny;
    double share_y = share(pi * my / ny), alike_y = share_alike(pi * my / ny);
    oct_waves_chance *chance = &t->chance[mode];
    for (size_t i = 0; i < w->cells[0]; i++) {
        /* The wave that fits a box whose images are shifted has this many periods along x. */
        double mx = remainder((double)i - my * w->turns, nx);
        if (i == 0 && mode == 0) {
            line[i] = 0;
            continue;
        }
        double x = 2 * pi * t->blur * mx / w->size[0], y = 2 * pi * t->blur * my / w->size[1];
        double seen = exp(-x * x - y * y), kept = share(pi * mx / nx) * share_y;
        double alike = share_alike(pi * mx / nx) * alike_y;
        double re = creal(line[i]) / cells, im = cimag(line[i]) / cells;
        double power = re * re + im * im;
        double signal = (power - t->shot * alike) / kept;
        line[i] = seen * signal;
        chance->level += seen * t->shot;
        /* |s + n|^2 varies by n^4 + 2 s^2 n^2; each wave is there twice, as k and -k. */
        chance->variance += 2 * seen * seen * t->shot * (t->shot + 2 * signal);
    }
}

/* Multiplies number k of a line by exp(i turn (k - from)): sines and cosines are found for every
 * RUN-th, and for those of one run. */
static void turn_line(double complex *line, size_t n, double turn, double from)
{
    enum { RUN = 16 };
    double complex within[RUN];
    for (size_t k = 0; k < RUN; k++)
        within[k] = cexp(I * (turn * (double)k));
    for (size_t first = 0; first < n; first += RUN) {
        double complex start = cexp(I * (turn * ((double)first - from)));
        for (size_t k = 0; k < RUN && first + k < n; k++)
            line[first + k] = oct_times(line[first + k], oct_times(start, within[k]));
    }
}

/* Each mode along y: there, the powers, and back. It is turned by its shift in the sheared images,
 * so that what is periodic with the shift becomes plainly periodic in x. The density is real: what
 * the upper half of the modes would come to is the conjugate of the lower half. */
static oct_status transform_columns(void *context, size_t first, size_t end)
{
    const transform *t = context;
    const oct_waves *w = t->waves;
    size_t nx = w->cells[0], ny = w->cells[1];
    double complex line[OCT_WAVES_MOST];
    oct_fft_factors there, back;
    oct_fft_prepare(&there, nx, -1);
    oct_fft_prepare(&back, nx, 1);
    for (size_t mode = line_from(first, nx); mode * nx < end; mode++) {
        double turn = 2 * acos(-1.0) * w->turns * oct_waves_signed(mode, ny) / (double)nx;
        for (size_t x = 0; x < nx; x++)
            line[x] = w->values[x * ny + mode];
        turn_line(line, nx, turn, 0);
        oct_fft_with(line, &there);
        take_powers(line, t, mode);
        oct_fft_with(line, &back);
        /* Lags of the upper half are negative. */
        turn_line(line, nx / 2, -turn, 0);
        turn_line(line + nx / 2, nx / 2, -turn, (double)nx / 2);
        size_t other = (ny - mode) % ny;
        t->chance[other] = t->chance[mode];
        for (size_t x = 0; x < nx; x++) {
            w->values[x * ny + other] = conj(line[x]);
            w->values[x * ny + mode] = line[x];
        }
    }
    return OCT_STATUS_OK;
}

static oct_status spread(const oct_waves *waves, size_t n, oct_parallel_body body, transform *t)
{
    return waves->alone ? body(t, 0, n) : oct_parallel(n, body, t);
}

oct_status oct_waves_correlate(oct_waves_chance *out, oct_waves *waves, double blur, double shot)
{
    transform t = {.waves = waves, .sign = -1, .blur = blur, .shot = shot};
    size_t cells = (size_t)waves->cells[0] * waves->cells[1];
    oct_status status;
    *out = (oct_waves_chance){0};
    OCT_TRY(oct_alloc(&t.chance, waves->cells[1], sizeof *t.chance, "waves"));
    OCT_TRY_DONE(spread(waves, cells, transform_rows, &t));
    OCT_TRY_DONE(
        spread(waves, (size_t)waves->cells[0] * (waves->cells[1] / 2 + 1), transform_columns, &t));
    t.sign = 1;
    OCT_TRY_DONE(spread(waves, cells, transform_rows, &t));
    for (size_t mode = 0; mode < waves->cells[1]; mode++) {
        out->level += t.chance[mode].level;
        out->variance += t.chance[mode].variance;
    }
done:
    free(t.chance);
    return status;
}
