/* Bodies from outside: looked at before they become those of a simulation. */
#ifndef OCT_CORE_GIVEN_H
#define OCT_CORE_GIVEN_H

#include "core/setup.h"

/* Refuses numbers that no body has, in [first, first + count); messages count from `first`. */
oct_status oct_given_check(const oct_bodies *bodies, size_t first, size_t count);
/* Sorts ids; refuses one that occurs twice. */
oct_status oct_given_check_ids(uint64_t *ids, size_t n, const char *where);

/* A checked copy of bodies that a program brings, with the columns of the setup: arrays that are
 * NULL are zero, and a type of 0 is OCT_TYPE_BODY. Ids are not looked at. */
oct_status oct_setup_copy(oct_bodies *out, const oct_setup *setup, const oct_bodies *given);
/* The same with ids that occur once; those that are all 0 become 1, 2, ... */
oct_status oct_setup_adopt(oct_bodies *out, const oct_setup *setup, const oct_bodies *given);

#endif
