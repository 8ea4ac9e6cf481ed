/* The table over MPI-3: the only file that knows MPI. */
#include "cluster/plugin/mpi.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        int error_ = (call);                                                                       \
        if (error_ != MPI_SUCCESS)                                                                 \
            return error_;                                                                         \
    } while (0)

/* Counts of MPI-3 are ints: what is longer goes in pieces. */
enum { PIECE = 1 << 30, TAG = 18 };

typedef struct pending {
    int n;
    MPI_Request requests[];
} pending;

static int place_of(int *place, MPI_Comm comm, int rank)
{
    MPI_Comm machine;
    TRY(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine));
    TRY(MPI_Comm_rank(machine, place));
    return MPI_Comm_free(&machine);
}

static int begin(void **world, oct_mpi_world *about, int *own)
{
    int there, provided;
    *world = NULL;
    TRY(MPI_Initialized(&there));
    *own = !there;
    /* Threads beside the one that calls MPI write files, and drivers have some. */
    if (!there)
        TRY(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided));
    MPI_Comm *comm = malloc(sizeof *comm);
    if (!comm)
        return MPI_ERR_NO_MEM;
    *world = comm;
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, comm));
    TRY(MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN));
    TRY(MPI_Comm_rank(*comm, &about->rank));
    TRY(MPI_Comm_size(*comm, &about->size));
    return place_of(&about->place, *comm, about->rank);
}

static int gather(void *world, void *out, const void *mine, size_t bytes)
{
    if (bytes > PIECE)
        return MPI_ERR_COUNT;
    return MPI_Allgather(mine, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE,
                         *(const MPI_Comm *)world);
}

static size_t pieces_of(const oct_mpi_message *messages, size_t n)
{
    size_t pieces = 0;
    for (size_t i = 0; i < n; i++)
        pieces += (messages[i].bytes + PIECE - 1) / PIECE;
    return pieces;
}

static int post(pending *p, const oct_mpi_message *m, MPI_Comm comm, int sends)
{
    for (size_t at = 0; at < m->bytes; at += PIECE) {
        char *data = (char *)m->data + at;
        int count = (int)(m->bytes - at < PIECE ? m->bytes - at : PIECE);
        MPI_Request *request = &p->requests[p->n];
        TRY(sends ? MPI_Isend(data, count, MPI_BYTE, m->rank, TAG, comm, request)
                  : MPI_Irecv(data, count, MPI_BYTE, m->rank, TAG, comm, request));
        p->n++;
    }
    return MPI_SUCCESS;
}

static int start(void *world, void **out_pending, const oct_mpi_message *out, size_t n_out,
                 const oct_mpi_message *in, size_t n_in)
{
    MPI_Comm comm = *(const MPI_Comm *)world;
    size_t pieces = pieces_of(out, n_out) + pieces_of(in, n_in);
    pending *p = malloc(sizeof *p + pieces * sizeof p->requests[0]);
    *out_pending = p;
    if (!p)
        return MPI_ERR_NO_MEM;
    p->n = 0;
    /* Who is to receive is ready before anything is sent. */
    for (size_t i = 0; i < n_in; i++)
        TRY(post(p, &in[i], comm, 0));
    for (size_t i = 0; i < n_out; i++)
        TRY(post(p, &out[i], comm, 1));
    return MPI_SUCCESS;
}

static int wait(void *started)
{
    pending *p = started;
    int error = MPI_Waitall(p->n, p->requests, MPI_STATUSES_IGNORE);
    free(p);
    return error;
}

static void end(void *world, int own)
{
    MPI_Comm *comm = world;
    if (comm)
        MPI_Comm_free(comm);
    free(comm);
    if (own)
        MPI_Finalize();
}

static void abort_all(void *world)
{
    MPI_Abort(world ? *(const MPI_Comm *)world : MPI_COMM_WORLD, 1);
}

static void say(char sentence[OCT_MPI_SENTENCE], int error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (MPI_Error_string(error, text, &length) != MPI_SUCCESS)
        snprintf(text, sizeof text, "error %d", error);
    snprintf(sentence, OCT_MPI_SENTENCE, "%.500s", text);
}

extern const oct_mpi oct_mpi_table;
const oct_mpi oct_mpi_table = {
    .version = OCT_MPI_VERSION,
    .begin = begin,
    .gather = gather,
    .start = start,
    .wait = wait,
    .end = end,
    .abort = abort_all,
    .say = say,
};
