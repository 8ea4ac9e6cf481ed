/* Wakes in a sheet: pitch angle and amplitude from the autocorrelation of the surface density. */
#include <math.h>
#include <stdlib.h>

#include "diag/diag_fft.h"
#include "diag/diag_frame.h"

typedef struct wakes {
    uint32_t cells[2]; /* of the grid, in x and y; powers of two */
    oct_program *program;
    oct_kernel *sum, *deposit;
    oct_buffer *grid;
} wakes;

enum { FEWEST_CELLS = 8, MOST_CELLS = 256 };
/* Columns of the kernel. */
enum { MASS, MASS_SQUARE, SUMS };

static const oct_column columns[] = {
    {"wake_angle", 1, 0, 0, 0,
     .doc = "pitch angle of wakes in degrees, from the direction of the orbit, positive when they "
            "trail"},
    {"wake_amplitude", 1, 0, 0, 0,
     .doc = "relative variation of the surface density beyond that of bodies put at random"},
    {0},
};

/* One cell a body, roughly square. */
static uint32_t choose_cells(double side, double area, uint32_t n)
{
    double wanted = side * sqrt(n / area);
    uint32_t cells = FEWEST_CELLS;
    while (cells < MOST_CELLS && 2 * cells <= wanted)
        cells *= 2;
    return cells;
}

static oct_status wakes_init(void *state, oct_sim *sim)
{
    wakes *self = state;
    oct_frame frame = oct_frame_of(sim);
    for (int k = 0; k < 2; k++)
        self->cells[k] = choose_cells(frame.size[k], frame.area, sim->n);
    OCT_TRY(oct_sim_build(&self->program, sim, "diag_wakes.cl", NULL));
    OCT_TRY(oct_kernel_create(&self->sum, self->program, "diag_wakes_sum"));
    OCT_TRY(oct_kernel_create(&self->deposit, self->program, "diag_wakes_deposit"));
    return oct_buffer_create(&self->grid, sim->device, "surface density", sizeof(uint32_t),
                             (size_t)self->cells[0] * self->cells[1]);
}

/* The surface density in units of its mean, and the part of the mean square of it that comes from
 * every body being in the same cell as itself. */
static oct_status read_density(double complex *out, double *self_part, wakes *self, oct_sim *sim)
{
    oct_frame frame = oct_frame_of(sim);
    size_t n = self->grid->count;
    double sums[SUMS], scale = 1 / sim->mass_scale, total = 0;
    uint32_t *grid;
    OCT_TRY(OCT_LAUNCH(self->sum, OCT_SIM_ROWS, 0, OCT_OUT(sim->partials), OCT_IN(sim->position),
                       OCT_IN(sim->type), OCT_REAL(scale), OCT_UINT(sim->n)));
    OCT_TRY(oct_sim_fold(sums, sim, SUMS));
    *self_part = (double)n * sums[MASS_SQUARE] / (sums[MASS] * sums[MASS]);
    /* All mass in one cell is half of what an integer holds. */
    double units = sums[MASS] > 0 ? 0x1p31 / sums[MASS] * scale : 0;
    OCT_TRY(oct_buffer_fill(self->grid, 0));
    OCT_TRY(OCT_LAUNCH(self->deposit, sim->n, 0, OCT_OUT(self->grid), OCT_IN(sim->position),
                       OCT_IN(sim->type), OCT_REAL(units), OCT_REAL(self->cells[0] / frame.size[0]),
                       OCT_REAL(self->cells[1] / frame.size[1]), OCT_UINT(self->cells[0]),
                       OCT_UINT(self->cells[1]), OCT_UINT(sim->n)));
    OCT_TRY(oct_alloc(&grid, n, sizeof *grid, "surface density"));
    oct_status status = oct_buffer_read(grid, self->grid, 0, n);
    for (size_t i = 0; i < n; i++)
        total += grid[i];
    for (size_t i = 0; i < n; i++)
        out[i] = grid[i] * ((double)n / total);
    free(grid);
    return status;
}

/* A lag or a frequency: the upper half of the indices are the negative ones. */
static double signed_index(uint32_t i, uint32_t n)
{
    return i < n / 2 ? (double)i : (double)i - (double)n;
}

/* Turns each mode along y by its shift in a box that is shifted by `turns` of Ly for each Lx:
 * with this, what is periodic with the shift becomes plainly periodic in x. */
static void unshear(double complex *grid, const uint32_t cells[2], double turns, bool lags)
{
    for (uint32_t x = 0; x < cells[0]; x++)
        for (uint32_t k = 0; k < cells[1]; k++) {
            double at = lags ? signed_index(x, cells[0]) : x;
            double angle = 2 * acos(-1.0) * turns * signed_index(k, cells[1]) * at / cells[0];
            grid[(size_t)x * cells[1] + k] *= cexp(I * angle);
        }
}

static void transform_rows(double complex *grid, const uint32_t cells[2], int sign)
{
    for (uint32_t x = 0; x < cells[0]; x++)
        oct_fft(grid + (size_t)x * cells[1], cells[1], 1, sign);
}

static void transform_columns(double complex *grid, const uint32_t cells[2], int sign)
{
    for (uint32_t y = 0; y < cells[1]; y++)
        oct_fft(grid + y, cells[0], cells[1], sign);
}

/* The mean of s(r) s(r + lag) - 1 for every lag, in place of s. */
static void correlate(double complex *grid, const uint32_t cells[2], double turns)
{
    size_t n = (size_t)cells[0] * cells[1];
    transform_rows(grid, cells, -1);
    unshear(grid, cells, turns, false);
    transform_columns(grid, cells, -1);
    for (size_t i = 0; i < n; i++)
        grid[i] *= conj(grid[i]) / ((double)n * (double)n);
    transform_columns(grid, cells, 1);
    unshear(grid, cells, -turns, true);
    transform_rows(grid, cells, 1);
    for (size_t i = 0; i < n; i++)
        grid[i] -= 1;
}

/* The autocorrelation, and what is needed to look at its peak. */
typedef struct peak {
    const double complex *values;
    const uint32_t *cells;
    const double *size;
    double height;  /* mean over the lags of at most one cell */
    bool *reached;  /* whether a lag is known to belong to the peak */
    uint32_t *todo; /* lags that do, in the order they were reached */
} peak;

/* Lag of an index in the scene's units. */
static void lag_of(double out[2], const peak *p, uint32_t index)
{
    out[0] = signed_index(index / p->cells[1], p->cells[0]) * p->size[0] / p->cells[0];
    out[1] = signed_index(index % p->cells[1], p->cells[1]) * p->size[1] / p->cells[1];
}

static bool belongs(const peak *p, uint32_t index)
{
    double lag[2], half_side = fmin(p->size[0], p->size[1]) / 2;
    lag_of(lag, p, index);
    return creal(p->values[index]) > p->height / 2 && hypot(lag[0], lag[1]) < half_side;
}

/* The lags around 0 where the correlation is above half of its peak: connected, and within a
 * circle, which does not favour any direction where a wake is longer than the box. */
static uint32_t spread(peak *p)
{
    uint32_t n = 1, nx = p->cells[0], ny = p->cells[1];
    p->todo[0] = 0;
    p->reached[0] = true;
    for (uint32_t done = 0; done < n; done++) {
        uint32_t x = p->todo[done] / ny, y = p->todo[done] % ny;
        const uint32_t next[] = {(x + 1) % nx * ny + y, (x + nx - 1) % nx * ny + y,
                                 x * ny + (y + 1) % ny, x * ny + (y + ny - 1) % ny};
        for (int k = 0; k < 4; k++)
            if (!p->reached[next[k]] && belongs(p, next[k])) {
                p->reached[next[k]] = true;
                p->todo[n++] = next[k];
            }
    }
    return n;
}

/* Direction of the longer axis of the peak, from its second moments, in degrees from y. */
static double pitch(peak *p)
{
    double xx = 0, xy = 0, yy = 0;
    uint32_t n = spread(p);
    for (uint32_t i = 1; i < n; i++) {
        double lag[2], weight = creal(p->values[p->todo[i]]) - p->height / 2;
        lag_of(lag, p, p->todo[i]);
        xx += weight * lag[0] * lag[0];
        xy += weight * lag[0] * lag[1];
        yy += weight * lag[1] * lag[1];
    }
    return 90 / acos(-1.0) * atan2(-2 * xy, yy - xx);
}

/* Mean over the lags of at most one cell in x and y. */
static double central_mean(const double complex *grid, const uint32_t cells[2])
{
    double sum = 0;
    for (uint32_t i = 0; i < 9; i++) {
        uint32_t x = (i / 3 + cells[0] - 1) % cells[0], y = (i % 3 + cells[1] - 1) % cells[1];
        sum += creal(grid[(size_t)x * cells[1] + y]);
    }
    return sum / 9;
}

static oct_status find_peak(double *out, wakes *self, oct_sim *sim, double complex *grid)
{
    const oct_boundary *boundary = (const oct_boundary *)sim->setup->boundary.module;
    oct_frame frame = oct_frame_of(sim);
    const int32_t outward[3] = {1, 0, 0};
    oct_image image = boundary->image(sim->setup->boundary.state, outward, sim->time);
    size_t n = self->grid->count;
    double self_part;
    peak p = {.values = grid, .cells = self->cells, .size = frame.size};
    OCT_TRY(read_density(grid, &self_part, self, sim));
    correlate(grid, self->cells, image.shift[1] / frame.size[1]);
    grid[0] -= self_part;
    p.height = central_mean(grid, self->cells);
    out[0] = NAN;
    out[1] = sqrt(fmax(p.height, 0));
    /* The scatter of each lag by chance: a peak that does not stand out has no direction. */
    if (!(p.height > 3 * self_part / sqrt((double)n)))
        return OCT_STATUS_OK;
    oct_status status = oct_alloc(&p.todo, n, sizeof *p.todo, "lags");
    if (status == OCT_STATUS_OK)
        status = oct_alloc(&p.reached, n, sizeof *p.reached, "lags");
    if (status == OCT_STATUS_OK)
        out[0] = pitch(&p);
    free(p.todo);
    free(p.reached);
    return status;
}

static oct_status wakes_measure(double *out, void *state, oct_sim *sim)
{
    wakes *self = state;
    double complex *grid;
    OCT_TRY(oct_alloc(&grid, self->grid->count, sizeof *grid, "surface density"));
    oct_status status = find_peak(out, self, sim, grid);
    free(grid);
    return status;
}

static void wakes_free(void *state)
{
    wakes *self = state;
    oct_buffer_free(self->grid);
    oct_kernel_free(self->sum);
    oct_kernel_free(self->deposit);
    oct_program_free(self->program);
}

const oct_diag oct_diag_wakes = {
    .version = OCT_MODULE_VERSION,
    .name = "wakes",
    .doc = "Pitch angle and amplitude of wakes in a rotating sheet.",
    .state_size = sizeof(wakes),
    .columns = columns,
    .applies = oct_frame_attracts,
    .init = wakes_init,
    .measure = wakes_measure,
    .free = wakes_free,
};
