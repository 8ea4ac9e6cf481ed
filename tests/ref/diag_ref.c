/* Scatters bodies, puts them into a simulation, and takes one measurement. */
#include "diag_ref.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene_sim.h"

double ref_uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

void ref_patch_start(ref_patch *patch, oct_precision precision, size_t n, const char *sections)
{
    uint64_t random = 1;
    *patch = (ref_patch){0};
    patch->sim = ref_sim(precision,
                         "units: nbody\nbox: {boundary: shear, size: [%g, %g, 100], omega: %g}\n"
                         "models: [uniform-sphere: {n: %zu}]\nintegrator: {method: sei, dt: 1e-3}\n"
                         "run: {until: 1}\n%s",
                         REF_PATCH_X, REF_PATCH_Y, REF_PATCH_OMEGA, n, sections);
    oct_bodies *b = &patch->bodies;
    ref_ok(oct_sim_bodies(b, patch->sim));
    for (size_t i = 0; i < n; i++) {
        double *x = b->position + 3 * i, *v = b->velocity + 3 * i;
        x[0] = REF_PATCH_X * (ref_uniform(&random) - 0.5);
        x[1] = REF_PATCH_Y * (ref_uniform(&random) - 0.5);
        x[2] = 2 * ref_uniform(&random) - 0.9;
        v[0] = 0.3 * (ref_uniform(&random) - 0.4);
        v[1] = 0.2 * ref_uniform(&random) + 0.3 * v[0] - 1.5 * REF_PATCH_OMEGA * x[0];
        v[2] = 0.1 * ref_uniform(&random);
        b->radius[i] = 0.1 + 0.3 * ref_uniform(&random);
        b->mass[i] = pow(b->radius[i], 3);
    }
    ref_patch_put(patch, 0);
}

void ref_patch_end(ref_patch *patch)
{
    oct_bodies_clear(&patch->bodies);
    oct_sim_free(patch->sim);
}

void ref_patch_put(ref_patch *patch, double time)
{
    patch->sim->clock.time = time;
    double offset = ref_patch_now(patch).offset;
    for (size_t i = 0; i < patch->bodies.n; i++) {
        double *x = patch->bodies.position + 3 * i, boxes = rint(x[0] / REF_PATCH_X);
        x[0] -= boxes * REF_PATCH_X;
        x[1] = remainder(x[1] - boxes * offset, REF_PATCH_Y);
    }
    ref_ok(oct_images_update(patch->sim->domain));
    ref_ok(oct_sim_upload(patch->sim, &patch->bodies));
}

oct_oracle_patch ref_patch_now(const ref_patch *patch)
{
    return (oct_oracle_patch){{REF_PATCH_X, REF_PATCH_Y},
                              REF_PATCH_OMEGA,
                              -1.5 * REF_PATCH_OMEGA * REF_PATCH_X * patch->sim->clock.time};
}

void ref_measure_with(double *out, const oct_diag *diag, oct_sim *sim)
{
    const oct_choice *settings = sim->setup->diags;
    oct_choice copy = {0};
    while (settings->module != (const oct_module *)diag)
        settings++;
    ref_ok(oct_choice_copy(&copy, settings));
    ref_ok(diag->init(copy.state, sim->domain));
    oct_readback_begin(sim->domain);
    if (diag->launch)
        ref_ok(diag->launch(copy.state, sim->domain));
    ref_ok(diag->measure(out, copy.state, sim->domain));
    oct_choice_end(&copy);
}
