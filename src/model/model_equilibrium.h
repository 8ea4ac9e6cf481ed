/* A sphere of any density, on a table: its mass, the potential of all matter, and the isotropic
 * speeds that keep it in equilibrium there (Eddington 1916, MNRAS 76, 572; Binney & Tremaine,
 * section 4.3). */
#ifndef OCT_MODEL_MODEL_EQUILIBRIUM_H
#define OCT_MODEL_MODEL_EQUILIBRIUM_H

#include "util/random.h"
#include "util/status.h"

enum { OCT_EQUILIBRIUM_NODES = 4096 };

/* Densities and masses at a radius; any constant factor, as long as all have the same. */
typedef double (*oct_equilibrium_at)(double radius, const void *model);

/* Nodes are evenly spaced in ln r. With G = 1; potentials are relative, psi = -Phi. */
typedef struct oct_equilibrium {
    double radius[OCT_EQUILIBRIUM_NODES];
    double slope[OCT_EQUILIBRIUM_NODES];     /* d rho / d ln r */
    double enclosed[OCT_EQUILIBRIUM_NODES];  /* the sphere's own mass */
    double pull[OCT_EQUILIBRIUM_NODES];      /* M(r) / r of all matter, which is -d psi / d ln r */
    double potential[OCT_EQUILIBRIUM_NODES]; /* of all matter */
    double frequency[OCT_EQUILIBRIUM_NODES]; /* f at this binding energy */
    double bound[OCT_EQUILIBRIUM_NODES];     /* of x^2 f(psi (1 - x^2)) here and farther out */
} oct_equilibrium;

/* A table from the inner to the outer radius, where the density must be next to nothing. */
oct_equilibrium *oct_equilibrium_create(double inner, double outer, oct_equilibrium_at density,
                                        const void *model);
void oct_equilibrium_free(oct_equilibrium *profile);

/* Adds the pull of other matter, which has this mass inside a radius. */
void oct_equilibrium_add(oct_equilibrium *profile, oct_equilibrium_at enclosed, const void *model);

/* Finds the speeds; refuses where no isotropic ones keep the density as it is. */
oct_status oct_equilibrium_solve(oct_equilibrium *profile, const char *name);

/* The sphere's mass inside a radius. */
double oct_equilibrium_mass(const oct_equilibrium *profile, double radius);

/* Draws a particle's radius and speed, as an oct_sphere_draw does; model is an oct_equilibrium. */
void oct_equilibrium_draw(double *radius, double *speed, oct_random *random, const void *model);

#endif
