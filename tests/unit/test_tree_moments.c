/* Moments of the cells against sums over their particles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene_sim.h"
#include "tree_ref.h"

/* A cell's moments, summed over its particles in double: about a given centre, in scene units. */
typedef struct brute {
    double mass, centre[3], quad[5], trace, low[3], high[3], radius;
} brute;

static brute sum_cell(const ref_tree *t, ref_link link, const double *about)
{
    static const int rows[5][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}};
    brute b = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    const double *origin = t->sorted + 4 * (size_t)link.first;
    for (size_t i = link.first; i < link.first + ref_cell_count(link); i++) {
        double m = t->sorted[4 * i + 3], d[3], r2 = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = t->sorted[4 * i + (size_t)k] - about[k];
            r2 += d[k] * d[k];
            b.low[k] = fmin(b.low[k], d[k]);
            b.high[k] = fmax(b.high[k], d[k]);
            b.centre[k] += m * (t->sorted[4 * i + (size_t)k] - origin[k]);
        }
        b.trace += m * r2;
        for (int q = 0; q < 5; q++)
            b.quad[q] +=
                m * (3 * d[rows[q][0]] * d[rows[q][1]] - (rows[q][0] == rows[q][1] ? r2 : 0));
        b.mass += m;
        b.radius = fmax(b.radius, t->velocity[4 * (size_t)t->order[i] + 3]);
    }
    for (int k = 0; k < 3; k++)
        b.centre[k] = origin[k] + b.centre[k] / b.mass;
    return b;
}

/* Largest errors over all cells: mass, place and largest radius (with the box) relative to
 * themselves; quadrupole, box, reach and extent relative to what the size of the cell makes of
 * them. */
typedef struct moment_errors {
    double mass, centre, quad, trace, box, reach;
} moment_errors;

static void worst(double *error, double value)
{
    /* What is no number is the worst. */
    *error = isnan(value) ? INFINITY : fmax(*error, value);
}

/* l / theta + s with the cube that the cell's first particle lies in. */
static double geometric_reach(const ref_tree *t, uint32_t cell, double side)
{
    const double *x = t->sorted + 4 * (size_t)t->links[cell].first, *m = t->mass + 4 * (size_t)cell;
    double off2 = 0, last = ldexp(1, t->level[cell]) - 1;
    for (int k = 0; k < 3; k++) {
        double place = side > 0 ? fmin(floor((x[k] - t->bounds[k]) / side), last) : 0;
        off2 += pow(m[k] - t->bounds[k] - (place + 0.5) * side, 2);
    }
    return side / t->tree->options.theta + sqrt(off2);
}

static void compare_cell(moment_errors *e, const ref_tree *t, uint32_t cell, double coordinates)
{
    const double *m = t->mass + 4 * (size_t)cell, *q = t->quad + 8 * (size_t)cell;
    const double *box = t->box + 8 * (size_t)cell;
    double length = t->sim->length_scale, mass = t->sim->mass_scale;
    brute b = sum_cell(t, t->links[cell], m);
    double size = 0, offset2 = 0, corner2 = 0;
    for (int k = 0; k < 3; k++) {
        size = fmax(size, b.high[k] - b.low[k]);
        offset2 += pow((b.high[k] + b.low[k]) / 2, 2);
        corner2 += pow(fmax(fabs(b.high[k]), fabs(b.low[k])), 2);
        worst(&e->centre, fabs(m[k] - b.centre[k]) / coordinates);
    }
    worst(&e->mass, fabs(m[3] * mass / b.mass - 1));
    /* Rounding of places is no fault of the moments: in float a cell has a size of its own only
     * where it is much larger than that. */
    double unit = fmax(size, t->sim->precision == OCT_PRECISION_SINGLE ? 1e-3 * coordinates : 0);
    if (unit == 0)
        unit = coordinates;
    for (int i = 0; i < 5; i++)
        worst(&e->quad, fabs(q[i] * mass * length * length - b.quad[i]) / (b.mass * unit * unit));
    worst(&e->trace, fabs(q[5] * mass * length * length - b.trace) / (b.mass * unit * unit));
    for (int k = 0; k < 3; k++) {
        worst(&e->box, fabs(box[k] * length - b.low[k]) / unit);
        worst(&e->box, fabs(box[4 + k] * length - b.high[k]) / unit);
    }
    double side = fmax(t->bounds[4] - t->bounds[0],
                       fmax(t->bounds[5] - t->bounds[1], t->bounds[6] - t->bounds[2]));
    double reach = size / t->tree->options.theta;
    if (t->tree->options.criterion == OCT_CRITERION_GEOMETRIC)
        reach = geometric_reach(t, cell, ldexp(side, -t->level[cell]));
    else if (t->tree->options.criterion != OCT_CRITERION_MIN_DISTANCE)
        reach += sqrt(offset2);
    worst(&e->reach, fabs(q[6] * length - reach) / fmax(unit, reach));
    worst(&e->reach, fabs(q[7] * length - sqrt(corner2)) / unit);
    worst(&e->box, fabs(box[3] * length / b.radius - 1));
}

static moment_errors compare_moments(const ref_tree *t)
{
    moment_errors e = {0};
    double coordinates = 0;
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = 0; k < 3; k++)
            coordinates = fmax(coordinates, fabs(t->sorted[4 * i + k]));
    for (uint32_t cell = 0; cell < t->cells; cell++)
        compare_cell(&e, t, cell, coordinates);
    return e;
}

/* The largest errors that may be, by precision; below each, the largest seen. A centre of mass that
 * is rounded in a state of floats moves the quadrupole of a small cell. */
static const moment_errors tolerances[] = {
    [OCT_PRECISION_SINGLE] = {1e-6, 3e-7, 1e-4, 1e-4, 3e-7, 3e-5},
    /*                        3e-7, 7e-8, 1.2e-5, 5.9e-6, 7e-8, 8.0e-6 */
    [OCT_PRECISION_MIXED] = {2e-14, 1e-14, 5e-7, 6e-7, 3e-7, 1e-6},
    /*                       3.6e-15, 2.1e-15, 9e-8, 1.5e-7, 6e-8, 2.9e-7 */
    [OCT_PRECISION_DOUBLE] = {2e-14, 1e-14, 1e-10, 1e-10, 2e-15, 1e-13},
    /*                        3.6e-15, 2.1e-15, 2.5e-11, 2.3e-16, 1.9e-16, 8.7e-15 */
};

static void check_moments(ref_shape kind, uint32_t n, oct_criterion criterion,
                          oct_precision precision)
{
    const moment_errors *most = &tolerances[precision];
    oct_sim *sim = ref_tree_sim(kind, n, precision, 0);
    ref_tree t = ref_tree_build(sim, OCT_CURVE_HILBERT, criterion);
    moment_errors e = compare_moments(&t);
    print_message("%-6s %-16s mass %.1e centre %.1e quad %.1e trace %.1e box %.1e reach %.1e\n",
                  oct_precision_name(precision), ref_shape_names[kind], e.mass, e.centre, e.quad,
                  e.trace, e.box, e.reach);
    assert_true(e.mass <= most->mass && e.centre <= most->centre && e.quad <= most->quad);
    assert_true(e.trace <= most->trace && e.box <= most->box && e.reach <= most->reach);
    ref_tree_clear(&t);
    oct_sim_free(sim);
}

static void moments_are_those_of_the_particles(void **state)
{
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
        for (int kind = 0; kind < REF_SHAPES; kind++)
            check_moments((ref_shape)kind, kind == REF_SHAPE_GRID ? 4096 : 5000,
                          OCT_CRITERION_OFFSET, (oct_precision)p);
}

static void cells_reach_as_far_as_the_criterion_says(void **state)
{
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
        for (int c = OCT_CRITERION_OFFSET; c <= OCT_CRITERION_RELATIVE; c++)
            check_moments(REF_SHAPE_PLUMMER, 3000, (oct_criterion)c, (oct_precision)p);
}

static void a_pass_a_level_gives_the_same_bits(void **state)
{
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
        for (int kind = 0; kind < REF_SHAPES; kind++) {
            uint32_t n = kind == REF_SHAPE_GRID ? 4096 : 5000;
            oct_sim *sims[2];
            ref_tree t[2];
            for (int i = 0; i < 2; i++)
                sims[i] = ref_tree_sim((ref_shape)kind, n, (oct_precision)p, 0);
            t[0] = ref_tree_build(sims[0], OCT_CURVE_HILBERT, OCT_CRITERION_OFFSET);
            t[1] = ref_tree_build_portable(sims[1], OCT_CURVE_HILBERT, OCT_CRITERION_OFFSET);
            assert_int_equal(t[0].cells, t[1].cells);
            size_t cells = t[0].cells;
            assert_memory_equal(t[0].mass, t[1].mass, 4 * cells * sizeof(double));
            assert_memory_equal(t[0].quad, t[1].quad, 8 * cells * sizeof(double));
            assert_memory_equal(t[0].box, t[1].box, 8 * cells * sizeof(double));
            for (int i = 0; i < 2; i++) {
                ref_tree_clear(&t[i]);
                oct_sim_free(sims[i]);
            }
        }
}

static void a_million_in_a_spot_make_a_small_tree(void **state)
{
    (void)state;
    oct_sim *sim = ref_tree_sim(REF_SHAPE_SPOT, 1000000, OCT_PRECISION_SINGLE, 0);
    ref_tree t = ref_tree_build(sim, OCT_CURVE_HILBERT, OCT_CRITERION_OFFSET);
    /* A chain down to the deepest level, and the few around it. */
    assert_true(t.cells < 200);
    moment_errors e = compare_moments(&t);
    print_message("a million in a spot: mass %.1e, centre %.1e\n", e.mass, e.centre);
    assert_true(e.mass < 1e-6 && e.centre < 1e-6); /* seen: 4.2e-8, 3.2e-8 */
    ref_tree_clear(&t);
    oct_sim_free(sim);
}

static void a_single_particle_is_its_own_centre(void **state)
{
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
        oct_sim *sim = ref_tree_sim(REF_SHAPE_CUBE, 1, (oct_precision)p, 0);
        ref_tree t = ref_tree_build(sim, OCT_CURVE_HILBERT, OCT_CRITERION_OFFSET);
        assert_int_equal(t.cells, 1);
        for (int k = 0; k < 3; k++)
            assert_true(t.mass[k] == t.position[k] && t.box[k] == 0 && t.box[4 + k] == 0);
        for (int i = 0; i < 7; i++)
            assert_true(t.quad[i] == 0);
        ref_tree_clear(&t);
        oct_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_those_of_the_particles),
        cmocka_unit_test(a_pass_a_level_gives_the_same_bits),
        cmocka_unit_test(cells_reach_as_far_as_the_criterion_says),
        cmocka_unit_test(a_single_particle_is_its_own_centre),
        cmocka_unit_test(a_million_in_a_spot_make_a_small_tree),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
