/* The fields of sections that belong to no module, and what follows from a setup. */
#include "core/setup.h"
#include "core/units.h"
#include "util/status.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By the numbers of OCT_TYPE_*. */
static const char *const body_types[] = {"model", "body",       "disk", "bulge",
                                         "star",  "black-hole", NULL};

const oct_field oct_placement_fields[] = {
    {.name = "offset",
     .type = OCT_FIELD_REAL3,
     .offset = offsetof(oct_placement, offset),
     .initial = "[0, 0, 0]",
     .unit = {1, 0, 0},
     .doc = "where the model's origin is put"},
    {.name = "velocity",
     .type = OCT_FIELD_REAL3,
     .offset = offsetof(oct_placement, velocity),
     .initial = "[0, 0, 0]",
     .unit = {1, 0, -1},
     .doc = "velocity of the model as a whole, beside the shear at its offset in a rotating box"},
    {.name = "rotation",
     .type = OCT_FIELD_REAL3,
     .offset = offsetof(oct_placement, rotation),
     .initial = "[0, 0, 0]",
     .doc = "degrees about the x, y and z axis, in this order, before the model is moved"},
    {.name = "inclination",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(oct_placement, inclination),
     .initial = "0",
     .min = -360,
     .max = 360,
     .doc = "degrees about the x axis after the rotation: the angle between the model's axis, z, "
            "and that of the scene"},
    {.name = "node",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(oct_placement, node),
     .initial = "0",
     .min = -360,
     .max = 360,
     .doc = "degrees about the z axis after that: where, from x towards y, the model's plane "
            "ascends through that of the scene"},
    {.name = "softening",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(oct_placement, softening),
     .initial = "0",
     .unit = {1, 0, 0},
     .max = 1e300,
     .doc = "Plummer softening length of the model's bodies; 0: what its file has, or what gravity "
            "has for their type"},
    {.name = "columns",
     .type = OCT_FIELD_PARAMETERS,
     .offset = offsetof(oct_placement, columns),
     .initial = "{}",
     .plain = true,
     .doc = "what the model's bodies have in columns of the scene's: {charge: 1}, or a list of "
            "three for a vector"},
    {.name = "name",
     .type = OCT_FIELD_TEXT,
     .offset = offsetof(oct_placement, name),
     .initial = "",
     .doc = "of the component that its bodies are; they have its number in the column component"},
    {.name = "type",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(oct_placement, type),
     .initial = "model",
     .choices = body_types,
     .doc = "of all its bodies, in place of those that the model gives them"},
    {0}};

const oct_field oct_run_fields[] = {{.name = "until",
                                     .type = OCT_FIELD_REAL,
                                     .offset = offsetof(oct_run_plan, until),
                                     .unit = {0, 0, 1},
                                     .max = DBL_MAX,
                                     .above_min = true,
                                     .doc = "time at which the run ends; it starts at 0"},
                                    {0}};

static const char *const centres[] = {"common", "own", "origin", NULL};

const oct_field oct_output_fields[] = {
    {.name = "snapshot",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(oct_output_plan, snapshot),
     .initial = "0",
     .unit = {0, 0, 1},
     .max = DBL_MAX,
     .doc = "simulated time between snapshots; 0: at the end only"},
    {.name = "diagnostics",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(oct_output_plan, diagnostics),
     .initial = "0",
     .unit = {0, 0, 1},
     .max = DBL_MAX,
     .doc = "simulated time between measurements; 0: a hundredth of the run"},
    {.name = "checkpoint",
     .type = OCT_FIELD_SECONDS,
     .offset = offsetof(oct_output_plan, checkpoint),
     .initial = "0",
     .unit = {0, 0, 1},
     .max = DBL_MAX,
     .doc = "time on the wall between checkpoints; 0: only when the run is stopped"},
    {.name = "parts",
     .type = OCT_FIELD_BOOL,
     .offset = offsetof(oct_output_plan, parts),
     .initial = "false",
     .doc = "with more than one domain: each writes snapshots and checkpoints of its own bodies, "
            "beside a file that stands for the whole, so that no domain ever holds all; false: the "
            "first domain gathers them"},
    {.name = "every",
     .type = OCT_FIELD_PARAMETERS,
     .offset = offsetof(oct_output_plan, every),
     .initial = "{}",
     .plain = true,
     .doc = "measurements or columns that are not measured in every row of diagnostics.csv, and in "
            "how many rows once: {stress: 5, potential: 10}; 0: never. Rows in between have nan"},
    {.name = "components",
     .type = OCT_FIELD_TEXTS,
     .offset = offsetof(oct_output_plan, components),
     .initial = "[]",
     .doc =
         "parts of a galaxy or cluster that are measured one by one (lagrange, disk, profiles): "
         "all, bodies of a type (halo, which is type 1, disk, bulge, star, black_hole), a model by "
         "its name, or both as in NAME_disk; 8 at most"},
    {.name = "centre",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(oct_output_plan, centre),
     .initial = "common",
     .choices = centres,
     .doc = "what components are measured about: the centre of all bodies, each about its own, or "
            "the origin"},
    {0}};

const oct_field oct_integrator_fields[] = {{.name = "dt",
                                            .type = OCT_FIELD_REAL,
                                            .offset = offsetof(oct_integrator_plan, dt),
                                            .unit = {0, 0, 1},
                                            .max = DBL_MAX,
                                            .above_min = true,
                                            .doc = "time step"},
                                           {0}};

static const char *const outcomes[] = {"bounce", "merge", NULL};

const oct_field oct_contact_fields[] = {
    {.name = "restitution",
     .type = OCT_FIELD_TEXT,
     .offset = offsetof(oct_contact, restitution),
     .initial = "0.5",
     .doc = "part ε of the normal speed that is left: a number from 0 to 1; bridges, for "
            "ε = min(1, (v/v_c)^-0.234); or custom, for a function of yours"},
    {.name = "restitution_file",
     .type = OCT_FIELD_PATH,
     .offset = offsetof(oct_contact, restitution_file),
     .initial = "",
     .doc = "OpenCL C that defines real octant_restitution(real speed, real radius_a, real "
            "radius_b), for restitution: custom"},
    {.name = "restitution_code",
     .type = OCT_FIELD_CODE,
     .offset = offsetof(oct_contact, restitution_code),
     .initial = "",
     .doc = "the same as a text, in place of a file"},
    {.name = "restitution_parameters",
     .type = OCT_FIELD_PARAMETERS,
     .offset = offsetof(oct_contact, restitution_parameters),
     .initial = "{}",
     .doc = "what that function takes as one more argument, `constant octant_parameters "
            "*parameters`, as forces: custom has it"},
    {.name = "bridges_speed",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(oct_contact, bridges_speed),
     .initial = "0",
     .unit = {1, 0, -1},
     .min = 0,
     .max = 1e300,
     .doc = "v_c of the Bridges law; 0: 0.0077 cm/s"},
    {.name = "bridges_exponent",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(oct_contact, bridges_exponent),
     .initial = "-0.234",
     .min = -10,
     .max = 0,
     .doc = "exponent of the Bridges law"},
    {.name = "tangential",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(oct_contact, tangential),
     .initial = "1",
     .min = -1,
     .max = 1,
     .doc = "part of the speed along the surface that is left; 1: smooth spheres without friction "
            "or spin"},
    {.name = "minimum_speed",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(oct_contact, minimum_speed),
     .initial = "0",
     .unit = {1, 0, -1},
     .min = 0,
     .max = 1e300,
     .doc = "least speed at which bodies part after a bounce, times their overlap in units of the "
            "smaller radius: keeps resting bodies from sinking into each other"},
    {.name = "outcome",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(oct_contact, outcome),
     .initial = "bounce",
     .choices = outcomes,
     .doc = "what happens to bodies that touch and approach; merge keeps mass, momentum, "
            "angular momentum and volume"},
    {.name = "relax",
     .type = OCT_FIELD_INT,
     .offset = offsetof(oct_contact, relax),
     .initial = "0",
     .min = 0,
     .max = 10000,
     .doc = "sweeps, at most, that push overlapping bodies apart before the run starts"},
    {0}};

const oct_boundary *oct_setup_boundary(const oct_setup *setup)
{
    return (const oct_boundary *)setup->boundary.module;
}

const oct_force *oct_setup_gravity(const oct_setup *setup)
{
    return (const oct_force *)setup->gravity.module;
}

const oct_force *oct_setup_force(const oct_setup *setup, size_t index)
{
    if (index > setup->n_forces)
        return NULL;
    return index == 0 ? oct_setup_gravity(setup)
                      : (const oct_force *)setup->forces[index - 1].module;
}

const oct_collision *oct_setup_collision(const oct_setup *setup)
{
    return (const oct_collision *)setup->collisions.module;
}

const oct_integrator *oct_setup_integrator(const oct_setup *setup)
{
    return (const oct_integrator *)setup->integrator.module;
}

oct_status oct_choice_init(oct_choice *choice, const oct_module *module)
{
    OCT_TRY(oct_alloc(&choice->state, 1, module->state_size, "module state"));
    choice->module = module;
    return OCT_STATUS_OK;
}

void oct_choice_clear(oct_choice *choice)
{
    if (choice->module) {
        if (choice->module->free)
            choice->module->free(choice->state);
        oct_field_clear(choice->state, choice->module->fields);
    }
    free(choice->state);
    *choice = (oct_choice){0};
}

oct_model_entry *oct_choice_within(const oct_choice *choice, size_t index, const char **key)
{
    const oct_field *f = choice->module ? choice->module->fields : NULL;
    for (; f && f->type != OCT_FIELD_END; f++)
        if (f->type == OCT_FIELD_MODEL && index-- == 0) {
            if (key)
                *key = f->name;
            return (oct_model_entry *)(void *)((char *)choice->state + f->offset);
        }
    return NULL;
}

void oct_entry_clear(oct_model_entry *entry)
{
    oct_choice_clear(&entry->model);
    oct_field_clear(&entry->placement, oct_placement_fields);
}

oct_status oct_choice_copy(oct_choice *out, const oct_choice *settings)
{
    OCT_TRY(oct_choice_init(out, settings->module));
    memcpy(out->state, settings->state, settings->module->state_size);
    return OCT_STATUS_OK;
}

void oct_choice_end(oct_choice *copy)
{
    if (copy->module && copy->module->free)
        copy->module->free(copy->state);
    free(copy->state);
    *copy = (oct_choice){0};
}

void oct_setup_free(oct_setup *setup)
{
    if (!setup)
        return;
    oct_choice_clear(&setup->boundary);
    oct_choice_clear(&setup->gravity);
    oct_choice_clear(&setup->collisions);
    oct_field_clear(&setup->contact, oct_contact_fields);
    oct_field_clear(&setup->output, oct_output_fields);
    oct_choice_clear(&setup->integrator);
    for (size_t i = 0; setup->models && i < setup->n_models; i++)
        oct_entry_clear(&setup->models[i]);
    for (size_t i = 0; setup->columns && i < setup->n_columns; i++) {
        free(setup->columns[i].name);
        oct_field_clear(&setup->columns[i], oct_column_fields);
    }
    free(setup->columns);
    for (size_t i = 0; setup->forces && i < setup->n_forces; i++)
        oct_choice_clear(&setup->forces[i]);
    for (size_t i = 0; setup->diags && i < setup->n_diags; i++)
        oct_choice_clear(&setup->diags[i]);
    free(setup->models);
    free(setup->forces);
    free(setup->diags);
    free(setup->title);
    free(setup->resolved);
    oct_added_clear(&setup->added);
    free(setup);
}

const oct_units *oct_setup_units(const oct_setup *setup)
{
    return &setup->units;
}

uint64_t oct_setup_seed(const oct_setup *setup)
{
    return setup->seed;
}

static bool applies(const oct_choice *choice, const oct_setup *setup)
{
    const oct_diag *diag = (const oct_diag *)choice->module;
    return (!diag->applies || diag->applies(setup)) &&
           (!diag->wanted || diag->wanted(choice->state));
}

const oct_choice *oct_setup_diag(const oct_setup *setup, size_t index)
{
    for (size_t i = 0; i < setup->n_diags; i++)
        if (applies(&setup->diags[i], setup) && index-- == 0)
            return &setup->diags[i];
    return NULL;
}

double oct_setup_omega(const oct_setup *setup)
{
    const oct_boundary *boundary = oct_setup_boundary(setup);
    double rotation[2] = {0};
    if (boundary && boundary->rotation)
        boundary->rotation(rotation, setup->boundary.state);
    return rotation[0];
}

void oct_setup_periods(double out[3], const oct_setup *setup)
{
    const oct_boundary *boundary = oct_setup_boundary(setup);
    bool repeats[3] = {false};
    out[0] = out[1] = out[2] = 0;
    if (!boundary->repeats || boundary->moving || !boundary->size(out, setup->boundary.state))
        return;
    boundary->repeats(repeats, setup->boundary.state);
    for (int k = 0; k < 3; k++)
        out[k] = repeats[k] ? out[k] : 0;
}

bool oct_setup_spins(const oct_setup *setup)
{
    const oct_collision *collision = oct_setup_collision(setup);
    const oct_contact *contact = &setup->contact;
    return collision->collide && (contact->tangential < 1 || contact->outcome == OCT_OUTCOME_MERGE);
}

double oct_setup_orbit(const oct_setup *setup)
{
    double omega = oct_setup_omega(setup);
    return omega == 0 ? 0 : 2 * acos(-1.0) / fabs(omega);
}

const char *oct_setup_calendar(double *size, const oct_setup *setup)
{
    const oct_units *units = &setup->units;
    *size = oct_setup_orbit(setup);
    if (*size > 0)
        return "orbits";
    /* Scenes in seconds may be of anything; a day or more is astronomy. */
    bool long_times = units->physical && units->time >= 86400;
    return long_times && oct_units_parse(size, "1 yr", OCT_TIME, units, 0) == OCT_STATUS_OK
               ? "years"
               : NULL;
}

bool oct_setup_has_gravity(const oct_setup *setup)
{
    return oct_setup_gravity(setup)->accumulate != NULL;
}
