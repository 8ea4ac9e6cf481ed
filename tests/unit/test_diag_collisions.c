/* Rates of collisions, from a stand-in that says what has happened so far. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "diag_ref.h"
#include "scene_sim.h"

extern const oct_diag oct_diag_collisions;

enum { N = 100 };

static oct_impacts so_far;

static oct_status stand_in_impacts(oct_impacts *out, void *self, oct_domain *domain)
{
    (void)self;
    (void)domain;
    *out = so_far;
    return OCT_STATUS_OK;
}

static const oct_module *stand_in(void)
{
    static const oct_collision table = {.name = "stand-in", .impacts = stand_in_impacts};
    return (const oct_module *)&table;
}

typedef struct fixture {
    ref_patch patch;
    double mass;
    void *diag;
} fixture;

static void fixture_start(fixture *f)
{
    ref_patch_start(&f->patch, OCT_PRECISION_MIXED, N, "gravity: {method: none}\n");
    f->patch.sim->setup->collisions.module = stand_in();
    f->mass = 0;
    for (int i = 0; i < N; i++)
        f->mass += f->patch.bodies.mass[i];
    f->diag = calloc(1, oct_diag_collisions.state_size);
    assert_non_null(f->diag);
    ref_ok(oct_diag_collisions.init(f->diag, f->patch.sim->domain));
    so_far = (oct_impacts){0};
}

static void fixture_end(fixture *f)
{
    oct_diag_collisions.free(f->diag);
    free(f->diag);
    /* The buffer that the module kept is gone with it. */
    f->patch.sim->domain->n_state_arrays--;
    ref_patch_end(&f->patch);
}

static void measure(double out[3], fixture *f, double time, oct_impacts impacts)
{
    f->patch.sim->clock.time = time;
    so_far = impacts;
    oct_readback_begin(f->patch.sim->domain);
    ref_ok(oct_diag_collisions.launch(f->diag, f->patch.sim->domain));
    ref_ok(oct_diag_collisions.measure(out, f->diag, f->patch.sim->domain));
}

static void compare(const double got[3], const fixture *f, double passed, oct_impacts change)
{
    double orbit = 2 * acos(-1.0) / REF_PATCH_OMEGA;
    double want[3] = {2 * change.pairs / N * orbit / passed,
                      2 / (3 * REF_PATCH_OMEGA) * change.transport / (f->mass * passed),
                      4 / (9 * REF_PATCH_OMEGA * REF_PATCH_OMEGA) * change.energy /
                          (f->mass * passed)};
    for (int k = 0; k < 3; k++)
        assert_true(fabs(got[k] / want[k] - 1) < 1e-13); /* seen: 1e-15 */
}

static void rates_are_those_since_the_last_measurement(void **state)
{
    fixture f;
    double got[3];
    (void)state;
    fixture_start(&f);
    measure(got, &f, 0, (oct_impacts){0});
    assert_true(isnan(got[0]) && isnan(got[1]) && isnan(got[2]));
    measure(got, &f, 2, (oct_impacts){50, 3, 7});
    compare(got, &f, 2, (oct_impacts){50, 3, 7});
    measure(got, &f, 5, (oct_impacts){60, 5, 6});
    compare(got, &f, 3, (oct_impacts){10, 2, -1});
    fixture_end(&f);
}

static void a_second_look_sees_the_same(void **state)
{
    fixture f;
    double got[3];
    (void)state;
    fixture_start(&f);
    measure(got, &f, 0, (oct_impacts){0});
    measure(got, &f, 0, (oct_impacts){0});
    assert_true(isnan(got[0]));
    measure(got, &f, 2, (oct_impacts){50, 3, 7});
    measure(got, &f, 2, (oct_impacts){50, 3, 7});
    compare(got, &f, 2, (oct_impacts){50, 3, 7});
    fixture_end(&f);
}

/* The last array that was kept for checkpoints is the window: a fresh module goes on with it. */
static void a_resumed_run_goes_on_with_the_window(void **state)
{
    fixture first, second;
    char window[256];
    double got[3];
    (void)state;
    fixture_start(&first);
    fixture_start(&second);
    measure(got, &first, 0, (oct_impacts){0});
    measure(got, &first, 2, (oct_impacts){50, 3, 7});
    oct_buffer *from =
        first.patch.sim->domain->state_arrays[first.patch.sim->domain->n_state_arrays - 1];
    oct_buffer *to =
        second.patch.sim->domain->state_arrays[second.patch.sim->domain->n_state_arrays - 1];
    assert_true(from->element <= sizeof window && from->count == 1);
    ref_ok(oct_buffer_read(window, from, 0, 1));
    ref_ok(oct_buffer_write(to, window, 0, 1));
    measure(got, &second, 2, (oct_impacts){50, 3, 7});
    compare(got, &second, 2, (oct_impacts){50, 3, 7});
    measure(got, &second, 5, (oct_impacts){60, 5, 6});
    compare(got, &second, 3, (oct_impacts){10, 2, -1});
    fixture_end(&first);
    fixture_end(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_since_the_last_measurement),
        cmocka_unit_test(a_second_look_sees_the_same),
        cmocka_unit_test(a_resumed_run_goes_on_with_the_window),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
