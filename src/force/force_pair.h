/* One pass over pairs: what the scene says of it, and what a user's function reads and sums up. */
#ifndef OCT_FORCE_PAIR_H
#define OCT_FORCE_PAIR_H

#include "core/sim.h"

/* What the fields of a pass fill in. */
typedef struct oct_pair_settings {
    char *source, *range, *energy;
    oct_code code;
    oct_parameters parameters;
    int reach, images; /* an oct_pair_reach and an oct_pair_images */
    bool self;
    oct_texts writes, rates;
} oct_pair_settings;

typedef enum oct_pair_reach { OCT_PAIR_LARGER, OCT_PAIR_OWN } oct_pair_reach;
typedef enum oct_pair_images { OCT_PAIR_NEAREST, OCT_PAIR_ACTING } oct_pair_images;

/* A column of the scene's that a pass reads or writes. */
typedef struct oct_pair_column {
    const char *name;
    bool vector, integer;
    bool rate; /* it is summed up how fast it changes */
} oct_pair_column;

typedef struct oct_pair_shape {
    const char *range;    /* the member of a body that is its range; NULL: one number for all */
    bool by_radius;       /* that is its radius */
    double fixed_range;   /* infinite where all pairs count */
    double largest_range; /* for which the box has images */
    bool acceleration, potential;
    uint32_t n_read, n_written;
    oct_pair_column read[OCT_USER_COLUMNS], written[OCT_USER_COLUMNS];
} oct_pair_shape;

/* Reads what a pass, the settings of forces[pass], reads and sums up. Columns that it or a pass
 * after it writes are not read: what is found follows from the bodies alone, whoever asks. */
oct_status oct_pair_read(oct_pair_shape *out, const oct_setup *setup, size_t pass);

/* OpenCL C for the place of user_types.clh: see kernels/force_pair.clh. Kernels take the columns
 * that are read, then those that are written, as their last arguments. */
oct_status oct_pair_types(char **out, const oct_pair_shape *shape);

#endif
