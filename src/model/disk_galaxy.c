/* A disk galaxy without gas: an exponential disk, a bulge and a halo, each in equilibrium with the
 * field of all, and a black hole at the centre. */
#include "model/model_disk.h"
#include "model/model_sphere.h"
#include "util/parallel.h"

#include <math.h>

typedef struct part {
    int64_t n;
    double mass, scale, truncation, height, toomre;
} part;

enum { DISK, BULGE, HALO, PARTS };

typedef struct disk_galaxy {
    part parts[PARTS];
    double black_hole;
} disk_galaxy;

#define PART_N(usual)                                                                              \
    {                                                                                              \
        .name = "n", .type = OCT_FIELD_INT, .offset = offsetof(part, n), .initial = usual,         \
        .max = 2147483648.0, .doc = "number of particles; 0: there is none"                        \
    }
#define PART_MASS(usual)                                                                           \
    {                                                                                              \
        .name = "mass", .type = OCT_FIELD_REAL, .offset = offsetof(part, mass), .initial = usual,  \
        .unit = {.mass = 1}, .above_min = true, .max = DBL_MAX,                                    \
        .doc = "its mass, shared equally by its particles"                                         \
    }
#define PART_SCALE(usual, text)                                                                    \
    {                                                                                              \
        .name = "scale", .type = OCT_FIELD_REAL, .offset = offsetof(part, scale),                  \
        .initial = usual, .unit = {.length = 1}, .above_min = true, .max = DBL_MAX, .doc = text    \
    }
#define PART_TRUNCATION                                                                            \
    {                                                                                              \
        .name = "truncation", .type = OCT_FIELD_REAL, .offset = offsetof(part, truncation),        \
        .initial = "10", .min = 0.1, .max = 1e4,                                                   \
        .doc = "radius at which the density begins to fall off as sech(r / r_t), in scale radii"   \
    }

static const oct_field disk_fields[] = {
    PART_N("20000"),
    PART_MASS("1"),
    PART_SCALE("1", "scale length a of the surface density, exp(-R/a)"),
    {.name = "height",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(part, height),
     .initial = "0.1",
     .min = 0.001,
     .max = 1,
     .doc = "scale height h of the density, sech^2(z/h), in scale lengths"},
    {.name = "toomre",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(part, toomre),
     .initial = "1.5",
     .min = 0.1,
     .max = 100,
     .doc = "the least of Toomre's Q over all radii; below 1 the disk falls to pieces"},
    {.type = OCT_FIELD_END},
};

static const oct_field bulge_fields[] = {
    PART_N("0"),     PART_MASS("0.2"),        PART_SCALE("0.2", "Hernquist's radius a"),
    PART_TRUNCATION, {.type = OCT_FIELD_END},
};

static const oct_field halo_fields[] = {
    PART_N("100000"),
    PART_MASS("25"),
    PART_SCALE("5", "radius a of Navarro, Frenk and White"),
    PART_TRUNCATION,
    {.type = OCT_FIELD_END},
};

static const oct_field fields[] = {
    {.name = "disk",
     .type = OCT_FIELD_GROUP,
     .offset = offsetof(disk_galaxy, parts[DISK]),
     .group = disk_fields},
    {.name = "bulge",
     .type = OCT_FIELD_GROUP,
     .offset = offsetof(disk_galaxy, parts[BULGE]),
     .group = bulge_fields},
    {.name = "halo",
     .type = OCT_FIELD_GROUP,
     .offset = offsetof(disk_galaxy, parts[HALO]),
     .group = halo_fields},
    {.name = "black_hole",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(disk_galaxy, black_hole),
     .initial = "0",
     .unit = {.mass = 1},
     .max = DBL_MAX,
     .doc = "mass of a black hole at the centre; 0: none"},
    {.type = OCT_FIELD_END},
};

/* The galaxy while it is made. Bodies come in the order hole, disk, bulge, halo. */
typedef struct making {
    const disk_galaxy *galaxy;
    oct_equilibrium *spheres[PARTS]; /* bulge and halo; NULL: none */
    double mass[PARTS];              /* of spheres: their mass over that of the table */
    oct_disk disk;
    size_t n[PARTS], n_hole;
    oct_bodies *bodies;
    size_t first;
    double G;
    const oct_model_context *context;
} making;

static size_t count_part(const part *p, const oct_setup *setup)
{
    return p->n > 0 ? (size_t)oct_setup_share(setup, (uint64_t)p->n) : 0;
}

static double bulge_density(double r, const void *model)
{
    const part *p = model;
    double x = r / p->scale;
    return 1 / (x * pow(1 + x, 3) * cosh(x / p->truncation));
}

static double halo_density(double r, const void *model)
{
    const part *p = model;
    double x = r / p->scale;
    return 1 / (x * pow(1 + x, 2) * cosh(x / p->truncation));
}

static double sphere_mass(const making *m, int which, double radius)
{
    return m->spheres[which] ? m->mass[which] * oct_equilibrium_mass(m->spheres[which], radius) : 0;
}

/* Of bulge, halo and black hole. */
static double mass_of_spheres(double radius, const void *model)
{
    const making *m = model;
    return m->galaxy->black_hole + sphere_mass(m, BULGE, radius) + sphere_mass(m, HALO, radius);
}

/* What pulls at a sphere beside itself. */
typedef struct rest {
    const making *making;
    int but;
} rest;

static double mass_of_rest(double radius, const void *model)
{
    const rest *r = model;
    const making *m = r->making;
    double disk = m->n[DISK] > 0 ? oct_disk_mass(radius, &m->disk) : 0;
    double all = mass_of_spheres(radius, m) + disk - sphere_mass(m, r->but, radius);
    return all / m->mass[r->but];
}

static oct_status make_tables(making *m)
{
    static const oct_equilibrium_at density[PARTS] = {NULL, bulge_density, halo_density};
    static const char *const names[PARTS] = {"the disk", "the bulge", "the halo"};
    const part *parts = m->galaxy->parts;
    for (int i = BULGE; i <= HALO; i++) {
        const part *p = &parts[i];
        if (m->n[i] == 0)
            continue;
        m->spheres[i] =
            oct_equilibrium_create(1e-5 * p->scale, 36 * p->scale * p->truncation, density[i], p);
        OCT_CHECK(m->spheres[i], OCT_STATUS_MEMORY, "not enough memory for a galaxy's profile");
        m->mass[i] = p->mass / oct_equilibrium_mass(m->spheres[i], INFINITY);
    }
    m->disk = (oct_disk){.mass = parts[DISK].mass,
                         .scale = parts[DISK].scale,
                         .height = parts[DISK].height * parts[DISK].scale,
                         .spheres = mass_of_spheres,
                         .others = m};
    if (m->n[DISK] > 0)
        oct_disk_solve(&m->disk, parts[DISK].toomre);
    for (int i = BULGE; i <= HALO; i++) {
        rest others = {m, i};
        if (!m->spheres[i])
            continue;
        oct_equilibrium_add(m->spheres[i], mass_of_rest, &others);
        OCT_TRY(oct_equilibrium_solve(m->spheres[i], names[i]));
    }
    return OCT_STATUS_OK;
}

static void draw_sphere(double position[3], double velocity[3], oct_random *random, const making *m,
                        int which)
{
    double radius, speed, outward[3], along[3];
    oct_equilibrium_draw(&radius, &speed, random, m->spheres[which]);
    oct_random_direction(outward, random);
    oct_random_direction(along, random);
    for (int k = 0; k < 3; k++) {
        position[k] = radius * outward[k];
        velocity[k] = sqrt(m->mass[which]) * speed * along[k];
    }
}

static oct_status fill(void *context, size_t first, size_t end)
{
    static const uint8_t types[PARTS] = {OCT_TYPE_DISK, OCT_TYPE_BULGE, OCT_TYPE_BODY};
    const making *m = context;
    for (size_t made = first; made < end; made++) {
        size_t i = m->context->from + made, j = i - m->n_hole, body = m->first + made;
        oct_random random = oct_random_start(m->context->setup->seed, m->context->stream, i);
        double *position = &m->bodies->position[3 * body], *v = &m->bodies->velocity[3 * body];
        if (i < m->n_hole) {
            m->bodies->mass[body] = m->galaxy->black_hole;
            m->bodies->type[body] = OCT_TYPE_BLACK_HOLE;
            continue;
        }
        int which = DISK;
        for (; j >= m->n[which]; which++)
            j -= m->n[which];
        if (which == DISK)
            oct_disk_draw(position, v, &random, &m->disk);
        else
            draw_sphere(position, v, &random, m, which);
        for (int k = 0; k < 3; k++)
            v[k] *= sqrt(m->G);
        m->bodies->mass[body] = m->galaxy->parts[which].mass / (double)m->n[which];
        m->bodies->type[body] = types[which];
    }
    return OCT_STATUS_OK;
}

static void count_parts(making *m, const disk_galaxy *galaxy, const oct_setup *setup)
{
    m->galaxy = galaxy;
    m->n_hole = galaxy->black_hole > 0;
    for (int i = 0; i < PARTS; i++)
        m->n[i] = count_part(&galaxy->parts[i], setup);
}

static oct_status count(uint64_t *out, const void *self, const oct_model_context *context)
{
    making m = {0};
    count_parts(&m, self, context->setup);
    *out = (uint64_t)m.n_hole + m.n[DISK] + m.n[BULGE] + m.n[HALO];
    OCT_CHECK(*out > m.n_hole, OCT_STATUS_INPUT,
              "disk-galaxy: there are no particles; expected a disk, a bulge or a halo with n > 0");
    return OCT_STATUS_OK;
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t n, const void *self,
                           const oct_model_context *context)
{
    making m = {.bodies = bodies, .first = first, .G = context->setup->units.G, .context = context};
    count_parts(&m, self, context->setup);
    oct_status status = make_tables(&m);
    if (status == OCT_STATUS_OK)
        status = oct_parallel(n, fill, &m);
    if (status == OCT_STATUS_OK && !context->whole)
        status = oct_model_centre(bodies, first, n);
    oct_equilibrium_free(m.spheres[BULGE]);
    oct_equilibrium_free(m.spheres[HALO]);
    return status;
}

const oct_model oct_model_disk_galaxy = {.version = OCT_MODULE_VERSION,
                                         .name = "disk-galaxy",
                                         .doc = "a disk in a halo, with a bulge and a black hole",
                                         .state_size = sizeof(disk_galaxy),
                                         .fields = fields,
                                         .count = count,
                                         .generate = generate,
                                         .parts = OCT_PARTS_CENTRED};
