/* Snapshots and checkpoints: copied off the device here, written by the writer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/checkpoint.h"
#include "run/folder.h"
#include "run/lineage.h"
#include "run/parts.h"
#include "run/replacement.h"
#include "run/still.h"

/* A file on its way to the disk. */
typedef struct delivery {
    oct_folder *folder;
    oct_sim *sim;
    char path[OCT_FOLDER_PATH];
    oct_still still; /* of a checkpoint its state alone */
} delivery;

static oct_status write_snapshot(void *context)
{
    delivery *d = context;
    OCT_TRY(oct_still_develop(&d->still));
    return oct_still_write(&d->still, d->path, &d->folder->mold);
}

static oct_status write_checkpoint(void *context)
{
    const delivery *d = context;
    return oct_checkpoint_write(&d->still.state, d->path);
}

/* The run can go on from there. A run that it replaces and that cannot be removed is tried again by
 * the next one. */
static oct_status have_checkpoint(void *context)
{
    const delivery *d = context;
    oct_folder *folder = d->folder;
    oct_lineage_record(d->sim, d->path);
    if (!folder->replacing)
        return OCT_STATUS_OK;
    folder->replacing = false;
    if (oct_replacement_settle(folder->path) != OCT_STATUS_OK)
        oct_sim_note(d->sim, "the run before is not removed: %s", oct_last_error());
    return OCT_STATUS_OK;
}

static void free_delivery(void *context)
{
    delivery *d = context;
    oct_still_clear(&d->still);
    free(d);
}

static oct_status begin(delivery **out, oct_folder *folder, oct_sim *sim, const char *name)
{
    OCT_TRY(oct_alloc(out, 1, sizeof **out, "a file on its way"));
    (*out)->folder = folder;
    (*out)->sim = sim;
    oct_folder_file((*out)->path, folder->path, name);
    return OCT_STATUS_OK;
}

/* A snapshot on its way; NULL where it is there already. */
static oct_status begin_snapshot(delivery **out, oct_folder *folder, oct_sim *sim, uint64_t index)
{
    char name[48];
    struct stat ignored;
    oct_status status = OCT_STATUS_OK;
    *out = NULL;
    if (!folder->path)
        return OCT_STATUS_OK;
    oct_snapshot_name(name, index);
    OCT_TRY(begin(out, folder, sim, name));
    /* One that survived oct_folder_open is of this very step. */
    bool there = stat((*out)->path, &ignored) == 0;
    OCT_CHECK_DONE(there || errno == ENOENT, OCT_STATUS_IO, "cannot look at %s: %s", (*out)->path,
                   strerror(errno));
    if (!there)
        return OCT_STATUS_OK;
done:
    free_delivery(*out);
    *out = NULL;
    return status;
}

static oct_writer_job snapshot_job(delivery *d)
{
    return (oct_writer_job){.name = "snapshots",
                            .context = d,
                            .run = write_snapshot,
                            .free = free_delivery,
                            .bytes = oct_state_bytes(&d->still.state)};
}

oct_status oct_folder_snapshot(oct_folder *folder, oct_sim *sim, uint64_t index, oct_writer *writer)
{
    delivery *d;
    OCT_TRY(begin_snapshot(&d, folder, sim, index));
    if (!d)
        return OCT_STATUS_OK;
    bool parts = oct_parts_wanted(sim);
    oct_status status = parts ? oct_parts_snapshot(sim, d->path) : oct_still_take(&d->still, sim);
    if (status == OCT_STATUS_OK && !parts)
        return oct_writer_add(writer, snapshot_job(d));
    free_delivery(d);
    return status;
}

oct_status oct_folder_snapshot_ahead(oct_writer_job *out, oct_folder *folder, oct_sim *sim,
                                     uint64_t index)
{
    delivery *d;
    *out = (oct_writer_job){0};
    OCT_TRY(begin_snapshot(&d, folder, sim, index));
    if (!d)
        return OCT_STATUS_OK;
    oct_status status = oct_still_take_ahead(&d->still, sim);
    if (status == OCT_STATUS_OK)
        *out = snapshot_job(d);
    else
        free_delivery(d);
    return status;
}

oct_status oct_folder_checkpoint(oct_folder *folder, oct_sim *sim, oct_writer *writer)
{
    delivery *d;
    if (!folder->path)
        return OCT_STATUS_OK;
    if (folder->rows.file) /* rows are on the disk before a checkpoint that says so */
        OCT_TRY(oct_rows_flush(&folder->rows));
    OCT_TRY(oct_tables_flush(&folder->tables));
    if (!oct_feature_present("hdf5"))
        return OCT_STATUS_OK;
    OCT_TRY(begin(&d, folder, sim, "checkpoint.hdf5"));
    bool parts = oct_parts_wanted(sim);
    oct_status status =
        parts ? oct_parts_checkpoint(sim, d->path) : oct_sim_export(&d->still.state, sim);
    if (status == OCT_STATUS_OK && parts)
        status = have_checkpoint(d);
    else if (status == OCT_STATUS_OK)
        return oct_writer_add(writer, (oct_writer_job){.name = "checkpoints",
                                                       .context = d,
                                                       .run = write_checkpoint,
                                                       .done = have_checkpoint,
                                                       .free = free_delivery,
                                                       .bytes = oct_state_bytes(&d->still.state)});
    free_delivery(d);
    return status;
}
