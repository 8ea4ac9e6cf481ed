/* The parts of `octant accuracy`: what is measured, errors of some forces, and their curves. */
#ifndef OCT_CLI_ACCURACY_H
#define OCT_CLI_ACCURACY_H

#include <stdio.h>

#include "command.h"

enum { OCT_ACCURACY_VALUES = 64, OCT_ACCURACY_NAME = 24, OCT_ACCURACY_TEXT = 64 };

/* How forces are found: a row of the result. What the method does not have is empty or NaN. */
typedef struct oct_accuracy_setting {
    char criterion[OCT_ACCURACY_NAME];
    double theta, alpha;
} oct_accuracy_setting;

typedef struct oct_accuracy_settings {
    size_t n;
    oct_accuracy_setting list[OCT_ACCURACY_VALUES * OCT_ACCURACY_VALUES];
} oct_accuracy_settings;

/* What --vary changes of the scene: a key and its values, or nothing, once. */
typedef struct oct_accuracy_variation {
    char key[OCT_ACCURACY_TEXT];
    size_t n;
    char values[OCT_ACCURACY_VALUES][OCT_ACCURACY_TEXT];
} oct_accuracy_variation;

/* The settings that the call lists, with what it leaves out from the scene; refuses what the method
 * does not have. The exit status. */
int oct_accuracy_choose(oct_accuracy_settings *out, const oct_call *call, const oct_scene *scene,
                        const char *method);
int oct_accuracy_vary(oct_accuracy_variation *out, const oct_call *call);
/* The call's scene with one of the values. */
oct_status oct_accuracy_scene(oct_scene **out, const oct_call *call,
                              const oct_accuracy_variation *variation, size_t value);
oct_status oct_accuracy_apply(oct_scene *scene, const oct_accuracy_setting *to);

/* Forces on the bodies that are compared. */
typedef struct oct_accuracy_forces {
    size_t n, targets; /* bodies in all, and compared */
    uint32_t *list;    /* their indices */
    double *acceleration, *potential;
} oct_accuracy_forces;

typedef struct oct_accuracy {
    oct_accuracy_setting setting;
    const char *value; /* of what varies; "" without */
    size_t n, targets;
    oct_precision precision;
    double median, p90, p99, p999, most, mean; /* relative error of the acceleration */
    double potential_mean;
    double cells, particles; /* interactions per particle */
    double *errors;          /* sorted; room for one a target is the caller's */
} oct_accuracy;

/* A scene's forces by direct summation in double precision, on `most` bodies, 0: all. `direct` is
 * another copy of the scene, which is changed for it. */
oct_status oct_accuracy_exact(oct_accuracy_forces *out, oct_device *device, oct_scene *direct,
                              const oct_scene *scene, uint64_t most);
void oct_accuracy_forces_clear(oct_accuracy_forces *forces);
/* Compares the scene's forces with these. */
oct_status oct_accuracy_measure(oct_accuracy *out, oct_device *device, const oct_scene *scene,
                                oct_precision precision, const oct_accuracy_forces *exact);

/* Adds the curve of a row to a CSV file: the fraction of bodies whose error is larger. */
void oct_accuracy_head(FILE *file);
void oct_accuracy_curve(FILE *file, const oct_accuracy *row);

#endif
