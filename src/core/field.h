/* Field tables: a module lists its parameters once, and scenes, --set, defaults, ranges, `list`,
 * the resolved scene and the scene reference all come from that list. */
#ifndef OCT_CORE_FIELD_H
#define OCT_CORE_FIELD_H

#include "octant/field.h"
#include "octant/octant.h"

/* What a scene may say: "a number above 0 (length)", "one of a, b", "an integer from 1 to 9". */
void oct_field_expect(char *out, size_t bytes, const oct_field *field);

/* The value of a number in a filled state; false where there is no such field. fields may be NULL.
 */
bool oct_field_real(double *out, const void *state, const oct_field *fields, const char *name);

/* Whether a table, which may be NULL, has a field of this name. */
bool oct_field_in(const oct_field *fields, const char *name);

/* Whether a name can be that of a variable in OpenCL C: parameters and columns have such names. */
bool oct_field_identifier(const char *name);

/* Frees the texts that a filled state owns. fields may be NULL. */
void oct_field_clear(void *state, const oct_field *fields);

#endif
