/* The first rank looks at the simulation as a program does, the others serve it. */
#include "shared_sim.h"

#include <math.h>
#include <string.h>

#include "core/sim.h"
#include "scene_sim.h"

static oct_status make(oct_sim **out, const ref_shared *run, oct_device *device, oct_comm *comm)
{
    const oct_sim_options options = {.size = sizeof options,
                                     .precision = run->precision,
                                     .comm = comm,
                                     .share = run->shares ? run->shares[oct_comm_rank(comm)] : 0};
    oct_scene *scene = NULL;
    if (run->checkpoint)
        return oct_sim_resume_with(out, device, run->checkpoint, NULL, &options);
    oct_status status = oct_scene_parse(&scene, run->scene, strlen(run->scene), "test");
    if (status == OCT_STATUS_OK)
        status = oct_sim_create_with(out, device, scene, &options);
    oct_scene_free(scene);
    return status;
}

static oct_status lead(ref_shared *run, oct_sim *sim)
{
    oct_status status = oct_sim_step(sim, run->steps);
    if (status == OCT_STATUS_OK)
        status = oct_sim_hash(&run->hash, sim);
    if (status == OCT_STATUS_OK)
        status = oct_sim_bodies(&run->bodies, sim);
    if (status == OCT_STATUS_OK)
        status = oct_sim_measure_one(&run->energy, sim, "energy");
    if (status == OCT_STATUS_OK)
        status = oct_sim_measure_one(run->momentum, sim, "momentum");
    for (const oct_column *c = oct_sim_columns(sim); c->name; c++)
        run->n_values += c->count;
    if (status == OCT_STATUS_OK && run->n_values <= REF_MOST_VALUES)
        status = oct_sim_measure(run->values, sim);
    run->moves = sim->owners.moves;
    run->traded = sim->owners.traded;
    if (status == OCT_STATUS_OK && run->save)
        status = oct_sim_checkpoint(sim, run->save);
    return status;
}

static oct_status take_part(oct_comm *comm, void *context)
{
    ref_shared *run = context;
    oct_device *device = NULL;
    oct_sim *sim = NULL;
    oct_status status = oct_device_share(&device, ref_device());
    if (status == OCT_STATUS_OK)
        status = make(&sim, run, device, comm);
    if (status == OCT_STATUS_OK && run->every > 0)
        sim->owners.every = run->every;
    if (status == OCT_STATUS_OK && run->trade > 0)
        sim->owners.trade_every = run->trade;
    if (status == OCT_STATUS_OK && run->visit)
        status = run->visit(sim, run->context);
    if (status == OCT_STATUS_OK)
        status = comm && oct_comm_rank(comm) > 0 ? oct_sim_serve(sim) : lead(run, sim);
    oct_sim_free(sim);
    oct_device_free(device);
    return status;
}

oct_status ref_share(ref_shared *run)
{
    (void)ref_device();
    return run->ranks ? oct_comm_threads(run->ranks, take_part, run) : take_part(NULL, run);
}

double ref_force_difference(const oct_bodies *a, const oct_bodies *b)
{
    double largest = 0, difference = 0;
    for (size_t i = 0; i < 3 * a->n; i++) {
        largest = fmax(largest, fabs(a->acceleration[i]));
        difference = fmax(difference, fabs(a->acceleration[i] - b->acceleration[i]));
    }
    return difference / largest;
}
