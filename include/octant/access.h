/* A part of octant.h: parts of the state of a simulation.
 *
 * One column of some bodies, at the cost of copying it. Columns are those of oct_bodies by name:
 * position, velocity, mass, radius, acceleration, potential, id, type, system, spin; and those that
 * the scene declares. Bodies are known by their index, from 0 to oct_sim_size, in the order of
 * oct_sim_bodies where none was removed; an index holds until bodies come, go or are closed up. */
#ifndef OCTANT_ACCESS_H
#define OCTANT_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A device, see octant.h. */
typedef struct oct_device oct_device;
/* A simulation, see octant.h. */
typedef struct oct_sim oct_sim;

/* Bodies in the arrays; those that were removed and not yet closed up have a place, too. */
size_t oct_sim_size(const oct_sim *sim);

/* The type of numbers in the caller's array. */
typedef enum oct_element {
    OCT_ELEMENT_DOUBLE, /* of any column */
    OCT_ELEMENT_FLOAT,  /* of columns of real numbers */
    OCT_ELEMENT_INT64,  /* of columns of integers: id, type, system, and the scene's */
    OCT_ELEMENT_UINT64,
    OCT_ELEMENT_UINT32,
    OCT_ELEMENT_UINT8
} oct_element;

/* What a column of bodies is. */
typedef struct oct_body_column {
    size_t size;
    const char *name;               /* holds as long as the simulation */
    unsigned width;                 /* numbers that a body has: 1, or 3 for a vector */
    oct_element element;            /* the type that holds its numbers as they are */
    signed char length, mass, time; /* its dimension */
    const char *unit;               /* of one that the scene declares, "" too; else NULL */
    bool writable;                  /* oct_sim_write takes it */
} oct_body_column;
/* The columns that the bodies have, by index: those of oct_bodies, then the scene's; without a
 * simulation, NULL, the former alone. False past the last. */
bool oct_sim_body_column(oct_body_column *out, const oct_sim *sim, size_t index);

/* Some bodies: `n` from `first` on; or, where `list` is not NULL, the n with these indices. */
typedef struct oct_selection {
    size_t first, n;
    const uint32_t *list;
} oct_selection;

/* Reads a column: 1 or 3 numbers for each body in turn. `of` may be NULL: all. Waits for the steps
 * before, as oct_sim_wait does, and for nothing else; accelerations and potentials are found where
 * no step has done so. Positions in a periodic box are in it. */
oct_status oct_sim_read(void *out, oct_element type, oct_sim *sim, const char *column,
                        const oct_selection *of);
/* Writes a column of state: position, velocity, mass, radius, spin, type, or one of the scene's.
 * All numbers are looked at first; a list names each body once, and no removed one. Forces are
 * found anew in the next step. */
oct_status oct_sim_write(oct_sim *sim, const char *column, const oct_selection *of,
                         const void *data, oct_element type);
/* For programs with OpenCL of their own: the objects of a device, which stay its own. */
typedef struct oct_device_handles {
    size_t size;           /* sizeof(oct_device_handles), set by the caller */
    void *platform, *id;   /* cl_platform_id, cl_device_id */
    void *context, *queue; /* cl_context, cl_command_queue: in order; profiling replaces it */
} oct_device_handles;
/* Hands them out. */
oct_status oct_device_get_handles(oct_device_handles *out, const oct_device *device);
/* For programs with OpenCL of their own: where a column is on the device. What is handed out holds
 * until bodies come or go: until oct_sim_add, oct_sim_remove or oct_sim_set, and, where bodies
 * merge or are removed, until the next steps, which may close their places up. Ask again then. */
typedef struct oct_column_buffer {
    size_t size;           /* sizeof(oct_column_buffer), set by the caller */
    void *memory;          /* cl_mem; it stays the simulation's */
    size_t n;              /* bodies, removed ones included */
    size_t stride, offset; /* bytes from one body to the next, and before its first number */
    size_t width;          /* numbers that a body has */
    const char *number;    /* what OpenCL C calls one: float, double, long, ulong, uint, uchar */
} oct_column_buffer;
/* Waits for the steps before. A column that no body has a number in is OCT_STATUS_MISSING. */
oct_status oct_sim_buffer(oct_column_buffer *out, oct_sim *sim, const char *column);
/* Says that the program has written a column itself; it has waited for its own queue, or used that
 * of oct_device_get_handles. Columns that oct_sim_write refuses are refused. */
oct_status oct_sim_written(oct_sim *sim, const char *column);
/* The indices of bodies with these ids; UINT32_MAX where there is none. Reads all ids. */
oct_status oct_sim_find(uint32_t *index, oct_sim *sim, const uint64_t *ids, size_t n);

#ifdef __cplusplus
}
#endif
#endif
