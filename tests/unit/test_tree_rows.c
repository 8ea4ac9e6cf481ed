/* Rows of siblings against the cells that they repeat. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene_sim.h"
#include "tree_ref.h"

enum { NUMBERS = 9, FEW = 2 };

/* A row as kernels/tree_rows.clh says it lies in memory. */
typedef struct layout {
    const unsigned char *rows;
    size_t real, force, slot, boxes;
} layout;

static double number_at(const unsigned char *at, size_t size)
{
    double wide;
    float narrow;
    memcpy(size == sizeof wide ? (void *)&wide : (void *)&narrow, at, size);
    return size == sizeof wide ? wide : (double)narrow;
}

static uint32_t word_slot(uint32_t word)
{
    return word & 0x0fffffff;
}

static uint32_t word_count(uint32_t word)
{
    return (word >> 28 & 7) + 1;
}

/* Child k of the n in the row at a slot is this cell. */
static void compare_child(const ref_tree *t, const layout *l, uint32_t slot, uint32_t k, uint32_t n,
                          uint32_t cell, const uint32_t *row_of)
{
    const unsigned char *row = l->rows + l->slot * slot, *forces = row + 3 * n * l->real;
    const double *m = t->mass + 4 * (size_t)cell, *q = t->quad + 8 * (size_t)cell;
    const double *box = t->box + 8 * (size_t)cell;
    bool leaf = (t->links[cell].count & REF_LEAF_BIT) != 0;
    double reach = leaf && ref_cell_count(t->links[cell]) <= FEW ? INFINITY : q[6];
    const double expected[NUMBERS] = {m[3], reach, q[7], q[0], q[1], q[2], q[3], q[4], q[5]};
    for (size_t i = 0; i < 3; i++)
        assert_true(number_at(row + (i * n + k) * l->real, l->real) == m[i]);
    for (size_t i = 0; i < NUMBERS; i++) {
        double got = number_at(forces + (i * n + k) * l->force, l->force);
        assert_true(i == 0 ? fabs(got - m[3]) <= 1e-6 * m[3] : got == expected[i]);
    }
    for (size_t i = 0; i < l->boxes; i++)
        assert_true(number_at(forces + ((NUMBERS + i) * n + k) * l->force, l->force) ==
                    box[i < 3 ? i : i + 1]);
    uint32_t word;
    memcpy(&word, forces + (NUMBERS + l->boxes) * n * l->force + k * sizeof word, sizeof word);
    assert_int_equal(word, leaf ? REF_LEAF_BIT | cell : row_of[cell]);
}

static void compare_rows(ref_shape shape, oct_precision precision, oct_criterion criterion)
{
    oct_sim *sim = ref_tree_sim(shape, 3000, precision, 0);
    ref_tree t = ref_tree_build_rows(sim, criterion);
    bool boxes = criterion == OCT_CRITERION_MIN_DISTANCE;
    layout l = {.real = oct_real_size(precision), .force = oct_force_size(precision)};
    l.boxes = boxes ? 6 : 0;
    l.slot = (boxes ? 32 : 16) * l.force;
    unsigned char *rows = ref_download(t.tree->rows, t.cells * l.slot / l.force);
    uint32_t *row_of = ref_download(t.tree->row_of, t.cells);
    unsigned char *used = calloc(t.cells, 1);
    assert_non_null(used);
    l.rows = rows;
    compare_child(&t, &l, 0, 0, 1, 0, row_of);
    used[0] = 1;
    for (uint32_t cell = 0; cell < t.cells; cell++) {
        uint32_t slot = word_slot(row_of[cell]), n = word_count(row_of[cell]), k = 0;
        if (t.links[cell].count & REF_LEAF_BIT)
            continue;
        for (uint32_t child = cell + 1; child != t.links[cell].next; child = t.links[child].next) {
            assert_true(k < n && slot + k < t.cells && !used[slot + k]);
            used[slot + k] = 1;
            compare_child(&t, &l, slot, k++, n, child, row_of);
        }
        assert_int_equal(k, n);
    }
    for (uint32_t slot = 0; slot < t.cells; slot++)
        assert_true(used[slot]);
    free(used);
    free(row_of);
    free(rows);
    ref_tree_clear(&t);
    oct_sim_free(sim);
}

static void rows_repeat_the_cells(void **state)
{
    static const ref_shape shapes[] = {REF_SHAPE_PLUMMER, REF_SHAPE_LINE, REF_SHAPE_SPOT,
                                       REF_SHAPE_POINT};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
            compare_rows(shapes[s], (oct_precision)p, OCT_CRITERION_OFFSET);
    compare_rows(REF_SHAPE_PLUMMER, OCT_PRECISION_MIXED, OCT_CRITERION_MIN_DISTANCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_repeat_the_cells),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
