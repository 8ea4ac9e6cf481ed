/* A scene run by several ranks of this process, for tests. */
#ifndef OCT_TESTS_SHARED_SIM_H
#define OCT_TESTS_SHARED_SIM_H

#include "octant/octant.h"

enum { REF_MOST_VALUES = 256 };

typedef struct ref_shared {
    oct_precision precision;
    uint32_t ranks; /* 0: one simulation without a communicator */
    uint64_t steps;
    const char *checkpoint; /* to begin from; NULL: from the scene */
    const char *save;       /* to write at the end; NULL: none */
    const char *scene;
    const double *shares; /* of each rank; NULL: the same */
    uint32_t every;       /* steps between looks at the balance; 0: as many as there are */
    uint32_t trade;       /* steps between trades; 0: as many as there are */
    /* What each rank does when it has the simulation; NULL: nothing. */
    oct_status (*visit)(oct_sim *sim, void *context);
    void *context;
    /* What was found. */
    oct_bodies bodies;
    uint64_t hash;
    double energy, momentum[3];
    double values[REF_MOST_VALUES]; /* of all measurements */
    size_t n_values;
    uint64_t moves, traded; /* of bodies between ranks */
} ref_shared;

/* Runs it, and looks at the end. Bodies are cleared by the caller. */
oct_status ref_share(ref_shared *run);
/* The largest difference of accelerations, over the largest of them. */
double ref_force_difference(const oct_bodies *a, const oct_bodies *b);

#endif
