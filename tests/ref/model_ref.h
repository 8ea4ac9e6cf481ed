/* Makes bodies with one model, its fields filled in without the scene loader. */
#ifndef MODEL_REF_H
#define MODEL_REF_H

#include "core/setup.h"

/* A model chosen, its fields set, and the setup it is used in. */
typedef struct ref_model {
    const oct_model *table;
    void *state;
    oct_setup setup;
    uint32_t stream;
} ref_model;

/* values is name, text, name, text, ..., NULL with numbers in the units given, which are the name
 * of a system; fields that are not named get their defaults. */
void ref_model_init(ref_model *model, const oct_model *table, const char *units, uint64_t seed,
                    const char *const *values);
/* Counts, generates and checks that both went well. Start from {0}. */
void ref_model_bodies(oct_bodies *out, const ref_model *model);
void ref_model_clear(ref_model *model);

/* Kinetic energy, and potential energy by the sum over all pairs. */
double ref_kinetic(const oct_bodies *bodies);
double ref_potential(const oct_bodies *bodies, double G);
/* The largest component of the centre of mass and of its velocity. */
double ref_off_centre(const oct_bodies *bodies);
double ref_drift(const oct_bodies *bodies);

#endif
