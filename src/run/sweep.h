/* A scan: its members, their rows, and its folder. */
#ifndef OCT_RUN_SWEEP_H
#define OCT_RUN_SWEEP_H

#include "device/batch.h"
#include "run/lock.h"
#include "util/text.h"

/* What was measured of a member, as text: a table that is read back has the same bits. */
typedef struct oct_cell {
    char *name, *unit, *text;
} oct_cell;

typedef struct oct_sweep_entry {
    const char **values; /* of each key, the sweep's */
    uint64_t seed;
    oct_member_state state;
    char *failure; /* NULL: none */
    double share;  /* of its steps, while it runs */
    size_t n_cells;
    oct_cell *cells;
} oct_sweep_entry;

typedef struct oct_varied {
    char *key;
    size_t n;
    char **values;
} oct_varied;

struct oct_sweep {
    oct_scene *scene;
    uint64_t seeds;
    size_t n_keys;
    oct_varied *varied;
    const char **keys; /* those of `varied` */
    size_t n;
    oct_sweep_entry *members;
};

enum { OCT_SWEEP_MOST = 100000, OCT_SWEEP_NAME = 24 };

/* The name of a member's folder. */
void oct_sweep_name(char out[OCT_SWEEP_NAME], size_t member);

/* Rows. */
void oct_sweep_entry_clear(oct_sweep_entry *member);
/* Adds a cell, or gives one another text; the unit is "" where there is none. */
oct_status oct_sweep_cell(oct_sweep_entry *member, const char *name, const char *unit,
                          const char *text);
/* Whether a column is text and no numbers. */
bool oct_sweep_is_text(const char *name);
/* The number of that name at a member's end; NaN where there is none. */
double oct_sweep_value(const oct_sweep_entry *member, const char *name);
/* The columns that were measured of any member, in the order of the first that has them; texts are
 * NULL. To be freed, but for what it points to. */
oct_status oct_sweep_columns(oct_cell **out, size_t *n, const oct_sweep *sweep);

/* table.csv, and table.hdf5 where this build has HDF5. */
oct_status oct_sweep_write_csv(const oct_sweep *sweep, const char *path);
oct_status oct_sweep_write_hdf5(const oct_sweep *sweep, const char *path);
/* Takes over the rows of members that are done. */
oct_status oct_sweep_read_csv(oct_sweep *sweep, const char *path);

/* report.html and plot.svg of a folder; linked: to the reports of the members. */
oct_status oct_sweep_draw(const oct_sweep *sweep, const char *folder, const char *column,
                          bool linked);

enum { OCT_SWEEP_WORKERS = 64 };

/* How members share a device: so many at a time, and whether they share launches. */
typedef struct oct_sweep_share {
    unsigned workers;
    oct_batch *batch; /* NULL: they do not */
} oct_sweep_share;
oct_status oct_sweep_share_choose(oct_sweep_share *out, const oct_sweep *sweep,
                                  const oct_device *device, const oct_sweep_options *options);
/* The queue of a worker. */
oct_status oct_sweep_share_open(oct_device **out, const oct_sweep_share *share,
                                const oct_device *device);

/* The folder of a scan, held by one process at a time. Start from {0}. */
typedef struct oct_sweep_folder {
    const char *path; /* the caller's; NULL: nothing is written */
    oct_lock lock;
    double written_s, took_s; /* when the table was last written, and how long that took */
} oct_sweep_folder;

/* Takes the folder for a scan, or goes on with the same one in it. */
oct_status oct_sweep_folder_open(oct_sweep_folder *out, oct_sweep *sweep,
                                 const oct_sweep_options *options);
/* Writes table.csv, unless it was written a moment ago. */
oct_status oct_sweep_folder_update(oct_sweep_folder *folder, const oct_sweep *sweep);
/* Writes all that follows from the rows. */
oct_status oct_sweep_folder_finish(oct_sweep_folder *folder, const oct_sweep *sweep,
                                   const oct_sweep_options *options);
void oct_sweep_folder_close(oct_sweep_folder *folder);

#endif
