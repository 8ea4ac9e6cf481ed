/* The first rank says where, all write, and the first writes the whole when all have written. */
#include "run/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"
#include "core/lead.h"
#include "io/checkpoint.h"
#include "io/snapshot.h"
#include "run/still.h"

/* What the others must know. */
typedef struct job {
    bool checkpoint;
    char path[4096];
    char run[OCT_IDENTITY_TEXT];
} job;

bool oct_parts_wanted(const oct_sim *sim)
{
    return sim->comm && oct_comm_size(sim->comm) > 1 && sim->setup->output.parts &&
           oct_feature_present("hdf5");
}

/* The facts of all bodies, which all ranks then have. */
static oct_status join_facts(oct_snapshot_facts *inout, oct_comm *comm)
{
    oct_snapshot_facts *all;
    OCT_TRY(oct_alloc(&all, oct_comm_size(comm), sizeof *all, "parts of a file"));
    oct_status status = oct_comm_gather(comm, all, inout, sizeof *inout);
    if (status == OCT_STATUS_OK)
        *inout = all[0];
    for (uint32_t r = 1; r < oct_comm_size(comm) && status == OCT_STATUS_OK; r++)
        oct_snapshot_join(inout, &all[r]);
    free(all);
    return status;
}

static oct_status write_files(const oct_still *still, const char *path, oct_comm *comm)
{
    uint32_t rank = oct_comm_rank(comm), size = oct_comm_size(comm);
    oct_snapshot_facts facts;
    oct_snapshot_part own = {.counts = {0}}, *all = NULL;
    oct_bodies none = {0};
    oct_status status;
    OCT_TRY(oct_snapshot_look(&facts, &still->bodies, &still->info, path));
    OCT_TRY(join_facts(&facts, comm));
    OCT_TRY(oct_snapshot_write_part(&own, &still->bodies, &still->info, still->scene, path, &facts,
                                    rank, size));
    OCT_TRY(oct_alloc(&all, size, sizeof *all, "parts of a file"));
    OCT_TRY_DONE(oct_comm_gather(comm, all, &own, sizeof own));
    if (rank > 0)
        goto done;
    OCT_TRY_DONE(oct_bodies_declare_as(&none, &still->bodies));
    status = oct_snapshot_write_whole(&none, &still->info, still->scene, path, &facts, all, size);
done:
    oct_bodies_clear(&none);
    free(all);
    return status;
}

static oct_status write_checkpoint(oct_sim *sim, const job *what)
{
    oct_comm *comm = sim->comm;
    const oct_checkpoint_share share = {oct_comm_rank(comm), oct_comm_size(comm)};
    oct_checkpoint_part own, *all = NULL;
    oct_state state;
    sim->apart = true;
    oct_status status = oct_sim_export(&state, sim);
    sim->apart = false;
    OCT_TRY(status);
    memcpy(state.run, what->run, sizeof state.run);
    OCT_TRY_DONE(oct_checkpoint_write_part(&own, &state, what->path, share));
    OCT_TRY_DONE(oct_alloc(&all, share.size, sizeof *all, "parts of a file"));
    OCT_TRY_DONE(oct_comm_gather(comm, all, &own, sizeof own));
    if (share.rank == 0)
        OCT_TRY_DONE(oct_checkpoint_write_whole(&state, what->path, all, share.size));
    if (share.rank == 0)
        status = oct_checkpoint_sweep(what->path);
done:
    free(all);
    oct_state_clear(&state);
    return status;
}

static oct_status write_snapshot(oct_sim *sim, const job *what)
{
    oct_still still;
    sim->apart = true;
    oct_status status = oct_still_take(&still, sim);
    sim->apart = false;
    OCT_TRY(status);
    memcpy(still.info.run, what->run, sizeof still.info.run);
    status = oct_still_develop(&still);
    if (status == OCT_STATUS_OK)
        status = write_files(&still, what->path, sim->comm);
    oct_still_clear(&still);
    return status;
}

static oct_status write_both(oct_sim *sim, job *what)
{
    OCT_TRY(oct_comm_broadcast(sim->comm, what, sizeof *what));
    return what->checkpoint ? write_checkpoint(sim, what) : write_snapshot(sim, what);
}

static oct_status together(oct_sim *sim, const char *path, bool checkpoint)
{
    job what = {.checkpoint = checkpoint};
    OCT_TRY(oct_sim_usable(sim));
    OCT_CHECK(strlen(path) < sizeof what.path - 64, OCT_STATUS_INPUT,
              "the name of '%s' is too long", path);
    snprintf(what.path, sizeof what.path, "%s", path);
    memcpy(what.run, sim->run, sizeof what.run);
    OCT_TRY(oct_lead_begin(sim, (oct_order){.kind = OCT_ORDER_PARTS}));
    return oct_lead_end(sim, write_both(sim, &what));
}

oct_status oct_parts_snapshot(oct_sim *sim, const char *path)
{
    return together(sim, path, false);
}

oct_status oct_parts_checkpoint(oct_sim *sim, const char *path)
{
    return together(sim, path, true);
}

oct_status oct_parts_follow(oct_sim *sim)
{
    return together(sim, "", false);
}
