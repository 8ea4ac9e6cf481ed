/* Ranks that are processes, through MPI, which is loaded when it is wanted. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"
#include "cluster/plugin/mpi.h"

typedef struct mpi {
    oct_comm base;
    void *library;
    const oct_mpi *table;
    void *world, *pending;
    int own;
    oct_mpi_message *messages; /* room for those of an exchange */
} mpi;

static mpi *mpi_of(oct_comm *comm)
{
    return (mpi *)(void *)comm;
}

/* A rank that died takes the others with it: what comes back as an error is something else. */
static oct_status check(mpi *self, int error)
{
    char sentence[OCT_MPI_SENTENCE];
    if (error == 0)
        return OCT_STATUS_OK;
    self->base.failed = true;
    self->table->say(sentence, error);
    return OCT_FAIL(OCT_STATUS_DEVICE, "MPI fails in rank %u of %u: %s", (unsigned)self->base.rank,
                    (unsigned)self->base.size, sentence);
}

static oct_status mpi_gather(oct_comm *comm, void *out, const void *mine, size_t bytes)
{
    mpi *self = mpi_of(comm);
    return check(self, self->table->gather(self->world, out, mine, bytes));
}

/* Messages to others and from others; what a rank has for itself is copied. */
static oct_status mpi_start(oct_comm *comm, const oct_parcel *out, const oct_parcel *in)
{
    mpi *self = mpi_of(comm);
    oct_mpi_message *to = self->messages, *from = self->messages + comm->size;
    size_t n_out = 0, n_in = 0;
    oct_parcel kept = out[comm->rank], wanted = in[comm->rank];
    OCT_CHECK(kept.bytes == wanted.bytes, OCT_STATUS_INTERNAL,
              "a rank does not agree with itself on the size of a message");
    if (kept.bytes > 0 && kept.data != wanted.data)
        memcpy(wanted.data, kept.data, kept.bytes);
    for (uint32_t k = 1; k < comm->size; k++) {
        uint32_t next = (comm->rank + k) % comm->size,
                 before = (comm->rank + comm->size - k) % comm->size;
        if (out[next].bytes > 0)
            to[n_out++] = (oct_mpi_message){out[next].data, out[next].bytes, (int)next};
        if (in[before].bytes > 0)
            from[n_in++] = (oct_mpi_message){in[before].data, in[before].bytes, (int)before};
    }
    return check(self, self->table->start(self->world, &self->pending, to, n_out, from, n_in));
}

static oct_status mpi_wait(oct_comm *comm)
{
    mpi *self = mpi_of(comm);
    void *pending = self->pending;
    self->pending = NULL;
    return check(self, self->table->wait(pending));
}

/* The others hear of it when this process has said what was wrong: oct_comm_close. */
static void mpi_fail(oct_comm *comm, const char *sentence)
{
    (void)comm;
    (void)sentence;
}

static void mpi_close(oct_comm *comm)
{
    mpi *self = mpi_of(comm);
    if (comm->failed)
        self->table->abort(self->world);
    else
        self->table->end(self->world, self->own);
    /* MPI is not unloaded: threads of its own may be ending. */
    free(self->messages);
    free(self);
}

static const oct_transport transport = {
    .name = "mpi",
    .gather = mpi_gather,
    .start = mpi_start,
    .wait = mpi_wait,
    .fail = mpi_fail,
    .close = mpi_close,
};

static oct_status load(mpi *self)
{
    self->library = dlopen(OCT_MPI_PLUGIN, RTLD_NOW | RTLD_GLOBAL);
    OCT_CHECK(self->library, OCT_STATUS_MISSING, "MPI cannot be loaded: %s", dlerror());
    self->table = dlsym(self->library, OCT_MPI_TABLE);
    OCT_CHECK(self->table && self->table->version == OCT_MPI_VERSION, OCT_STATUS_MISSING,
              "%s is not of this version of Octant", OCT_MPI_PLUGIN);
    return OCT_STATUS_OK;
}

static oct_status begin(mpi *self)
{
    oct_mpi_world about = {0};
    OCT_TRY(load(self));
    OCT_TRY(check(self, self->table->begin(&self->world, &about, &self->own)));
    /* With an MPI outside of a container that the one inside does not understand each is alone. */
    const char *started = getenv("OMPI_COMM_WORLD_SIZE");
    OCT_CHECK(about.size > 1 || !started || strcmp(started, "1") == 0, OCT_STATUS_MISSING,
              "mpirun started %s processes, of which Octant's MPI sees one: it takes the mpirun of "
              "the MPI that Octant was built with",
              started);
    self->base.rank = (uint32_t)about.rank;
    self->base.size = (uint32_t)about.size;
    self->base.place = (uint32_t)about.place;
    return oct_alloc(&self->messages, 2 * (size_t)about.size, sizeof *self->messages, "messages");
}

oct_status oct_comm_open(oct_comm **out)
{
    mpi *self;
    *out = NULL;
    OCT_TRY(oct_alloc(&self, 1, sizeof *self, "ranks"));
    self->base.transport = &transport;
    oct_status status = begin(self);
    if (status == OCT_STATUS_OK) {
        *out = &self->base;
        return status;
    }
    free(self->messages);
    free(self);
    return status;
}
