/* How opaque a sheet looks: rays that pass it, counted. */
#include <math.h>

#include "diag/diag_patch.h"
#include "tree/tree.h"

enum { LINES = 3, LEAF = 16, FEWEST_RAYS = 64, MOST_RAYS = 256, LOWEST_ELEVATION = 1 };

typedef struct sight {
    double elevation[3], azimuth[3]; /* degrees; elevation 0: no line of sight */
    int64_t asked_rays;              /* along each side; 0: by the number of bodies */
    uint32_t rays;
    oct_program *program;
    oct_kernel *count;
    uint32_t passed[1 + LINES]; /* places of counts: from above, and along the lines */
    uint32_t counting;          /* the one that is launched */
    double size[2], lag;        /* of the box, of the next one outward */
    double direction[3];
} sight;

/* Where values of the columns are. */
enum { NORMAL, NORMAL_ERROR, SIGHT, SIGHT_ERROR = SIGHT + LINES, RAYS = SIGHT_ERROR + LINES };

static const oct_column columns[] = {
    {"tau_normal", 1, 0, 0, 0, .doc = "optical depth of the sheet seen from above, by rays"},
    {"tau_normal_error", 1, 0, 0, 0, .doc = "its standard error by the number of rays"},
    {"tau_sight", 3, 0, 0, 0,
     .doc = "normal optical depth, sin(elevation) times that of the rays, along the lines of sight "
            "in output.sight_elevation"},
    {"tau_sight_error", 3, 0, 0, 0, .doc = "their standard errors by the number of rays"},
    {"rays", 1, 0, 0, 0, .doc = "number of rays in each direction"},
    {0},
};

static const oct_field fields[] = {
    {.name = "sight_elevation",
     .type = OCT_FIELD_REAL3,
     .offset = offsetof(sight, elevation),
     .initial = "[0, 0, 0]",
     .min = 0,
     .max = 90,
     .doc = "elevations in degrees above a sheet of up to three lines of sight, along which its "
            "optical depth is measured (tau_sight); 0: none"},
    {.name = "sight_azimuth",
     .type = OCT_FIELD_REAL3,
     .offset = offsetof(sight, azimuth),
     .initial = "[0, 0, 0]",
     .min = -360,
     .max = 360,
     .doc = "their azimuths in degrees, from x, outward, towards y, along the orbit"},
    {.name = "sight_rays",
     .type = OCT_FIELD_INT,
     .offset = offsetof(sight, asked_rays),
     .initial = "0",
     .min = 0,
     .max = 4096,
     .doc =
         "rays along each side of a sheet, as many squared in each direction, for tau_normal and "
         "tau_sight; 0: 64 to 256, about the root of the number of bodies"},
    {0}};

static oct_status sight_init(void *state, oct_domain *domain)
{
    sight *self = state;
    const double *elevation = self->elevation;
    for (int k = 0; k < LINES; k++)
        OCT_CHECK(elevation[k] == 0 || elevation[k] >= LOWEST_ELEVATION, OCT_STATUS_INPUT,
                  "output.sight_elevation: rays at %g degrees would cross too many images of the "
                  "box; expected %d to 90 degrees, or 0 for none",
                  elevation[k], LOWEST_ELEVATION);
    self->rays = (uint32_t)self->asked_rays;
    if (self->rays == 0) {
        self->rays = FEWEST_RAYS;
        while (self->rays < MOST_RAYS && self->rays < sqrt(domain->n))
            self->rays *= 2;
    }
    OCT_TRY(oct_domain_build(&self->program, domain, "diag_patch.cl", NULL));
    OCT_TRY(OCT_KERNEL(
        &self->count, self->program, "diag_sight_count", OCT_BIND_DOMAIN(domain),
        OCT_BIND_TREE(domain), OCT_BIND_OUT("counts", &domain->readback.counts),
        OCT_BIND_UINT("passed", &self->counting), OCT_BIND_REAL("size_x", &self->size[0]),
        OCT_BIND_REAL("size_y", &self->size[1]), OCT_BIND_REAL("lag", &self->lag),
        OCT_BIND_REAL("direction_x", &self->direction[0]),
        OCT_BIND_REAL("direction_y", &self->direction[1]),
        OCT_BIND_REAL("direction_z", &self->direction[2]), OCT_BIND_UINT("rays", &self->rays)));
    return OCT_STATUS_OK;
}

/* Rays in a direction, in degrees. */
static oct_status cast(uint32_t *place, sight *self, oct_domain *domain, double elevation,
                       double azimuth)
{
    const oct_boundary *boundary = oct_setup_boundary(domain->setup);
    const int32_t outward[3] = {1, 0, 0};
    oct_image image = boundary->image(domain->boundary.state, outward, oct_sim_time(domain->sim));
    oct_patch patch = oct_patch_of(domain);
    double degree = acos(-1.0) / 180, B = elevation * degree, A = azimuth * degree;
    OCT_TRY(oct_readback_take_count(place, domain));
    self->counting = *place;
    for (int k = 0; k < 2; k++)
        self->size[k] = patch.size[k];
    self->lag = image.shift[1];
    self->direction[0] = cos(B) * cos(A);
    self->direction[1] = cos(B) * sin(A);
    self->direction[2] = sin(B);
    return oct_kernel_launch(self->count, self->rays * self->rays, 0);
}

static oct_status cast_all(sight *self, oct_domain *domain, oct_tree *tree)
{
    OCT_TRY(oct_tree_update(tree, domain));
    OCT_TRY(cast(&self->passed[0], self, domain, 90, 0));
    for (int k = 0; k < LINES; k++)
        if (self->elevation[k] > 0)
            OCT_TRY(cast(&self->passed[1 + k], self, domain, self->elevation[k], self->azimuth[k]));
    return OCT_STATUS_OK;
}

static oct_status sight_launch(void *state, oct_domain *domain)
{
    oct_tree *tree;
    const oct_tree_options options = {.theta = 1, .leaf = LEAF, .cells = true};
    OCT_TRY(oct_tree_share(&tree, domain, &options));
    oct_status status = cast_all(state, domain, tree);
    oct_tree_free(tree);
    return status;
}

/* -sin(B) ln(p) with the part p of the rays that pass, and its error where each of R rays passes by
 * chance, sin(B) sqrt((1 - p) / (p R)); NaN where none passes. */
static oct_status read_depth(double *tau, double *error, const sight *self, oct_domain *domain,
                             int line, double elevation)
{
    double sine = sin(elevation * acos(-1.0) / 180), rays = (double)self->rays * self->rays;
    uint32_t passed;
    *tau = *error = NAN;
    if (!(elevation > 0))
        return OCT_STATUS_OK;
    OCT_TRY(oct_readback_count(&passed, domain, self->passed[line]));
    if (passed > 0) {
        *tau = -sine * log(passed / rays);
        /* Where all pass, one might not have. */
        double hits = fmax(rays - passed, 1);
        *error = sine * sqrt(hits / (passed * rays));
    }
    return OCT_STATUS_OK;
}

static oct_status sight_measure(double *out, void *state, oct_domain *domain)
{
    const sight *self = state;
    OCT_TRY(read_depth(&out[NORMAL], &out[NORMAL_ERROR], self, domain, 0, 90));
    for (int k = 0; k < LINES; k++)
        OCT_TRY(read_depth(&out[SIGHT + k], &out[SIGHT_ERROR + k], self, domain, 1 + k,
                           self->elevation[k]));
    out[RAYS] = (double)self->rays * self->rays;
    return OCT_STATUS_OK;
}

static void sight_memory(oct_needs *needs, const void *self)
{
    (void)self;
    oct_tree_memory(needs);
}

static void sight_free(void *state)
{
    sight *self = state;
    oct_kernel_free(self->count);
    oct_program_free(self->program);
}

const oct_diag oct_diag_sight = {
    .version = OCT_MODULE_VERSION,
    .name = "sight",
    .doc = "Optical depth of a rotating sheet along lines of sight.",
    .state_size = sizeof(sight),
    .fields = fields,
    .columns = columns,
    .applies = oct_patch_rotates,
    .init = sight_init,
    .launch = sight_launch,
    .measure = sight_measure,
    .looks = oct_looks_nowhere,
    .memory = sight_memory,
    .free = sight_free,
    .gathered = true,
    .ahead = true,
};
