/* The Sun and its planets, for the models that are made of them. */
#ifndef OCT_MODEL_MODEL_PLANETS_H
#define OCT_MODEL_MODEL_PLANETS_H

#include "core/setup.h"

enum { OCT_PLANETS = 8 };

/* From Mercury to Neptune; ends with NULL. */
extern const char *const oct_planet_names[OCT_PLANETS + 1];

/* A body on a Kepler orbit about its star. */
typedef struct oct_planet {
    double mass, axis, eccentricity, radius;
} oct_planet;

/* In these units, which are physical. */
oct_planet oct_planet_in(const oct_units *units, size_t index);
/* The Sun, which has no orbit. */
oct_planet oct_sun_in(const oct_units *units);

/* For models whose bodies are one system. */
uint64_t oct_model_one_system(const void *self, uint64_t n, const oct_setup *setup);

/* Refuses units without physical size. */
oct_status oct_planets_check(const oct_units *units);

#endif
