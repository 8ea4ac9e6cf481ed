/* The state of a sheet: how hot, thick and dense it is. */
#include <math.h>
#include <string.h>

#include "core/join.h"
#include "diag/diag_patch.h"

typedef struct sheet {
    oct_program *program;
    oct_kernel *sum, *sum_about;
    double shear;
    double about[4];       /* a velocity and a height */
    uint32_t place, again; /* of the sums about 0, and about their means */
    uint32_t from;         /* where these are on the device */
} sheet;

/* Columns of the kernel. */
enum {
    COUNT,
    MASS,
    MEAN,
    SQUARE = 5,
    MASS_MEAN = 8,
    MASS_SQUARE = 11,
    STRESS = 14,
    HEIGHT,
    HEIGHT_SQUARE,
    RADIUS_SQUARE,
    MIDPLANE,
    RADIUS,
    SUMS
};

static const oct_column columns[] = {
    {"dispersion", 3, 1, 0, -1, .doc = "velocity dispersion, without the shear", .squares = true},
    {"dispersion_mass", 3, 1, 0, -1, .doc = "the same, weighted by mass", .squares = true},
    {"thickness", 1, 1, 0, 0, .doc = "standard deviation of z"},
    {"filling", 1, 0, 0, 0, .doc = "part of the midplane that is inside of bodies"},
    {"tau", 1, 0, 0, 0, .doc = "geometric optical depth: cross sections over the area"},
    {"surface_density", 1, -2, 1, 0, .doc = "mass over the area"},
    {"toomre_q", 1, 0, 0, 0, .doc = "Toomre's Q, of the radial dispersion by mass"},
    {"toomre_wavelength", 1, 1, 0, 0, .doc = "Toomre's critical wavelength"},
    {"viscosity_local", 1, 2, 0, -1, .doc = "viscosity by random motion"},
    {"radius_mean", 1, 1, 0, 0, .doc = "mean radius"},
    {"dispersion_scaled", 3, 0, 0, 0, .doc = "dispersion over radius_mean times omega",
     .squares = true},
    {0},
};

static oct_status sheet_init(void *state, oct_domain *domain)
{
    sheet *self = state;
    OCT_TRY(oct_domain_build(&self->program, domain, "diag_patch.cl", NULL));
    OCT_TRY(OCT_KERNEL(&self->sum_about, self->program, "diag_sheet_sum_about",
                       OCT_BIND_DOMAIN(domain),
                       OCT_BIND_OUT("partials", &domain->readback.partials),
                       OCT_BIND_IN("sums", &domain->readback.sums),
                       OCT_BIND_REAL("shear", &self->shear), OCT_BIND_UINT("from", &self->from)));
    return OCT_KERNEL(&self->sum, self->program, "diag_sheet_sum", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_OUT("partials", &domain->readback.partials),
                      OCT_BIND_REAL("shear", &self->shear), OCT_BIND_REAL("ax", &self->about[0]),
                      OCT_BIND_REAL("ay", &self->about[1]), OCT_BIND_REAL("az", &self->about[2]),
                      OCT_BIND_REAL("height", &self->about[3]));
}

/* Whether the means of the domain are those of all bodies: then they need not leave the device. */
static bool is_alone(const oct_domain *domain)
{
    return !domain->sim->comm && !domain->sim->domain->beside;
}

static oct_status sheet_launch(void *state, oct_domain *domain)
{
    sheet *self = state;
    self->shear = 1.5 * oct_patch_of(domain).omega;
    memset(self->about, 0, sizeof self->about);
    OCT_TRY(oct_readback_sum(&self->place, domain, self->sum, SUMS, 0));
    if (!is_alone(domain))
        return OCT_STATUS_OK;
    OCT_TRY(oct_readback_fold(domain));
    self->from = OCT_READBACK_FIRST + self->place;
    return oct_readback_sum(&self->again, domain, self->sum_about, SUMS, 0);
}

/* A domain's sums about 0, */
static oct_status sums_of(double *out, void *state, oct_domain *domain, const void *about)
{
    (void)about;
    return oct_readback_sums(out, domain, ((const sheet *)state)->place, SUMS);
}

/* and about what the one who asks for them has found. */
static oct_status sums_about(double *out, void *state, oct_domain *domain, const void *about)
{
    sheet *self = state;
    if (is_alone(domain))
        return oct_readback_sums(out, domain, self->again, SUMS);
    memmove(self->about, ((const sheet *)about)->about, sizeof self->about);
    OCT_TRY(oct_kernel_launch(self->sum, oct_domain_rows(domain), 0));
    return oct_domain_fold(out, domain, SUMS);
}

static double deviation(double weight, double sum, double squares)
{
    double mean = sum / weight;
    return sqrt(fmax(squares / weight - mean * mean, 0));
}

static oct_status sheet_measure(double *out, void *state, oct_domain *domain)
{
    sheet *self = state;
    oct_patch frame = oct_patch_of(domain);
    double sums[SUMS], *about = self->about;
    const double pi = acos(-1.0), G = domain->setup->units.G;
    OCT_TRY(oct_join_parts(sums, self, domain, &(oct_join){.part = sums_of, .n = SUMS}));
    double viscosity = 2 / (3 * frame.omega) * sums[STRESS] / sums[MASS];
    for (int k = 0; k < 3; k++)
        about[k] = sums[MEAN + k] / sums[COUNT];
    about[3] = sums[HEIGHT] / sums[COUNT];
    OCT_TRY(oct_join_parts(sums, self, domain,
                           &(oct_join){.part = sums_about, .about = self, .n = SUMS}));
    double *dispersion = out, *by_mass = out + 3, surface = sums[MASS] / frame.area;
    for (int k = 0; k < 3; k++) {
        dispersion[k] = deviation(sums[COUNT], sums[MEAN + k], sums[SQUARE + k]);
        by_mass[k] = deviation(sums[MASS], sums[MASS_MEAN + k], sums[MASS_SQUARE + k]);
    }
    out += 6;
    *out++ = deviation(sums[COUNT], sums[HEIGHT], sums[HEIGHT_SQUARE]);
    *out++ = pi * sums[MIDPLANE] / frame.area;
    *out++ = pi * sums[RADIUS_SQUARE] / frame.area;
    *out++ = surface;
    *out++ = by_mass[0] * frame.omega / (3.36 * G * surface);
    *out++ = 4 * pi * pi * G * surface / (frame.omega * frame.omega);
    *out++ = viscosity;
    double radius = *out++ = sums[RADIUS] / sums[COUNT];
    for (int k = 0; k < 3; k++)
        out[k] = radius > 0 ? dispersion[k] / (radius * frame.omega) : NAN;
    return OCT_STATUS_OK;
}

static void sheet_free(void *state)
{
    sheet *self = state;
    oct_kernel_free(self->sum);
    oct_kernel_free(self->sum_about);
    oct_program_free(self->program);
}

const oct_diag oct_diag_sheet = {
    .version = OCT_MODULE_VERSION,
    .name = "sheet",
    .doc = "Velocity dispersion, thickness, optical depth and Toomre's Q of a rotating sheet.",
    .state_size = sizeof(sheet),
    .columns = columns,
    .applies = oct_patch_rotates,
    .init = sheet_init,
    .launch = sheet_launch,
    .measure = sheet_measure,
    .looks = oct_looks_nowhere,
    .free = sheet_free,
    .shared = true,
    .ahead = true,
};
