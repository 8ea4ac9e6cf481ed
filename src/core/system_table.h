/* Solar systems: runs of consecutive bodies, the star first. A body that belongs to none is a
 * system of its own, so that every body is in exactly one. */
#ifndef OCT_CORE_SYSTEM_TABLE_H
#define OCT_CORE_SYSTEM_TABLE_H

#include "core/setup.h"
#include "device/device.h"

typedef struct oct_system_table {
    uint32_t n;         /* 0 where the scene has no systems; then there are no arrays either */
    uint32_t largest;   /* bodies in the largest */
    uint32_t *starts;   /* n + 1: system s is bodies [starts[s], starts[s + 1]) */
    oct_buffer *first;  /* the same on the device */
    oct_buffer *of;     /* the system of each body, an index into `first` */
    oct_buffer *number; /* of each body's system as its model counts, 0: none; part of the state */
} oct_system_table;

/* Whether a body begins a system, of those with these numbers: bodies of none are one each. */
bool oct_system_begins(const uint32_t *number, size_t i);
/* Whether some of n bodies have a system; NULL: none has. */
bool oct_systems_any(const uint32_t *number, size_t n);

/* From the numbers of the bodies' systems; NULL: there are none. */
oct_status oct_system_table_start(oct_domain *domain, const uint32_t *number);
void oct_system_table_end(oct_domain *domain);

/* Counts the systems of bodies [first, first + n) on from *count, in the order in which they come;
 * refuses one whose bodies are not one after another. */
oct_status oct_system_table_renumber(uint32_t *count, uint32_t *number, size_t n);

#endif
