/* A part of octant.h: scans, one scene with many values, whose runs share a device. */
#ifndef OCTANT_SWEEP_H
#define OCTANT_SWEEP_H

#include "octant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A scan: a member for every combination of values and every seed, and what was measured at its
 * end. */
typedef struct oct_sweep oct_sweep;

/* A scan of a scene, which is copied; without further words it has one member. */
oct_status oct_sweep_create(oct_sweep **out, const oct_scene *scene);
/* Gives a scan back; NULL is none. */
void oct_sweep_free(oct_sweep *sweep);
/* Varies a key of the scene. "KEY=0.3,0.5,bridges" has these values, as oct_scene_set takes them;
 * "KEY=0.1:1.5:6" six from 0.1 to 1.5 in equal steps, "KEY=1e-3:1:4:log" four by equal ratios. The
 * key that came last changes fastest. */
oct_status oct_sweep_vary(oct_sweep *sweep, const char *assignment);
/* The same with a list of values. */
oct_status oct_sweep_vary_list(oct_sweep *sweep, const char *key, const char *const *values,
                               size_t n);
/* Has each combination so many times, with the scene's seed and those that follow it. */
oct_status oct_sweep_set_seeds(oct_sweep *sweep, uint64_t seeds);
/* How many members there are. */
size_t oct_sweep_count(const oct_sweep *sweep);
/* The scene of a member; one that is refused later is none of its own making. */
oct_status oct_sweep_scene(oct_scene **out, const oct_sweep *sweep, size_t member);

/* What has become of a member. */
typedef enum oct_member_state {
    OCT_MEMBER_WAITING,
    OCT_MEMBER_RUNNING,
    OCT_MEMBER_DONE,
    OCT_MEMBER_FAILED,
    OCT_MEMBER_STOPPED /* before its end, by *stop */
} oct_member_state;
/* "waiting", "running", "done", "failed" or "stopped". */
const char *oct_member_state_name(oct_member_state state);

/* A member. What it points to holds until the scan runs again, is changed or is freed. */
typedef struct oct_member {
    size_t size;
    char name[24]; /* of its folder: "0007" */
    uint64_t seed;
    size_t n;                                /* keys that are varied */
    const char *const *keys, *const *values; /* of these */
    oct_member_state state;
    const char *failure; /* the sentence; "" where it has not failed */
    uint64_t step;       /* and what follows: at its end */
    double time, wall_s;
} oct_member;
/* One of them as it is now. */
oct_status oct_sweep_member(oct_member *out, const oct_sweep *sweep, size_t member);
/* Its row of the table as JSON: values, seed, status, and what was measured. */
oct_status oct_sweep_row(char **out, const oct_sweep *sweep, size_t member);
/* Adds a number to the row of a member whose end is being looked at (oct_sweep_options.measure). */
oct_status oct_sweep_put(oct_sweep *sweep, size_t member, const char *name, double value);

/* How far a scan is. */
typedef struct oct_sweep_record {
    size_t size;
    size_t members, done, failed, running;
    double share;  /* of all that is to be simulated, as far as is known */
    double wall_s; /* since it began */
    bool ended;    /* a member has, for which this record is */
    size_t member;
    bool final;   /* the last record */
    bool stopped; /* it ended early because *stop was set */
} oct_sweep_record;

/* Whether members share launches: a kernel that several of them are to run next is launched once,
 * for all of them. It is for members that are too small to keep a device busy. */
typedef enum oct_sweep_batch {
    OCT_SWEEP_BATCH_AUTO, /* on a GPU, where there are at least two and each takes 16 MiB or less */
    OCT_SWEEP_BATCH_ON,
    OCT_SWEEP_BATCH_OFF
} oct_sweep_batch;

/* How a scan is run. */
typedef struct oct_sweep_options {
    size_t size;
    const char *out;           /* folder for results; NULL writes none */
    oct_run_existing existing; /* what to do with a scan that is there already */
    bool table_only;  /* the members have no folders, and one that was stopped begins anew */
    unsigned workers; /* members at a time; 0: as many as suit the device */
    oct_precision precision;
    uint64_t steps;      /* the step to end at; 0: as many as run.until of the scenes asks for */
    const char *average; /* measure means over this time up to the end: "10 orbit"; NULL: the end */
    const char *plot;    /* the column of plot.svg; NULL: the first whose values differ */
    const volatile int *stop; /* as in oct_run_options: members checkpoint, and it returns */
    /* Both are called by the thread that has called. */
    void (*report)(void *context, const oct_sweep_record *record);
    /* Looks at a member at its end, which may add to its row (oct_sweep_put); where it fails, the
     * member has. */
    oct_status (*measure)(void *context, size_t member, oct_sim *sim);
    void *context;
    oct_sweep_batch batch;
} oct_sweep_options;

/* Runs the members, several at a time, each to the bits that a run of its own has. One that fails
 * is listed, and the others go on: the status tells of what is no member's. The folder gets
 * sweep.yaml, a folder for each member as oct_run leaves it, table.csv, table.hdf5, plot.svg and
 * report.html. With OCT_RUN_CONTINUE what is done is not done again, what was stopped goes on from
 * its checkpoint, and what has failed is tried again. */
oct_status oct_sweep_run(oct_sweep *sweep, oct_device *device, const oct_sweep_options *options);

#ifdef __cplusplus
}
#endif
#endif
