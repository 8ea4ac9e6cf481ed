/* Unit systems, and quantities written with units. */
#ifndef OCT_CORE_UNITS_H
#define OCT_CORE_UNITS_H

#include "core/field.h"

/* What one SI unit of this dimension is in `units`. */
double oct_units_from_si(const oct_units *units, oct_dimension dimension);

/* Reads "100 m", "400 kg/m^2", "1e-3 orbit", "/s" quantities or plain numbers (then in `units`).
 * orbit is the length of an orbit in `units`, 0 where the scene has none. */
oct_status oct_units_parse(double *out, const char *text, oct_dimension dimension,
                           const oct_units *units, double orbit);

/* The same for a quantity of whatever dimension its units say. */
oct_status oct_units_parse_any(double *out, const char *text, const oct_units *units, double orbit);

/* The name of a dimension: "length", "speed", "mass/length^2", "number" for none. */
void oct_units_dimension(char *out, size_t bytes, oct_dimension dimension);

/* The symbols of units a scene may use, by index; false past the last. */
bool oct_units_symbol(size_t index, const char **symbol, oct_dimension *dimension, double *si);

/* A dimension as text: "kg/m^2" in physical units ("1" for none); for headers of tables. */
void oct_units_describe(char *out, size_t bytes, const oct_units *units, oct_dimension dimension);

/* Units of a file, by their sizes in SI, with the real G. */
oct_units oct_units_make(double length, double mass, double time);
/* What oct_units_from_text reads back as the same units. */
void oct_units_to_text(char *out, size_t bytes, const oct_units *units);
/* Whether numbers mean the same in both, whatever G is. */
bool oct_units_same(const oct_units *a, const oct_units *b);
/* Those of a file that does not say: numbers are in the units of whoever reads it. */
extern const oct_units oct_units_unknown;

#endif
