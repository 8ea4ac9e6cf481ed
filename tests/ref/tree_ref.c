/* Builds a tree with a simulation's own code and reads its arrays. */
#include "tree_ref.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arrays.h"
#include "scene_sim.h"
#include "util/random.h"

/* `columns` numbers a row, of the state's precision or of forces, as double. */
static double *download(oct_buffer *buffer, size_t rows, size_t columns)
{
    bool wide = buffer->element == columns * sizeof(double);
    double *out = array_alloc(rows * columns, sizeof *out);
    void *raw = wide ? (void *)out : array_alloc(rows * columns, sizeof(float));
    ref_ok(oct_buffer_read(raw, buffer, 0, rows));
    if (!wide) {
        for (size_t i = 0; i < rows * columns; i++)
            out[i] = (double)((const float *)raw)[i];
        free(raw);
    }
    return out;
}

void *ref_download(oct_buffer *buffer, size_t rows)
{
    void *out = array_alloc(rows, buffer->element);
    ref_ok(oct_buffer_read(out, buffer, 0, rows));
    return out;
}

const char *const ref_shape_names[REF_SHAPES] = {
    "cube", "plummer", "two far clusters", "line", "plane", "point", "spot", "powers", "grid"};

static void place(double x[3], ref_shape kind, size_t i)
{
    oct_random random = oct_random_start(5, (uint32_t)kind, i);
    double u[3];
    for (int k = 0; k < 3; k++)
        u[k] = oct_random_uniform(&random);
    double radius = 1 / sqrt(pow(u[0], -2.0 / 3) - 1);
    memcpy(x, u, sizeof u);
    switch (kind) {
    case REF_SHAPE_PLUMMER:
        oct_random_direction(x, &random);
        for (int k = 0; k < 3; k++)
            x[k] *= fmin(radius, 20);
        break;
    case REF_SHAPE_FAR_CLUSTERS:
        x[1] += i % 2 ? 1e6 : 0;
        break;
    case REF_SHAPE_LINE:
        x[1] = x[2] = x[0] / 3;
        break;
    case REF_SHAPE_PLANE:
        x[2] = 0.25;
        break;
    case REF_SHAPE_POINT:
        x[0] = x[1] = x[2] = 0.7;
        break;
    case REF_SHAPE_SPOT:
        for (int k = 0; k < 3; k++)
            x[k] = i < 10 ? x[k] : 0.3 + 1e-9 * x[k];
        break;
    case REF_SHAPE_POWERS:
        for (int k = 0; k < 3; k++)
            x[k] = ldexp(1, -(int)(u[k] * 30));
        break;
    case REF_SHAPE_GRID:
        for (int k = 0; k < 3; k++)
            x[k] = (double)(i >> (4 * k) & 15);
        break;
    case REF_SHAPE_CUBE:
    case REF_SHAPES:
        break;
    }
}

/* The power of two at or below x, as simulations choose their scales. */
static double power_of_two(double x)
{
    return x > 0 ? exp2(floor(log2(x))) : 1;
}

oct_sim *ref_tree_sim(ref_shape kind, uint32_t n, oct_precision precision, uint32_t removed)
{
    oct_bodies bodies = {0};
    double extent = 0, mass = 0;
    oct_sim *sim = ref_sim(precision,
                           "units: nbody\nmodels: [cold-sphere: {n: %u}]\n"
                           "gravity: {method: none}\nintegrator: {dt: 1}\nrun: {until: 1}\n",
                           (unsigned)n);
    ref_ok(oct_sim_bodies(&bodies, sim));
    for (size_t i = 0; i < n; i++) {
        oct_random random = oct_random_start(6, 0, i);
        double *x = bodies.position + 3 * i;
        place(x, kind, i);
        bodies.mass[i] = 0.5 + oct_random_uniform(&random);
        bodies.radius[i] = oct_random_uniform(&random);
        for (int k = 0; k < 3; k++)
            extent = fmax(extent, fabs(x[k] - bodies.position[k]));
        if (removed && i % removed == 0) {
            bodies.type[i] = OCT_TYPE_REMOVED;
            bodies.mass[i] = 0;
            for (int k = 0; k < 3; k++)
                x[k] += 1e4 * (1 + (double)i);
        }
        mass += bodies.mass[i];
    }
    ref_ok(oct_sim_upload(sim, &bodies));
    oct_sim_set_scales(sim, power_of_two(extent), power_of_two(mass));
    oct_bodies_clear(&bodies);
    return sim;
}

static ref_tree build(oct_sim *sim, const oct_tree_options *options)
{
    ref_tree t = {.sim = sim, .n = sim->domain->n};
    oct_tree_options apart = *options;
    apart.apart = apart.cells = true;
    ref_ok(oct_tree_share(&t.tree, sim->domain, &apart));
    ref_ok(oct_tree_update(t.tree, sim->domain));
    ref_ok(oct_buffer_read(&t.cells, t.tree->total, 0, 1));
    assert_true(t.cells <= t.tree->capacity);
    t.position = download(sim->domain->position, t.n, 4);
    t.velocity = download(sim->domain->velocity, t.n, 4);
    t.sorted = download(t.tree->sorted, t.n, 4);
    t.bounds = download(t.tree->bounds, 2, 4);
    t.keys = ref_download(t.tree->keys, t.n);
    /* The bit above those of the levels marks removed particles. */
    for (uint32_t i = 0; i < t.n; i++)
        t.keys[i] &= REF_LAST_KEY;
    t.order = ref_download(t.tree->order, t.n);
    t.links = ref_download(t.tree->links, t.cells);
    t.level = ref_download(t.tree->level_of, t.cells);
    t.mass = download(t.tree->mass, t.cells, 4);
    t.quad = download(t.tree->quad, t.cells, 8);
    t.box = download(t.tree->box, t.cells, 8);
    if (options->thirds)
        t.third = download(t.tree->third, t.cells, 12);
    return t;
}

ref_tree ref_tree_build(oct_sim *sim, oct_curve curve, oct_criterion criterion)
{
    const oct_tree_options options = {
        .curve = curve, .criterion = criterion, .theta = 0.5, .leaf = REF_LEAF};
    return build(sim, &options);
}

ref_tree ref_tree_build_portable(oct_sim *sim, oct_curve curve, oct_criterion criterion)
{
    const oct_tree_options options = {
        .curve = curve, .criterion = criterion, .theta = 0.5, .leaf = REF_LEAF, .portable = true};
    return build(sim, &options);
}

ref_tree ref_tree_build_thirds(oct_sim *sim, bool portable)
{
    const oct_tree_options options = {
        .theta = 0.5, .leaf = REF_LEAF, .portable = portable, .thirds = true};
    return build(sim, &options);
}

ref_tree ref_tree_build_scanned(oct_sim *sim)
{
    const oct_tree_options options = {.theta = 0.5, .leaf = REF_LEAF, .scanned = true};
    return build(sim, &options);
}

ref_tree ref_tree_build_rows(oct_sim *sim, oct_criterion criterion)
{
    const oct_tree_options options = {
        .criterion = criterion, .theta = 0.5, .leaf = REF_LEAF, .rows = true};
    return build(sim, &options);
}

ref_tree ref_tree_build_records(oct_sim *sim, oct_criterion criterion, bool moves)
{
    const oct_tree_options options = {
        .criterion = criterion, .theta = 0.5, .leaf = REF_LEAF, .records = true, .lent = moves};
    return build(sim, &options);
}

void ref_tree_clear(ref_tree *t)
{
    void *const arrays[] = {t->position, t->velocity, t->sorted, t->bounds, t->keys, t->order,
                            t->links,    t->level,    t->mass,   t->quad,   t->box,  t->third};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    oct_tree_free(t->tree);
}
