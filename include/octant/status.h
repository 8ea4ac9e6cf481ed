/* A part of octant.h: what a status promises.
 *
 * 0: done.
 *
 * Positive: refused. Nothing has changed, and one may go on.
 *
 * Negative: failed. Nothing is handed out, and no file is left under its name that is not whole.
 *   - A simulation that a call failed on is not used any more. Every later call that takes it
 *     refuses, with that status and a sentence that says what failed first. Left are oct_sim_free,
 *     oct_sim_set_log, and what reads: the functions that take a const oct_sim tell what was known
 *     before (steps, time, count, scene, columns and the like).
 *   - OCT_STATUS_IO spares the simulation: no more than a file has failed. It is as it was, goes on
 *     to the same bits, and may be written elsewhere.
 *   - Scenes, devices, bodies and camera paths are as they were before the call. A film whose
 *     encoder failed has ended.
 *
 * oct_run, oct_compare and oct_stability_watch call the others: whatever they return, a simulation
 * is at the last step it has reached, and a positive status leaves it good to go on from there. */
#ifndef OCTANT_STATUS_H
#define OCTANT_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* What a call that can fail returns; its sign says what has become of things, see above. */
typedef enum oct_status {
    OCT_STATUS_OK = 0,
    OCT_STATUS_INPUT = 1,    /* a scene, a file or an argument is wrong */
    OCT_STATUS_MISSING = 2,  /* no such file, device or name */
    OCT_STATUS_SPACE = 3,    /* it does not fit on the device */
    OCT_STATUS_ABSENT = 4,   /* this build of the library was made without it: see features.h */
    OCT_STATUS_MEMORY = -1,  /* the host has no memory left */
    OCT_STATUS_DEVICE = -2,  /* an OpenCL call failed, or a step found no room on the device */
    OCT_STATUS_IO = -3,      /* reading or writing failed */
    OCT_STATUS_NUMBER = -4,  /* a NaN or an infinity appeared in the state */
    OCT_STATUS_INTERNAL = -5 /* a fault of Octant's own */
} oct_status;

/* The last failure of this thread, as a sentence; "" when there was none. */
const char *oct_last_error(void);
/* Where it was detected, "file:line"; for bug reports. */
const char *oct_last_error_place(void);

#ifdef __cplusplus
}
#endif
#endif
