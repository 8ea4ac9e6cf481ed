/* One rule for what is fresh. The version of an array goes up with every write; what is made from
 * arrays remembers which versions they had, and is fresh while they have them. */
#ifndef OCT_CORE_FRESH_H
#define OCT_CORE_FRESH_H

#include "octant/compute.h"

/* An array as it was at some time: no other of its device has or had the serial. Zero: none. */
typedef struct oct_edition {
    uint64_t serial, version;
} oct_edition;

enum { OCT_MADE_FROM = 4 };

/* What something was made from; all zero: it was not made, and is never fresh. */
typedef struct oct_made {
    oct_edition from[OCT_MADE_FROM];
} oct_made;

/* An array as it is; none where it is NULL. */
oct_edition oct_edition_of(const oct_buffer *array);
bool oct_edition_same(oct_edition a, oct_edition b);

/* What is made from these arrays now: OCT_MADE(domain->position, …), at most OCT_MADE_FROM. */
oct_made oct_made_from(const oct_buffer *const arrays[OCT_MADE_FROM]);
#define OCT_MADE(...) oct_made_from((const oct_buffer *const[OCT_MADE_FROM]){__VA_ARGS__})
/* Whether what was made is what would be made now. */
bool oct_made_fresh(const oct_made *made, const oct_made *now);

#endif
