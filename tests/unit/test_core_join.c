/* What is joined of several domains is that of one domain with all of the bodies. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/join.h"
#include "core/look.h"
#include "scene_sim.h"

enum { MOST_VALUES = 128 };

/* Parts by hand -------------------------------------------------------------------------------- */

static void by_the_rules(void **state)
{
    static const oct_join_rule rules[] = {OCT_JOIN_SUM, OCT_JOIN_LEAST, OCT_JOIN_MOST,
                                          OCT_JOIN_MEAN};
    static const double parts[3][4] = {{1, 5, -7, 2}, {0.25, -3, INFINITY, 8}, {-4, 6, 9, 0.5}};
    static const uint64_t bodies[] = {10, 0, 30};
    double whole[4], sums[2] = {0.1, 0.2};
    uint64_t before = bodies[0];
    (void)state;
    memcpy(whole, parts[0], sizeof whole);
    for (int i = 1; i < 3; i++) {
        oct_join_add(whole, parts[i], 4, rules, before, bodies[i]);
        before += bodies[i];
    }
    assert_true(whole[0] == -2.75 && whole[1] == -3 && isinf(whole[2]));
    /* A domain without bodies has no say in a mean. */
    assert_true(whole[3] == (2.0 * 10 + 0.5 * 30) / 40);
    /* Without rules all are sums, from the first on: in another order they round differently. */
    oct_join_add(sums, (const double[]){0.2, 0.3}, 2, NULL, 1, 1);
    oct_join_add(sums, (const double[]){0.3, 0.1}, 2, NULL, 2, 1);
    assert_true(sums[0] == (0.1 + 0.2) + 0.3 && sums[1] == (0.2 + 0.3) + 0.1);
    assert_true(sums[0] != 0.1 + (0.2 + 0.3));
}

/* Two domains on one device -------------------------------------------------------------------- */

#define CLUSTER                                                                                    \
    "units: nbody\ncolumns: {charge: {}}\nmodels: [plummer: {n: 97, columns: {charge: 2}}]\n"      \
    "gravity: {method: direct, softening: 0.1}\nforces:\n"                                         \
    "  - custom: {code: 'real4 octant_force(real3 x, real3 v, real m, ulong id, real t) { return " \
    "(real4)(-x, dot(x, x) / 2); }'}\n"                                                            \
    "integrator: {dt: 0.01}\nrun: {until: 1}\n"                                                    \
    "output: {components: [all, star], distance: [all/1], bar_radius: 2}\n"
#define RING                                                                                       \
    "units: si\nbox: {boundary: shear, size: [60 m, 60 m, 60 m], omega: 1.3e-4 /s}\n"              \
    "models: [ring: {surface_density: 400 kg/m^2, density: 400 kg/m^3, radius: {law: power, "      \
    "slope: -3, min: 1 m, max: 3 m}, spread: 1 m}]\ngravity: {method: direct, softening: 0.1 m}\n" \
    "collisions: {method: direct, restitution: 0.5, tangential: 0.5}\n"                            \
    "integrator: {method: sei, dt: 1e-3 orbit}\nrun: {until: 1 orbit}\n"

/* A domain with some bodies of another one, and, where it is the first, with what modules keep. */
static oct_domain *part_of(oct_domain *whole, const uint32_t *list, uint32_t n, bool first)
{
    oct_domain *part = NULL;
    oct_buffer *index = NULL;
    ref_ok(oct_domain_create(&part, whole->sim, whole->device, n, NULL));
    ref_ok(oct_buffer_create(&index, whole->device, "list", sizeof *list, n));
    ref_ok(oct_buffer_write(index, list, 0, n));
    ref_ok(oct_domain_gather(part, whole, index, n));
    for (uint32_t i = 0; i < part->n_state_arrays && first; i++)
        if (!oct_domain_column(part, part->state_arrays[i]->name))
            ref_ok(oct_buffer_copy(part->state_arrays[i], whole->state_arrays[i]));
    ref_ok(oct_device_wait(whole->device));
    oct_buffer_free(index);
    /* What a force has for itself alone it finds again. */
    const oct_force *force;
    void *state;
    for (size_t i = 1; (force = oct_domain_force(&state, part, i)) != NULL; i++)
        ref_ok(force->accumulate(state, part));
    oct_forces_found(part);
    return part;
}

/* Every third body goes to the second domain, the rest stays in the first. */
static void split(oct_sim *sim)
{
    oct_domain *whole = sim->domain, *parts[2];
    uint32_t *list = calloc(2 * (size_t)whole->n, sizeof *list), n[2] = {0, 0};
    assert_non_null(list);
    for (uint32_t i = 0; i < whole->n; i++) {
        size_t which = i % 3 == 1;
        list[which * whole->n + n[which]++] = i;
    }
    ref_ok(oct_sim_look(sim));
    ref_ok(oct_look_open(whole));
    for (size_t i = 0; i < 2; i++)
        parts[i] = part_of(whole, list + i * whole->n, n[i], i == 0);
    oct_look_close(whole);
    sim->domain = parts[0];
    parts[0]->beside = parts[1];
    oct_domain_free(whole);
    free(list);
}

/* Pairs of bodies in two domains, and rays past both, take more than a join. */
static bool takes_pairs(const char *name)
{
    static const char *const names[] = {"overlap", "tau_normal", "tau_sight", "viscosity_gravity"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return strcmp(name, "viscosity") == 0;
}

static void measurements_are_those_of_the_whole(void **state)
{
    static const char *const scenes[] = {CLUSTER, RING};
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        double whole[MOST_VALUES], joined[MOST_VALUES];
        oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE, "%s", scenes[s]);
        ref_ok(oct_sim_step(sim, 3));
        uint64_t hash = ref_hash(sim), n = oct_sim_count(sim);
        ref_ok(oct_sim_measure(whole, sim));
        split(sim);
        ref_ok(oct_sim_measure(joined, sim));
        assert_true(ref_hash(sim) == hash);
        assert_int_equal(oct_sim_count(sim), n);
        size_t at = 0, compared = 0;
        for (const oct_column *column = oct_sim_columns(sim); column->name; column++)
            for (size_t k = 0; k < column->count; k++, at++) {
                double size = fmax(fabs(whole[at]), s == 0 ? 1 : 1e-12);
                if (takes_pairs(column->name) || (isnan(whole[at]) && isnan(joined[at])))
                    continue;
                if (!(fabs(joined[at] - whole[at]) <= 1e-12 * size))
                    fail_msg("%s: %.17g, joined %.17g", column->name, whole[at], joined[at]);
                compared++;
            }
        print_message("%zu of %zu values\n", compared, at);
        assert_true(compared > (s == 0 ? 50 : 30)); /* seen: 53, 48 */
        oct_sim_free(sim);
    }
}

static int by_id(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void bodies_are_those_of_the_whole(void **state)
{
    double rows[2][97][4];
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "%s", CLUSTER);
    (void)state;
    ref_ok(oct_sim_step(sim, 2));
    for (int i = 0; i < 2; i++) {
        oct_bodies bodies = {0};
        ref_ok(oct_sim_bodies(&bodies, sim));
        assert_int_equal(bodies.n, 97);
        for (size_t k = 0; k < bodies.n; k++) {
            double *row = rows[i][k];
            row[0] = (double)bodies.id[k];
            row[1] = bodies.position[3 * k + 1];
            row[2] = bodies.potential[k];
            row[3] = bodies.columns[0].data[k];
        }
        qsort(rows[i], 97, sizeof rows[i][0], by_id);
        oct_bodies_clear(&bodies);
        if (i == 0)
            split(sim);
    }
    assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
    oct_sim_free(sim);
}

/* In whichever domain it is, by the id that it has there. */
static void a_bad_body_is_found_in_any_domain(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE, "%s", CLUSTER);
        split(sim);
        oct_domain *domain = which ? sim->domain->beside : sim->domain;
        const double bad[4] = {0, NAN, 0, 0};
        uint64_t id, hash;
        char sentence[64];
        ref_ok(oct_buffer_write(domain->velocity, bad, 7, 1));
        ref_ok(oct_buffer_read(&id, domain->id, 7, 1));
        assert_int_equal(oct_sim_hash(&hash, sim), OCT_STATUS_NUMBER);
        snprintf(sentence, sizeof sentence, "particle %llu is no number", (unsigned long long)id);
        ref_says(sentence);
        oct_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_the_rules),
        cmocka_unit_test(measurements_are_those_of_the_whole),
        cmocka_unit_test(bodies_are_those_of_the_whole),
        cmocka_unit_test(a_bad_body_is_found_in_any_domain),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
