/* The first rank has a second domain, with all bodies, of a simulation that nobody shares. */
#include "core/whole.h"

#include <stdlib.h>

#include "cluster/comm.h"
#include "core/sample.h"

struct oct_whole {
    oct_sim alone; /* as the simulation is, without the other ranks */
    oct_sample sample;
    oct_choice *diags; /* as many as a domain has; those that do not need it have no module */
    uint32_t n_diags;
};

/* What is borrowed of the rank's domain is not freed with this one. */
static void clear(oct_whole *whole)
{
    for (uint32_t i = 0; i < whole->n_diags; i++)
        if (whole->diags[i].module)
            oct_choice_end(&whole->diags[i]);
    free(whole->diags);
    if (whole->sample.domain) {
        whole->sample.domain->around = whole->sample.domain->acting = (oct_images){0};
        whole->sample.domain->boundary = (oct_choice){0};
    }
    oct_sample_end(&whole->sample);
    *whole = (oct_whole){0};
}

void oct_whole_free(oct_whole *whole)
{
    if (!whole)
        return;
    clear(whole);
    free(whole);
}

/* Time goes on, and images with it. */
static void follow(oct_whole *whole, const oct_sim *sim)
{
    oct_domain *domain = whole->sample.domain;
    whole->alone = *sim;
    whole->alone.comm = NULL;
    whole->alone.owners = (oct_owners){0};
    whole->alone.domain = domain;
    domain->sim = &whole->alone;
    domain->boundary = sim->domain->boundary;
    domain->around = sim->domain->around;
    domain->acting = sim->domain->acting;
}

static oct_status start_diags(oct_whole *whole, const oct_sim *sim)
{
    oct_domain *domain = whole->sample.domain;
    uint32_t n = sim->domain->n_diags;
    OCT_TRY(oct_domain_start_sums(domain));
    OCT_TRY(oct_alloc(&whole->diags, n, sizeof *whole->diags, "diagnostics"));
    for (; whole->n_diags < n; whole->n_diags++) {
        const oct_choice *settings = oct_setup_diag(sim->setup, whole->n_diags);
        const oct_diag *diag = (const oct_diag *)settings->module;
        oct_choice *choice = &whole->diags[whole->n_diags];
        if (!diag->gathered)
            continue;
        OCT_TRY(oct_choice_copy(choice, settings));
        if (diag->init)
            OCT_TRY(diag->init(choice->state, domain));
    }
    return OCT_STATUS_OK;
}

static oct_status bring(oct_whole *whole, oct_sim *sim)
{
    if (whole->sample.domain && whole->sample.n != sim->n_all)
        clear(whole);
    whole->sample.stride = 1;
    whole->sample.n = (uint32_t)sim->n_all;
    OCT_TRY(oct_sample_take(&whole->sample, sim));
    if (oct_comm_rank(sim->comm) > 0)
        return OCT_STATUS_OK;
    follow(whole, sim);
    oct_readback_begin(whole->sample.domain);
    return whole->diags ? OCT_STATUS_OK : start_diags(whole, sim);
}

oct_status oct_whole_begin(oct_sim *sim)
{
    if (!sim->whole)
        OCT_TRY(oct_alloc(&sim->whole, 1, sizeof *sim->whole, "all bodies"));
    return bring(sim->whole, sim);
}

/* The state of a measurement on the first rank; NULL on others. */
static void *state_of(const oct_diag **diag, const oct_sim *sim, uint32_t index)
{
    if (oct_comm_rank(sim->comm) > 0)
        return NULL;
    *diag = (const oct_diag *)sim->whole->diags[index].module;
    return sim->whole->diags[index].state;
}

oct_status oct_whole_launch(oct_sim *sim, uint32_t index)
{
    const oct_diag *diag;
    void *state = state_of(&diag, sim, index);
    return state && diag->launch ? diag->launch(state, sim->whole->sample.domain) : OCT_STATUS_OK;
}

oct_status oct_whole_measure(double *out, oct_sim *sim, uint32_t index, uint32_t values)
{
    const oct_diag *diag;
    void *state = state_of(&diag, sim, index);
    if (state)
        OCT_TRY(diag->measure(out, state, sim->whole->sample.domain));
    return oct_comm_broadcast(sim->comm, out, values * sizeof *out);
}
