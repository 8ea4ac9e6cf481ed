/* Runs of one size on one number of domains, for `octant scaling`. */
#ifndef OCT_CLI_SCALING_H
#define OCT_CLI_SCALING_H

#include "ranks.h"
#include "scaling_trees.h"

enum { OCT_SCALING_KINDS = 16, OCT_SCALING_PHASES = 6 };

/* What is run: a sphere by the tree, a patch of a ring, a sphere by all pairs. */
typedef struct oct_scaling_case {
    const char *name, *doc;
    const char *scene; /* with places for the number of bodies and sides of a box */
    uint64_t n;        /* bodies of a domain, where nobody says how many */
    bool pairs;        /* the work of a body goes with the number of all */
    bool trees, lends; /* what is sent */
} oct_scaling_case;

extern const oct_scaling_case oct_scaling_cases[]; /* ends with one without a name */

/* What was sent of one kind for each force, by a rank. */
typedef struct oct_scaling_traffic {
    const char *kind;
    double messages, bytes, most;             /* means, and the bytes of the rank that sends most */
    double waited_s;                          /* mean, a step */
    double cut_messages, cut_bytes;           /* while nobody has left its domain; NaN: the same */
    double expected_messages, expected_bytes; /* of the model then; NaN where it does not say */
} oct_scaling_traffic;

typedef struct oct_scaling_result {
    uint64_t n;
    uint32_t domains;
    double step_s;      /* the best of some bursts */
    double processor_s; /* of all domains of this process, a step, in the best burst */
    double apart_s;     /* step_s of as many simulations of one domain each, side by side; or NaN */
    double interactions;               /* of a body */
    double phases[OCT_SCALING_PHASES]; /* s a step, of kernels on the first domain's device */
    size_t n_kinds;
    oct_scaling_traffic kinds[OCT_SCALING_KINDS];
} oct_scaling_result;

extern const char *const oct_scaling_phases[OCT_SCALING_PHASES];

/* Makes a simulation on the domains of `ranks`, and steps it for about so long: of n bodies, or,
 * `weak`, of as many as give each domain the work of n alone. Then as many of n go side by side
 * without a word between them: what the machine itself takes from each other is in these, too. A
 * ring then has a square patch for each domain, in a row: each is to the tree what one alone is,
 * where one of twice the area would have leaves of other sizes. */
oct_status oct_scaling_run(oct_scaling_result *out, const oct_scaling_case *what, uint64_t n,
                           bool weak, double seconds, const oct_ranks *ranks);
/* Bodies where a simulation has them; free them. None where there is no memory for them. */
oct_status oct_scaling_look(oct_scaling_snapshot *out, const oct_scaling_case *what,
                            uint32_t patches, oct_sim *sim);
/* Writes what the model of docs/scaling.md expects into the kinds of a result, where collisions are
 * looked for so many times a force. Bodies of the snapshot are put elsewhere. */
void oct_scaling_expect(oct_scaling_result *inout, const oct_scaling_case *what,
                        oct_precision precision, const oct_scaling_snapshot *snapshot,
                        double collisions);
/* How wide and how long so many patches of n spheres in all are. */
void oct_scaling_sides(double sides[2], uint64_t n, uint32_t patches);

#endif
