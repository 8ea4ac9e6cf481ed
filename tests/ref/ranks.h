/* Tests in several processes: a program that starts itself anew under mpirun. */
#ifndef REF_RANKS_H
#define REF_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/* Skips what follows where this build or this machine has no MPI. */
bool ref_has_mpi(void);
/* Runs `mpirun -n RANKS PROGRAM MODE`; puts what it printed into out and returns its exit status,
 * or -1 where it was ended by a signal. */
int ref_mpirun(char *out, size_t bytes, int ranks, const char *program, const char *mode);
/* Seconds of a clock that is never set. */
double ref_seconds(void);

#endif
