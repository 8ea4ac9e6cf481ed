/* Saving from the page: every file gets a name of its own, so that nothing that a run or somebody
 * before has written is replaced. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/folder.h"
#include "view/viewer.h"

enum { MOST_FILES = 10000, FILE_NAME = 40 };

typedef oct_status (*writer)(oct_sim *sim, const char *path);

/* The first name prefix_0000.hdf5 and so on that nothing has. */
static oct_status find_name(char name[FILE_NAME], char path[OCT_FOLDER_PATH], const char *folder,
                            const char *prefix)
{
    struct stat found;
    for (unsigned i = 0; i < MOST_FILES; i++) {
        snprintf(name, FILE_NAME, "%s_%04u.hdf5", prefix, i);
        oct_folder_file(path, folder, name);
        if (lstat(path, &found) == 0)
            continue;
        OCT_CHECK(errno == ENOENT, OCT_STATUS_INPUT, "cannot look at %s: %s", path,
                  strerror(errno));
        return OCT_STATUS_OK;
    }
    return OCT_FAIL(OCT_STATUS_INPUT, "%s holds ten thousand files %s_0000.hdf5 and so on", folder,
                    prefix);
}

static oct_status save(oct_viewer *viewer, oct_sim *sim, const oct_form *form, oct_text *reply,
                       const char *prefix, writer write)
{
    char path[OCT_FOLDER_PATH], name[FILE_NAME], *kept = NULL;
    oct_lock lock = {0};
    oct_status status;
    OCT_TRY(oct_form_check(form, (const char *const[]){NULL}));
    OCT_TRY(oct_viewer_check(viewer));
    OCT_CHECK(viewer->out, OCT_STATUS_INPUT, "there is no results folder to save into");
    /* The folder is made when something is saved for the first time. */
    OCT_TRY(oct_folder_claim(viewer->out, (const char *const[]){NULL}, OCT_RUN_CONTINUE, ""));
    if (viewer->mode != OCT_VIEW_RUN) /* a run holds its folder itself */
        OCT_TRY(oct_lock_take(&lock, viewer->out));
    OCT_TRY_DONE(find_name(name, path, viewer->out, prefix));
    OCT_TRY_DONE(oct_text_copy(&kept, name));
    OCT_TRY_DONE(write(sim, path));
    if (viewer->n_saved < OCT_VIEW_SAVED) {
        viewer->saved[viewer->n_saved++] = kept;
        kept = NULL;
    }
    oct_text_add(reply, ", \"file\": ");
    oct_text_add_json(reply, name);
done:
    free(kept);
    oct_lock_release(&lock);
    return status;
}

oct_status oct_save_snapshot(oct_viewer *viewer, oct_sim *sim, const oct_form *form,
                             oct_text *reply)
{
    return save(viewer, sim, form, reply, "saved", oct_sim_snapshot);
}

oct_status oct_save_checkpoint(oct_viewer *viewer, oct_sim *sim, const oct_form *form,
                               oct_text *reply)
{
    return save(viewer, sim, form, reply, "checkpoint", oct_sim_checkpoint);
}
