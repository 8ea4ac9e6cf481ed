/* Bodies of a setup: how models add up, where they are put, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/setup.h"

#define assert_near(value, expected, tolerance)                                                    \
    assert_true(fabs((value) - (expected)) <= (tolerance))

/* A model that makes what the test tells it to. */
typedef struct fake {
    uint64_t n;
    double mass, radius, position[3], velocity[3];
    const uint64_t *ids;
} fake;

static oct_status fake_count(uint64_t *out, const void *self, const oct_model_context *context)
{
    (void)context;
    *out = ((const fake *)self)->n;
    return OCT_STATUS_OK;
}

static oct_status fake_generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                                const oct_model_context *context)
{
    const fake *f = self;
    for (size_t i = first; i < first + count; i++) {
        bodies->mass[i] = f->mass;
        bodies->radius[i] = f->radius;
        bodies->potential[i] = context->stream;
        memcpy(bodies->position + 3 * i, f->position, sizeof f->position);
        memcpy(bodies->velocity + 3 * i, f->velocity, sizeof f->velocity);
        if (f->ids)
            bodies->id[i] = f->ids[i - first];
    }
    return OCT_STATUS_OK;
}

static const oct_model plain = {.version = OCT_MODULE_VERSION,
                                .name = "plain",
                                .state_size = sizeof(fake),
                                .count = fake_count,
                                .generate = fake_generate};
static const oct_model keeper = {.version = OCT_MODULE_VERSION,
                                 .name = "keeper",
                                 .state_size = sizeof(fake),
                                 .count = fake_count,
                                 .generate = fake_generate,
                                 .keeps_ids = true};

static oct_model_entry entry(const oct_model *model, fake *state)
{
    return (oct_model_entry){.model = {(const oct_module *)model, state}};
}

static void expect_refusal(const oct_setup *setup, const char *part)
{
    oct_bodies bodies = {0};
    assert_int_equal(oct_setup_bodies(&bodies, setup), OCT_STATUS_INPUT);
    if (!strstr(oct_last_error(), part))
        fail_msg("expected '%s' in: %s", part, oct_last_error());
    assert_null(bodies.position);
}

static void ids_skip_those_that_models_bring(void **state)
{
    (void)state;
    const uint64_t brought[] = {5, 2};
    fake a = {.n = 3, .mass = 1}, b = {.n = 2, .mass = 1, .ids = brought}, c = a;
    oct_model_entry models[] = {entry(&plain, &a), entry(&keeper, &b), entry(&plain, &c)};
    oct_setup setup = {.models = models, .n_models = 3};
    oct_bodies bodies = {0};
    assert_int_equal(oct_setup_bodies(&bodies, &setup), OCT_STATUS_OK);
    const uint64_t expected[] = {1, 3, 4, 5, 2, 6, 7, 8};
    assert_int_equal(bodies.n, 8);
    assert_memory_equal(bodies.id, expected, sizeof expected);
    assert_int_equal(bodies.type[7], OCT_TYPE_BODY);
    assert_true(bodies.potential[0] == 0 && bodies.potential[4] == 1 && bodies.potential[7] == 2);
    oct_bodies_clear(&bodies);
    uint64_t n;
    assert_int_equal(oct_setup_count(&n, &setup), OCT_STATUS_OK);
    assert_int_equal(n, 8);
}

static void placement_turns_then_moves(void **state)
{
    (void)state;
    fake a = {.n = 1, .mass = 1, .position = {1, 0, 0}, .velocity = {0, 2, 0}};
    oct_model_entry models[] = {entry(&plain, &a)};
    /* x: (1,0,0) -> (1,0,0); then z: -> (0,1,0). v: (0,2,0) -> (0,0,2) -> (0,0,2). */
    models[0].placement =
        (oct_placement){.offset = {10, 20, 30}, .velocity = {1, 1, 1}, .rotation = {90, 0, 90}};
    oct_setup setup = {.models = models, .n_models = 1};
    oct_bodies bodies = {0};
    assert_int_equal(oct_setup_bodies(&bodies, &setup), OCT_STATUS_OK);
    const double position[] = {10, 21, 30}, velocity[] = {1, 1, 3};
    for (int k = 0; k < 3; k++) {
        assert_true(bodies.position[k] == position[k]);
        assert_true(bodies.velocity[k] == velocity[k]);
    }
    models[0].placement = (oct_placement){.rotation = {0, -30, 0}};
    assert_int_equal(oct_setup_bodies(&bodies, &setup), OCT_STATUS_OK);
    assert_near(bodies.position[0], sqrt(0.75), 2e-16); /* 1.1e-16 */
    assert_near(bodies.position[2], 0.5, 2e-16);        /* 5.6e-17 */
    oct_bodies_clear(&bodies);
}

static void bodies_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const struct {
        fake f;
        const char *part;
    } cases[] = {
        {{.n = 1, .mass = NAN}, "models.0.plain: body 1 has mass nan"},
        {{.n = 1, .mass = -1}, "mass -1"},
        {{.n = 1, .mass = INFINITY}, "mass inf"},
        {{.n = 1, .mass = 1, .radius = -2}, "radius -2"},
        {{.n = 1, .mass = 1, .position = {0, NAN, 0}}, "position nan"},
        {{.n = 1, .mass = 1, .velocity = {0, 0, INFINITY}}, "velocity inf"},
        {{.n = 0}, "no body"},
        {{.n = UINT64_C(1) << 32}, "too many"},
        {{.n = UINT64_MAX}, "too many"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake f = cases[i].f;
        oct_model_entry models[] = {entry(&plain, &f)};
        oct_setup setup = {.models = models, .n_models = 1};
        expect_refusal(&setup, cases[i].part);
    }
}

static void an_id_may_occur_once(void **state)
{
    (void)state;
    const uint64_t one[] = {7, 9}, other[] = {8, 7};
    fake a = {.n = 2, .mass = 1, .ids = one}, b = {.n = 2, .mass = 1, .ids = other};
    oct_model_entry models[] = {entry(&keeper, &a), entry(&keeper, &b)};
    oct_setup setup = {.models = models, .n_models = 2};
    expect_refusal(&setup, "two bodies have the id 7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_skip_those_that_models_bring),
        cmocka_unit_test(placement_turns_then_moves),
        cmocka_unit_test(bodies_that_cannot_be_are_refused),
        cmocka_unit_test(an_id_may_occur_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
