/* Masses, radii and orbits of the Sun and its planets, in any system of units. */
#include "model/model_planets.h"

#include "core/units.h"
#include "util/status.h"

const char *const oct_planet_names[OCT_PLANETS + 1] = {
    "mercury", "venus", "earth", "mars", "jupiter", "saturn", "uranus", "neptune", NULL};

/* Mass in Earth masses, semi-major axis in AU, mean radius in km: Celestial's tables B.1 to B.3
 * with Mars's eccentricity from NASA's planetary fact sheet, and the radii from there. */
static const oct_planet table[OCT_PLANETS] = {
    {0.0553, 0.387, 0.205, 2439.7}, {0.815, 0.723, 0.007, 6051.8}, {1, 1, 0.017, 6371},
    {0.107, 1.524, 0.094, 3389.5},  {317.8, 5.204, 0.049, 69911},  {95.2, 9.582, 0.057, 58232},
    {14.5, 19.201, 0.046, 25362},   {17.1, 30.047, 0.011, 24622},
};

static const double sun_in_earths = 332946, sun_radius = 695700;
static const double gauss = 0.01720209895; /* Gauss's constant k: G m_sun = k^2 AU^3 / day^2 */
static const double metres_per_au = 149597870700, seconds_per_day = 86400;

static double au_in(const oct_units *units)
{
    return metres_per_au * oct_units_from_si(units, OCT_LENGTH);
}

static double km_in(const oct_units *units)
{
    return 1000 * oct_units_from_si(units, OCT_LENGTH);
}

oct_planet oct_sun_in(const oct_units *units)
{
    double au = au_in(units), day = seconds_per_day * oct_units_from_si(units, OCT_TIME);
    /* G m is known far better than G, so the masses follow from it whatever G the scene has. */
    return (oct_planet){.mass = gauss * gauss * au * au * au / (day * day) / units->G,
                        .radius = sun_radius * km_in(units)};
}

oct_planet oct_planet_in(const oct_units *units, size_t index)
{
    oct_planet planet = table[index];
    planet.mass *= oct_sun_in(units).mass / sun_in_earths;
    planet.axis *= au_in(units);
    planet.radius *= km_in(units);
    return planet;
}

oct_status oct_planets_check(const oct_units *units)
{
    OCT_CHECK(units->physical, OCT_STATUS_INPUT,
              "the solar system needs units of a physical size (si, solar or galactic), not %s",
              units->name);
    return OCT_STATUS_OK;
}

uint64_t oct_model_one_system(const void *self, uint64_t n, const oct_setup *setup)
{
    (void)self;
    (void)n;
    (void)setup;
    return 1;
}
