/* A domain: the bodies that one device has, and everything else that lives there. A simulation has
 * one. Modules work in a domain; what they keep on its device is in a state of its own, copied from
 * the settings of the setup. */
#ifndef OCT_CORE_DOMAIN_H
#define OCT_CORE_DOMAIN_H

#include "core/fresh.h"
#include "core/images.h"
#include "core/readback.h"
#include "core/set.h"
#include "core/setup.h"
#include "core/sources.h"
#include "core/system_table.h"
#include "device/device.h"
#include "util/status.h"

/* Counters the device writes and the host reads when it waits anyway. */
enum {
    OCT_COUNTER_BAD_STEP, /* first step (since the last wait) with a NaN or infinity */
    OCT_COUNTER_BAD_INDEX,
    OCT_COUNTER_REMOVED,
    OCT_COUNTER_HALT, /* the operation in which a module had no room; the state is as it was then */
    OCT_COUNTER_STILL, /* whether no body has moved in the last collisions */
    OCT_COUNTERS
};

enum { OCT_DOMAIN_COLUMNS = 48, OCT_DOMAIN_STATE_ARRAYS = 32 };
enum { OCT_DOMAIN_ROWS = 4096, OCT_DOMAIN_SUMS = 24 };

/* A column as a domain holds it. */
typedef struct oct_held_column {
    oct_column_spec spec;
    char label[OCT_COLUMN_LABEL]; /* the name of one of the user's */
    oct_buffer *buffer;           /* an element for each body; NULL: none */
    oct_buffer *seen;             /* what onlookers have in its place: core/look.h; NULL: nothing */
} oct_held_column;

/* What an array of a module's has that ranks add up: each has a part of it. */
typedef enum oct_total {
    OCT_TOTAL_NONE, /* nothing: it is the same in all ranks */
    OCT_TOTAL_LONGS,
    OCT_TOTAL_WORDS, /* of 32 bits */
    OCT_TOTAL_DOUBLES
} oct_total;

struct oct_domain {
    oct_sim *sim;
    oct_domain *beside;     /* the next one of the simulation; NULL: this is the last */
    const oct_setup *setup; /* of the simulation */
    oct_device *device;
    oct_precision precision;

    uint32_t n; /* particles in the arrays, removed ones included */
    /* Those of the table, the user's, those of modules. What has a name of its own below is one of
     * them. */
    uint32_t n_columns;
    oct_held_column columns[OCT_DOMAIN_COLUMNS];
    oct_buffer *position, *velocity, *acceleration, *id, *type;
    oct_buffer *position_low, *velocity_low; /* what single precision rounds off; else NULL */
    /* Angular velocities in the inertial frame along the axes of the box, which may turn; NULL
     * where bodies neither have nor get any. */
    oct_buffer *spin;
    oct_buffer *softening; /* of bodies that differ in it, 0: as gravity says; NULL: none differs */
    bool near_alone;       /* acceleration is that of the near part of gravity alone */
    /* Gravity has its octree built in the memory of accelerations, and clears them afterwards. */
    bool lends;
    bool has_sets; /* somebody has made a set: accelerations of some bodies may have to stay */
    bool clears, cleared; /* the next drift takes accelerations away; one has */
    /* What the boundary does where bodies leave the box; an integrator that does it where it moves
     * them says so in `met`. NULL: no boundary that tells. */
    struct oct_faces *faces;
    bool met;
    /* What was written last from outside the steps: to any column, and to positions, masses or
     * types. */
    oct_edition given, placed;
    /* What the forces of a step were found from, those of onlookers, and what of the state was last
     * seen to be numbers. */
    oct_made accelerated, looked, checked;
    oct_made
        collided; /* what forces would be found from, where they were fresh before collisions */
    uint32_t doubtful;  /* 1: those that are found are not kept where nobody has moved in these */
    uint32_t onlookers; /* who look now, */
    bool exchanged;     /* at columns of their own, */
    bool ahead; /* and at velocities of now, where bodies are in the middle of their steps */
    oct_buffer *predicted; /* those; NULL until somebody has looked */
    oct_made predicted_from;
    oct_images acting; /* images that attract, as many as the boundary has ghosts */
    oct_images around; /* the nearest ones, in which bodies of the box may be touched */
    oct_system_table system_table;
    /* Whom kicks, forces and collisions are for, and what kernels have of it: oct_domain_restrict.
     * NULL: all. */
    oct_set *set;
    oct_buffer *active, *listed, *n_listed;
    oct_sources sources;
    oct_buffer *counters;
    oct_readback readback; /* of reductions */
    uint32_t n_state_arrays;
    /* Arrays of modules that belong to the state, columns among them, in the order of the modules.
     */
    oct_buffer *state_arrays[OCT_DOMAIN_STATE_ARRAYS];
    oct_total totals[OCT_DOMAIN_STATE_ARRAYS]; /* how ranks add each of these up */
    bool removes;                              /* a module may remove bodies */
    struct oct_tree *tree;                     /* shared by those who hold it; see tree/tree.h */
    struct oct_components *components;         /* the same; see diag/diag_components.h */

    struct oct_access *access; /* for reads and writes of parts; NULL until there is one */

    oct_program *program; /* kernels/state.cl */
    oct_kernel *kick, *drift, *kick_drift, *turn_spin, *keep, *check, *sum, *fold;
    oct_kernel *fold_row; /* of measurements */
    /* What the next launch of these takes beside the state. */
    struct {
        oct_buffer *kicking, *drifting, *clearing, *keeping, *kept, *checked, *summed;
        double kick_dt, drift_dt, half_turn, sine;
        uint32_t step_offset, checked_step;
        uint64_t words;
    } next;

    oct_choice boundary, gravity, collisions, integrator;
    oct_choice *forces; /* beside gravity, as many as the setup has */
    uint32_t n_diags;
    oct_choice *diags;
};

/* Everything on the device but the bodies themselves. `system`: the numbers of their systems, NULL
 * where there are none. */
oct_status oct_domain_create(oct_domain **out, oct_sim *sim, oct_device *device, uint32_t n,
                             const uint32_t *system);
/* A domain for bodies that meet, or that are looked at: columns and counters, and the state of the
 * collision method, which is not started. */
oct_status oct_domain_create_bare(oct_domain **out, const oct_domain *like, uint32_t n);
/* The kernels that sums of such a domain take. */
oct_status oct_domain_start_sums(oct_domain *domain);
void oct_domain_free(oct_domain *domain);

/* What kernels find by name: everything of the bodies, their images and systems; of the simulation
 * `step`, `time` and the units of forces in float, `scale` and `mass_scale`. */
extern const oct_offer oct_domain_offers[], oct_sim_offers[];
#define OCT_BIND_DOMAIN(domain)                                                                    \
    OCT_BIND_OFFERS(oct_domain_offers, (domain)), OCT_BIND_OFFERS_OF(oct_sim_offers, &(domain)->sim)

/* The modules of a domain. */
const oct_boundary *oct_domain_boundary(const oct_domain *domain);
const oct_force *oct_domain_gravity(const oct_domain *domain);
const oct_collision *oct_domain_collision(const oct_domain *domain);
const oct_integrator *oct_domain_integrator(const oct_domain *domain);

/* The forces of a domain, gravity first and then the others, with their states; NULL past the last.
 * What is asked of a force is asked of all of them. */
const oct_force *oct_domain_force(void **state, const oct_domain *domain, size_t index);

/* Builds a kernel file for this domain, in its precision. */
oct_status oct_domain_build(oct_program **out, oct_domain *domain, const char *file,
                            const char *options);

/* The arrays of the table's columns and of the scene's. */
oct_status oct_domain_make_columns(oct_domain *domain);
void oct_domain_free_columns(oct_domain *domain);
/* The column of this name, or of this name of the user's; NULL where it is not there. */
oct_held_column *oct_domain_column(oct_domain *domain, const char *name);
/* Makes a column where it is not there yet, filled with its default: one of the table that is there
 * where it is used, or one of a module's own, whose text stays the module's. What is state is saved
 * and restored from then on. */
oct_status oct_domain_add_column(oct_domain *domain, const oct_column_spec *spec);
/* The same, for a module that holds the array's pointer. */
oct_status oct_domain_add_array(oct_buffer **out, oct_domain *domain, const oct_column_spec *spec);
/* Adds a number of 64 bits to the state, by oct_domain_add_state, that each rank counts for its own
 * bodies: that of the whole is the sum. */
oct_status oct_domain_add_total(oct_domain *domain, oct_buffer *buffer, oct_total kind);
/* Gives rows of a column their default. */
oct_status oct_held_clear(const oct_held_column *held, oct_precision precision, size_t first,
                          size_t count);
/* The array of another domain's column here; the column is made where it is lacking. NULL: there
 * are no rows of it to move. */
oct_status oct_domain_match(oct_buffer **out, oct_domain *to, const oct_held_column *held);
/* Moves rows on a device, of any column: to[i] = from[index[i]] for i < count. */
typedef struct oct_mover {
    oct_program *program;
    oct_kernel *kernels[2];
    oct_buffer *to, *from, *index; /* what the next launch takes */
    uint32_t count, parts;
} oct_mover;
oct_status oct_mover_start(oct_mover *mover, oct_domain *domain);
oct_status oct_mover_move(oct_mover *mover, oct_buffer *to, oct_buffer *from, oct_buffer *index,
                          uint32_t count);
void oct_mover_end(oct_mover *mover);
/* Row i of each column becomes what row index[i] is in another domain on the same device, for
 * i < count; columns that are lacking are made. */
oct_status oct_domain_gather(oct_domain *to, oct_domain *from, oct_buffer *index, uint32_t count);
/* Looks whether bodies can be written in the domain's precision; then writes them to the rows from
 * `first` on. Columns that they do not have, and those of modules, stay as they are. */
oct_status oct_domain_check_bodies(const oct_domain *domain, const oct_bodies *bodies);
oct_status oct_domain_write_bodies(oct_domain *domain, uint32_t first, const oct_bodies *bodies);

/* Sums over all particles, in double or compensated, in a fixed order: a kernel of so many
 * work-items, one a particle and at most OCT_DOMAIN_ROWS, writes a row of `columns` partial sums
 * each (partials.clh), and fold adds the rows up. */
uint32_t oct_domain_rows(const oct_domain *domain);
oct_status oct_domain_fold(double *out, oct_domain *domain, uint32_t columns);
/* The same of a kernel that also leaves the largest of something, not below 0, in a float: launches
 * it, and puts that behind the sums. */
oct_status oct_domain_fold_largest(double *out, oct_domain *domain, oct_kernel *kernel,
                                   oct_buffer *largest, uint32_t columns);
/* Sum of mass times value; of mass where values is NULL. */
oct_status oct_domain_sum(double *out, oct_domain *domain, oct_buffer *values);

/* Bytes of a number of the state. */
size_t oct_real_size(oct_precision precision);
/* And of a force between two bodies. */
size_t oct_force_size(oct_precision precision);

#endif
