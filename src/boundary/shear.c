/* A patch of a disk, the shearing sheet: x points outward, y along the orbit, z up. Neighbouring
 * boxes inside and outside slide past with the Keplerian shear v_y = -(3/2) Omega x. */
#include <math.h>
#include <string.h>

#include "boundary/boundary_sheet.h"
#include "core/faces.h"
#include "core/review.h"

typedef struct sheet {
    double size[3];
    int64_t ghosts[3];
    double omega, omega_z;
    int beyond;

    oct_outer_sheet around;
    oct_program *program;
    oct_kernel *wrap;
    oct_faces faces;
} sheet;

enum { MOST_IMAGES = 33 * 33 };
/* Pairs a step that take the fastest devices a millisecond. */
static const double many_pairs = 1e9;

enum { BEYOND_SHEET, BEYOND_NOTHING };
static const char *const beyond[] = {"sheet", "nothing", NULL};

static const oct_field fields[] = {
    {.name = "size",
     .type = OCT_FIELD_REAL3,
     .offset = offsetof(sheet, size),
     .unit = {1, 0, 0},
     .min = 0,
     .above_min = true,
     .max = 1e300,
     .doc = "sides of the box, which is centred on the origin: outward, along the orbit, up"},
    {.name = "ghosts",
     .type = OCT_FIELD_INT3,
     .offset = offsetof(sheet, ghosts),
     .initial = "[1, 1, 0]",
     .min = 0,
     .max = 16,
     .doc = "rings of images that act on a particle in each direction; the box repeats vertically "
            "only where the third is 1 or more"},
    {.name = "omega",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(sheet, omega),
     .unit = {0, 0, -1},
     .min = 0,
     .above_min = true,
     .max = 1e300,
     .doc = "angular speed Ω of the orbit; an orbit is 2π/Ω"},
    {.name = "omega_z",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(sheet, omega_z),
     .initial = "0",
     .unit = {0, 0, -1},
     .min = 0,
     .max = 1e300,
     .doc = "angular speed of vertical oscillations; 0: the same as omega"},
    {.name = "beyond",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(sheet, beyond),
     .initial = "sheet",
     .choices = beyond,
     .doc = "what attracts from beyond the images: a sheet of the box's mean surface density, "
            "where there are rings of images in x and y, or nothing"},
    {0},
};

static int64_t boxes(const sheet *self)
{
    int64_t n = 1;
    for (int k = 0; k < 3; k++)
        n *= 2 * self->ghosts[k] + 1;
    return n;
}

static oct_status shear_check(const void *state, const oct_setup *setup)
{
    const sheet *self = state;
    int64_t images = boxes(self);
    OCT_CHECK(images <= MOST_IMAGES, OCT_STATUS_INPUT,
              "ghosts [%lld, %lld, %lld] make %lld boxes; expected %d or fewer",
              (long long)self->ghosts[0], (long long)self->ghosts[1], (long long)self->ghosts[2],
              (long long)images, MOST_IMAGES);
    OCT_CHECK(oct_setup_integrator(setup)->rotates, OCT_STATUS_INPUT,
              "boundary shear rotates, and integrator %s knows no Coriolis and tidal forces: "
              "expected integrator.method: sei",
              setup->integrator.module->name);
    return OCT_STATUS_OK;
}

static void shear_ghosts(uint32_t rings[3], const void *state)
{
    const sheet *self = state;
    for (int k = 0; k < 3; k++)
        rings[k] = (uint32_t)self->ghosts[k];
}

/* Without rings of images the sheet would begin at the box itself. */
static bool has_sheet(const sheet *self, const oct_setup *setup)
{
    return oct_setup_has_gravity(setup) && self->beyond == BEYOND_SHEET && self->ghosts[0] > 0 &&
           self->ghosts[1] > 0;
}

static void shear_memory(oct_needs *needs, const void *state)
{
    if (has_sheet(state, needs->setup))
        oct_outer_sheet_memory(needs);
}

static void shear_review(const void *state, const oct_setup *setup, const oct_reviewer *to)
{
    const oct_choice *gravity = &setup->gravity;
    const oct_collision *collision = oct_setup_collision(setup);
    double softening = 1;
    uint64_t n = 0;
    (void)oct_field_real(&softening, gravity->state, gravity->module->fields, "softening");
    if (softening == 0 && !collision->collide)
        oct_review_problem(to, "gravity: bodies attract each other without softening and pass "
                               "through each other; expected softening or collisions");
    if (!oct_setup_gravity(setup)->all_pairs || oct_setup_count(&n, setup) != OCT_STATUS_OK)
        return;
    double pairs = (double)n * (double)n * (double)boxes(state);
    if (pairs > many_pairs)
        oct_review_problem(to,
                           "gravity: %s sums %.2g pairs in a step, %llu bodies in %lld boxes; "
                           "method: tree needs far fewer",
                           gravity->module->name, pairs, (unsigned long long)n,
                           (long long)boxes(state));
}

static double shear_speed(const sheet *self)
{
    return 1.5 * self->omega * self->size[0];
}

/* How far the next box outward lags behind, (3/2) Omega Lx t, folded into [-Ly/2, Ly/2]. Products
 * keep what they round off, and remainder is exact: a fold is as good after 1e9 steps as after
 * one. */
static double offset_at(const sheet *self, double time)
{
    const double *size = self->size;
    double rate = 1.5 * self->omega, rate_low = fma(1.5, self->omega, -rate);
    double speed = rate * size[0], speed_low = fma(rate, size[0], -speed) + rate_low * size[0];
    double way = speed * time, way_low = fma(speed, time, -way) + speed_low * time;
    return remainder(remainder(way, size[1]) + way_low, size[1]);
}

static void find_faces(oct_faces *faces, double time)
{
    const sheet *self = faces->boundary;
    faces->size[0] = self->size[0];
    faces->size[1] = self->size[1];
    faces->size[2] = self->ghosts[2] > 0 ? self->size[2] : 0;
    faces->offset = offset_at(self, time);
    faces->speed = shear_speed(self);
}

static oct_status shear_init(void *state, oct_domain *domain)
{
    sheet *self = state;
    uint32_t rings[3];
    shear_ghosts(rings, self);
    OCT_TRY(oct_domain_build(&self->program, domain, "sheet.cl", NULL));
    OCT_TRY(OCT_KERNEL(&self->wrap, self->program, "boundary_shear_wrap", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_REAL("size_x", &self->faces.size[0]),
                       OCT_BIND_REAL("size_y", &self->faces.size[1]),
                       OCT_BIND_REAL("size_z", &self->faces.size[2]),
                       OCT_BIND_REAL("offset", &self->faces.offset),
                       OCT_BIND_REAL("speed", &self->faces.speed)));
    self->faces = (oct_faces){.boundary = self, .find = find_faces};
    domain->faces = &self->faces;
    return has_sheet(self, domain->setup)
               ? oct_outer_sheet_start(&self->around, domain, self->program, self->size, rings)
               : OCT_STATUS_OK;
}

static oct_status shear_apply(void *state, oct_domain *domain)
{
    sheet *self = state;
    find_faces(&self->faces, oct_sim_time(domain->sim));
    return oct_kernel_launch(self->wrap, domain->n, 0);
}

static oct_status shear_pull(void *state, oct_domain *domain)
{
    sheet *self = state;
    return has_sheet(self, domain->setup)
               ? oct_outer_sheet_add(&self->around, domain,
                                     offset_at(self, oct_sim_time(domain->sim)))
               : OCT_STATUS_OK;
}

static bool shear_size(double out[3], const void *state)
{
    memcpy(out, ((const sheet *)state)->size, 3 * sizeof *out);
    return true;
}

/* Each row of images is folded by itself, so that one ring along y covers its neighbourhood. */
static oct_image shear_image(const void *state, const int32_t cell[3], double time)
{
    const sheet *self = state;
    const double *size = self->size;
    double offset = remainder(cell[0] * offset_at(self, time), size[1]);
    return (oct_image){.shift = {cell[0] * size[0], cell[1] * size[1] - offset, cell[2] * size[2]},
                       .velocity = {0, -cell[0] * shear_speed(self), 0}};
}

static void shear_repeats(bool out[3], const void *state)
{
    out[0] = out[1] = true;
    out[2] = ((const sheet *)state)->ghosts[2] > 0;
}

static void shear_rotation(double out[2], const void *state)
{
    const sheet *self = state;
    out[0] = self->omega;
    out[1] = self->omega_z > 0 ? self->omega_z : self->omega;
}

static void shear_free(void *state)
{
    sheet *self = state;
    oct_outer_sheet_end(&self->around);
    oct_kernel_free(self->wrap);
    oct_program_free(self->program);
}

const oct_boundary oct_boundary_shear = {
    .version = OCT_MODULE_VERSION,
    .name = "shear",
    .doc = "A patch of a disk that orbits with it: a box whose images slide past with the shear.",
    .state_size = sizeof(sheet),
    .fields = fields,
    .check = shear_check,
    .review = shear_review,
    .init = shear_init,
    .apply = shear_apply,
    .pull = shear_pull,
    .sets = true,
    .size = shear_size,
    .image = shear_image,
    .moving = true,
    .ghosts = shear_ghosts,
    .repeats = shear_repeats,
    .rotation = shear_rotation,
    .memory = shear_memory,
    .free = shear_free,
    .shared = true,
};
