/* A domain: the bodies that one device has, and everything else that lives there. A simulation has
 * one. Modules work in a domain; what they keep on its device is in a state of its own, copied from
 * the settings of the setup. */
#ifndef OCT_CORE_DOMAIN_H
#define OCT_CORE_DOMAIN_H

#include "core/images.h"
#include "core/setup.h"
#include "core/systems.h"
#include "device/device.h"
#include "util/status.h"

/* Counters the device writes and the host reads when it waits anyway. */
enum {
    OCT_COUNTER_BAD_STEP, /* first step (since the last wait) with a NaN or infinity */
    OCT_COUNTER_BAD_INDEX,
    OCT_COUNTER_REMOVED,
    OCT_COUNTER_HALT, /* the turn in which a module had no room; the state is as it was then */
    OCT_COUNTERS
};

enum { OCT_DOMAIN_KEPT = 16, OCT_DOMAIN_ROWS = 4096, OCT_DOMAIN_SUMS = 24 };

struct oct_domain {
    oct_sim *sim;
    const oct_setup *setup; /* of the simulation */
    oct_device *device;
    oct_precision precision;

    uint32_t n; /* particles in the arrays, removed ones included */
    oct_buffer *position, *velocity, *acceleration, *id, *type;
    oct_buffer *position_low, *velocity_low; /* what single precision rounds off; else NULL */
    /* Angular velocities in the inertial frame along the axes of the box, which may turn; NULL
     * where bodies neither have nor get any. */
    oct_buffer *spin;
    oct_images acting; /* images that attract, as many as the boundary has ghosts */
    oct_images around; /* the nearest ones, in which bodies of the box may be touched */
    oct_systems systems;
    oct_buffer *counters;
    oct_buffer *partials, *folded; /* of reductions */
    uint32_t n_kept;
    oct_buffer *kept[OCT_DOMAIN_KEPT]; /* arrays of modules that belong to the state */
    struct oct_tree *tree;             /* shared by those who hold it; see tree/tree.h */

    oct_program *program; /* kernels/state.cl */
    oct_kernel *kick, *drift, *kick_drift, *turn_spin, *check, *sum, *fold;
    /* What the next launch of these takes beside the state. */
    struct {
        oct_buffer *kicking, *checked, *summed;
        double kick_dt, drift_dt, half_turn, sine;
        uint32_t step_offset, checked_step, columns;
    } next;

    oct_choice boundary, gravity, collisions, integrator;
    oct_choice *forces; /* beside gravity, as many as the setup has */
    uint32_t n_diags;
    oct_choice *diags;
};

/* Everything on the device but the bodies themselves. `system`: the numbers of their systems, NULL
 * where there are none. */
oct_status oct_domain_create(oct_domain **out, oct_sim *sim, oct_device *device, uint32_t n,
                             const uint32_t *system);
void oct_domain_free(oct_domain *domain);

/* What kernels find by name: everything of the bodies, their images and systems; of the simulation
 * `step`, `time` and the units of forces in float, `scale` and `mass_scale`. */
extern const oct_offer oct_domain_offers[], oct_sim_offers[];
#define OCT_BIND_DOMAIN(domain)                                                                    \
    OCT_BIND_OFFERS(oct_domain_offers, (domain)), OCT_BIND_OFFERS(oct_sim_offers, (domain)->sim)

/* The modules of a domain. */
const oct_boundary *oct_domain_boundary(const oct_domain *domain);
const oct_force *oct_domain_gravity(const oct_domain *domain);
const oct_collision *oct_domain_collision(const oct_domain *domain);
const oct_integrator *oct_domain_integrator(const oct_domain *domain);

/* Builds a kernel file for this domain, in its precision. */
oct_status oct_domain_build(oct_program **out, oct_domain *domain, const char *file,
                            const char *options);
/* Makes room for spins, all of them 0, where there is none yet. */
oct_status oct_domain_make_spin(oct_domain *domain);
/* Makes a module's array part of the state: saved in checkpoints, restored on resume. */
oct_status oct_domain_keep(oct_domain *domain, oct_buffer *buffer);

/* Sums over all particles, in double or compensated, in a fixed order: a kernel of OCT_DOMAIN_ROWS
 * work-items writes a row of `columns` partial sums each, and fold adds the rows up. */
oct_status oct_domain_fold(double *out, oct_domain *domain, uint32_t columns);
/* Sum of mass times value; of mass where values is NULL. */
oct_status oct_domain_sum(double *out, oct_domain *domain, oct_buffer *values);

/* Bytes of a number of the state. */
size_t oct_real_size(oct_precision precision);

#endif
