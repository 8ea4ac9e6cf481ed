/* The exact state of a simulation on the host: what a checkpoint holds. Restoring it and going on
 * gives the same bits as never having stopped. */
#ifndef OCT_CORE_STATE_H
#define OCT_CORE_STATE_H

#include "core/clock.h"
#include "core/column.h"
#include "util/identity.h"

/* A device array, bit for bit. The particle arrays are
 *   position      real[4]  x, y, z, mass
 *   velocity      real[4]  x, y, z, radius
 *   acceleration  real[4]  x, y, z, potential
 *   id            uint64
 *   type          uint8    OCT_TYPE_REMOVED for a removed particle
 *   system        uint32   only where there are solar systems
 *   spin          real[4]  x, y, z, 0; only where bodies spin
 *   column.NAME   real, real[4] for a vector, or int64: columns of the user's
 * with real float in single precision and double otherwise; modules add arrays of their own. */
typedef struct oct_state_array {
    char name[32];
    size_t element, count; /* bytes in an element */
    void *data;
    bool rows; /* it has an element for each body; known where a rank's own bodies are exported */
} oct_state_array;

enum { OCT_STATE_ARRAYS = 64 };

/* From where on outputs follow the scene as it is now: its start, or where the run was changed. */
typedef struct oct_origin {
    int64_t tick;
    double time;
    uint64_t snapshots; /* that were due up to there */
} oct_origin;

typedef struct oct_state {
    char run[OCT_IDENTITY_TEXT]; /* that it belongs to; "" of a file from before runs had names */
    char *scene;                 /* as resolved */
    oct_precision precision;
    oct_clock clock;
    oct_origin origin;
    bool forces_fresh;   /* acceleration belongs to position */
    double energy_start; /* NaN: not measured yet */
    double energy_worst; /* the largest error of the energy so far */
    bool partial;        /* arrays of modules may be missing: those then begin anew */
    /* Rows are those of one rank's bodies, of n_all, and "domains.places" says which these are; it
     * had the same when the state was saved. */
    bool own, as_saved;
    uint64_t n_all;
    uint64_t n_arrays;
    oct_state_array arrays[OCT_STATE_ARRAYS];
} oct_state;

/* Copies the state off the device, and back into a simulation of the same scene. */
oct_status oct_sim_export(oct_state *out, oct_sim *sim);
/* The same with forces of the present positions, as those who look see them. */
oct_status oct_sim_copy(oct_state *out, oct_sim *sim);
/* The same, but that arrays may be under way: then there is a fetch, which must be finished before
 * anybody looks at them, and freed before the state is cleared. */
struct oct_fetch;
oct_status oct_sim_copy_ahead(oct_state *out, struct oct_fetch **fetch, oct_sim *sim);
/* oct_sim_export without a wait, for core/ahead.h: arrays come by the fetch of the simulation. */
oct_status oct_sim_export_ahead(oct_state *out, oct_sim *sim);
oct_status oct_sim_import(oct_sim *sim, const oct_state *state);
/* Adds an array that is copied. */
oct_status oct_state_add(oct_state *state, const char *name, const void *data, size_t element,
                         size_t count);
const oct_state_array *oct_state_find(const oct_state *state, const char *name);
/* The array of systems for n particles; NULL where there is none. */
oct_status oct_state_systems(const oct_state_array **out, const oct_state *state, size_t n);
void oct_state_clear(oct_state *state);
/* Of all arrays. */
uint64_t oct_state_bytes(const oct_state *state);

/* The particles of a state as bodies, removed ones left out; with the columns of the user's that
 * `out` has. */
oct_status oct_state_bodies(oct_bodies *out, const oct_state *state);
/* The arrays of bodies that belong to no systems, in the precision that the state has. */
oct_status oct_state_of_bodies(oct_state *state, const oct_bodies *bodies);
/* Puts bodies that are outside of a periodic box, next to their stars, into it. */
void oct_bodies_fold(oct_bodies *bodies, const double period[3]);
void oct_fold(double *x, double period); /* one coordinate */

#endif
