/* Wakes in a sheet: pitch angle and amplitude from the autocorrelation of the surface density, seen
 * with a stated resolution. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/join.h"
#include "diag/diag_patch.h"
#include "diag/diag_waves.h"

/* Columns of the kernel. */
enum { MASS, MASS_SQUARE, COUNT, RADIUS, SUMS };

typedef struct wakes {
    double scale; /* 0: chosen by the sheet */
    oct_program *program;
    oct_kernel *sum, *deposit;
    oct_buffer *grid;
    double units, per[2], lag; /* of a deposit: mass, cells to a length, of the next box outward */
    uint32_t cells[2];
    uint32_t place;       /* of the sums */
    double known[SUMS];   /* these, which stay while bodies do, */
    oct_edition known_of; /* since bodies were last placed */
    uint32_t *raw;        /* the grid of a row that is read later, */
    oct_fetch *fetch;     /* and what of it is under way; NULL: none */
} wakes;

enum { FEWEST_CELLS = 8, CELLS_A_SCALE = 3 };
/* Parts of the scale where none is given: of Toomre's wavelength, and of a mean radius. */
static const double of_toomre = 0.25, of_radius = 8;

static const oct_column columns[] = {
    {"wake_angle", 1, 0, 0, 0, .unit = "deg",
     .doc = "pitch angle of wakes in degrees, from the direction of the orbit, positive when they "
            "trail"},
    {"wake_amplitude", 1, 0, 0, 0,
     .doc = "relative variation of the surface density seen with the resolution wake_scale, "
            "without that of bodies put at random"},
    {"wake_noise", 1, 0, 0, 0,
     .doc = "relative variation that bodies of these masses put at random would have"},
    {"wake_error", 1, 0, 0, 0, .doc = "standard error of wake_amplitude by the number of bodies"},
    {"wake_scale", 1, 1, 0, 0,
     .doc = "resolution: full width at half maximum of the Gaussian that the density is seen "
            "through"},
    {0},
};

static const oct_field fields[] = {
    {.name = "wake_scale",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(wakes, scale),
     .initial = "0",
     .unit = {1, 0, 0},
     .max = DBL_MAX,
     .doc = "resolution that wakes in a sheet are measured with, the full width at half maximum of "
            "a Gaussian; 0: a quarter of Toomre's wavelength, but at least 8 mean radii"},
    {0}};

/* Cells along a side that resolve the scale, as far as there are as many. */
static uint32_t cells_for(double side, double scale)
{
    uint32_t cells = FEWEST_CELLS;
    while (cells < OCT_WAVES_MOST && cells < CELLS_A_SCALE * side / scale)
        cells *= 2;
    return cells;
}

static double finest_scale(const oct_patch *frame)
{
    return CELLS_A_SCALE * fmax(frame->size[0], frame->size[1]) / OCT_WAVES_MOST;
}

static oct_status wakes_init(void *state, oct_domain *domain)
{
    wakes *self = state;
    oct_patch frame = oct_patch_of(domain);
    double scale = self->scale, finest = finest_scale(&frame);
    /* What the sentence says, in six digits, is accepted. */
    OCT_CHECK(scale == 0 || scale > finest * (1 - 1e-5), OCT_STATUS_INPUT,
              "output.wake_scale: %g is too fine for a box of %g by %g; expected %g or more, or 0",
              scale, frame.size[0], frame.size[1], finest);
    OCT_TRY(oct_domain_build(&self->program, domain, "diag_patch.cl", NULL));
    OCT_TRY(OCT_KERNEL(&self->sum, self->program, "diag_wakes_sum", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_OUT("partials", &domain->readback.partials)));
    return OCT_KERNEL(&self->deposit, self->program, "diag_wakes_deposit", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_OUT("grid", &self->grid), OCT_BIND_REAL("units", &self->units),
                      OCT_BIND_REAL("per_x", &self->per[0]), OCT_BIND_REAL("per_y", &self->per[1]),
                      OCT_BIND_REAL("lag", &self->lag), OCT_BIND_UINT("cells_x", &self->cells[0]),
                      OCT_BIND_UINT("cells_y", &self->cells[1]));
}

/* The scale of the scene; else a length of the sheet that does not depend on how many bodies
 * sample it, as far as a grid resolves it. */
static double choose_scale(double given, const oct_domain *domain, const oct_patch *frame,
                           const double sums[SUMS])
{
    double pi = acos(-1.0);
    double mass = sums[MASS] * domain->sim->mass_scale, radius = sums[RADIUS] / sums[COUNT];
    double toomre =
        4 * pi * pi * domain->setup->units.G * mass / frame->area / pow(frame->omega, 2);
    double chosen = fmax(of_toomre * toomre, of_radius * radius * domain->sim->length_scale);
    return given > 0 ? given : fmax(chosen, finest_scale(frame));
}

/* How fine a grid it will be is not known before there are bodies: at most as fine as can be. */
static void wakes_memory(oct_needs *needs, const void *state)
{
    const oct_boundary *boundary = oct_setup_boundary(needs->setup);
    double size[3], scale = ((const wakes *)state)->scale;
    boundary->size(size, needs->setup->boundary.state);
    if (scale == 0)
        scale = CELLS_A_SCALE * fmax(size[0], size[1]) / OCT_WAVES_MOST;
    oct_needs_add(needs, sizeof(uint32_t),
                  (uint64_t)cells_for(size[0], scale) * cells_for(size[1], scale));
}

static oct_status make_grid(wakes *self, oct_domain *domain, const oct_waves *waves)
{
    size_t n = (size_t)waves->cells[0] * waves->cells[1];
    if (!self->grid || self->grid->count != n) {
        oct_buffer_free(self->grid);
        self->grid = NULL;
        OCT_TRY(
            oct_buffer_create(&self->grid, domain->device, "surface density", sizeof(uint32_t), n));
    }
    return oct_buffer_fill(self->grid, 0);
}

/* What all domains put on the grid. */
typedef struct deposit {
    const oct_waves *waves;
    double mass;
} deposit;

static oct_status fill_grid(wakes *self, oct_domain *domain, const oct_waves *waves, double mass)
{
    OCT_TRY(make_grid(self, domain, waves));
    /* All mass in one cell is half of what an integer holds. */
    self->units = 0x1p31 / mass / domain->sim->mass_scale;
    self->lag = waves->turns * waves->size[1];
    for (int k = 0; k < 2; k++) {
        self->cells[k] = waves->cells[k];
        self->per[k] = waves->cells[k] / waves->size[k];
    }
    return oct_kernel_launch(self->deposit, domain->n, 0);
}

/* The cells of one domain's bodies: integers, whose sums are exact. */
static oct_status read_grid(double *out, void *state, oct_domain *domain, const void *about)
{
    wakes *self = state;
    const deposit *of = about;
    size_t n = (size_t)of->waves->cells[0] * of->waves->cells[1];
    uint32_t *grid;
    OCT_TRY(fill_grid(self, domain, of->waves, of->mass));
    OCT_TRY(oct_alloc(&grid, n, sizeof *grid, "surface density"));
    oct_status status = oct_buffer_read(grid, self->grid, 0, n);
    for (size_t i = 0; i < n; i++)
        out[i] = grid[i];
    free(grid);
    return status;
}

/* The surface density in units of its mean. */
static oct_status read_density(oct_waves *waves, wakes *self, oct_domain *domain, double mass)
{
    size_t n = (size_t)waves->cells[0] * waves->cells[1];
    const deposit about = {waves, mass};
    double total = 0, *grid;
    OCT_TRY(oct_alloc(&waves->values, n, sizeof *waves->values, "surface density"));
    OCT_TRY(oct_alloc(&grid, n, sizeof *grid, "surface density"));
    oct_status status =
        oct_join_parts(grid, self, domain, &(oct_join){.part = read_grid, .about = &about, .n = n});
    for (size_t i = 0; i < n; i++)
        total += grid[i];
    for (size_t i = 0; i < n; i++)
        waves->values[i] = grid[i] * ((double)n / total);
    free(grid);
    return status;
}

/* The autocorrelation, and what is needed to look at its peak. */
typedef struct peak {
    const double complex *values;
    const uint32_t *cells;
    const double *size;
    double height;  /* at lag 0 */
    bool *reached;  /* whether a lag is known to belong to the peak */
    uint32_t *todo; /* lags that do, in the order they were reached */
} peak;

/* Lag of an index in the scene's units. */
static void lag_of(double out[2], const peak *p, uint32_t index)
{
    out[0] = oct_waves_signed(index / p->cells[1], p->cells[0]) * p->size[0] / p->cells[0];
    out[1] = oct_waves_signed(index % p->cells[1], p->cells[1]) * p->size[1] / p->cells[1];
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

static oct_status find_angle(double *out, const oct_waves *waves)
{
    size_t n = (size_t)waves->cells[0] * waves->cells[1];
    peak p = {.values = waves->values,
              .cells = waves->cells,
              .size = waves->size,
              .height = creal(waves->values[0])};
    oct_status status = oct_alloc(&p.todo, n, sizeof *p.todo, "lags");
    if (status == OCT_STATUS_OK)
        status = oct_alloc(&p.reached, n, sizeof *p.reached, "lags");
    if (status == OCT_STATUS_OK)
        *out = pitch(&p);
    free(p.todo);
    free(p.reached);
    return status;
}

/* A density, and what its wakes follow from. */
typedef struct density {
    uint32_t *raw;    /* masses that the density is yet to be made of; NULL: none */
    oct_fetch *fetch; /* that brings them */
    oct_waves waves;
    double blur; /* a standard deviation */
    double shot;
} density;

static void free_density(void *context)
{
    density *d = context;
    oct_fetch_free(d->fetch);
    free(d->raw);
    free(d->waves.values);
    free(d);
}

static oct_status make_density(density *d)
{
    size_t n = (size_t)d->waves.cells[0] * d->waves.cells[1];
    double total = 0;
    OCT_TRY(oct_fetch_finish(d->fetch));
    OCT_TRY(oct_alloc(&d->waves.values, n, sizeof *d->waves.values, "surface density"));
    for (size_t i = 0; i < n; i++)
        total += d->raw[i];
    for (size_t i = 0; i < n; i++)
        d->waves.values[i] = d->raw[i] * ((double)n / total);
    return OCT_STATUS_OK;
}

static oct_status find_wakes(double *out, void *context)
{
    density *d = context;
    oct_waves *waves = &d->waves;
    oct_waves_chance chance;
    if (d->raw)
        OCT_TRY(make_density(d));
    OCT_TRY(oct_waves_correlate(&chance, waves, d->blur, d->shot));
    double square = creal(waves->values[0]), error = sqrt(fmax(chance.variance, 0));
    out[1] = sqrt(fmax(square, 0));
    out[2] = sqrt(chance.level);
    /* error / (2 amplitude) where the amplitude is large, and what 0 may hide where it is not. */
    out[3] = sqrt(out[1] * out[1] + error) - out[1];
    /* A peak that does not stand out of chance has no direction. */
    return square > 3 * error ? find_angle(out, waves) : OCT_STATUS_OK;
}

/* How the density of a sheet with these sums is looked at, as it is shifted now. */
static density begin_density(double *scale, const wakes *self, const oct_domain *domain,
                             const double sums[SUMS])
{
    const int32_t outward[3] = {1, 0, 0};
    oct_image image = oct_setup_boundary(domain->setup)
                          ->image(domain->boundary.state, outward, oct_sim_time(domain->sim));
    oct_patch frame = oct_patch_of(domain);
    *scale = choose_scale(self->scale, domain, &frame, sums);
    /* The standard deviation of a Gaussian of this full width at half maximum. */
    density d = {.waves = {.turns = image.shift[1] / frame.size[1],
                           .alone = domain->sim->later && domain->sim->later->beside},
                 .blur = *scale / sqrt(8 * log(2)),
                 .shot = sums[MASS_SQUARE] / pow(sums[MASS], 2)};
    for (int k = 0; k < 2; k++) {
        d.waves.size[k] = frame.size[k];
        d.waves.cells[k] = cells_for(frame.size[k], *scale);
    }
    return d;
}

/* Where the row is read later the grid comes with it: it goes by sums that are known before. */
static oct_status launch_ahead(wakes *self, oct_domain *domain)
{
    double scale;
    if (!oct_edition_same(self->known_of, domain->placed))
        OCT_TRY(oct_readback_sums(self->known, domain, self->place, SUMS));
    self->known_of = domain->placed;
    if (!(self->known[MASS] > 0))
        return OCT_STATUS_OK;
    density d = begin_density(&scale, self, domain, self->known);
    OCT_TRY(fill_grid(self, domain, &d.waves, self->known[MASS]));
    size_t n = self->grid->count;
    OCT_TRY(oct_alloc(&self->raw, n, sizeof *self->raw, "surface density"));
    OCT_TRY(oct_fetch_create(&self->fetch, domain->device));
    OCT_TRY(oct_fetch_add(self->fetch, self->raw, self->grid, n));
    return oct_fetch_send(self->fetch);
}

/* Of a row that was lost. */
static void forget_grid(wakes *self)
{
    oct_fetch_free(self->fetch);
    free(self->raw);
    self->fetch = NULL;
    self->raw = NULL;
}

static oct_status wakes_launch(void *state, oct_domain *domain)
{
    wakes *self = state;
    forget_grid(self);
    OCT_TRY(oct_readback_sum(&self->place, domain, self->sum, SUMS, 0));
    return domain->readback.when == OCT_READBACK_AHEAD ? launch_ahead(self, domain) : OCT_STATUS_OK;
}

static oct_status sums_of(double *out, void *state, oct_domain *domain, const void *about)
{
    (void)about;
    return oct_readback_sums(out, domain, ((const wakes *)state)->place, SUMS);
}

static oct_status wakes_measure(double *out, void *state, oct_domain *domain)
{
    wakes *self = state;
    double sums[SUMS];
    for (int k = 0; columns[k].name; k++)
        out[k] = NAN;
    OCT_TRY(oct_join_parts(sums, self, domain, &(oct_join){.part = sums_of, .n = SUMS}));
    if (!(sums[MASS] > 0))
        return OCT_STATUS_OK;
    OCT_CHECK(domain->readback.when == OCT_READBACK_NOW ||
                  memcmp(sums, self->known, sizeof sums) == 0,
              OCT_STATUS_INTERNAL, "the mass of a sheet is not what it was");
    density *d;
    OCT_TRY(oct_alloc(&d, 1, sizeof *d, "surface density"));
    *d = begin_density(&out[4], self, domain, sums);
    d->raw = self->raw;
    d->fetch = self->fetch;
    self->raw = NULL;
    self->fetch = NULL;
    oct_status status = d->raw ? OCT_STATUS_OK : read_density(&d->waves, self, domain, sums[MASS]);
    if (status != OCT_STATUS_OK) {
        free_density(d);
        return status;
    }
    return oct_later_add(domain->sim->later, out, (oct_later_job){find_wakes, free_density, d});
}

static void wakes_free(void *state)
{
    wakes *self = state;
    forget_grid(self);
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
    .fields = fields,
    .columns = columns,
    .applies = oct_patch_attracts,
    .init = wakes_init,
    .launch = wakes_launch,
    .measure = wakes_measure,
    .looks = oct_looks_nowhere,
    .memory = wakes_memory,
    .free = wakes_free,
    .shared = true,
    .ahead = true,
};
