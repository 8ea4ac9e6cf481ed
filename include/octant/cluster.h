/* A part of octant.h: those who share a simulation.
 *
 * A simulation may be shared among ranks, which are threads of a process or processes of several
 * machines. Each rank has a device and a part of the bodies. All of them create the simulation,
 * with the communicator in oct_sim_options; from then on the first one leads: its program uses the
 * simulation as any other, and the others are in oct_sim_serve until it has been freed. */
#ifndef OCTANT_CLUSTER_H
#define OCTANT_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* These are in octant.h. */
struct oct_device;
struct oct_scene;
struct oct_sim;
struct oct_sim_options;

/* What a rank reaches the others by. It belongs to the thread that it was given to. */
typedef struct oct_comm oct_comm;

/* Calls `work` in so many threads, each of them a rank with a communicator of its own; the caller's
 * is the first. Returns when all have: the status and the sentence of the rank that failed first,
 * which ends the others at their next exchange. */
oct_status oct_comm_threads(uint32_t ranks, oct_status (*work)(oct_comm *comm, void *context),
                            void *context);

/* Whether this process was started as one of several, by mpirun or srun. */
bool oct_comm_launched(void);
/* Makes this process a rank of those that it was started with (MPI; OCT_STATUS_ABSENT in a build
 * without). */
oct_status oct_comm_open(oct_comm **out);
/* Ends what oct_comm_open began, when all ranks are there; NULL is none. Where this rank or another
 * one has failed it ends all of their processes, this one among them: say before what was wrong. */
void oct_comm_close(oct_comm *comm);

/* The number of this rank, from 0. */
uint32_t oct_comm_rank(const oct_comm *comm);
/* How many there are. */
uint32_t oct_comm_size(const oct_comm *comm);
/* Its number among the ranks of this machine: which of its devices is its own. */
uint32_t oct_comm_place(const oct_comm *comm);
/* Waits until all ranks are here. */
oct_status oct_comm_barrier(oct_comm *comm);
/* As oct_sim_resume, of a simulation that ranks share: `options` has them, and no bodies. `scene`
 * and `options` may be NULL. */
oct_status oct_sim_resume_with(struct oct_sim **out, struct oct_device *device,
                               const char *checkpoint, const struct oct_scene *scene,
                               const struct oct_sim_options *options);
/* Takes part in what the first of the ranks that share a simulation does, until that frees it. */
oct_status oct_sim_serve(struct oct_sim *sim);
/* What a rank has sent to others, of one kind: "sums" (joined over ranks, and what the first tells
 * the others), "cuts" of the curve, "bodies" that changed their owners, "boxes" around bodies,
 * parts of "trees", "sources" of direct sums, bodies "lent" for collisions, "pairs" whose turn has
 * come, and what went to the first rank for "files". What goes to all is a message to each. */
typedef struct oct_traffic {
    const char *kind;
    uint64_t messages, bytes;
    double waited_s; /* for the others, and for what they sent */
} oct_traffic;

/* What each rank has sent since it has its communicator: *n kinds of the first rank, then those of
 * the next. All ranks call it; what it sends itself is not counted. */
oct_status oct_comm_traffic(oct_traffic **out, size_t *n, oct_comm *comm);
/* Gives such rows back; NULL is none. */
void oct_comm_traffic_free(oct_traffic *rows);

/* Tells the others that this rank goes on no more, with the sentence of oct_last_error; returns the
 * status. */
oct_status oct_comm_fail(oct_comm *comm, oct_status status);

#ifdef __cplusplus
}
#endif
#endif
