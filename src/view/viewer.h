/* The viewer's side of the simulation: what is shown, and what clients have asked for. Only the
 * thread that simulates uses it; the rest is in view/shared.h. */
#ifndef OCT_VIEW_VIEWER_H
#define OCT_VIEW_VIEWER_H

#include "view/frame.h"
#include "view/server.h"
#include "view/shared.h"
#include "view/verb.h"

enum { OCT_VIEW_NAME = 256, OCT_VIEW_SAVED = 64, OCT_VIEW_SENTENCE = 1024 };

/* Files that are played back. */
typedef struct oct_playback {
    char **paths, **faults; /* a fault is why a file cannot be shown; NULL: none is known */
    char *unmeasured;       /* why there are no measurements; NULL: nothing is wrong with them */
    size_t n, index;
} oct_playback;

struct oct_viewer {
    oct_shared shared;
    oct_guard guard;
    oct_server *server;
    char url[OCT_HOST_BYTES + 64];
    char *out; /* folder for what is saved; NULL: none */
    const volatile int *stop;

    oct_view_mode mode;
    char name[OCT_VIEW_NAME]; /* of the scene */
    char *about;              /* the part of the state that changes with the scene only, JSON */
    /* Why the simulation cannot go on, and why no frame of it could be cut; "": it can, it could.
     * In place, so that want of memory can be told too. */
    char error[OCT_VIEW_SENTENCE], unseen[OCT_VIEW_SENTENCE];
    uint32_t generation; /* goes up with other bodies, or other places of them */
    uint32_t begun;      /* the generation in which the scene began */
    oct_edition placed;  /* the bodies that are shown, */
    uint32_t slots;      /* and how many places they have */
    bool replaced;       /* by another simulation, since the run last looked */
    oct_playback files;

    bool paused, quit;
    uint64_t owed;     /* single steps that are still to be taken */
    oct_ask *stepping; /* who waits for them */
    int64_t end;       /* the tick to come to rest at; 0: none */
    double speed;      /* steps a second; 0: no limit */

    oct_cutter *cutter;
    oct_cut cut;
    double rate, share;   /* frames a second; part of the time they may take */
    uint64_t sequence;    /* of the last frame */
    bool stale;           /* there is something new to show */
    bool unfit;           /* how frames are cut has changed */
    bool fresh;           /* no frame of this simulation has been cut yet */
    double cut_at, cut_s; /* when the last frame was cut, and how long it took */
    double fitted_at, fitting_s, density_at, density_s; /* the same of other work */
    double repeated_at, posted_at;
    oct_made density; /* what densities were found from */

    double left_at; /* when the last steps began */
    uint64_t left_step, taken;
    double step_s; /* a step takes, about; 0: unknown */

    double profiled_s;       /* time profiled so far; < 0: not profiling */
    uint64_t profiled_steps; /* since it began */
    char *phases;            /* what was found, JSON */
    char *changed;           /* what the last change cost, JSON */
    size_t n_saved;
    char *saved[OCT_VIEW_SAVED];
};

/* Answers what clients have asked, and waits up to so many seconds for a question first. */
oct_status oct_viewer_serve(oct_viewer *viewer, oct_sim *sim, double seconds);
/* The simulation cannot go on, for this reason: comes to rest, and tells those who wait for steps.
 */
void oct_viewer_fail(oct_viewer *viewer, const oct_sim *sim, const char *sentence);
/* Publishes a frame and the state where they are due. A frame that cannot be had is told with the
 * state and tried again later; what fails here is a simulation that has failed itself. */
oct_status oct_viewer_show(oct_viewer *viewer, oct_sim *sim);
bool oct_viewer_ended(const oct_viewer *viewer);
/* Refuses where the simulation cannot go on. */
oct_status oct_viewer_check(const oct_viewer *viewer);

/* stage.c: shows this simulation from now on. */
oct_status oct_viewer_begin(oct_viewer *viewer, oct_sim *sim);
/* Puts another simulation in the place of this one, and frees what was there; where that fails,
 * nothing has changed but that the other one is freed. `anew`: its bodies are not those from
 * before; name: of its scene, NULL: as it was. */
oct_status oct_viewer_replace(oct_viewer *viewer, oct_sim *sim, oct_sim *other, const char *name,
                              bool anew);

/* The same simulation with other bodies, or in other places: where they were means nothing now. */
oct_status oct_viewer_regroup(oct_viewer *viewer, oct_sim *sim);

/* population.c: a body more, a body less. */
oct_status oct_population_add(oct_viewer *viewer, oct_sim *sim, const oct_form *form,
                              oct_text *reply);
oct_status oct_population_remove(oct_viewer *viewer, oct_sim *sim, const oct_form *form,
                                 oct_text *reply);

/* state_json.c: JSON of the state; the part that changes with the scene only. */
oct_status oct_viewer_write_state(char **out, oct_viewer *viewer, const oct_sim *sim);
oct_status oct_viewer_write_about(char **out, const oct_viewer *viewer, const oct_sim *sim,
                                  const char *name);
/* A JSON list of the columns of a simulation's measurements, and how many they are. */
oct_status oct_viewer_write_columns(char **out, size_t *width, const oct_sim *sim);
/* The profiles of components, as measured at this step; NULL where there are none. */
oct_status oct_viewer_write_profiles(char **out, oct_sim *sim);

/* change.c: other parameters on the way, the start again, another scene. */
oct_status oct_change_set(oct_viewer *viewer, oct_sim *sim, const oct_form *form, oct_text *reply);
oct_status oct_change_reset(oct_viewer *viewer, oct_sim *sim, const oct_form *form,
                            oct_text *reply);
oct_status oct_change_scene(oct_viewer *viewer, oct_sim *sim, const oct_form *form,
                            oct_text *reply);

/* save.c: files with names of their own in the results folder. */
oct_status oct_save_snapshot(oct_viewer *viewer, oct_sim *sim, const oct_form *form,
                             oct_text *reply);
oct_status oct_save_checkpoint(oct_viewer *viewer, oct_sim *sim, const oct_form *form,
                               oct_text *reply);

/* body.c: the exact values of bodies. */
oct_status oct_body_find(oct_viewer *viewer, oct_sim *sim, const oct_form *form, oct_text *reply);

/* files.c: shows file number index; where it cannot be read that is noted, and nothing changes. */
oct_status oct_files_show(oct_viewer *viewer, oct_sim *sim, size_t index);
/* The same, or where it cannot be read the next one that can. */
oct_status oct_files_show_from(oct_viewer *viewer, oct_sim *sim, size_t index);
void oct_files_clear(oct_playback *files);

/* timing.c: times of kernels, on demand. */
oct_status oct_timing_begin(oct_viewer *viewer, oct_sim *sim, const oct_form *form,
                            oct_text *reply);
void oct_timing_note(oct_viewer *viewer, oct_sim *sim, double seconds, uint64_t steps);

#endif
