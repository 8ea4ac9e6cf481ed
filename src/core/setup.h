/* A scene in the form a simulation takes it: modules chosen, their fields filled in. The scene
 * loader makes it from text; everything below the loader knows only this. */
#ifndef OCT_CORE_SETUP_H
#define OCT_CORE_SETUP_H

#include "core/column.h"
#include "core/module.h"

/* A chosen module and its state. */
typedef struct oct_choice {
    const oct_module *module;
    void *state;
} oct_choice;

/* How a model's bodies are put into the scene: turned, then moved; angles are in degrees. */
typedef struct oct_placement {
    double offset[3], velocity[3];
    double rotation[3];       /* about x, y and z in this order */
    double inclination, node; /* then about x, and then about z */
    double softening;         /* of its bodies; 0: as gravity says */
    oct_parameters columns;   /* what its bodies have in columns of the scene's */
    char *name;               /* of the component that they are; "": that of the model around it */
    int64_t component;        /* its number, from 1; 0: none. oct_setup_name_models finds it */
    int type;                 /* of all its bodies; 0: the model says it */
} oct_placement;

/* A model with its placement: an entry of the scene's list, or a field of another model. */
typedef struct oct_model_entry {
    oct_choice model;
    oct_placement placement;
} oct_model_entry;

typedef struct oct_run_plan {
    double until;
} oct_run_plan;

typedef struct oct_output_plan {
    double snapshot, diagnostics; /* intervals; 0: the end only, and a hundredth of the run */
    double checkpoint;            /* seconds on the wall; 0: only when stopped */
    bool parts;                   /* a file a domain */
    oct_parameters every;         /* rows, by the name of a measurement or a column */
    oct_texts components;         /* that are measured one by one */
    int centre;                   /* an oct_centre_of: what they are measured about */
} oct_output_plan;

typedef enum oct_centre_of { OCT_CENTRE_COMMON, OCT_CENTRE_OWN, OCT_CENTRE_ORIGIN } oct_centre_of;

typedef struct oct_integrator_plan {
    double dt;
} oct_integrator_plan;

/* How bodies that touch come apart: the fields of all collision methods. */
typedef struct oct_contact {
    char *restitution;         /* a number, "bridges" or "custom" */
    char *restitution_file;    /* OpenCL C, for "custom" */
    oct_code restitution_code; /* the same as a text */
    oct_parameters restitution_parameters;
    double bridges_speed, bridges_exponent;
    double tangential; /* restitution along the surface; 1: smooth spheres, no spin */
    double minimum_speed;
    int outcome; /* an oct_outcome */
    int64_t relax;
} oct_contact;

typedef enum oct_outcome { OCT_OUTCOME_BOUNCE, OCT_OUTCOME_MERGE } oct_outcome;

typedef struct oct_setup {
    oct_added added; /* modules of the program's */
    char *title;
    uint64_t seed;
    oct_units units;
    oct_choice boundary, gravity, collisions, integrator;
    oct_contact contact;
    oct_integrator_plan step;
    size_t n_columns, n_models, n_forces, n_diags;
    oct_column_plan *columns; /* that bodies have beside the core's */
    oct_model_entry *models;
    oct_choice *forces; /* beside gravity */
    oct_choice *diags;  /* all measurements, also those that do not apply */
    oct_run_plan run;
    oct_output_plan output;
    char *resolved; /* the scene with every default spelled out */
    double share;   /* part of the bodies that models make, for a trial; 0: all */
    /* Reads bodies from a file; the loader sets it, since files are above the models. */
    oct_status (*read_bodies)(oct_bodies *out, oct_file_info *info, const char *path,
                              const oct_units *from, const oct_units *into);
} oct_setup;

/* The fields of the sections that belong to no module. */
extern const oct_field oct_placement_fields[];
extern const oct_field oct_run_fields[];
extern const oct_field oct_output_fields[];
extern const oct_field oct_contact_fields[];
extern const oct_field oct_integrator_fields[]; /* beside those of the chosen method */

/* The tables of the modules that were chosen. */
const oct_boundary *oct_setup_boundary(const oct_setup *setup);
const oct_force *oct_setup_gravity(const oct_setup *setup);
/* Gravity, then the others; NULL past the last. */
const oct_force *oct_setup_force(const oct_setup *setup, size_t index);
const oct_collision *oct_setup_collision(const oct_setup *setup);
const oct_integrator *oct_setup_integrator(const oct_setup *setup);

/* Makes a choice with a zeroed state. */
oct_status oct_choice_init(oct_choice *choice, const oct_module *module);
void oct_choice_clear(oct_choice *choice);
/* A choice with the same settings and a state of its own, which shares what they point to. */
oct_status oct_choice_copy(oct_choice *out, const oct_choice *settings);
void oct_choice_end(oct_choice *copy);

/* The models that are fields of a module's own (OCT_FIELD_MODEL) by index, and their keys where
 * `key` is not NULL; NULL past the last. */
oct_model_entry *oct_choice_within(const oct_choice *choice, size_t index, const char **key);
void oct_entry_clear(oct_model_entry *entry);

/* The angular speed of the frame and the length of its orbit, 2 pi over it; 0 where it is at rest.
 */
double oct_setup_omega(const oct_setup *setup);
double oct_setup_orbit(const oct_setup *setup);
/* See oct_sim_calendar. */
const char *oct_setup_calendar(double *size, const oct_setup *setup);

/* How far from each other the images of a box that stand still are; 0 where there are none. */
void oct_setup_periods(double out[3], const oct_setup *setup);

/* Whether collisions make bodies spin: rough ones, and those that merge. */
bool oct_setup_spins(const oct_setup *setup);

/* Adds a column of the scene's to bodies, and all of them. */
oct_status oct_setup_add_column(oct_bodies *bodies, const oct_column_plan *plan);
oct_status oct_setup_add_columns(oct_bodies *bodies, const oct_setup *setup);
/* Gives bodies these columns and no others of the user's. */
oct_status oct_setup_declare(oct_bodies *bodies, const oct_setup *setup);
/* The numbers of a body that a value stands for: one for each number of the column, or one for all;
 * refused where the column cannot hold them. */
oct_status oct_setup_column_value(double out[3], const oct_column_plan *plan,
                                  const oct_parameter *value);

/* Numbers the names of models, in the order in which the scene has them, and declares the column
 * `component` for the numbers; where no model has a name there is none. */
oct_status oct_setup_name_models(oct_setup *setup);
/* Their names in the order of the numbers, with blanks between them, as far as there is room. */
void oct_setup_component_names(char *out, size_t bytes, const oct_setup *setup);
/* The number of a component; 0: no model has this name. */
int64_t oct_setup_component(const oct_setup *setup, const char *name);

/* Gives the bodies [first, first + count) the values that a model has for the scene's columns. */
oct_status oct_setup_fill_columns(oct_bodies *bodies, size_t first, size_t count,
                                  const oct_parameters *values, const oct_setup *setup);

/* The measurements that apply, with their settings, by index; NULL past the last. */
const oct_choice *oct_setup_diag(const oct_setup *setup, size_t index);

/* How many of n things a model makes: all, or a share of them, but one at least. */
uint64_t oct_setup_share(const oct_setup *setup, uint64_t n);
/* Number of bodies of all models together. */
oct_status oct_setup_count(uint64_t *out, const oct_setup *setup);
/* The bodies of models that make solar systems, and how many those may be. */
void oct_setup_count_systems(uint64_t *bodies, uint64_t *systems, const oct_setup *setup);
/* Whether bodies attract each other. */
bool oct_setup_has_gravity(const oct_setup *setup);
/* The same of one model, which may be within another. */
oct_status oct_entry_count(uint64_t *out, const oct_model_entry *entry,
                           const oct_model_context *context);
/* Makes the bodies [first, first + count) of one model, turned, moved and named. */
oct_status oct_entry_make(oct_bodies *bodies, size_t first, size_t count,
                          const oct_model_entry *entry, const oct_model_context *context);
/* Turns bodies [first, first + count) with all their vectors, then moves them. */
oct_status oct_bodies_place(oct_bodies *bodies, size_t first, size_t count,
                            const oct_placement *placement);
/* All bodies: models in order, placed; ids 1, 2, ... where a model does not bring its own. */
oct_status oct_setup_bodies(oct_bodies *out, const oct_setup *setup);
/* Whether they can be made a part at a time, for a host that does not hold all. */
bool oct_setup_in_parts(const oct_setup *setup);
/* Takes bodies that come after the first `first` ones. */
typedef oct_status (*oct_part_taker)(void *context, uint64_t first, const oct_bodies *part);
/* Which of all bodies are made, and at most how many at a time: a run of them, where ranks make the
 * others at the same time, and put what follows from all bodies together. */
typedef struct oct_portion {
    uint64_t first, count;
    size_t most;
    oct_comm *comm; /* NULL: there are no others */
} oct_portion;
/* The same bodies as those of oct_setup_bodies, bit for bit. */
oct_status oct_setup_make_parts(const oct_setup *setup, const oct_portion *portion,
                                oct_part_taker take, void *context);
void oct_setup_free(oct_setup *setup);

#endif
