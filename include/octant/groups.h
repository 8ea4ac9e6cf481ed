/* A part of octant.h: groups of bodies, found by friends of friends, and their catalogue. */
#ifndef OCTANT_GROUPS_H
#define OCTANT_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "bodies.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct oct_device;

/* A group. In a periodic box its members are taken where they are nearest to the first of them,
 * which is right for a group that is smaller than half of the box. */
typedef struct oct_group {
    uint64_t n;
    double mass;
    double position[3], velocity[3]; /* of the centre of mass */
    double radius;                   /* of the member that is farthest from it */
    double half_radius;              /* of the sphere about it that holds half of the mass */
    double dispersion;               /* of velocities along a line: sqrt(<|v - v_c|^2> / 3) */
    double angular_momentum[3];      /* about it */
    uint64_t heaviest;               /* the id of the most massive member, the first of equals */
    /* The id of the member with the least energy, |v - v_c|^2 / 2 and its potential; heaviest where
     * potentials are not known. */
    uint64_t most_bound;
} oct_group;

/* The groups of some bodies. */
typedef struct oct_groups {
    size_t n;
    oct_group *groups; /* the one with the most members first */
    uint32_t *of_body; /* for each of the bodies: its group, counted from 1; 0: none */
    double link;       /* the linking length */
    double separation; /* the mean separation (V/n)^(1/3); 0 without a periodic box */
} oct_groups;

/* What makes a group. Start from {.size = sizeof(oct_groups_options)}. */
typedef struct oct_groups_options {
    size_t size;
    double link;    /* bodies at most this apart are friends; 0: by `linking` */
    double linking; /* the same in units of the mean separation, of a periodic box */
    uint64_t least; /* members that make a group; 0: 20 */
} oct_groups_options;

/* Finds the groups of bodies in a box as info says it, on a device. */
oct_status oct_groups_find(oct_groups **out, struct oct_device *device, const oct_bodies *bodies,
                           const oct_file_info *info, const oct_groups_options *options);
/* Gives them back; NULL is none. */
void oct_groups_free(oct_groups *groups);
/* Writes the catalogue, a table (.csv) or an HDF5 file (.hdf5, .h5). info tells units and time. */
oct_status oct_groups_write(const oct_groups *groups, const oct_file_info *info, const char *path);

#ifdef __cplusplus
}
#endif
#endif
