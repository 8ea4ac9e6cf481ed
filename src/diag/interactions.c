/* What forces that approximate have summed over. */
#include "core/join.h"
#include "core/sim.h"

static const oct_column columns[] = {
    {"cells", 1, 0, 0, 0,
     .doc = "cells of the tree that a particle's force was summed over, on average"},
    {"particles", 1, 0, 0, 0,
     .doc = "particles that a particle's force was summed over, on average"},
    {0},
};

static bool interactions_applies(const oct_setup *setup)
{
    const oct_force *force;
    for (size_t i = 0; (force = oct_setup_force(setup, i)) != NULL; i++)
        if (force->interactions)
            return true;
    return false;
}

static oct_status means_of(double *out, void *self, oct_domain *domain, const void *about)
{
    const oct_force *force;
    void *state;
    (void)self;
    (void)about;
    out[0] = out[1] = 0;
    for (size_t i = 0; (force = oct_domain_force(&state, domain, i)) != NULL; i++) {
        double part[2] = {0};
        if (force->interactions)
            OCT_TRY(force->interactions(part, state, domain));
        out[0] += part[0];
        out[1] += part[1];
    }
    return OCT_STATUS_OK;
}

/* What is counted is read with the rest of a row that is read later. */
static oct_status interactions_launch(void *state, oct_domain *domain)
{
    double ignored[2];
    return domain->readback.when == OCT_READBACK_AHEAD ? means_of(ignored, state, domain, NULL)
                                                       : OCT_STATUS_OK;
}

static oct_status interactions_measure(double *out, void *state, oct_domain *domain)
{
    static const oct_join_rule rules[] = {OCT_JOIN_MEAN, OCT_JOIN_MEAN};
    return oct_join_parts(out, state, domain,
                          &(oct_join){.part = means_of, .n = 2, .rules = rules});
}

const oct_diag oct_diag_interactions = {
    .version = OCT_MODULE_VERSION,
    .name = "interactions",
    .doc = "Interactions per particle of tree gravity.",
    .columns = columns,
    .applies = interactions_applies,
    .launch = interactions_launch,
    .measure = interactions_measure,
    .looks = oct_looks_nowhere,
    .shared = true,
    .ahead = true,
};
