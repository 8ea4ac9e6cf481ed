/* Orders go from the first rank to the others; what they find is joined in core/join.c. */
#include "core/lead.h"

#include "cluster/comm.h"
#include "core/join.h"
#include "core/look.h"
#include "core/sample.h"

static bool leads(const oct_sim *sim)
{
    return sim->comm && oct_comm_rank(sim->comm) == 0;
}

oct_status oct_lead_begin(oct_sim *sim, oct_order order)
{
    if (!sim->comm)
        return OCT_STATUS_OK;
    if (leads(sim) && sim->together == 0)
        OCT_TRY(oct_sim_done(sim, oct_comm_broadcast(sim->comm, &order, sizeof order)));
    sim->together++;
    return OCT_STATUS_OK;
}

oct_status oct_lead_end(oct_sim *sim, oct_status status)
{
    if (!sim->comm)
        return status;
    sim->together--;
    /* The others have done it, or wait for this rank. */
    if (status != OCT_STATUS_OK)
        status = oct_comm_fail(sim->comm, oct_sim_changed(sim, status));
    return status;
}

void oct_lead_finish(oct_sim *sim)
{
    const oct_order end = {.kind = OCT_ORDER_END};
    if (leads(sim) && sim->shared && sim->failure.status == OCT_STATUS_OK)
        (void)oct_lead_begin(sim, end);
}

/* What is exported is the first rank's. */
static oct_status follow_export(oct_sim *sim, oct_status (*export)(oct_state *, oct_sim *))
{
    oct_state state;
    OCT_TRY(export(&state, sim));
    oct_state_clear(&state);
    return OCT_STATUS_OK;
}

oct_status oct_sim_impact_speeds(double *lowest, uint64_t counts[OCT_SPEED_BINS], oct_sim *sim)
{
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_lead_begin(sim, (oct_order){.kind = OCT_ORDER_SPEEDS}));
    return oct_lead_end(sim, oct_sim_done(sim, oct_join_speeds(lowest, counts, sim->domain)));
}

static oct_status follow_speeds(oct_sim *sim)
{
    uint64_t counts[OCT_SPEED_BINS];
    double lowest;
    return oct_sim_impact_speeds(&lowest, counts, sim);
}

static oct_status follow(oct_sim *sim, oct_order order)
{
    switch (order.kind) {
    case OCT_ORDER_ADVANCE:
        return oct_sim_advance(sim, order.number, order.until);
    case OCT_ORDER_WAIT:
        return oct_sim_wait(sim);
    case OCT_ORDER_LOOK:
        return oct_sim_look(sim);
    case OCT_ORDER_SETTLE:
        return oct_sim_settle_forces(sim);
    case OCT_ORDER_EXPORT:
        return follow_export(sim, oct_sim_export);
    case OCT_ORDER_COPY:
        return follow_export(sim, oct_sim_copy);
    case OCT_ORDER_PARTS:
        return sim->write_parts(sim);
    case OCT_ORDER_SAMPLE:
        return oct_sample_follow(sim, order);
    case OCT_ORDER_SPEEDS:
        return follow_speeds(sim);
    default:
        return oct_diagnose_follow(sim, order);
    }
}

oct_status oct_sim_serve(oct_sim *sim)
{
    OCT_TRY(oct_sim_usable(sim));
    OCT_CHECK(sim->comm && !leads(sim), OCT_STATUS_INPUT,
              "only ranks after the first serve a simulation");
    for (;;) {
        oct_order order = {.kind = OCT_ORDER_END};
        OCT_TRY(oct_sim_done(sim, oct_comm_broadcast(sim->comm, &order, sizeof order)));
        if (order.kind == OCT_ORDER_END)
            return OCT_STATUS_OK;
        OCT_TRY(follow(sim, order));
    }
}

uint64_t oct_domain_all(const oct_domain *domain)
{
    return domain->sim->comm ? domain->sim->n_all : domain->n;
}

/* That a module of some family does not know of others' bodies. */
static oct_status check_module(bool shared, const char *key, const oct_module *module)
{
    OCT_CHECK(shared, OCT_STATUS_INPUT,
              "%s '%s' does not work with more than one domain yet: run it on one", key,
              module->name);
    return OCT_STATUS_OK;
}

oct_status oct_lead_check(const oct_setup *setup, const oct_comm *comm)
{
    const oct_collision *collision = oct_setup_collision(setup);
    const oct_integrator *integrator = oct_setup_integrator(setup);
    const oct_boundary *boundary = oct_setup_boundary(setup);
    const oct_force *force;
    if (!comm || oct_comm_size(comm) == 1)
        return OCT_STATUS_OK;
    OCT_TRY(check_module(collision->shared, "collisions.method", setup->collisions.module));
    OCT_TRY(check_module(integrator->shared, "integrator.method", setup->integrator.module));
    OCT_TRY(check_module(boundary->shared, "box.boundary", setup->boundary.module));
    for (size_t i = 0; (force = oct_setup_force(setup, i)) != NULL; i++)
        OCT_TRY(check_module(force->shared, i == 0 ? "gravity.method" : "the force",
                             (const oct_module *)force));
    return OCT_STATUS_OK;
}

oct_status oct_sim_check_alone(const oct_sim *sim, const char *what)
{
    OCT_CHECK(!sim->comm || oct_comm_size(sim->comm) == 1, OCT_STATUS_INPUT,
              "%s where the simulation has more than one domain", what);
    return OCT_STATUS_OK;
}
