/* Components of galaxies and clusters (output.components): the bodies of some types or
 * names, where they are
 * and how they move. Measurements share what one of them has found in a row. */
#ifndef OCT_DIAG_COMPONENTS_H
#define OCT_DIAG_COMPONENTS_H

#include "core/sim.h"

enum { OCT_MOST_COMPONENTS = 8, OCT_LAGRANGE_RADII = 8 };
/* Bins of radii, 256 an octave, and shells, four an octave; as in kernels/diag_components.cl. */
enum { OCT_RADII_BINS = 32 * 256, OCT_SHELLS = 32 * 4 };

/* Wide sums of a shell, and the mask of all types. */
enum { OCT_SHELL_SUMS = 6, OCT_COMPONENT_ALL = 0x7fff };

/* The parts of the mass that Lagrange radii hold. */
extern const double oct_lagrange_parts[OCT_LAGRANGE_RADII];

/* In the units of the scene; NaN where there is nothing to be measured. */
typedef struct oct_component {
    double n, mass;
    double centre[3], velocity[3];
    double lagrange[OCT_LAGRANGE_RADII];
    double angular[3]; /* of its bodies within the last Lagrange radius, about the centre, */
    double axis[3];    /* and its direction; along z where there is none */
    double lambda;     /* Bullock's spin parameter there */
} oct_component;

/* What a launch is for. */
typedef struct oct_component_pass {
    uint32_t types;  /* a bit for each */
    uint64_t number; /* of the name that they have; 0: any */
    uint64_t wanted; /* the id of a body; 0: any */
    uint32_t measure, top;
    double centre[3], velocity[3], axis[3], first[3];
    double radius, radius_square; /* in units of the scale */
    double units, units_v, units_square;
} oct_component_pass;

typedef struct oct_components {
    oct_domain *domain;
    uint32_t holders, n;
    uint64_t row; /* of the readback that they are known for */
    oct_component found[OCT_MOST_COMPONENTS];
    oct_component_pass of[OCT_MOST_COMPONENTS], pass; /* those they were found with; the next */
    double motion[OCT_MOST_COMPONENTS]; /* sum of m v^2 about the centre, in scaled masses */
    oct_program *program;
    oct_kernel *ball, *radii, *shells, *bar;
    oct_buffer *largest, *radii_sums, *shell_sums;
    oct_buffer *named; /* the column of the numbers of names; NULL: there are none */
    oct_buffer *ids;   /* where the next pass is for one body; else NULL */
} oct_components;

/* Makes it the next pass. */
static inline void oct_components_aim(oct_components *self, const oct_component_pass *pass,
                                      const oct_domain *domain)
{
    self->pass = *pass;
    self->ids = pass->wanted ? domain->id : NULL;
}

/* For the tables of modules that measure components: who asks for them, where that makes sense,
 * their names, and their buffers, which are counted once. */
bool oct_components_asked(const oct_setup *setup);
oct_status oct_components_check(const void *self, const oct_setup *setup);
const char *oct_components_name(const void *self, const oct_setup *setup, size_t index);
void oct_components_memory(oct_needs *needs, const void *self);

/* What a component's name stands for: that of a model, of a type, or both with a '_' between. */
oct_status oct_components_resolve(oct_component_pass *out, const char *name,
                                  const oct_setup *setup);

/* Those of a domain, made by the first who asks. */
oct_status oct_components_share(oct_components **out, oct_domain *domain);
void oct_components_free(oct_components *components);

/* The centre of the bodies that a pass is for, and its velocity; found: whether there are any. */
oct_status oct_components_centre(bool *found, oct_component_pass *pass, oct_components *components);

/* Finds all components as they are now, once a row. */
oct_status oct_components_find(oct_components *components);

typedef enum oct_distance_from { OCT_FROM_CENTRE, OCT_FROM_AXIS, OCT_FROM_PLANE } oct_distance_from;

/* The mass of a component by distance. */
typedef struct oct_radii {
    double mass[OCT_RADII_BINS]; /* in any unit */
    double edges[OCT_RADII_BINS + 1];
    double total;
} oct_radii;

oct_status oct_components_radii(oct_radii *out, oct_components *components, uint32_t index,
                                oct_distance_from from);
/* The distance within which there is this part of the mass. */
double oct_radii_of(const oct_radii *radii, double part);

/* Shells of a component, from `first` to before `end` those that are not empty. */
typedef struct oct_shell {
    double inner, outer, n, mass;
    double radial, radial_square, tangential_square, turning; /* sums with the mass */
    double across; /* mass by the distance from the axis, between these radii */
} oct_shell;
oct_status oct_components_shells(oct_shell out[OCT_SHELLS], uint32_t *first, uint32_t *end,
                                 oct_components *components, uint32_t index);

/* The second harmonic within a radius of the axis. */
typedef struct oct_bar {
    double strength;     /* A_2 / A_0 */
    double phase, speed; /* NaN where it does not stand out of chance */
} oct_bar;
oct_status oct_components_bar(oct_bar *out, oct_components *components, uint32_t index,
                              double radius);

/* For the launches: the highest bin of distances up to the farthest; what a sum of up to `largest`
 * is counted in, a power of two; and 64-bit sums as kernels leave them. */
uint32_t oct_component_top(double farthest, unsigned shift, uint32_t bins);
double oct_component_units(double largest);
void oct_component_read_wide(double *out, const uint32_t *words, size_t n);

#endif
