/* Modules: a model, force, integrator, boundary, collision method or measurement is one table.
 * Those of a program are as good as the library's own, which have the same tables: scenes choose
 * them by name, their fields are read and checked, they are in the resolved scene and in
 * checkpoints.
 *
 * A module's state begins with the struct that its fields fill in; the rest is zero. A simulation
 * keeps what it needs on a device in a domain, which has a copy of that state: `init` makes buffers
 * and kernels for as many bodies as the domain has, `free` gives them back. Where bodies come and
 * go there is a new domain, with a new copy.
 *
 * What is here may change with every version of the library: a program that has modules is compiled
 * with the version that it uses, which oct_scene_add_module checks. */
#ifndef OCTANT_MODULE_H
#define OCTANT_MODULE_H

#include "compute.h"
#include "fail.h"
#include "field.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these tables, for oct_scene_add_module. */
enum { OCT_MODULE_VERSION = 1 };

/* The bodies that one device has, and all that is kept there for them. */
typedef struct oct_domain oct_domain;

struct oct_setup;
struct oct_reviewer;
struct oct_tabulation;

/* The buffers that a simulation will take, added up before any is made: each module adds its own.
 */
typedef struct oct_needs {
    const struct oct_setup *setup;
    const oct_device_info *device;
    oct_precision precision;
    uint64_t n;       /* particles */
    uint64_t systems; /* that they are divided into, those of one body included */
    bool tree;        /* an octree is among the buffers: all share it */
    bool sets;        /* the integrator has sets of bodies, which others list in their own order */
    bool keeps;       /* and keeps the octree while bodies move */
    bool groups, places; /* such lists of the octree's are among the buffers */
    bool components;     /* those that measurements of components share are */
    bool ids;            /* kernels take ids of bodies, which else may need no memory */
    oct_memory memory;
    /* What those who share the octree want of it; `last` counts it when all have said so. */
    struct {
        bool cells, rows, records, thirds;
        int criterion;
        uint64_t lists;
    } octree;
    void (*last)(struct oct_needs *needs);
} oct_needs;

/* A buffer of so many elements. */
void oct_needs_add(oct_needs *needs, uint64_t element, uint64_t count);

/* What every table starts with. */
#define OCT_MODULE_HEAD                                                                            \
    unsigned version; /* OCT_MODULE_VERSION; 0: that of the program */                             \
    const char *name, *doc;                                                                        \
    size_t state_size;                                                                             \
    const oct_field *fields; /* may be NULL */                                                     \
    /* Looks at fields that only make sense together; may be NULL. */                              \
    oct_status (*check)(const void *self, const struct oct_setup *setup);                          \
    /* Says what was chosen for the user, and what is hardly meant; may be NULL. */                \
    void (*review)(const void *self, const struct oct_setup *setup,                                \
                   const struct oct_reviewer *to);                                                 \
    /* Adds the buffers that it will take; may be NULL. */                                         \
    void (*memory)(oct_needs * needs, const void *self);                                           \
    void (*free)(void *self) /* what init took; may be NULL */

/* What all tables have in common. */
typedef struct oct_module {
    OCT_MODULE_HEAD;
} oct_module;

/* Initial conditions. Bodies are made on the host, from the seed alone. */
typedef struct oct_model_context {
    const struct oct_setup *setup;
    uint32_t stream; /* for oct_random_start */
    /* The bodies are those from this one on, of so many; 0: they are all. */
    uint64_t from, whole;
} oct_model_context;

/* Whether a model makes any part of its bodies, so that the host need not hold all. */
typedef enum oct_parts {
    OCT_PARTS_NONE,
    OCT_PARTS_ANY,
    OCT_PARTS_CENTRED /* which the caller then centres, as generate does with all */
} oct_parts;

/* A model: bodies at the start. */
typedef struct oct_model {
    OCT_MODULE_HEAD;
    /* How many bodies there will be. */
    oct_status (*count)(uint64_t *out, const void *self, const oct_model_context *context);
    /* Fills bodies [first, first + count); ids are given by the caller unless keeps_ids. */
    oct_status (*generate)(oct_bodies *bodies, size_t first, size_t count, const void *self,
                           const oct_model_context *context);
    bool keeps_ids;
    /* How many solar systems its n bodies may be divided into. NULL: it makes none. */
    uint64_t (*systems)(const void *self, uint64_t n, const struct oct_setup *setup);
    oct_parts parts; /* it heeds `from` and `whole` */
} oct_model;

/* What accelerations follow from. */
typedef enum oct_follows {
    OCT_FOLLOWS_STATE,  /* whatever bodies have now */
    OCT_FOLLOWS_PLACES, /* positions and masses alone: found again, they have the same bits */
    OCT_FOLLOWS_PAST    /* what was found before as well */
} oct_follows;

/* Accelerations. `gravity` ones are chosen by gravity.method, the others listed under forces; all
 * that a force has counts for both. */
typedef struct oct_force {
    OCT_MODULE_HEAD;
    bool gravity;
    bool all_pairs; /* work grows with the square of the number of bodies; else little faster than
                       their number */
    oct_status (*init)(void *self, oct_domain *domain);
    /* Adds to acceleration and potential, which are zero for the first force of a step. NULL:
     * there is no gravity. */
    oct_status (*accumulate)(void *self, oct_domain *domain);
    /* The same in two parts, for integrators that step them at different rates: the pull of the
     * bodies of the same system, and that of all others. NULL where it has no parts: all of it is
     * far then. */
    oct_status (*accumulate_near)(void *self, oct_domain *domain);
    oct_status (*accumulate_far)(void *self, oct_domain *domain);
    /* When velocities are kicked with it: advances what else changes in time; may be NULL. */
    oct_status (*kick)(void *self, oct_domain *domain, double dt);
    /* When the host has waited: looks after its buffers; may be NULL. */
    oct_status (*waited)(void *self, oct_domain *domain);
    /* Energy that is not in half the sum of mass times potential; may be NULL. */
    oct_status (*energy)(double *out, void *self, oct_domain *domain);
    /* Cells and particles that the last forces summed over, a particle; may be NULL. */
    oct_status (*interactions)(double out[2], void *self, oct_domain *domain);
    bool sets; /* leaves bodies as they are that are not in the domain's set */
    /* Whether nothing pulls a body but its own system, so that accumulate_far adds nothing; may be
     * NULL: no. */
    bool (*alone)(const void *self, const oct_domain *domain);
    bool shared; /* finds the forces of bodies that other ranks have too */
    oct_follows (*follows)(const void *self); /* may be NULL: OCT_FOLLOWS_STATE */
    bool marks; /* goes by the marks of sets alone: no list of their bodies is made for it */
    /* Takes up to `most` steps of dt at once, kick, drift, kick, of bodies that nothing else acts
     * on, from the forces that are there to those of the end, and says how many: 0 where it cannot.
     * Their number changes no bit. With `most` 0 it is made ready: a compiler does not stand the
     * signals that a run is sent. May be NULL. */
    oct_status (*leap)(uint64_t *taken, void *self, oct_domain *domain, double dt, uint64_t most);
} oct_force;

/* How a step is made of forces, kicks and drifts. */
typedef struct oct_integrator {
    OCT_MODULE_HEAD;
    oct_status (*init)(void *self, oct_domain *domain); /* may be NULL */
    /* What oct_sim_drift and oct_sim_kick do in place of x += v dt and v += a dt; may be NULL. */
    oct_status (*drift)(void *self, oct_domain *domain, double dt);
    oct_status (*kick)(void *self, oct_domain *domain, double dt);
    /* Ticks of the step that comes next, a power of two (core/clock.h); NULL: one dt. It follows
     * from the state alone, so that a resumed run takes the same steps. */
    oct_status (*next)(int64_t *ticks, const void *self, oct_sim *sim);
    oct_status (*step)(const void *self, oct_sim *sim, double dt); /* dt: of this step */
    /* What changes the state goes through the calls of core/sim.h or asks oct_sim_begin_operation,
     * so that steps can be taken again: they may be enqueued ahead of what is known about the
     * first. */
    bool repeats;
    bool rotates; /* knows the forces of a frame that rotates */
    /* A step ends with the forces of the positions that it leaves, which measurements and snapshots
     * then have too; else they find some of their own, in columns of their own. */
    bool ends_with_forces;
    /* Takes up to `most` steps of dt at once, and says how many: 0 where it cannot, and `step` is
     * asked. Their number changes no bit. May be NULL. */
    oct_status (*burst)(uint64_t *taken, void *self, oct_domain *domain, double dt, uint64_t most);
    /* Between collisions and the next kick bodies drift, or forces are found: accelerations need
     * not outlive collisions, which are then enqueued ahead as well, unless forces go by the past.
     * Those of a step that ends with forces are too, and its forces outlive them. */
    bool collides_ahead;
    /* Whether bodies are in the middle of steps of their own, so many ticks after dt began to
     * count; may be NULL: never. Nobody can change bodies or steps then, and predict puts the
     * velocities of now into a buffer for those who look. */
    bool (*within)(const void *self, int64_t ticks);
    oct_status (*predict)(void *self, oct_domain *domain, oct_buffer *velocity);
    bool shared; /* takes the same steps on all ranks that share the bodies */
} oct_integrator;

/* An image of the box: where it is, and how it moves. */
typedef struct oct_image {
    double shift[3], velocity[3];
} oct_image;

/* What is at the faces of the box, and beyond them. */
typedef struct oct_boundary {
    OCT_MODULE_HEAD;
    oct_status (*init)(void *self, oct_domain *domain);
    /* After each drift: wraps or removes particles; may be NULL. */
    oct_status (*apply)(void *self, oct_domain *domain);
    /* After gravity: adds what is beyond the images that act; may be NULL: nothing is there. */
    oct_status (*pull)(void *self, oct_domain *domain);
    bool sets; /* pull leaves bodies as they are that are not in the domain's set */
    /* When the host has waited: reports what happened since; may be NULL. */
    oct_status (*waited)(void *self, oct_domain *domain);
    /* The box's size; false when there is none. */
    bool (*size)(double out[3], const void *self);
    /* The image so many boxes away, at a time; NULL: there is nothing but the box. */
    oct_image (*image)(const void *self, const int32_t cell[3], double time);
    bool moving; /* images move with time */
    /* Rings of images that attract the bodies of the box; with `image`. */
    void (*ghosts)(uint32_t rings[3], const void *self);
    /* Directions in which the box is its own neighbour; with `image`. */
    void (*repeats)(bool out[3], const void *self);
    /* Angular speeds of the frame and of vertical motion; NULL: the frame is at rest. */
    void (*rotation)(double out[2], const void *self);
    bool shared; /* does what it does without bodies that other ranks have */
} oct_boundary;

/* What collisions have done since the start of the run. */
typedef struct oct_impacts {
    double pairs;     /* that bounced or merged */
    double energy;    /* kinetic energy lost */
    double transport; /* sum of dp_y dx: momentum along y given across dx, outward */
} oct_impacts;

/* Logarithmic bins of impact speeds, eight an octave. */
enum { OCT_SPEED_BINS = 256 };

/* Collisions of touching bodies. */
typedef struct oct_collision {
    OCT_MODULE_HEAD;
    oct_status (*init)(void *self, oct_domain *domain);
    /* When new bodies are on the device, before the first step; may be NULL. */
    oct_status (*start)(void *self, oct_domain *domain);
    /* Finds all pairs that touch and approach, and resolves them. Velocities are those at the
     * end of the step dt as far as forces go. NULL: there are no collisions. */
    oct_status (*collide)(void *self, oct_domain *domain, double dt);
    oct_status (*waited)(void *self, oct_domain *domain); /* may be NULL */
    /* When bodies have left: `before` is what was known with them, and impacts tells it again. */
    oct_status (*left)(void *self, oct_domain *domain, const oct_impacts *before);
    oct_status (*impacts)(oct_impacts *out, void *self, oct_domain *domain);
    /* How often each impact speed occurred: bin k is from lowest 2^(k/8) on. */
    oct_status (*speeds)(double *lowest, uint64_t counts[OCT_SPEED_BINS], void *self,
                         oct_domain *domain);
    bool all_pairs; /* as with forces */
    bool sets;      /* finds the pairs with a body of the domain's set alone */
    bool repeats;   /* its kernels look whether the device has halted, and can be done again */
    bool shared;    /* finds pairs with bodies that other ranks have too */
    /* Enqueues, without a wait, what impacts then reads with the rest of a row of measurements; for
     * the library's own. May be NULL. */
    oct_status (*launch)(void *self, oct_domain *domain);
} oct_collision;

/* Measurements. Their fields stand in the section `output`. */
typedef struct oct_diag {
    OCT_MODULE_HEAD;
    const oct_column *columns;                      /* ends with a column without name */
    bool (*applies)(const struct oct_setup *setup); /* may be NULL: always */
    bool (*wanted)(const void *self);               /* and its fields ask for it; may be NULL */
    bool from_start; /* compares with the start of the run: cannot be begun later */
    oct_status (*init)(void *self, oct_domain *domain);
    oct_status (*measure)(double *out, void *self, oct_domain *domain);
    /* Enqueues, without a wait, what measure then reads: that of all measurements of a row comes
     * before the first measure. May be NULL. */
    oct_status (*launch)(void *self, oct_domain *domain);
    /* Which columns, bit k the k-th, need accelerations of the present positions; NULL: all. */
    uint64_t (*looks)(const struct oct_setup *setup);
    /* In place of measure: follows from the values of all others, in the order of the columns. */
    void (*derive)(double *out, const oct_domain *domain, const double *values);
    /* Where all of its columns are measured of several things, one after the other: the name of
     * each, which is put behind those of the columns, scale_length_disk; NULL past the last. Up to
     * 64 columns in all. May be NULL. */
    const char *(*part)(const void *self, const struct oct_setup *setup, size_t index);
    /* Columns of a table of its own in the results folder, NAME.csv, which gets any number of rows
     * where a column of the measurement is due; for the library's own. May be NULL. */
    const oct_column *table;
    oct_status (*tabulate)(struct oct_tabulation *out, void *self, oct_domain *domain);
    bool shared; /* joins what ranks have that share the bodies */
    /* Or all bodies come to the first rank, which measures them alone; for the library's own. */
    bool gathered;
    /* Measure asks for nothing but what launch has left in the read-back of its row, and so may
     * come when steps have been enqueued since; for the library's own. */
    bool ahead;
} oct_diag;

/* Adding modules ---------------------------------------------------------------------------- */
/* The families of modules, and their tables. */
typedef enum oct_family {
    OCT_FAMILY_MODEL,      /* an oct_model, for models */
    OCT_FAMILY_FORCE,      /* an oct_force, for gravity.method or forces */
    OCT_FAMILY_INTEGRATOR, /* an oct_integrator, for integrator.method */
    OCT_FAMILY_BOUNDARY,   /* an oct_boundary, for box.boundary */
    OCT_FAMILY_COLLISION,  /* an oct_collision, for collisions.method */
    OCT_FAMILY_DIAG        /* an oct_diag: measured wherever it applies; fields in output */
} oct_family;

/* Lets a scene, and simulations made of it, choose this module too. The table stays the program's
 * and outlives them. `version` is OCT_MODULE_VERSION; a name that is taken, or a table without what
 * its family needs, is refused. A checkpoint of such a simulation is resumed with a scene that has
 * the modules: oct_scene_restore, oct_scene_add_module, oct_sim_resume. */
oct_status oct_scene_add_module(oct_scene *scene, oct_family family, const void *table,
                                unsigned version);

/* What modules see -------------------------------------------------------------------------- */
/* The units of the scene. */
const oct_units *oct_setup_units(const struct oct_setup *setup);
/* The seed of the scene. */
uint64_t oct_setup_seed(const struct oct_setup *setup);

/* The simulation that a domain belongs to. */
oct_sim *oct_domain_sim(const oct_domain *domain);
/* The device that it is on. */
oct_device *oct_domain_device(const oct_domain *domain);
/* The precision of its numbers, never OCT_PRECISION_AUTO. */
oct_precision oct_domain_precision(const oct_domain *domain);
/* Bodies in its arrays, removed ones (type OCT_TYPE_REMOVED) included. */
uint32_t oct_domain_count(const oct_domain *domain);
/* An array by the name of its column: position (x, y, z, mass), velocity (x, y, z, radius),
 * acceleration (x, y, z, potential), id, type, spin, system, or one of the scene's; NULL where
 * there is none. Numbers are float in single precision, else double (`real` in kernels). */
oct_buffer *oct_domain_array(oct_domain *domain, const char *name);
/* Makes a buffer of the module's a part of the state, by its name, which no other array has: saved
 * in checkpoints, restored, taken along where bodies come and go. For init, which puts into it what
 * it begins with. It stays the module's, and is not of one element a body. */
oct_status oct_domain_add_state(oct_domain *domain, oct_buffer *buffer);
/* Compiles source for the domain's precision. The text may include "precision.clh", which has
 * `real`, `real3`, `real4` and OCT_TYPE_REMOVED; what is wrong is said of the label and its line.
 */
oct_status oct_domain_compile(oct_program **out, oct_domain *domain, const char *label,
                              const char *text, const char *options);
/* For OCT_BIND: lets a kernel ask by name for n, position, velocity, acceleration, spin, id, type
 * and other arrays of the domain. */
oct_binding oct_domain_offer(const oct_domain *domain);
/* The same for step and time. */
oct_binding oct_domain_offer_sim(const oct_domain *domain);

/* The parts of a step, for integrators. */
oct_status oct_sim_forces(oct_sim *sim);           /* acceleration at the current position */
oct_status oct_sim_kick(oct_sim *sim, double dt);  /* v += a dt */
oct_status oct_sim_drift(oct_sim *sim, double dt); /* x += v dt, time += dt, boundary */
oct_status oct_sim_kick_drift(oct_sim *sim, double kick_dt, double drift_dt); /* in one launch */
/* Collisions, once a step: where forces have been found, after the kick. */
oct_status oct_sim_collide(oct_sim *sim, double dt);

#ifdef __cplusplus
}
#endif
#endif
