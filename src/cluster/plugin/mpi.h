/* What Octant wants of MPI, as a table: the library finds it in a plug-in when a program is started
 * by mpirun, so that nobody else loads MPI, and a plug-in made with another MPI can take its place.
 * Functions return 0, or an error that `say` has a sentence for. */
#ifndef OCT_CLUSTER_PLUGIN_MPI_H
#define OCT_CLUSTER_PLUGIN_MPI_H

#include <stddef.h>

#define OCT_MPI_TABLE  "oct_mpi_table"
#define OCT_MPI_PLUGIN "liboctant_mpi.so"
enum { OCT_MPI_VERSION = 1, OCT_MPI_SENTENCE = 512 };

typedef struct oct_mpi_world {
    int rank, size, place; /* place: the number among the ranks of this machine */
} oct_mpi_world;

/* One message to a rank or from it. */
typedef struct oct_mpi_message {
    void *data;
    size_t bytes;
    int rank;
} oct_mpi_message;

typedef struct oct_mpi {
    int version;
    /* *own: MPI was begun here, and is ended by `end`. */
    int (*begin)(void **world, oct_mpi_world *about, int *own);
    int (*gather)(void *world, void *out, const void *mine, size_t bytes);
    /* Begins to send and to receive; *pending is what `wait` ends. */
    int (*start)(void *world, void **pending, const oct_mpi_message *out, size_t n_out,
                 const oct_mpi_message *in, size_t n_in);
    int (*wait)(void *pending);
    void (*end)(void *world, int own);
    void (*abort)(void *world); /* ends the processes of all ranks */
    void (*say)(char sentence[OCT_MPI_SENTENCE], int error);
} oct_mpi;

#endif
