/* Parts of a column, between a domain and the host: no more bytes cross than were asked for. */
#ifndef OCT_CORE_ACCESS_H
#define OCT_CORE_ACCESS_H

#include "core/column.h"
#include "core/domain.h"

/* Where a column is in a domain. */
typedef struct oct_access_column {
    oct_column_spec spec;
    oct_buffer *buffer; /* NULL: the domain has none, and all is 0 */
    size_t number;      /* bytes of one */
    size_t lane;        /* numbers before those of the column in an element */
} oct_access_column;

/* At most so many bodies go at a time. */
enum { OCT_ACCESS_PART = 1 << 18 };

/* A device's numbers as the caller wants them, and back: `count` of them, packed. What a type
 * cannot hold, or a column must not have, is refused with the index of its number. */
oct_status oct_access_give(void *out, oct_element type, const oct_access_column *column,
                           const void *packed, size_t count);
oct_status oct_access_take(void *packed, const oct_access_column *column, const void *data,
                           oct_element type, size_t count);
/* Bytes of a number; 0 where there is no such type. */
size_t oct_access_bytes(oct_element type);

/* OCT_STATUS_MISSING, with the nearest name, where there is no such column. */
oct_status oct_access_find(oct_access_column *out, oct_domain *domain, const char *name);
/* Copies the numbers of n bodies, at most OCT_ACCESS_PART: those that list names, or, where it is
 * NULL, those from `first` on; as the device has them, without gaps. */
oct_status oct_access_read(void *out, oct_domain *domain, const oct_access_column *column,
                           const uint32_t *list, size_t first, size_t n);
oct_status oct_access_write(oct_domain *domain, const oct_access_column *column, const void *data,
                            const uint32_t *list, size_t first, size_t n);
/* Frees what the domain holds for this. */
void oct_access_end(oct_domain *domain);

#endif
