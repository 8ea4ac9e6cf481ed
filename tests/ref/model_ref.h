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
/* All of that, in nbody units. */
void ref_model_make(oct_bodies *out, const oct_model *table, uint64_t seed,
                    const char *const *values);

/* Kinetic energy, and potential energy by the sum over all pairs. */
double ref_kinetic(const oct_bodies *bodies);
double ref_potential(const oct_bodies *bodies, double G);
/* The largest component of the centre of mass and of its velocity. */
double ref_off_centre(const oct_bodies *bodies);
double ref_drift(const oct_bodies *bodies);
double ref_length(const double v[3]);

/* The radii that hold 10, 50 and 90 % of the mass: the share of the particles inside each of them
 * is right within 3 standard errors (N = 20000: 0.64, 1.06, 0.64 %). */
void ref_check_lagrange_radii(const oct_bodies *bodies, const double radii[3]);
/* No direction is preferred, in position or in velocity, radially or tangentially. */
void ref_check_isotropy(const oct_bodies *bodies);
/* The virial ratio with G = 1, from the sum over all pairs. */
void ref_check_virial(const oct_bodies *bodies, double expected, double tolerance);

#endif
