/* Tree gravity of bodies that two domains share against the scalar sum: each walks its own tree and
 * the part of the other's that it was sent. One domain has a sphere's half, the other the rest and
 * a small cluster far from it: the group that has bodies of both is torn. */
#include <stdio.h>
#include <string.h>

#include "core/lead.h"
#include "io/scene.h"
#include "selftest/oracle.h"
#include "selftest/selftest.h"

/* Largest relative error of 1500 bodies; the largest seen on PoCL: 6.5e-3. */
static const double tolerance = 2e-2;
static const double softening = 0.002;

static void write_scene(char *out, size_t kind)
{
    snprintf(out, OCT_SELFTEST_SCENE,
             "units: nbody\nmodels:\n  - plummer: {n: 1000}\n"
             "  - plummer: {n: 500, mass: 0.3, scale: 0.001, offset: [50, 0, 0]}\n"
             "gravity: {method: tree, theta: 0.5, softening: %g, %s}\n"
             "integrator: {dt: 0.0001}\nrun: {until: 1}\n",
             softening, oct_selftest_box((int)kind));
}

/* What the two ranks have in common. */
typedef struct sharing {
    oct_device *device;
    oct_precision precision;
    char scene[OCT_SELFTEST_SCENE];
    oct_selftest_pair pair; /* of the first rank, without its simulation */
} sharing;

static oct_status start(oct_sim **out, const sharing *s, oct_device *device, oct_comm *comm)
{
    oct_scene *scene;
    oct_setup *setup;
    OCT_TRY(oct_scene_parse(&scene, s->scene, strlen(s->scene), "selftest"));
    oct_status status = oct_scene_setup(&setup, scene);
    oct_scene_free(scene);
    OCT_TRY(status);
    return oct_sim_start(out, device, setup, s->precision, &(oct_sim_origin){.comm = comm});
}

static oct_status take_part(oct_comm *comm, void *context)
{
    sharing *s = context;
    oct_device *device = NULL;
    oct_sim *sim = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_device_share(&device, s->device));
    OCT_TRY_DONE(start(&sim, s, device, comm));
    if (oct_comm_rank(comm) > 0) {
        status = oct_sim_serve(sim);
        goto done;
    }
    OCT_TRY_DONE(oct_sim_step(sim, 1));
    OCT_TRY_DONE(oct_sim_bodies(&s->pair.expected, sim));
    status = oct_sim_bodies(&s->pair.got, sim);
done:
    oct_sim_free(sim);
    oct_device_free(device);
    return status;
}

static oct_status compare(oct_selftest_run *test, size_t kind, oct_precision precision,
                          const char *name)
{
    const oct_oracle_gravity gravity = {.G = 1, .softening = softening};
    sharing s = {.device = test->device, .precision = precision};
    write_scene(s.scene, kind);
    oct_status status = oct_comm_threads(2, take_part, &s);
    if (status == OCT_STATUS_OK) {
        oct_oracle_forces(&s.pair.expected, &gravity);
        oct_selftest_check(test, name, oct_oracle_forces_error(&s.pair.got, &s.pair.expected),
                           tolerance);
    }
    oct_selftest_end(&s.pair);
    return status;
}

static oct_status shared_run(oct_selftest_run *test)
{
    oct_precision precision;
    size_t kinds = (size_t)oct_selftest_boxes(test);
    bool chosen[2];
    char name[96];
    if ((test->setup || test->used) && !test->shared)
        return OCT_STATUS_OK;
    OCT_TRY(oct_selftest_choose(chosen, kinds, test, "gravity", write_scene));
    for (int p = 0; oct_selftest_precision(&precision, test, p); p++)
        for (size_t kind = 0; kind < kinds; kind++) {
            snprintf(name, sizeof name, "tree %s, two domains%s", oct_precision_name(precision),
                     kind > 0 ? ", coarse boxes" : "");
            if (chosen[kind] && oct_selftest_due(test, "%s", name))
                OCT_TRY(compare(test, kind, precision, name));
        }
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_shared = {
    .name = "shared",
    .doc = "Tree gravity of two domains against a scalar double-precision sum.",
    .cost = 76,
    .run = shared_run,
};
