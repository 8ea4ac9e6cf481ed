/* Sets of bodies: what is done for some bodies alone is for them what it is for all, to the bit,
 * and leaves the others as they were. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arrays.h"
#include "core/look.h"
#include "scene_sim.h"
#include "tree/tree.h"

/* Who is in the set. */
typedef enum who { NONE, ONE, FEW, THIRD, HALF, ALL_BUT_ONE, ALL, WHO } who;
static const char *const who_names[] = {"none", "one",         "few", "third",
                                        "half", "all but one", "all"};

static void choose(unsigned char *marks, uint32_t n, who kind)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t random = array_key(ARRAY_RANDOM, i, n) >> 20;
        bool one = i == n / 3;
        bool in = kind == ALL || (kind == ONE && one) || (kind == ALL_BUT_ONE && !one) ||
                  (kind == HALF && random % 2 == 0) || (kind == THIRD && random % 3 == 0) ||
                  (kind == FEW && random % 40 == 0);
        /* Any byte but 0 counts. */
        marks[i] = (unsigned char)(in ? 1 + random % 255 : 0);
    }
}

static void *read_all(oct_buffer *buffer)
{
    void *rows = array_alloc(buffer->count, buffer->element);
    ref_ok(oct_buffer_read(rows, buffer, 0, buffer->count));
    return rows;
}

/* An array that is to be changed for the bodies of sets: as it is at first, what becomes of it for
 * all, and what has been there for those who are not in the set. */
typedef struct column {
    oct_buffer *buffer;
    unsigned char *start, *changed;
} column;

static column column_of(oct_buffer *buffer)
{
    return (column){.buffer = buffer, .start = read_all(buffer)};
}

static void put_back(const column *c)
{
    ref_ok(oct_buffer_write(c->buffer, c->start, 0, c->buffer->count));
}

static void column_clear(column *c)
{
    free(c->start);
    free(c->changed);
}

static void assert_changed(const column *c, const unsigned char *marks, const char *what, who kind)
{
    unsigned char *now = read_all(c->buffer);
    size_t bytes = c->buffer->element;
    for (size_t i = 0; i < c->buffer->count; i++)
        if (memcmp(now + i * bytes, (marks[i] ? c->changed : c->start) + i * bytes, bytes) != 0)
            fail_msg("%s, %s: %s of body %zu, which is %sin the set, is another", what,
                     who_names[kind], c->buffer->name, i, marks[i] ? "" : "not ");
    free(now);
}

typedef oct_status (*operation)(oct_sim *sim);

/* Does it for all and for every kind of set; `kept` is what it goes by and may change. */
static void compare(oct_sim *sim, operation act, oct_buffer *const *outs, oct_buffer *kept,
                    const char *what)
{
    enum { MOST = 3 };
    oct_domain *domain = sim->domain;
    unsigned char *marks = array_alloc(domain->n, 1);
    column columns[MOST];
    size_t n = 0;
    oct_set *set = NULL;
    for (; outs[n]; n++)
        columns[n] = column_of(outs[n]);
    column before = kept ? column_of(kept) : (column){0};
    ref_ok(act(sim));
    for (size_t k = 0; k < n; k++)
        columns[k].changed = read_all(outs[k]);
    /* Else nothing would be seen of those that keep what they had. */
    assert_memory_not_equal(columns[0].start, columns[0].changed, outs[0]->element);
    ref_ok(oct_set_create(&set, domain));
    for (int kind = 0; kind < WHO; kind++) {
        choose(marks, domain->n, (who)kind);
        ref_ok(oct_buffer_write(set->marks, marks, 0, domain->n));
        for (size_t k = 0; k < n; k++)
            put_back(&columns[k]);
        if (kept)
            put_back(&before);
        oct_domain_restrict(domain, set);
        domain->accelerated = (oct_made){0};
        ref_ok(act(sim));
        oct_domain_restrict(domain, NULL);
        for (size_t k = 0; k < n; k++)
            assert_changed(&columns[k], marks, what, (who)kind);
    }
    oct_set_free(set);
    for (size_t k = 0; k < n; k++)
        column_clear(&columns[k]);
    column_clear(&before);
    free(marks);
}

static const char *const boxes[] = {"open", "periodic, size: [8, 9, 10]",
                                    "shear, size: [8, 9, 10], ghosts: [1, 1, 0], omega: 0.5"};
enum { BOXES = sizeof boxes / sizeof boxes[0] };
static const oct_precision precisions[] = {OCT_PRECISION_SINGLE, OCT_PRECISION_MIXED,
                                           OCT_PRECISION_DOUBLE};

static oct_sim *make_sim(oct_precision precision, const char *box, const char *rest)
{
    return ref_sim(precision,
                   "units: nbody\nbox: {boundary: %s}\nmodels: [plummer: {n: 1500, scale: 0.5}]\n"
                   "%s\nintegrator: {method: %s, dt: 0.01}\nrun: {until: 1}\n",
                   box, rest, strncmp(box, "shear", 5) == 0 ? "sei" : "leapfrog");
}

/* Numbers that no force has, for those who keep what they had. */
static void write_marks(oct_buffer *buffer)
{
    size_t bytes = buffer->count * buffer->element;
    unsigned char *rows = array_alloc(bytes, 1);
    for (size_t i = 0; i < bytes; i++)
        rows[i] = (unsigned char)(array_key(ARRAY_RANDOM, i, 7) >> 30);
    ref_ok(oct_buffer_write(buffer, rows, 0, buffer->count));
    free(rows);
}

static void compare_forces(oct_precision precision, const char *box, const char *rest)
{
    oct_sim *sim = make_sim(precision, box, rest);
    oct_domain *domain = sim->domain;
    oct_held_column *last = oct_domain_column(domain, "tree.before");
    /* Once, so that the relative criterion has something to go by. */
    ref_ok(oct_sim_find_forces(sim));
    write_marks(domain->acceleration);
    oct_buffer *const outs[] = {domain->acceleration, NULL};
    char what[256];
    snprintf(what, sizeof what, "%s, %s, precision %d", box, rest, (int)precision);
    compare(sim, oct_sim_find_forces, outs, last ? last->buffer : NULL, what);
    oct_sim_free(sim);
}

static bool on_cpu(void)
{
    return oct_device_is_cpu(oct_device_describe(ref_device()));
}

static void compare_everywhere(const char *rest)
{
    for (size_t p = 0; p < sizeof precisions / sizeof precisions[0]; p++)
        for (size_t b = 0; b < BOXES; b++)
            compare_forces(precisions[p], boxes[b], rest);
}

static void direct_sums_are_those_of_all(void **state)
{
    (void)state;
    compare_everywhere("gravity: {method: direct, softening: 0.01}");
    compare_forces(OCT_PRECISION_MIXED, "open", "gravity: {method: direct}");
    /* Vectors take minutes on a GPU. */
    if (!on_cpu())
        compare_forces(OCT_PRECISION_MIXED, "open",
                       "gravity: {method: direct, kernel: portable, softening: 0.01}");
}

/* By tiles: a few bodies have the sum over each tile by itself, a third has work-groups that go
 * through tiles in rows, half of them hardly and all but one never. */
static void tiles_are_those_of_all(void **state)
{
    (void)state;
    compare_everywhere("gravity: {method: direct, kernel: tiles, softening: 0.01}");
    compare_forces(OCT_PRECISION_MIXED, "open", "gravity: {method: direct, kernel: tiles}");
    compare_forces(OCT_PRECISION_MIXED, "open",
                   "gravity: {method: direct, kernel: tiles, softenings: {star: 0.02}}");
}

static void walks_are_those_of_all(void **state)
{
    (void)state;
    compare_everywhere("gravity: {method: tree, softening: 0.01}");
    compare_everywhere("gravity: {method: tree, criterion: relative}");
    compare_forces(OCT_PRECISION_MIXED, "open", "gravity: {method: tree, criterion: min-distance}");
    compare_forces(OCT_PRECISION_MIXED, "periodic, size: [8, 9, 10]",
                   "gravity: {method: auto, theta: 0.7}");
    if (!on_cpu())
        compare_forces(OCT_PRECISION_MIXED, "open", "gravity: {method: tree, kernel: portable}");
}

static void compare_far_apart(const char *rest)
{
    oct_bodies b = {0};
    oct_sim *sim = make_sim(OCT_PRECISION_MIXED, "open", rest);
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t i = 0; i < b.n; i++)
        b.position[3 * i] += i % 3 == 0 ? 1e5 : 0;
    ref_ok(oct_sim_set_bodies(sim, &b));
    oct_bodies_clear(&b);
    ref_ok(oct_sim_find_forces(sim));
    write_marks(sim->domain->acceleration);
    oct_buffer *const outs[] = {sim->domain->acceleration, NULL};
    compare(sim, oct_sim_find_forces, outs, NULL, rest);
    oct_sim_free(sim);
}

/* Two clusters so far apart that the groups between them walk body by body, or in parts. */
static void bodies_that_are_far_apart_walk_alone(void **state)
{
    (void)state;
    compare_far_apart("gravity: {method: tree}");
    if (!on_cpu() || ref_is_other_cpu())
        compare_far_apart("gravity: {method: tree, kernel: portable}");
}

static void forces_of_the_user_too(void **state)
{
    (void)state;
    compare_everywhere("gravity: {method: none}\nforces:\n"
                       "  - custom:\n      code: |\n"
                       "        real4 octant_force(real3 x, real3 v, real m, ulong id, real time)\n"
                       "        { return (real4)(-x.x, (real)id, v.z * m, dot(x, x)); }");
}

static oct_status kick(oct_sim *sim)
{
    return oct_sim_kick(sim, 0.25);
}

static oct_status drift_set(oct_sim *sim)
{
    return oct_domain_drift(sim->domain, 0.25);
}

static void kicks_and_drifts_move_who_is_meant(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof precisions / sizeof precisions[0]; p++) {
        oct_sim *sim = make_sim(precisions[p], "open", "gravity: {method: direct}");
        oct_domain *domain = sim->domain;
        bool low = precisions[p] == OCT_PRECISION_SINGLE;
        ref_ok(oct_sim_forces(sim));
        oct_buffer *const kicked[] = {domain->velocity, low ? domain->velocity_low : NULL, NULL};
        compare(sim, kick, kicked, NULL, "kick");
        oct_buffer *const drifted[] = {domain->position, low ? domain->position_low : NULL, NULL};
        compare(sim, drift_set, drifted, NULL, "drift");
        oct_sim_free(sim);
    }
}

/* Kick and drift in one: all drift, whoever was kicked. */
static void all_drift_after_a_kick_of_some(void **state)
{
    (void)state;
    oct_sim *sim = make_sim(OCT_PRECISION_DOUBLE, "open", "gravity: {method: direct}");
    oct_domain *domain = sim->domain;
    oct_set *set = NULL;
    unsigned char *marks = array_alloc(domain->n, 1);
    ref_ok(oct_sim_forces(sim));
    double(*x)[4] = read_all(domain->position), (*v)[4] = read_all(domain->velocity);
    double(*a)[4] = read_all(domain->acceleration);
    ref_ok(oct_set_create(&set, domain));
    choose(marks, domain->n, HALF);
    ref_ok(oct_buffer_write(set->marks, marks, 0, domain->n));
    oct_domain_restrict(domain, set);
    ref_ok(oct_sim_kick_drift(sim, 0.25, 0.5));
    double(*now)[4] = read_all(domain->position);
    for (uint32_t i = 0; i < domain->n; i++)
        for (int k = 0; k < 3; k++) {
            double speed = v[i][k] + (marks[i] ? 0.25 * a[i][k] : 0);
            /* A fused multiplication may round once less. */
            assert_true(fabs(now[i][k] - x[i][k] - 0.5 * speed) < 1e-14);
        }
    /* Sets end before their domain. */
    oct_set_free(set);
    assert_null(domain->set);
    assert_null(domain->active);
    oct_sim_free(sim);
    free(marks);
    free(x);
    free(v);
    free(a);
    free(now);
}

static void assert_list(oct_buffer *list, oct_buffer *count, const unsigned char *in, uint32_t n)
{
    uint32_t got = UINT32_MAX, expected = 0, *items = read_all(list);
    ref_ok(oct_buffer_read(&got, count, 0, 1));
    for (uint32_t i = 0; i < n; i++)
        if (in[i] && items[expected++] != i)
            fail_msg("%s has %u at %u instead of %u", list->name, items[expected - 1], expected - 1,
                     i);
    assert_int_equal(got, expected);
    free(items);
}

/* Lists are made anew when somebody else is in the set, and when the tree has another order. */
static void check_lists(oct_sim *sim, oct_set *set, oct_tree *tree, const unsigned char *marks)
{
    oct_domain *domain = sim->domain;
    uint32_t n = domain->n;
    unsigned char *groups = array_alloc(oct_tree_groups(n), 1), *places = array_alloc(n, 1);
    oct_domain_restrict(domain, set);
    ref_ok(oct_set_list(set));
    ref_ok(oct_tree_update(tree, domain));
    ref_ok(oct_tree_list_groups(tree, domain));
    ref_ok(oct_tree_list_places(tree, domain));
    uint32_t *order = read_all(tree->order);
    memset(groups, 0, oct_tree_groups(n));
    for (uint32_t i = 0; i < n; i++) {
        places[i] = marks[order[i]];
        groups[i / OCT_TREE_GROUP] |= marks[order[i]];
    }
    assert_list(set->bodies, set->n_bodies, marks, n);
    assert_list(tree->groups, tree->n_groups, groups, oct_tree_groups(n));
    assert_list(tree->active_places, tree->n_places, places, n);
    oct_domain_restrict(domain, NULL);
    ref_ok(oct_tree_list_groups(tree, domain));
    ref_ok(oct_tree_list_places(tree, domain));
    assert_true(!tree->groups && !tree->n_groups && !tree->active_places && !tree->n_places);
    free(order);
    free(groups);
    free(places);
}

static void lists_are_those_of_a_loop(void **state)
{
    const oct_tree_options options = {.theta = 1, .leaf = 16};
    oct_set *sets[2] = {NULL};
    oct_tree *tree;
    (void)state;
    oct_sim *sim = make_sim(OCT_PRECISION_MIXED, "open", "gravity: {method: direct}");
    oct_domain *domain = sim->domain;
    unsigned char *marks = array_alloc(domain->n, 1);
    ref_ok(oct_tree_share(&tree, domain, &options));
    for (int k = 0; k < 2; k++)
        ref_ok(oct_set_create(&sets[k], domain));
    for (int kind = 0; kind < WHO; kind++) {
        choose(marks, domain->n, (who)kind);
        ref_ok(oct_buffer_write(sets[kind % 2]->marks, marks, 0, domain->n));
        check_lists(sim, sets[kind % 2], tree, marks);
        ref_ok(oct_sim_drift(sim, 0.1));
        check_lists(sim, sets[kind % 2], tree, marks);
    }
    oct_tree_free(tree);
    oct_set_free(sets[0]);
    oct_set_free(sets[1]);
    oct_sim_free(sim);
    free(marks);
}

/* What a set has is not what all have: the next who wants all finds them. */
static void forces_of_a_set_are_not_those_of_all(void **state)
{
    oct_set *set = NULL;
    (void)state;
    oct_sim *sim = make_sim(OCT_PRECISION_MIXED, "open", "gravity: {method: direct}");
    ref_ok(oct_set_create(&set, sim->domain));
    sim->domain->accelerated = (oct_made){0};
    oct_domain_restrict(sim->domain, set);
    ref_ok(oct_sim_forces(sim));
    assert_false(oct_forces_fresh(sim->domain));
    oct_domain_restrict(sim->domain, NULL);
    ref_ok(oct_sim_forces(sim));
    assert_true(oct_forces_fresh(sim->domain));
    oct_domain_restrict(sim->domain, set);
    ref_ok(oct_sim_forces(sim));
    assert_true(oct_forces_fresh(sim->domain));
    oct_set_free(set);
    oct_sim_free(sim);
}

static void what_is_for_all_is_refused(void **state)
{
    oct_set *set = NULL;
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                           "units: solar\nmodels: [galaxy-of-systems: {systems: 3, bodies: 2}]\n"
                           "gravity: {method: systems}\nintegrator: {dt: 1}\nrun: {until: 1}\n");
    assert_int_equal(oct_set_create(&set, sim->domain), OCT_STATUS_INPUT);
    assert_null(set);
    ref_says("gravity systems is for all bodies at once");
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_sums_are_those_of_all),
        cmocka_unit_test(tiles_are_those_of_all),
        cmocka_unit_test(walks_are_those_of_all),
        cmocka_unit_test(bodies_that_are_far_apart_walk_alone),
        cmocka_unit_test(forces_of_the_user_too),
        cmocka_unit_test(kicks_and_drifts_move_who_is_meant),
        cmocka_unit_test(all_drift_after_a_kick_of_some),
        cmocka_unit_test(lists_are_those_of_a_loop),
        cmocka_unit_test(forces_of_a_set_are_not_those_of_all),
        cmocka_unit_test(what_is_for_all_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
