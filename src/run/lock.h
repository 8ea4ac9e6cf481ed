/* One writer for a results folder at a time: a lock on DIR/.octant-lock that the system lets go of
 * when its process dies, however it dies.
 *
 * It is a record lock of an open file description (fcntl, F_OFD_SETLK). NFS hands record locks on
 * to its server, where flock stays on one machine or is not there at all; and other than the
 * record locks of a process, those of a description keep two simulations of one process apart
 * too, and do not go when somebody else closes the file. */
#ifndef OCT_RUN_LOCK_H
#define OCT_RUN_LOCK_H

#include "util/status.h"

/* Start from {0}. */
typedef struct oct_lock {
    int descriptor;
    char *path;  /* NULL: nothing is held */
    bool absent; /* the file system has no locks: nobody is kept out */
} oct_lock;

/* Whether somebody holds it, or has died with it. */
bool oct_lock_exists(const char *folder);
/* Takes the lock of a folder that is there, or says in one sentence who has it. */
oct_status oct_lock_take(oct_lock *out, const char *folder);
/* Gives it back; its file goes. Does nothing where nothing is held. */
void oct_lock_release(oct_lock *lock);

#endif
