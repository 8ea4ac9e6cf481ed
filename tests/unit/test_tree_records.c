/* Records of cells: every cell has one, its children side by side, with what a test needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arrays.h"
#include "scene_sim.h"
#include "tree_ref.h"

/* As in kernels/tree_records.cl. */
typedef struct record {
    uint32_t size, first, count, cell;
} record;

static uint32_t count_children(const ref_tree *t, uint32_t cell)
{
    uint32_t n = 0;
    for (uint32_t child = cell + 1; child < t->links[cell].next; child = t->links[child].next)
        n++;
    return n;
}

/* Moments that move are where the record is, and the cell is not named: which it is follows from
 * the order of siblings. */
static void find_cells(const ref_tree *t, record *records, const double *moved)
{
    uint32_t *cell = array_alloc(t->cells, sizeof *cell);
    cell[0] = 0;
    for (uint32_t at = 0; at < t->cells; at++) {
        assert_int_equal(records[at].cell, at);
        /* Parents come before their children. */
        uint32_t child = cell[at] + 1;
        for (uint32_t k = 0; !(records[at].count & REF_LEAF_BIT) && k < records[at].count; k++) {
            assert_true(records[at].first + k > at && records[at].first + k < t->cells);
            cell[records[at].first + k] = child;
            child = t->links[child].next;
        }
        assert_memory_equal(moved + 8 * (size_t)at, t->quad + 8 * (size_t)cell[at],
                            8 * sizeof *moved);
    }
    for (uint32_t at = 0; at < t->cells; at++)
        records[at].cell = cell[at];
    free(cell);
}

static void check_record(const ref_tree *t, const record *records, const double *place, uint32_t at,
                         oct_criterion criterion)
{
    const record *r = &records[at];
    const ref_link *link = &t->links[r->cell];
    float size;
    memcpy(&size, &r->size, sizeof size);
    assert_true(
        size ==
        (float)t->quad[8 * (size_t)r->cell + (criterion == OCT_CRITERION_RELATIVE ? 7 : 6)]);
    assert_memory_equal(place + 4 * (size_t)at, t->mass + 4 * (size_t)r->cell, 4 * sizeof *place);
    if (link->count & REF_LEAF_BIT) {
        assert_int_equal(r->count, link->count);
        assert_int_equal(r->first, link->first);
        return;
    }
    assert_int_equal(r->count, count_children(t, r->cell));
    uint32_t child = r->cell + 1;
    for (uint32_t k = 0; k < r->count; k++) {
        assert_true(r->first + k < t->cells);
        assert_int_equal(records[r->first + k].cell, child);
        child = t->links[child].next;
    }
}

static void check_shape(ref_shape shape, uint32_t n, oct_criterion criterion, bool moves)
{
    oct_sim *sim = ref_tree_sim(shape, n, OCT_PRECISION_DOUBLE, 0);
    ref_tree t = ref_tree_build_records(sim, criterion, moves);
    record *records = ref_download(t.tree->test, t.cells);
    double *place = ref_download(t.tree->place, t.cells);
    uint8_t *seen = array_alloc(t.cells, 1);
    memset(seen, 0, t.cells);
    assert_true(moves == (t.tree->moved != NULL));
    if (moves) {
        double *moved = ref_download(t.tree->moved, t.cells);
        find_cells(&t, records, moved);
        free(moved);
    }
    for (uint32_t at = 0; at < t.cells; at++) {
        assert_true(records[at].cell < t.cells);
        assert_int_equal(seen[records[at].cell]++, 0);
        check_record(&t, records, place, at, criterion);
    }
    assert_int_equal(records[0].cell, 0);
    free(records);
    free(place);
    free(seen);
    ref_tree_clear(&t);
    oct_sim_free(sim);
}

static void every_cell_has_a_record_beside_its_siblings(void **state)
{
    static const uint32_t sizes[] = {1, 2, 17, 1000, 20000};
    (void)state;
    for (int shape = 0; shape < REF_SHAPES; shape++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            check_shape((ref_shape)shape, sizes[s],
                        s % 2 ? OCT_CRITERION_RELATIVE : OCT_CRITERION_OFFSET,
                        ((size_t)shape + s / 2) % 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_has_a_record_beside_its_siblings),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
