/* Components by radius: density, enclosed mass, circular velocity and motion, in profiles.csv. */
#include <math.h>

#include "core/diagnose.h"
#include "diag/diag_components.h"

typedef struct profiles {
    oct_components *components;
} profiles;

static const oct_column columns[] = {
    {"v_max", 1, 1, 0, -1,
     .doc = "largest circular velocity sqrt(G M(r)/r) of the component's own mass, at the edges of "
            "the shells that hold 32 bodies or more"},
    {"r_max", 1, 1, 0, 0, .doc = "radius where it is"},
    {0},
};

static const oct_column table[] = {
    {"r_inner", 1, 1, 0, 0, .doc = "inner radius of a shell about the centre"},
    {"r_outer", 1, 1, 0, 0, .doc = "outer radius"},
    {"n", 1, 0, 0, 0, .doc = "bodies in the shell"},
    {"mass", 1, 0, 1, 0, .doc = "mass in the shell"},
    {"density", 1, -3, 1, 0, .doc = "mean density of the shell"},
    {"mass_enclosed", 1, 0, 1, 0, .doc = "mass of the component within the outer radius"},
    {"v_circ", 1, 1, 0, -1, .doc = "circular velocity by that mass alone"},
    {"v_radial", 1, 1, 0, -1, .doc = "mean radial velocity, outward"},
    {"v_rotation", 1, 1, 0, -1, .doc = "mean velocity about the axis of the angular momentum"},
    {"sigma_radial", 1, 1, 0, -1, .doc = "dispersion of radial velocities"},
    {"sigma_tangential", 1, 1, 0, -1,
     .doc = "dispersion of tangential velocities in one direction, without the rotation"},
    {"surface_density", 1, -2, 1, 0,
     .doc = "mass between cylinders of these radii about that axis, over the area between them"},
    {0},
};

enum {
    INNER,
    OUTER,
    N,
    MASS,
    DENSITY,
    ENCLOSED,
    CIRCULAR,
    RADIAL,
    ROTATION,
    SIGMA_R,
    SIGMA_T,
    SURFACE,
    WIDTH
};
enum { FEWEST = 32 };

static oct_status profiles_init(void *state, oct_domain *domain)
{
    return oct_components_share(&((profiles *)state)->components, domain);
}

static double circular_velocity(double mass, double radius, const oct_domain *domain)
{
    return sqrt(domain->setup->units.G * mass / radius);
}

static oct_status profiles_measure(double *out, void *state, oct_domain *domain)
{
    oct_components *components = ((profiles *)state)->components;
    oct_shell shells[OCT_SHELLS];
    uint32_t first, end;
    OCT_TRY(oct_components_find(components));
    for (uint32_t i = 0; i < components->n; i++, out += 2) {
        double mass = 0, bodies = 0;
        out[0] = out[1] = NAN;
        OCT_TRY(oct_components_shells(shells, &first, &end, components, i));
        for (uint32_t k = first; k < end; k++) {
            mass += shells[k].mass;
            bodies += shells[k].n;
            double v = circular_velocity(mass, shells[k].outer, domain);
            if (bodies < FEWEST || v <= out[0])
                continue;
            out[0] = v;
            out[1] = shells[k].outer;
        }
    }
    return OCT_STATUS_OK;
}

static void fill_row(double out[WIDTH], const oct_shell *shell, double enclosed,
                     const oct_domain *domain)
{
    const double pi = acos(-1.0), m = shell->mass;
    double inner = shell->inner, outer = shell->outer;
    out[INNER] = inner;
    out[OUTER] = outer;
    out[N] = shell->n;
    out[MASS] = m;
    out[DENSITY] = m / (4 * pi / 3 * (pow(outer, 3) - pow(inner, 3)));
    out[ENCLOSED] = enclosed;
    out[CIRCULAR] = circular_velocity(enclosed, outer, domain);
    out[RADIAL] = m > 0 ? shell->radial / m : NAN;
    out[ROTATION] = m > 0 ? shell->turning / m : NAN;
    double radial = shell->radial_square / m - out[RADIAL] * out[RADIAL];
    double tangential = (shell->tangential_square / m - out[ROTATION] * out[ROTATION]) / 2;
    out[SIGMA_R] = shell->n > 1 ? sqrt(fmax(radial, 0)) : NAN;
    out[SIGMA_T] = shell->n > 1 ? sqrt(fmax(tangential, 0)) : NAN;
    out[SURFACE] = shell->across / (pi * (outer * outer - inner * inner));
}

static oct_status profiles_tabulate(oct_tabulation *out, void *state, oct_domain *domain)
{
    oct_components *components = ((profiles *)state)->components;
    oct_shell shells[OCT_SHELLS];
    uint32_t first, end;
    OCT_TRY(oct_components_find(components));
    for (uint32_t i = 0; i < components->n; i++) {
        double row[WIDTH], enclosed = 0;
        OCT_TRY(oct_components_shells(shells, &first, &end, components, i));
        for (uint32_t k = first; k < end; k++) {
            enclosed += shells[k].mass;
            fill_row(row, &shells[k], enclosed, domain);
            OCT_TRY(oct_tabulation_add(out, oct_components_name(NULL, domain->setup, i), row));
        }
    }
    return OCT_STATUS_OK;
}

static void profiles_free(void *state)
{
    oct_components_free(((profiles *)state)->components);
}

const oct_diag oct_diag_profiles = {
    .version = OCT_MODULE_VERSION,
    .name = "profiles",
    .doc = "Profiles of each of output.components, in profiles.csv; and the peak of the circular "
           "velocity.",
    .state_size = sizeof(profiles),
    .check = oct_components_check,
    .columns = columns,
    .applies = oct_components_asked,
    .init = profiles_init,
    .measure = profiles_measure,
    .looks = oct_looks_nowhere,
    .part = oct_components_name,
    .table = table,
    .tabulate = profiles_tabulate,
    .memory = oct_components_memory,
    .free = profiles_free,
    .shared = true,
};
