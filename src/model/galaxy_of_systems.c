/* Solar systems on circular orbits around a black hole, their planets on Kepler orbits: the galaxy
 * generator of Celestial, section 3.3, for any number of planes and for spheres. */
#include "model/model_planets.h"
#include "model/model_sphere.h"
#include "util/kepler.h"
#include "util/parallel.h"

#include <stdlib.h>

#define MOST_BODIES    2147483648.0
#define MOST_IN_SYSTEM 1000000

enum { BLACK_HOLE_HELD, BLACK_HOLE_FREE };
enum { ON_PLANES, ON_SPHERES };
enum { PLANETS_EQUAL, PLANETS_SOLAR };
enum { ORBITING_CENTRE, ORBITING_STAR };

typedef struct body_count {
    int64_t value, min, max;
} body_count;

typedef struct galaxy {
    int64_t systems;
    body_count bodies;
    int black_hole;
    double mass_ratio;
    int arrangement;
    double distance;
    int64_t planes;
    double plane_distance, fan;
    int orbiting, planets;
    double star_mass, star_radius, planet_mass, planet_radius, axis, spacing, eccentricity;
} galaxy;

static const char *const black_holes[] = {"held", "free", NULL};
static const char *const arrangements[] = {"planes", "sphere", NULL};
static const char *const planet_kinds[] = {"equal", "solar-system", NULL};
static const char *const orbitings[] = {"centre", "star", NULL};

static const oct_field body_fields[] = {
    {.name = "value",
     .type = OCT_FIELD_INT,
     .offset = offsetof(body_count, value),
     .initial = "8",
     .min = 1,
     .max = MOST_IN_SYSTEM,
     .doc = "bodies of each system, its star included; bodies: 8 is short for bodies: {value: 8}"},
    {.name = "min",
     .type = OCT_FIELD_INT,
     .offset = offsetof(body_count, min),
     .initial = "0",
     .max = MOST_IN_SYSTEM,
     .doc = "above 0: systems differ, each having min to max bodies by the seed"},
    {.name = "max",
     .type = OCT_FIELD_INT,
     .offset = offsetof(body_count, max),
     .initial = "0",
     .max = MOST_IN_SYSTEM,
     .doc = "the most bodies of a system where they differ"},
    {.type = OCT_FIELD_END},
};

static const oct_field fields[] = {
    {.name = "systems",
     .type = OCT_FIELD_INT,
     .offset = offsetof(galaxy, systems),
     .initial = "8",
     .min = 1,
     .max = MOST_BODIES,
     .doc = "number of solar systems"},
    {.name = "bodies",
     .type = OCT_FIELD_GROUP,
     .offset = offsetof(galaxy, bodies),
     .group = body_fields},
    {.name = "black_hole",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(galaxy, black_hole),
     .initial = "held",
     .choices = black_holes,
     .doc = "held: the black hole stays where it is; free: it moves, and all are in the frame of "
            "their centre of mass"},
    {.name = "mass_ratio",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(galaxy, mass_ratio),
     .initial = "10",
     .above_min = true,
     .max = DBL_MAX,
     .doc = "mass of the black hole in masses of a star"},
    {.name = "arrangement",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(galaxy, arrangement),
     .initial = "planes",
     .choices = arrangements,
     .doc = "planes: systems at equal angles on a circle in each plane; sphere: evenly over a "
            "sphere, each in an orbit of a random inclination"},
    {.name = "distance",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(galaxy, distance),
     .initial = "100 AU",
     .unit = {.length = 1},
     .above_min = true,
     .max = DBL_MAX,
     .doc = "from the black hole to the systems of the first plane or sphere"},
    {.name = "planes",
     .type = OCT_FIELD_INT,
     .offset = offsetof(galaxy, planes),
     .initial = "1",
     .min = 1,
     .max = MOST_BODIES,
     .doc = "number of planes, or of spheres one in another, that share the systems equally"},
    {.name = "plane_distance",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(galaxy, plane_distance),
     .initial = "30 AU",
     .unit = {.length = 1},
     .max = DBL_MAX,
     .doc = "how much farther out the systems of each further plane or sphere are"},
    {.name = "fan",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(galaxy, fan),
     .initial = "180",
     .min = -360,
     .max = 360,
     .doc = "angle in degrees that the planes share: plane i = 0, 1, ... is tilted about x by i "
            "times this over their number; 0: circles in one plane"},
    {.name = "orbiting",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(galaxy, orbiting),
     .initial = "centre",
     .choices = orbitings,
     .doc =
         "what is put on the orbit around the black hole: the centre of mass of a system; or its "
         "star, as Celestial does, which gives each system a drift of its own"},
    {.name = "planets",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(galaxy, planets),
     .initial = "equal",
     .choices = planet_kinds,
     .doc = "equal: planets that are all alike, as the keys below say; solar-system: the Sun and "
            "as many of its planets, from Mercury on"},
    {.name = "star_mass",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(galaxy, star_mass),
     .initial = "332946 Mearth",
     .unit = {.mass = 1},
     .above_min = true,
     .max = DBL_MAX,
     .doc = "mass of a star"},
    {.name = "star_radius",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(galaxy, star_radius),
     .initial = "695700 km",
     .unit = {.length = 1},
     .max = DBL_MAX,
     .doc = "radius of a star"},
    {.name = "planet_mass",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(galaxy, planet_mass),
     .initial = "1 Mearth",
     .unit = {.mass = 1},
     .max = DBL_MAX,
     .doc = "mass of a planet"},
    {.name = "planet_radius",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(galaxy, planet_radius),
     .initial = "6371 km",
     .unit = {.length = 1},
     .max = DBL_MAX,
     .doc = "radius of a planet"},
    {.name = "axis",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(galaxy, axis),
     .initial = "1 AU",
     .unit = {.length = 1},
     .above_min = true,
     .max = DBL_MAX,
     .doc = "semi-major axis of the innermost planet"},
    {.name = "spacing",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(galaxy, spacing),
     .initial = "1 AU",
     .unit = {.length = 1},
     .above_min = true,
     .max = DBL_MAX,
     .doc = "how much larger the axis of each further planet is"},
    {.name = "eccentricity",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(galaxy, eccentricity),
     .initial = "0.017",
     .max = 0.999999,
     .doc = "eccentricity of the planets' orbits"},
    {.type = OCT_FIELD_END},
};

static const double pi = 3.141592653589793238463;
static const double golden_angle = 2.399963229728653322232; /* pi (3 - sqrt 5) */

static oct_planet star_of(const galaxy *model, const oct_units *units)
{
    if (model->planets == PLANETS_SOLAR)
        return oct_sun_in(units);
    return (oct_planet){.mass = model->star_mass, .radius = model->star_radius};
}

static oct_planet planet_of(const galaxy *model, const oct_units *units, size_t index)
{
    if (model->planets == PLANETS_SOLAR)
        return oct_planet_in(units, index);
    return (oct_planet){.mass = model->planet_mass,
                        .axis = model->axis + (double)index * model->spacing,
                        .eccentricity = model->eccentricity,
                        .radius = model->planet_radius};
}

static bool sizes_differ(const body_count *bodies)
{
    return bodies->max > 0;
}

static int64_t fewest_bodies(const body_count *bodies)
{
    return sizes_differ(bodies) ? bodies->min : bodies->value;
}

static int64_t most_bodies(const body_count *bodies)
{
    return sizes_differ(bodies) ? bodies->max : bodies->value;
}

static oct_status check_bodies(const galaxy *model)
{
    const body_count *bodies = &model->bodies;
    OCT_CHECK(bodies->max >= bodies->min && (bodies->min > 0 || bodies->max == 0), OCT_STATUS_INPUT,
              "bodies.min is %lld and bodies.max %lld; expected the first to be above 0 and the "
              "second not below it",
              (long long)bodies->min, (long long)bodies->max);
    OCT_CHECK((double)model->systems * (double)fewest_bodies(bodies) < MOST_BODIES,
              OCT_STATUS_INPUT, "%lld systems of %lld bodies are too many; expected less than %.0f",
              (long long)model->systems, (long long)fewest_bodies(bodies), MOST_BODIES);
    OCT_CHECK(model->planets == PLANETS_EQUAL || most_bodies(bodies) <= OCT_PLANETS + 1,
              OCT_STATUS_INPUT, "the Solar System has no %lld bodies; expected at most %d",
              (long long)most_bodies(bodies), OCT_PLANETS + 1);
    return OCT_STATUS_OK;
}

/* Planets clear of their star; *reach is how far the largest system goes from its star. */
static oct_status check_planets(double *reach, const galaxy *model, const oct_units *units)
{
    const oct_planet star = star_of(model, units);
    *reach = star.radius;
    for (size_t i = 0; i + 1 < (size_t)most_bodies(&model->bodies); i++) {
        const oct_planet planet = planet_of(model, units, i);
        double pericentre = planet.axis * (1 - planet.eccentricity);
        OCT_CHECK(pericentre > star.radius + planet.radius, OCT_STATUS_INPUT,
                  "planet %zu would be inside its star: its pericentre is %g and the radii add up "
                  "to %g",
                  i + 1, pericentre, star.radius + planet.radius);
        *reach = fmax(*reach, planet.axis * (1 + planet.eccentricity) + planet.radius);
    }
    return OCT_STATUS_OK;
}

/* Systems on plane `plane`: the first ones take what is left when all have the same number. */
static size_t systems_on(const galaxy *model, size_t plane)
{
    size_t systems = (size_t)model->systems, planes = (size_t)model->planes;
    return systems / planes + (plane < systems % planes);
}

/* A lower bound of the distance between two systems at the start. */
static double least_gap(const galaxy *model)
{
    size_t n = systems_on(model, 0);
    double gap = INFINITY;
    if (n > 1 && model->arrangement == ON_PLANES)
        gap = 2 * model->distance * sin(pi / (double)n);
    else if (n > 1) /* the golden spiral has 2.68 for two and 3.09 for many */
        gap = 2.6 * model->distance / sqrt((double)n);
    /* Circles meet on the planes' common line, where only their radii keep them apart. */
    return systems_on(model, 1) > 0 && model->planes > 1 ? fmin(gap, model->plane_distance) : gap;
}

static oct_status check(const void *self, const oct_setup *setup)
{
    const galaxy *model = self;
    double reach, gap = least_gap(model);
    if (model->planets == PLANETS_SOLAR)
        OCT_TRY(oct_planets_check(&setup->units));
    OCT_TRY(check_bodies(model));
    OCT_TRY(check_planets(&reach, model, &setup->units));
    OCT_CHECK(reach < model->distance, OCT_STATUS_INPUT,
              "systems reach %g from their stars and so the black hole, which is %g away", reach,
              model->distance);
    OCT_CHECK(2 * reach < gap, OCT_STATUS_INPUT,
              "systems would overlap: they reach %g from their stars, which are %g apart; more "
              "distance, plane_distance or planes give them room",
              reach, gap);
    return OCT_STATUS_OK;
}

/* The first number of a system's stream. */
static uint32_t draw_bodies(const galaxy *model, oct_random *random)
{
    double u = oct_random_uniform(random);
    int64_t fewest = fewest_bodies(&model->bodies), most = most_bodies(&model->bodies);
    int64_t n = fewest + (int64_t)(u * (double)(most - fewest + 1));
    return (uint32_t)(n < most ? n : most);
}

/* How many are made. */
static size_t systems_of(const galaxy *model, const oct_setup *setup)
{
    return (size_t)oct_setup_share(setup, (uint64_t)model->systems);
}

/* With the black hole. */
static uint64_t count_systems(const void *self, uint64_t n, const oct_setup *setup)
{
    (void)n;
    return 1 + systems_of(self, setup);
}

static oct_status count_bodies(uint64_t *out, const void *self, const oct_model_context *context)
{
    const galaxy *model = self;
    uint64_t systems = systems_of(model, context->setup);
    *out = 1 + systems * (uint64_t)model->bodies.value;
    if (!sizes_differ(&model->bodies))
        return OCT_STATUS_OK;
    *out = 1;
    for (uint64_t s = 0; s < systems; s++) {
        oct_random random = oct_random_start(context->setup->seed, context->stream, s);
        *out += draw_bodies(model, &random);
    }
    return OCT_STATUS_OK;
}

typedef struct filling {
    oct_bodies *bodies;
    size_t first; /* the black hole */
    const galaxy *model;
    const oct_units *units;
    oct_planet star;
    double hole_mass;
    uint64_t seed;
    uint32_t stream;
    const uint32_t *starts; /* of each system, counted from the black hole */
} filling;

/* Where a system is: on a circle of this radius in the plane of u and w, at an angle from u. */
typedef struct place {
    double u[3], w[3], radius, angle;
} place;

static place place_on_plane(const galaxy *model, size_t plane, size_t index, size_t n)
{
    double tilt = model->fan * (double)plane / (double)model->planes * (pi / 180);
    /* Turned against each other, or all planes would begin side by side on their common line. */
    double turn = golden_angle * (double)plane;
    return (place){.u = {1, 0, 0},
                   .w = {0, cos(tilt), sin(tilt)},
                   .angle = turn + 2 * pi * (double)index / (double)n};
}

/* A point of the golden spiral, and a random direction along the sphere. */
static place place_on_sphere(size_t index, size_t n, oct_random *random)
{
    double z = 1 - (2 * (double)index + 1) / (double)n, rho = sqrt((1 - z) * (1 + z));
    double longitude = golden_angle * (double)index;
    double c = cos(longitude), s = sin(longitude), turn = 2 * pi * oct_random_uniform(random);
    place p = {.u = {rho * c, rho * s, z}};
    const double east[3] = {-s, c, 0}, north[3] = {-z * c, -z * s, rho};
    for (int k = 0; k < 3; k++)
        p.w[k] = cos(turn) * east[k] + sin(turn) * north[k];
    return p;
}

static place system_place(const galaxy *model, size_t system, oct_random *random)
{
    size_t more = (size_t)model->systems % (size_t)model->planes, n = systems_on(model, 0);
    size_t plane = system / n, index = system % n;
    if (more > 0 && system >= more * n) { /* on a plane with one less */
        n--;
        plane = more + (system - more * (n + 1)) / n;
        index = (system - more * (n + 1)) % n;
    }
    place p = model->arrangement == ON_PLANES ? place_on_plane(model, plane, index, n)
                                              : place_on_sphere(index, n, random);
    p.radius = model->distance + (double)plane * model->plane_distance;
    return p;
}

/* Puts a system's bodies on the plane z = 0 with the star at the origin; returns their mass, and
 * their centre's position and velocity. */
static double fill_orbits(double centre[2], double drift[2], const filling *f, size_t first,
                          size_t n, uint32_t number, oct_random *random)
{
    oct_bodies *b = f->bodies;
    double total = f->star.mass;
    for (size_t k = 3 * first; k < 3 * first + 3; k++)
        b->position[k] = b->velocity[k] = 0;
    b->mass[first] = f->star.mass;
    b->radius[first] = f->star.radius;
    b->type[first] = OCT_TYPE_STAR;
    b->system[first] = number;
    for (size_t i = first + 1; i < first + n; i++) {
        const oct_planet planet = planet_of(f->model, f->units, i - first - 1);
        double *x = b->position + 3 * i, *v = b->velocity + 3 * i;
        oct_kepler_state(x, v, f->units->G * (f->star.mass + planet.mass), planet.axis,
                         planet.eccentricity, 2 * pi * oct_random_uniform(random));
        for (size_t k = 0; k < 2; k++) {
            centre[k] += planet.mass * x[k];
            drift[k] += planet.mass * v[k];
        }
        total += planet.mass;
        b->mass[i] = planet.mass;
        b->radius[i] = planet.radius;
        b->type[i] = OCT_TYPE_BODY;
        b->system[i] = number;
    }
    for (size_t k = 0; k < 2; k++) {
        centre[k] /= total;
        drift[k] /= total;
    }
    return total;
}

/* Turns a vector of the plane z = 0 into the plane of u and w, after adding another to it. */
static void lift(double x[3], const double offset[2], const place *p)
{
    double along = x[0] + offset[0], across = x[1] + offset[1];
    for (int k = 0; k < 3; k++)
        x[k] = along * p->u[k] + across * p->w[k];
}

static void fill_system(const filling *f, size_t system)
{
    oct_random random = oct_random_start(f->seed, f->stream, system);
    size_t n = draw_bodies(f->model, &random), first = f->first + f->starts[system];
    place p = system_place(f->model, system, &random);
    double centre[2] = {0}, drift[2] = {0};
    double mass = fill_orbits(centre, drift, f, first, n, (uint32_t)system + 1, &random);
    if (f->model->orbiting == ORBITING_STAR)
        centre[0] = centre[1] = drift[0] = drift[1] = 0;
    /* The relative orbit of two bodies, as Celestial has it also where the black hole is held. */
    double speed = sqrt(f->units->G * (f->hole_mass + mass) / p.radius);
    double c = cos(p.angle), s = sin(p.angle);
    const double to[2] = {p.radius * c - centre[0], p.radius * s - centre[1]};
    const double moving[2] = {-speed * s - drift[0], speed * c - drift[1]};
    for (size_t i = first; i < first + n; i++) {
        lift(f->bodies->position + 3 * i, to, &p);
        lift(f->bodies->velocity + 3 * i, moving, &p);
    }
}

static oct_status fill(void *context, size_t first, size_t end)
{
    for (size_t s = first; s < end; s++)
        fill_system(context, s);
    return OCT_STATUS_OK;
}

static void fill_starts(uint32_t *starts, size_t systems, const filling *f)
{
    uint32_t next = 1;
    for (size_t s = 0; s < systems; s++) {
        oct_random random = oct_random_start(f->seed, f->stream, s);
        starts[s] = next;
        next += draw_bodies(f->model, &random);
    }
}

static oct_status generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context)
{
    const galaxy *model = self;
    const oct_units *units = &context->setup->units;
    size_t systems = systems_of(model, context->setup);
    uint32_t *starts;
    filling f = {.bodies = bodies,
                 .first = first,
                 .model = model,
                 .units = units,
                 .star = star_of(model, units),
                 .seed = context->setup->seed,
                 .stream = context->stream};
    f.hole_mass = model->mass_ratio * f.star.mass;
    bool held = model->black_hole == BLACK_HOLE_HELD;
    bodies->mass[first] = f.hole_mass;
    bodies->type[first] = held ? OCT_TYPE_BLACK_HOLE | OCT_TYPE_HELD : OCT_TYPE_BLACK_HOLE;
    OCT_TRY(oct_alloc(&starts, systems, sizeof *starts, "systems"));
    fill_starts(starts, systems, &f);
    f.starts = starts;
    oct_status status = oct_parallel(systems, fill, &f);
    free(starts);
    OCT_TRY(status);
    return held ? OCT_STATUS_OK : oct_model_centre(bodies, first, count);
}

const oct_model oct_model_galaxy_of_systems = {
    .version = OCT_MODULE_VERSION,
    .name = "galaxy-of-systems",
    .doc = "solar systems that orbit a black hole, on one or more planes or a sphere",
    .state_size = sizeof(galaxy),
    .fields = fields,
    .check = check,
    .count = count_bodies,
    .systems = count_systems,
    .generate = generate};
