/* A set of bodies: those that an operation is for. Kicks, forces and collisions are for those of
 * the domain's set, and for all where it has none, which costs nothing. Sets are made and listed on
 * the device; the host never knows how many bodies they have. Kernels are launched for as many as
 * there can be, and leave where the list has ended. */
#ifndef OCT_CORE_SET_H
#define OCT_CORE_SET_H

#include "array/primitives.h"
#include "core/fresh.h"
#include "core/module.h"

typedef struct oct_set {
    oct_domain *domain;
    oct_buffer *marks; /* a byte a body, 0: not of the set; whose set it is writes them */
    oct_buffer *bodies, *n_bodies; /* those of it in the state's order, and how many */
    oct_made listed;               /* what these were made from */
    bool cleared; /* by who has marked them, for the next forces: see oct_set_clear */

    oct_primitives *primitives;
    oct_program *program; /* kernels/set.cl */
    oct_kernel *clear;
} oct_set;

/* Refuses a setup where gravity, another force, the boundary or the collisions can only do all
 * bodies. */
oct_status oct_set_check(const struct oct_setup *setup);
/* Makes a set of a domain's bodies, with none of them, where oct_set_check lets it. */
oct_status oct_set_create(oct_set **out, oct_domain *domain);
void oct_set_free(oct_set *set);
/* Adds the buffers of a set; for the integrator that will make it. */
void oct_set_memory(oct_needs *needs);

/* Lists the bodies, unless that was done since they were marked. Collisions begin with it, and
 * forces that do not go by the marks alone. */
oct_status oct_set_list(oct_set *set);
/* Takes acceleration and potential from the bodies of the set, unless `cleared` says that they have
 * none; that holds once. */
oct_status oct_set_clear(oct_set *set);

/* What the domain does is for this set from now on; NULL: for all. */
void oct_domain_restrict(oct_domain *domain, oct_set *set);

#endif
