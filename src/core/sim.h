/* A simulation: its settings, its time, and the domain that holds its bodies. It asks the domain to
 * do things. */
#ifndef OCT_CORE_SIM_H
#define OCT_CORE_SIM_H

#include "core/clock.h"
#include "core/domain.h"
#include "core/guess.h"
#include "core/later.h"
#include "core/owners.h"
#include "core/state.h"
#include "device/fetch.h"

/* What of the settings others may change between steps. */
typedef enum oct_hold {
    OCT_HOLD_NONE,    /* what a state survives */
    OCT_HOLD_RESULTS, /* and what the files of the run in progress survive */
    OCT_HOLD_ALL      /* nothing: the run is in the middle of something */
} oct_hold;

/* A row of measurements and a copy of the bodies on their way: core/ahead.h. */
typedef enum oct_ahead_stage { OCT_AHEAD_NONE, OCT_AHEAD_SENT, OCT_AHEAD_THERE } oct_ahead_stage;
typedef struct oct_ahead {
    oct_ahead_stage stage;
    bool launching;  /* it is being enqueued: nobody waits */
    bool lost;       /* the device stood still when it was measured */
    bool measures;   /* there is a row, */
    uint64_t row;    /* of this number */
    oct_state *copy; /* of the bodies, and what of it is under way; NULL: there is none */
    oct_fetch **copying;
    oct_clock clock;     /* as it was then */
    oct_fetch *fetch[2]; /* of the row; of the counters behind the copy */
    uint32_t counters[2][OCT_COUNTERS];
} oct_ahead;

struct oct_sim {
    oct_setup *setup;
    oct_precision precision;
    oct_domain *domain;
    /* Those who share it, NULL: nobody, and which of all bodies are in the domain: core/lead.h. */
    oct_comm *comm;
    uint64_t n_all, first, n_own;
    oct_owners owners;
    uint32_t together;       /* calls, one within another, that all ranks make */
    bool shared;             /* the ranks have begun, and the first one leads */
    bool apart;              /* what leaves the device is this rank's bodies alone */
    struct oct_whole *whole; /* all bodies, where a measurement needs them; NULL: none has yet */
    /* Writes a file with all other ranks, in parts; of whoever made the simulation. */
    oct_status (*write_parts)(oct_sim *sim);

    /* Powers of two near the initial extent and mass: forces in float are computed in units of
     * these, so that no system of units overflows. Part of the state. */
    double length_scale, mass_scale;
    double per_length, per_mass; /* 1 over these, as kernels take them */

    oct_clock clock;
    oct_clock waited;            /* as it was when the state was last known to be good */
    uint64_t waited_before;      /* the step of the wait before this one: what is newer is news */
    oct_device_work waited_work; /* all that was asked of the device until then, */
    oct_edition waited_given;    /* and what had come from outside */
    uint32_t operation;          /* operations on the state since then */
    uint32_t operations_done;    /* of these, done before a halt: they are not done again */
    oct_guess guess;             /* whether bodies merge in the steps that are enqueued */
    oct_origin origin;
    uint64_t removed, closed; /* bodies, since the start; of these, whose gaps are closed up */
    bool whole_steps; /* the boundary acts at the ends of steps only; set by the integrator */
    bool looking;     /* forces are wanted by an onlooker, not by a step */
    double energy_start, energy_worst; /* the largest error since then */
    oct_relaxation relaxed;            /* without sweeps: nothing was */
    bool softened;                     /* bodies have softenings of their own */

    uint32_t n_values;
    oct_column *columns;
    oct_texts part_names; /* of the columns that have them behind their own */
    uint32_t *every;  /* rows that have a column once: a number for each of the columns; 0: none */
    oct_fetch *fetch; /* of who copies the state, and can wait for it; NULL: nobody does */
    oct_ahead ahead;
    oct_later *later; /* for what of the row that is being measured need not be done at once */

    oct_failure failure; /* what it has not survived */
    /* The run: drawn at the start, kept when it is resumed; "" as in oct_state. */
    char run[OCT_IDENTITY_TEXT];
    uint64_t checkpoint[2]; /* device and inode of the one it was read from, or wrote in a run */
    char *resumed_from;     /* its path, until there is one of its own; NULL: none */
    oct_hold hold;
    char *changes; /* made to the scene when it was resumed, "# sentence" a line; NULL: none */
    oct_log log;
    void *log_context;
};

/* What a simulation begins with beside its setup: a saved state, which it goes on from, or bodies;
 * else those that the models of its setup make. */
typedef struct oct_sim_origin {
    const oct_state *state;
    const oct_bodies *bodies;
    oct_log log;
    void *log_context;
    bool unmeasured;
    oct_comm *comm; /* ranks that it is shared among; NULL: none */
    double share;   /* of the work that is this rank's, of any sum; 0: as much as others */
} oct_sim_origin;

/* Creates a simulation from a setup, which it takes over even when it fails. `from` may be NULL. */
oct_status oct_sim_start(oct_sim **out, oct_device *device, oct_setup *setup,
                         oct_precision precision, const oct_sim_origin *from);

/* Puts each in the other's place. */
void oct_sim_exchange(oct_sim *a, oct_sim *b);

/* What a function of the public interface that takes a simulation begins with: refuses one that has
 * failed. Functions that only tell what the host knows go on. */
oct_status oct_sim_usable(const oct_sim *sim);
/* And what it ends with: a failure is remembered, and the status handed on. */
oct_status oct_sim_done(oct_sim *sim, oct_status status);
/* The same where the state was about to change: whatever was refused on the way has failed. */
oct_status oct_sim_changed(oct_sim *sim, oct_status status);

/* Refuses what is done with the bodies of one rank alone; `what` begins the sentence. */
oct_status oct_sim_check_alone(const oct_sim *sim, const char *what);

/* Counts an operation that changes the state or finds forces. False: it was done before a module
 * halted the device, and must not be done again. */
bool oct_sim_begin_operation(oct_sim *sim);
/* Whether steps of this simulation can be taken again. */
bool oct_sim_repeats(const oct_sim *sim);
/* Whether steps may be enqueued before it is known that there was room for the ones before: nobody
 * looks or waits in a step, and steps can be taken again. */
bool oct_sim_runs_ahead(const oct_sim *sim);

/* Takes steps until one ends at a tick or after it, but no more than so many. */
oct_status oct_sim_advance(oct_sim *sim, uint64_t steps, int64_t until);

/* Waits, and reads the counters. A particle that is no number any more is a failure; accelerations
 * count where they are those of the present positions, or an onlooker's. */
oct_status oct_sim_read_counters(uint32_t counters[OCT_COUNTERS], oct_sim *sim, bool looked);

/* Enqueues a look at the state, unless that was done. */
oct_status oct_sim_check_state(oct_sim *sim, bool looked);
/* All steps have been waited for, by who has read these counters, and were good. */
oct_status oct_sim_settle(oct_sim *sim, const uint32_t counters[OCT_COUNTERS]);

/* Steps since the host last waited: what the device reports a bad particle with. */
uint32_t oct_sim_step_offset(const oct_sim *sim);

void oct_sim_set_scales(oct_sim *sim, double length, double mass);

/* Puts bodies on the device; the acceleration is not known then. */
oct_status oct_sim_upload(oct_sim *sim, const oct_bodies *bodies);
/* Makes the bodies of the models and puts them there, at most so many at a time; for setups whose
 * bodies can be made in parts. */
oct_status oct_sim_fill(oct_sim *sim, size_t most);
/* oct_sim_hash through a part of so many bytes of the host, at least 64, where the state is more
 * than that and bodies are in the order of their ids. */
oct_status oct_sim_hash_by(uint64_t *out, oct_sim *sim, size_t most);
/* When all have been written: what follows from where they are. */
oct_status oct_sim_placed(oct_sim *sim);

/* v += a dt for the domain's set, with this acceleration; x += v dt for the set, and nothing else:
 * those who drift bodies at different times know what the time is. */
oct_status oct_domain_kick(oct_domain *domain, oct_buffer *acceleration, double dt);
oct_status oct_domain_drift(oct_domain *domain, double dt);

/* The parts of a step, for integrators, beside those of octant/module.h. Forces, kicks and
 * collisions are for the domain's set (see core/set.h): the others keep accelerations, potentials
 * and velocities, but that a body of the set may collide with any. Drifts are for all, so that all
 * have one time. Forces, fresh or not: */
oct_status oct_sim_find_forces(oct_sim *sim);
/* A part of it, for integrators that refuse gravity without parts in init. */
oct_status oct_sim_forces_near(oct_sim *sim);
oct_status oct_sim_forces_far(oct_sim *sim); /* with the forces beside gravity */
/* The next drift also takes accelerations away, where it has nothing else to do for them: one pass
 * over them less. For steps that find the forces of all bodies behind it. */
void oct_sim_clear_ahead(oct_sim *sim);
/* For what drifts: the accelerations to take away, or NULL; once launched, they have been. */
oct_buffer *oct_domain_clearing(oct_domain *domain);
/* The boundary, for integrators that have whole_steps; others have had it after each drift. */
oct_status oct_sim_arrive(oct_sim *sim);
/* Forces of all bodies where they are, for those who measure or write: the next step does not
 * notice. They are seen between oct_look_open and oct_look_close of core/look.h. */
oct_status oct_sim_look(oct_sim *sim);

void oct_sim_note(oct_sim *sim, const char *format, ...) OCT_PRINTF(2, 3);
/* What was relaxed, as a sentence; "" where nothing was. */
void oct_sim_say_relaxed(char *out, size_t bytes, const oct_sim *sim);

/* What a simulation of this setup with n particles takes on a device. */
void oct_setup_estimate(oct_estimate *out, const oct_setup *setup, uint64_t n,
                        const oct_device_info *device, oct_precision precision);

#endif
