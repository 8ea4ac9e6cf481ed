/* The search for colliding pairs against plain comparison: not one missed, not one doubled. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collision/collision.h"
#include "scene_sim.h"
#include "selftest/oracle_collision.h"
#include "util/random.h"

static const double size[3] = {30, 40, 20};

typedef enum shape { EVEN, DENSE, CLUSTERED, TWO_SIZES, SHAPES } shape;
static const char *const shape_names[] = {"even", "dense", "clustered", "two sizes"};

/* Radii so that many touch, at any number of bodies. */
static void arrange(oct_bodies *b, shape kind)
{
    double spacing = cbrt(size[0] * size[1] * size[2] / (double)b->n);
    for (size_t i = 0; i < b->n; i++) {
        oct_random random = oct_random_start(3, (uint32_t)kind, i);
        double *x = b->position + 3 * i, tight = 1e-3 * (double)(1 + i % 7);
        for (size_t k = 0; k < 3; k++) {
            x[k] = size[k] * (oct_random_uniform(&random) - 0.5);
            b->velocity[3 * i + k] = oct_random_normal(&random);
            /* Clusters sit on faces and corners of the box, so that they reach over them. */
            if (kind == CLUSTERED) {
                double corner = size[k] * ((double)((i >> k) % 2) - 0.5);
                x[k] = corner + tight * size[k] * oct_random_normal(&random);
                x[k] -= size[k] * floor(x[k] / size[k] + 0.5);
            }
        }
        double u = oct_random_uniform(&random);
        b->radius[i] = spacing * (kind == DENSE ? 0.3 + u : 0.1 + 0.3 * u);
        if (kind == CLUSTERED)
            b->radius[i] *= 20 * tight;
        if (kind == TWO_SIZES)
            b->radius[i] = i == 17 ? 4 : 0.1 * spacing * (1 + u);
        b->mass[i] = pow(b->radius[i], 3);
    }
}

static int by_bodies(const void *a, const void *b)
{
    const oct_oracle_pair *p = a, *q = b;
    if (p->i != q->i)
        return p->i < q->i ? -1 : 1;
    if (p->j != q->j)
        return p->j < q->j ? -1 : 1;
    return p->image < q->image ? -1 : p->image > q->image;
}

/* A set with a body in so many; the pairs without any of it are not expected. */
static oct_set *choose_set(oct_oracle_pair *pairs, size_t *n_pairs, oct_domain *domain,
                           unsigned part)
{
    oct_set *set;
    unsigned char *marks;
    size_t n = 0;
    ref_ok(oct_alloc(&marks, domain->n, 1, "marks"));
    for (uint32_t i = 0; i < domain->n; i++) {
        oct_random random = oct_random_start(5, part, i);
        marks[i] = oct_random_uniform(&random) * part < 1;
    }
    for (size_t k = 0; k < *n_pairs; k++)
        if (marks[pairs[k].i] || marks[pairs[k].j])
            pairs[n++] = pairs[k];
    assert_true(n < *n_pairs);
    *n_pairs = n;
    ref_ok(oct_set_create(&set, domain));
    ref_ok(oct_buffer_write(set->marks, marks, 0, domain->n));
    free(marks);
    return set;
}

/* part: pairs of a set with one body in so many; 0: all pairs. */
static void compare(shape kind, int n, const char *method, double time, unsigned part)
{
    oct_sim *sim = ref_sim(
        OCT_PRECISION_MIXED,
        "units: nbody\nbox: {boundary: shear, size: [30, 40, 20], ghosts: [1, 1, 1], omega: 0.7}\n"
        "models: [plummer: {n: %d}]\ngravity: {method: none}\n"
        "collisions: {method: %s}\nintegrator: {method: sei, dt: 1}\n"
        "run: {until: 1}\n",
        n, method);
    oct_bodies b = {0};
    oct_oracle_pair *expected, *found;
    uint32_t n_found;
    ref_ok(oct_sim_bodies(&b, sim));
    arrange(&b, kind);
    ref_ok(oct_sim_set_bodies(sim, &b));
    sim->clock.time = time;
    ref_ok(oct_images_update(sim->domain));
    size_t n_expected;
    ref_ok(oct_oracle_colliding(&expected, &n_expected, &b, sim, 0));
    if (part > 0)
        oct_domain_restrict(sim->domain, choose_set(expected, &n_expected, sim->domain, part));
    ref_ok(oct_sim_collide(sim, 1));
    oct_collider *c = sim->domain->collisions.state;
    ref_ok(oct_buffer_read(&n_found, c->status, 0, 1));
    print_message("%s, %d bodies, one in %u, %s: %zu pairs\n", shape_names[kind], n, part, method,
                  n_expected);
    assert_int_equal(n_found, n_expected);
    assert_true(n_expected > (part > 0 ? 0 : 100));
    ref_ok(oct_alloc(&found, n_found, sizeof *found, "pairs"));
    ref_ok(oct_buffer_read(found, c->pairs, 0, n_found));
    qsort(found, n_found, sizeof *found, by_bodies);
    qsort(expected, n_expected, sizeof *expected, by_bodies);
    assert_memory_equal(found, expected, n_found * sizeof *found);
    free(found);
    free(expected);
    oct_bodies_clear(&b);
    oct_set_free(sim->domain->set);
    oct_sim_free(sim);
}

static const char lanes[] = "tree, kernel: lanes", portable[] = "tree, kernel: portable";
/* What crashes a compiler is refused there: nothing is left to test. */
static const char tiles[] = "tree, kernel: tiles";
static bool has_tiles(void)
{
    return !strstr(oct_device_describe(ref_device())->platform, "Portable Computing Language");
}

static void every_pair_is_found_once(void **state)
{
    (void)state;
    for (int kind = 0; kind < SHAPES; kind++) {
        compare((shape)kind, 5000, lanes, 0, 0);
        compare((shape)kind, 5000, portable, 0, 0);
        compare((shape)kind, 5000, lanes, 12.3, 0);
        compare((shape)kind, 5000, portable, 12.3, 0);
        if (!has_tiles())
            continue;
        compare((shape)kind, 5000, tiles, 12.3, 0);
        /* Its last group is not full. */
        compare((shape)kind, 4997, tiles, 0, 0);
    }
}

static void among_many_too(void **state)
{
    (void)state;
    /* Lanes take minutes on a GPU. */
    if (strcmp(oct_device_describe(ref_device())->kind, "cpu") == 0)
        compare(EVEN, 100000, lanes, 5.4, 0);
    compare(EVEN, 100000, portable, 5.4, 0);
    if (has_tiles())
        compare(EVEN, 100000, tiles, 5.4, 0);
}

static void pairs_of_a_set_are_found_once(void **state)
{
    (void)state;
    for (unsigned part = 2; part <= 50; part *= 5)
        for (int kind = 0; kind < SHAPES; kind++) {
            compare((shape)kind, 3000, lanes, 12.3, part);
            compare((shape)kind, 3000, portable, 12.3, part);
            compare((shape)kind, 3000, "direct", 12.3, part);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_is_found_once),
        cmocka_unit_test(among_many_too),
        cmocka_unit_test(pairs_of_a_set_are_found_once),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
