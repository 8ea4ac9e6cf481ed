/* The structure of the octree, for any distribution of particles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arrays.h"
#include "diag_ref.h"
#include "scene_sim.h"
#include "tree_ref.h"

/* The cell of the finest grid that a particle is in, as the kernel computes it; a state in single
 * precision has another rounding. */
static void grid_cell(uint32_t out[3], const ref_tree *t, uint32_t i)
{
    const double *low = t->bounds, *high = t->bounds + 4;
    double side = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    double cells = (double)(1 << REF_DEEPEST), unit = side > 0 ? cells / side : 0;
    for (uint32_t k = 0; k < 3; k++)
        out[k] = (uint32_t)fmin((t->sorted[4 * i + k] - low[k]) * unit, cells - 1);
}

/* Particles are a permutation in the order of their keys; removed ones have the last key. */
static void check_order(const ref_tree *t)
{
    uint8_t *seen = array_alloc(t->n, 1), *type = ref_download(t->sim->domain->type, t->n);
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t from = t->order[i];
        assert_true(from < t->n && !seen[from]);
        seen[from] = 1;
        assert_true(i == 0 || t->keys[i - 1] <= t->keys[i]);
        if (type[from] == OCT_TYPE_REMOVED)
            assert_true(t->keys[i] == REF_LAST_KEY && t->sorted[4 * i + 3] == 0);
        else
            assert_memory_equal(t->sorted + 4 * i, t->position + 4 * from, 4 * sizeof(double));
    }
    free(seen);
    free(type);
}

/* A cell holds all the particles whose keys agree in its prefix, and no others; they are the
 * particles in one cell of the grid of its level. */
static void check_prefix(const ref_tree *t, uint32_t cell, bool geometry)
{
    ref_link link = t->links[cell];
    uint32_t first = link.first, end = first + ref_cell_count(link);
    int shift = 3 * (REF_DEEPEST - t->level[cell]), coarse = REF_DEEPEST - t->level[cell];
    uint64_t prefix = t->keys[first] >> shift;
    assert_true(t->keys[end - 1] >> shift == prefix);
    assert_true(first == 0 || t->keys[first - 1] >> shift != prefix);
    assert_true(end == t->n || t->keys[end] >> shift != prefix);
    uint32_t corner[3], other[3];
    for (uint32_t i = first; geometry && i < end; i++) {
        grid_cell(i == first ? corner : other, t, i);
        for (int k = 0; i > first && k < 3; k++)
            assert_true(corner[k] >> coarse == other[k] >> coarse);
    }
}

/* Children follow each other in the cell and in memory, and lie in different octants. */
static void check_children(const ref_tree *t, uint32_t cell, bool geometry)
{
    ref_link link = t->links[cell];
    uint32_t at = link.first, child = cell + 1, children = 0;
    unsigned octants = 0;
    for (; child != link.next; child = t->links[child].next, children++) {
        assert_true(child > cell && child < link.next);
        assert_int_equal(t->links[child].parent, cell);
        assert_int_equal(t->links[child].first, at);
        assert_int_equal(t->level[child], t->level[cell] + 1);
        at += ref_cell_count(t->links[child]);
        if (geometry) {
            uint32_t x[3], bit = REF_DEEPEST - t->level[child];
            grid_cell(x, t, t->links[child].first);
            unsigned octant =
                1u << ((x[0] >> bit & 1) | (x[1] >> bit & 1) << 1 | (x[2] >> bit & 1) << 2);
            assert_false(octants & octant);
            octants |= octant;
        }
    }
    assert_int_equal(at, link.first + ref_cell_count(link));
    assert_true(children >= 1 && children <= 8);
}

static void check_structure(const ref_tree *t, bool geometry)
{
    uint32_t in_leaves = 0;
    check_order(t);
    assert_true(t->cells > 0 && t->links[0].first == 0 && ref_cell_count(t->links[0]) == t->n);
    assert_true(t->links[0].next == t->cells && t->links[0].parent == REF_NO_CELL);
    assert_int_equal(t->level[0], 0);
    for (uint32_t cell = 0; cell < t->cells; cell++) {
        ref_link link = t->links[cell];
        uint32_t count = ref_cell_count(link);
        assert_true(t->level[cell] <= REF_DEEPEST && count > 0);
        assert_true(link.next > cell && link.next <= t->cells);
        check_prefix(t, cell, geometry);
        if (link.count & REF_LEAF_BIT) {
            assert_true(count <= REF_LEAF || t->level[cell] == REF_DEEPEST);
            assert_int_equal(link.next, cell + 1);
            /* Leaves come in the order of their particles, each particle in one. */
            assert_int_equal(link.first, in_leaves);
            in_leaves += count;
        } else {
            assert_true(count > REF_LEAF && t->level[cell] < REF_DEEPEST);
            check_children(t, cell, geometry);
        }
    }
    assert_int_equal(in_leaves, t->n);
}

static void check_shape(ref_shape kind, uint32_t n, oct_curve curve, oct_precision precision)
{
    oct_sim *sim = ref_tree_sim(kind, n, precision, 0);
    ref_tree t = ref_tree_build(sim, curve, OCT_CRITERION_OFFSET);
    check_structure(&t, precision != OCT_PRECISION_SINGLE);
    print_message("%-16s %7u particles: %u cells\n", ref_shape_names[kind], (unsigned)n,
                  (unsigned)t.cells);
    ref_tree_clear(&t);
    oct_sim_free(sim);
}

static void every_shape_makes_a_proper_tree(void **state)
{
    (void)state;
    for (int kind = 0; kind < REF_SHAPES; kind++)
        for (int curve = 0; curve < 2; curve++)
            check_shape((ref_shape)kind, kind == REF_SHAPE_GRID ? 4096 : 5000, (oct_curve)curve,
                        OCT_PRECISION_MIXED);
}

static void any_number_makes_a_proper_tree(void **state)
{
    static const uint32_t sizes[] = {1, 2, REF_LEAF, REF_LEAF + 1, 63, 64, 65, 1000};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check_shape(REF_SHAPE_CUBE, sizes[i], OCT_CURVE_HILBERT, OCT_PRECISION_SINGLE);
        check_shape(REF_SHAPE_POINT, sizes[i], OCT_CURVE_HILBERT, OCT_PRECISION_DOUBLE);
    }
    check_shape(REF_SHAPE_SPOT, 1000000, OCT_CURVE_HILBERT, OCT_PRECISION_SINGLE);
}

/* Leaves that are counted where they are made, one block and several, some of more than 256. */
static void leaves_are_counted_in_one_launch(void **state)
{
    static const uint32_t sizes[] = {1, 255, 257, 5000, 300000};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        oct_sim *sim = ref_tree_sim(REF_SHAPE_PLUMMER, sizes[i], OCT_PRECISION_MIXED, 0);
        ref_tree t = ref_tree_build_scanned(sim);
        assert_non_null(t.tree->scanned);
        check_structure(&t, true);
        ref_tree_clear(&t);
        t = ref_tree_build_scanned(sim);
        check_structure(&t, true);
        ref_tree_clear(&t);
        oct_sim_free(sim);
    }
}

/* A tree of particles where the function has them. */
static ref_tree tree_of(oct_sim **sim, uint32_t n, oct_criterion criterion,
                        void place(double out[3], uint32_t i))
{
    oct_bodies bodies = {0};
    *sim = ref_tree_sim(REF_SHAPE_CUBE, n, OCT_PRECISION_MIXED, 0);
    ref_ok(oct_sim_bodies(&bodies, *sim));
    for (uint32_t i = 0; i < n; i++)
        place(bodies.position + 3 * (size_t)i, i);
    ref_ok(oct_sim_upload(*sim, &bodies));
    oct_bodies_clear(&bodies);
    return ref_tree_build(*sim, OCT_CURVE_HILBERT, criterion);
}

static uint32_t sides[3];

static void on_grid(double out[3], uint32_t i)
{
    for (int k = 0; k < 3; k++, i /= sides[k - 1])
        out[k] = i % sides[k];
}

/* Every step along the curve is to a cell with a common face, and all cells are visited, however
 * thin the grid and whichever way it lies; `geometric` has cubic cells in thin sheets, too. */
static void hilbert_visits_neighbours(void **state)
{
    static const uint32_t grids[][3] = {{16, 16, 16}, {64, 64, 1}, {1, 64, 64}, {64, 1, 64},
                                        {64, 32, 2},  {2, 32, 64}, {8, 2, 256}, {1, 4096, 1},
                                        {4, 1024, 1}, {4, 4, 256}, {32, 16, 8}};
    (void)state;
    for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
        oct_sim *sim;
        for (int k = 0; k < 3; k++)
            sides[k] = grids[g][k];
        ref_tree t = tree_of(&sim, 4096, OCT_CRITERION_GEOMETRIC, on_grid);
        check_structure(&t, true);
        for (uint32_t i = 1; i < t.n; i++) {
            double step = 0;
            for (uint32_t k = 0; k < 3; k++)
                step += fabs(t.sorted[4 * i + k] - t.sorted[4 * (i - 1) + k]);
            assert_true(step == 1);
        }
        ref_tree_clear(&t);
        oct_sim_free(sim);
    }
}

static double thickness[3];

static void at_random(double out[3], uint32_t i)
{
    uint64_t random = i + 1;
    for (int k = 0; k < 3; k++)
        out[k] = thickness[k] * ref_uniform(&random);
}

/* The widest extent of a run of 64 particles in the order of the curve. */
static double widest_run(const ref_tree *t)
{
    double widest = 0;
    for (uint32_t first = 0; first + 64 <= t->n; first += 64)
        for (uint32_t k = 0; k < 3; k++) {
            double low = INFINITY, high = -INFINITY;
            for (uint32_t i = first; i < first + 64; i++) {
                low = fmin(low, t->sorted[4 * i + k]);
                high = fmax(high, t->sorted[4 * i + k]);
            }
            widest = fmax(widest, high - low);
        }
    return widest;
}

/* In a sheet, or a needle, whichever way it lies: what the walk's time hangs on. */
static void runs_along_the_curve_hold_together(void **state)
{
    enum { N = 16384 };
    (void)state;
    for (int shape = 0; shape < 6; shape++) {
        oct_sim *sim;
        bool needle = shape >= 3;
        for (int k = 0; k < 3; k++)
            thickness[k] = (shape % 3 == k) != needle ? 1e-3 : 1;
        ref_tree t = tree_of(&sim, N, OCT_CRITERION_OFFSET, at_random);
        double ideal = needle ? 64.0 / N : sqrt(64.0 / N), widest = widest_run(&t) / ideal;
        print_message("%s %d: the widest run is %.1f times as wide as an ideal one\n",
                      needle ? "needle" : "sheet", shape % 3, widest);
        assert_true(widest < 3); /* seen: 2.0; by the curve of three dimensions up to 8.0 */
        ref_tree_clear(&t);
        oct_sim_free(sim);
    }
}

static double deviation; /* along the axis whose thickness is 0 */

/* The sum of twelve is as good as normal. */
static void in_a_sheet(double out[3], uint32_t i)
{
    uint64_t random = (i + 1) * 0x9e3779b97f4a7c15;
    for (int k = 0; k < 3; k++) {
        double sum = -6;
        for (int s = 0; s < 12; s++)
            sum += ref_uniform(&random);
        out[k] = thickness[k] > 0 ? thickness[k] * ref_uniform(&random) : deviation * sum;
    }
}

/* Particles a leaf of a sheet that deviates so many distances between neighbours from its plane. */
static double per_leaf(double apart, int axis, oct_criterion criterion)
{
    enum { N = 24576 };
    oct_sim *sim;
    uint32_t leaves = 0;
    for (int k = 0; k < 3; k++)
        thickness[k] = k == axis ? 0 : 1;
    deviation = apart / sqrt((double)N);
    ref_tree t = tree_of(&sim, N, criterion, in_a_sheet);
    check_structure(&t, false);
    for (uint32_t cell = 0; cell < t.cells; cell++)
        leaves += (t.links[cell].count & REF_LEAF_BIT) != 0;
    ref_tree_clear(&t);
    oct_sim_free(sim);
    return (double)N / leaves;
}

/* Whichever way a sheet lies, cubic leaves, which `geometric` has, cut it into layers with few
 * particles. A thicker one has cubic leaves in any case. */
static void a_thin_sheet_is_not_cut_into_layers(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        double tall = per_leaf(0.9, axis, OCT_CRITERION_OFFSET);
        double cubic = per_leaf(0.9, axis, OCT_CRITERION_GEOMETRIC);
        print_message("thin along %d: %.2f particles a leaf, a cubic one %.2f\n", axis, tall,
                      cubic);
        assert_true(tall > 5.5 && cubic < 4); /* seen: 6.00 and 3.21 to 3.77 */
        assert_true(per_leaf(3, axis, OCT_CRITERION_OFFSET) ==
                    per_leaf(3, axis, OCT_CRITERION_GEOMETRIC));
    }
}

static void morton_interleaves_coordinates(void **state)
{
    (void)state;
    oct_sim *sim = ref_tree_sim(REF_SHAPE_CUBE, 3000, OCT_PRECISION_DOUBLE, 0);
    ref_tree t = ref_tree_build(sim, OCT_CURVE_MORTON, OCT_CRITERION_OFFSET);
    for (uint32_t i = 0; i < t.n; i++) {
        uint32_t x[3];
        uint64_t key = 0;
        grid_cell(x, &t, i);
        for (int bit = REF_DEEPEST - 1; bit >= 0; bit--)
            key = key << 3 | (x[0] >> bit & 1) << 2 | (x[1] >> bit & 1) << 1 | (x[2] >> bit & 1);
        assert_true(t.keys[i] == key);
    }
    ref_tree_clear(&t);
    oct_sim_free(sim);
}

/* Removed particles are sorted to the end and widen no cell: the tree of the others stays tight. */
static void removed_particles_widen_no_cell(void **state)
{
    (void)state;
    for (int kind = 0; kind < REF_SHAPES; kind++) {
        oct_sim *sim = ref_tree_sim((ref_shape)kind, 4096, OCT_PRECISION_MIXED, 3);
        ref_tree t = ref_tree_build(sim, OCT_CURVE_HILBERT, OCT_CRITERION_OFFSET);
        check_structure(&t, false);
        for (uint32_t i = 0; i < t.n; i++)
            for (uint32_t k = 0; k < 3; k++) {
                assert_true(t.sorted[4 * i + k] >= t.bounds[k]);
                assert_true(t.sorted[4 * i + k] <= t.bounds[4 + k]);
            }
        ref_tree_clear(&t);
        oct_sim_free(sim);
    }
}

static void a_tree_of_removed_particles_has_no_mass(void **state)
{
    (void)state;
    oct_sim *sim = ref_tree_sim(REF_SHAPE_CUBE, 100, OCT_PRECISION_MIXED, 1);
    ref_tree t = ref_tree_build(sim, OCT_CURVE_HILBERT, OCT_CRITERION_OFFSET);
    check_structure(&t, false);
    for (size_t cell = 0; cell < t.cells; cell++)
        assert_true(t.mass[4 * cell + 3] == 0 && isfinite(t.mass[4 * cell]));
    ref_tree_clear(&t);
    oct_sim_free(sim);
}

/* The same particles give the same tree, bit for bit, whoever comes last in a cell. */
static void two_builds_give_the_same_bits(void **state)
{
    (void)state;
    oct_sim *sim = ref_tree_sim(REF_SHAPE_PLUMMER, 20000, OCT_PRECISION_MIXED, 0);
    ref_tree a = ref_tree_build(sim, OCT_CURVE_HILBERT, OCT_CRITERION_OFFSET);
    ref_tree b = ref_tree_build(sim, OCT_CURVE_HILBERT, OCT_CRITERION_OFFSET);
    assert_int_equal(a.cells, b.cells);
    assert_memory_equal(a.links, b.links, a.cells * sizeof *a.links);
    assert_memory_equal(a.mass, b.mass, 4 * a.cells * sizeof *a.mass);
    assert_memory_equal(a.quad, b.quad, 8 * a.cells * sizeof *a.quad);
    assert_memory_equal(a.box, b.box, 8 * a.cells * sizeof *a.box);
    ref_tree_clear(&a);
    ref_tree_clear(&b);
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_makes_a_proper_tree),
        cmocka_unit_test(any_number_makes_a_proper_tree),
        cmocka_unit_test(leaves_are_counted_in_one_launch),
        cmocka_unit_test(hilbert_visits_neighbours),
        cmocka_unit_test(runs_along_the_curve_hold_together),
        cmocka_unit_test(a_thin_sheet_is_not_cut_into_layers),
        cmocka_unit_test(morton_interleaves_coordinates),
        cmocka_unit_test(removed_particles_widen_no_cell),
        cmocka_unit_test(a_tree_of_removed_particles_has_no_mass),
        cmocka_unit_test(two_builds_give_the_same_bits),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
