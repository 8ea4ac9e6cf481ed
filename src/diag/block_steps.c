/* How far apart the steps of bodies are, where each has its own, and what that saves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/join.h"
#include "core/sim.h"

static const oct_column columns[] = {
    {"forces_found", 1, 0, 0, 0,
     .doc = "forces of a body that steps have found since the start, a body"},
    {"level", 1, 0, 0, 0, .doc = "mean level of the bodies: level l has steps of dt/2^l"},
    {"deepest_level", 1, 0, 0, 0, .doc = "the deepest level that a body is on"},
    {0},
};

static bool block_steps_applies(const oct_setup *setup)
{
    return strcmp(setup->integrator.module->name, "block-leapfrog") == 0;
}

static oct_buffer *state_array(const oct_domain *domain, const char *name)
{
    for (uint32_t i = 0; i < domain->n_state_arrays; i++)
        if (strcmp(domain->state_arrays[i]->name, name) == 0)
            return domain->state_arrays[i];
    return NULL;
}

/* Rungs are levels and 1; 0 where a body has none yet, as where all steps are dt. */
static oct_status levels_of(double *out, void *self, oct_domain *domain, const void *about)
{
    oct_buffer *rung = oct_domain_array(domain, "block.rung");
    oct_buffer *evaluations = state_array(domain, "block.evaluations");
    uint8_t *rungs;
    uint64_t count = domain->sim->clock.step * domain->n;
    (void)self;
    (void)about;
    out[0] = (double)count / domain->n;
    out[1] = out[2] = 0;
    if (!rung || !evaluations)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&rungs, domain->n, 1, "levels"));
    oct_status status = oct_buffer_read(rungs, rung, 0, domain->n);
    if (status == OCT_STATUS_OK)
        status = oct_buffer_read(&count, evaluations, 0, 1);
    for (uint32_t i = 0; status == OCT_STATUS_OK && i < domain->n; i++) {
        double level = rungs[i] > 0 ? rungs[i] - 1 : 0;
        out[1] += level / domain->n;
        out[2] = fmax(out[2], level);
    }
    out[0] = (double)count / domain->n;
    free(rungs);
    return status;
}

static oct_status block_steps_measure(double *out, void *state, oct_domain *domain)
{
    static const oct_join_rule rules[] = {OCT_JOIN_MEAN, OCT_JOIN_MEAN, OCT_JOIN_MOST};
    return oct_join_parts(out, state, domain,
                          &(oct_join){.part = levels_of, .n = 3, .rules = rules});
}

const oct_diag oct_diag_block_steps = {
    .version = OCT_MODULE_VERSION,
    .name = "block-steps",
    .doc = "Levels of bodies whose steps differ, and the forces that they took.",
    .columns = columns,
    .applies = block_steps_applies,
    .measure = block_steps_measure,
    .looks = oct_looks_nowhere,
    .shared = true,
};
