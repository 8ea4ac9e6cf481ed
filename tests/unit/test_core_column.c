/* The columns of bodies: on the host, on a device, and in a state; those of the user's as ours. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sim.h"
#include "files.h"
#include "scene_sim.h"

#define COLUMNS                                                                                    \
    "columns:\n  charge: {unit: C, default: 2.5}\n  kind: {type: integer, default: -7}\n"          \
    "  axis: {width: 3}\n  cell: {type: integer, width: 3}\n"

static const char scene[] =
    "units: nbody\n" COLUMNS "models:\n  - plummer: {n: 30, columns: {charge: 0.75}}\n"
    "  - plummer: {n: 20, columns: {axis: [1, -2, 0.5], cell: 4}}\n"
    "gravity: {method: direct, softening: 0.1}\n"
    "integrator: {dt: 0.01}\nrun: {until: 1}\n";

static void every_array_of_bodies_is_in_the_table(void **state)
{
    (void)state;
    oct_bodies b = {0};
    size_t found = 0;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++)
        found += spec->host != 0;
    /* n, n_columns and columns are no arrays of the table's. */
    assert_int_equal(found, (sizeof b - 3 * sizeof(void *)) / sizeof(void *));
    assert_ptr_equal(oct_column_within(oct_column_find("position")), oct_column_find("mass"));
    assert_null(oct_column_find("charge"));
}

static void new_bodies_have_the_default(void **state)
{
    (void)state;
    const double initial[] = {1, 2, 3};
    oct_bodies b = {0}, other = {0};
    ref_ok(oct_bodies_resize(&b, 2));
    ref_ok(oct_bodies_add_column(&b, "axis", "T", 3, false, initial));
    ref_ok(oct_bodies_add_column(&b, "kind", "", 1, true, NULL));
    b.columns[0].data[1] = 9;
    ref_ok(oct_bodies_resize(&b, 4));
    const oct_user_column *axis = oct_bodies_column(&b, "axis");
    const double expected[] = {1, 9, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3};
    assert_memory_equal(axis->data, expected, sizeof expected);
    assert_null(oct_bodies_column(&b, "charge"));
    /* By name, whatever the order is; what is not there begins with its default. */
    ref_ok(oct_bodies_add_column(&other, "kind", "", 1, true, (double[]){5}));
    ref_ok(oct_bodies_add_column(&other, "charge", "C", 1, false, (double[]){6}));
    ref_ok(oct_bodies_add_column(&other, "axis", "", 3, false, NULL));
    ref_ok(oct_bodies_resize(&other, 3));
    oct_bodies_copy(&other, 1, &b, 0, 2, 0);
    assert_memory_equal(oct_bodies_column(&other, "axis")->data + 3, expected, 6 * sizeof(double));
    const double kinds[] = {5, 0, 0}, charges[] = {6, 6, 6};
    assert_memory_equal(other.columns[0].data, kinds, sizeof kinds);
    assert_memory_equal(other.columns[1].data, charges, sizeof charges);
    oct_bodies_clear(&b);
    oct_bodies_clear(&other);
}

static void bad_columns_are_refused(void **state)
{
    (void)state;
    const double half[] = {0.5}, nan[] = {NAN}, large[] = {ldexp(1, 54)};
    oct_bodies b = {0};
    static const char *const names[] = {
        "",  "x",     "mass",   "Masses", "position", "wx", "a b",
        "1", "float", "kernel", "axis_y", "type",     "é",  "a_name_of_24_characters_"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_refused(oct_bodies_add_column(&b, names[i], "", 1, false, NULL), "column", names[i]);
    assert_refused(oct_bodies_add_column(&b, "a", "", 2, false, NULL), "'a'", "2 numbers");
    assert_refused(oct_bodies_add_column(&b, "a", "C\nC", 1, false, NULL), "'a'", "line");
    assert_refused(
        oct_bodies_add_column(&b, "a", "a unit of thirty-two characters.", 1, false, NULL), "'a'",
        "too long");
    assert_refused(oct_bodies_add_column(&b, "a", "", 1, true, half), "'a'", "whole");
    assert_refused(oct_bodies_add_column(&b, "a", "", 1, false, nan), "'a'", "finite");
    assert_refused(oct_bodies_add_column(&b, "a", "", 1, true, large), "'a'", "53 bits");
    assert_int_equal(b.n_columns, 0);
    ref_ok(oct_bodies_add_column(&b, "a", "C", 1, false, NULL));
    ref_ok(oct_bodies_add_column(&b, "a", "", 1, false, NULL));
    assert_refused(oct_bodies_add_column(&b, "a", "A s", 1, false, NULL), "'C'", "'A s'");
    assert_refused(oct_bodies_add_column(&b, "a", "C", 3, false, NULL), "1 numbers", "3 there");
    for (size_t i = 1; i < OCT_USER_COLUMNS; i++)
        ref_ok(oct_bodies_add_column(&b, (char[]){(char)('a' + i), '\0'}, "", 1, false, NULL));
    assert_refused(oct_bodies_add_column(&b, "q", "", 1, false, NULL), "'q'", "16");
    oct_bodies_clear(&b);
}

/* What the scene says of body i, in the order of the columns. */
static void assert_filled(const oct_bodies *b, size_t i)
{
    bool first = i < 30;
    const double axis[] = {1, -2, 0.5};
    assert_true(oct_bodies_column(b, "charge")->data[i] == (first ? 0.75 : 2.5));
    assert_true(oct_bodies_column(b, "kind")->data[i] == -7);
    for (size_t k = 0; k < 3; k++) {
        assert_true(oct_bodies_column(b, "axis")->data[3 * i + k] == (first ? 0 : axis[k]));
        assert_true(oct_bodies_column(b, "cell")->data[3 * i + k] == (first ? 0 : 4));
    }
}

static void models_fill_columns_in_every_precision(void **state)
{
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
        oct_sim *sim = ref_sim((oct_precision)p, scene);
        oct_bodies b = {0};
        ref_ok(oct_sim_step(sim, 3));
        ref_ok(oct_sim_bodies(&b, sim));
        assert_int_equal(b.n_columns, 4);
        assert_string_equal(b.columns[0].unit, "C");
        for (size_t i = 0; i < b.n; i++)
            assert_filled(&b, i);
        /* They can be changed from outside, and are part of the state's hash. */
        uint64_t hash = ref_hash(sim);
        oct_bodies_column(&b, "cell")->data[100] = -9007199254740991.0;
        oct_bodies_column(&b, "axis")->data[8] = 0.25;
        ref_ok(oct_sim_set_bodies(sim, &b));
        assert_true(ref_hash(sim) != hash);
        oct_bodies again = {0};
        ref_ok(oct_sim_bodies(&again, sim));
        for (size_t c = 0; c < b.n_columns; c++)
            assert_memory_equal(b.columns[c].data, again.columns[c].data,
                                b.n * b.columns[c].width * sizeof(double));
        b.columns[0].data[0] = 1e39;
        oct_status status = oct_sim_set_bodies(sim, &b);
        assert_int_equal(status, p == OCT_PRECISION_SINGLE ? OCT_STATUS_INPUT : OCT_STATUS_OK);
        oct_bodies_clear(&b);
        oct_bodies_clear(&again);
        oct_sim_free(sim);
    }
}

/* Of one precision: the elements of all columns that a domain holds. */
typedef struct rows {
    size_t n;
    size_t element[OCT_DOMAIN_COLUMNS];
    char *data[OCT_DOMAIN_COLUMNS];
} rows;

static void read_rows(rows *out, oct_domain *domain)
{
    *out = (rows){.n = domain->n_columns};
    for (size_t c = 0; c < out->n; c++) {
        oct_buffer *buffer = domain->columns[c].buffer;
        if (!buffer || buffer->count == 0)
            continue;
        out->element[c] = buffer->element;
        out->data[c] = malloc(buffer->element * buffer->count);
        ref_ok(oct_buffer_read(out->data[c], buffer, 0, buffer->count));
    }
}

static void clear_rows(rows *r)
{
    for (size_t c = 0; c < r->n; c++)
        free(r->data[c]);
}

/* A module's own, of odd sizes, and one that is no state. */
static const oct_column_spec modules[] = {
    {.name = "test.bytes", .type = OCT_COLUMN_BYTE, .width = 7, .flags = OCT_COLUMN_STATE},
    {.name = "test.wide", .type = OCT_COLUMN_BYTE, .width = 40, .flags = OCT_COLUMN_STATE},
    {.name = "test.loose", .width = 1, .initial = {0.5}}};

enum { MODULES = sizeof modules / sizeof modules[0] };

static void fill_modules(oct_domain *domain)
{
    for (size_t m = 0; m < MODULES; m++) {
        char bytes[50 * 40];
        oct_buffer *buffer;
        ref_ok(oct_domain_add_array(&buffer, domain, &modules[m]));
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)(i * 31 + m);
        if (m < 2)
            ref_ok(oct_buffer_write(buffer, bytes, 0, domain->n));
    }
}

static void rows_are_gathered_whole(void **state)
{
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
        oct_sim *from = ref_sim((oct_precision)p, scene), *to = ref_sim((oct_precision)p, scene);
        uint32_t list[50], count = 0;
        for (uint32_t i = 0; i < 50; i++)
            if (i % 3 != 1)
                list[count++] = (i * 17) % 50;
        ref_ok(oct_domain_add_column(from->domain, oct_column_find("spin")));
        ref_ok(oct_sim_step(from, 2));
        fill_modules(from->domain);
        oct_buffer *index;
        ref_ok(oct_buffer_create(&index, ref_device(), "index", sizeof *list, count));
        ref_ok(oct_buffer_write(index, list, 0, count));
        ref_ok(oct_domain_gather(to->domain, from->domain, index, count));
        rows before, after;
        read_rows(&before, from->domain);
        read_rows(&after, to->domain);
        assert_int_equal(after.n, before.n);
        size_t compared = 0;
        for (size_t c = 0; c < before.n; c++) {
            assert_int_equal(after.element[c], before.element[c]);
            for (uint32_t i = 0; before.data[c] && i < count; i++, compared++)
                assert_memory_equal(after.data[c] + i * before.element[c],
                                    before.data[c] + list[i] * before.element[c],
                                    before.element[c]);
        }
        /* position, velocity, acceleration, id, type, spin, 4 of the user's, 3 of modules; two more
         * in single precision. */
        assert_int_equal(compared, count * (p == OCT_PRECISION_SINGLE ? 15 : 13));
        clear_rows(&before);
        clear_rows(&after);
        oct_buffer_free(index);
        oct_sim_free(from);
        oct_sim_free(to);
    }
}

static void columns_of_modules_are_saved_and_restored(void **state)
{
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE, scene);
    oct_sim *other = ref_sim(OCT_PRECISION_DOUBLE, scene);
    fill_modules(sim->domain);
    oct_state saved;
    ref_ok(oct_sim_export(&saved, sim));
    assert_non_null(oct_state_find(&saved, "test.bytes"));
    assert_non_null(oct_state_find(&saved, "column.charge"));
    assert_null(oct_state_find(&saved, "test.loose"));
    for (size_t m = 0; m < MODULES; m++)
        ref_ok(oct_domain_add_column(other->domain, &modules[m]));
    assert_true(ref_hash(sim) != ref_hash(other));
    ref_ok(oct_sim_import(other, &saved));
    assert_true(ref_hash(sim) == ref_hash(other));
    double loose;
    ref_ok(oct_buffer_read(&loose, oct_domain_column(other->domain, "test.loose")->buffer, 49, 1));
    assert_true(loose == 0.5);
    assert_ptr_equal(oct_domain_column(sim->domain, "charge"),
                     oct_domain_column(sim->domain, "column.charge"));
    assert_null(oct_domain_column(sim->domain, "spin"));
    const oct_column_spec wide = {.name = "test.many", .width = 5, .initial = {1}};
    assert_int_equal(oct_domain_add_column(sim->domain, &wide), OCT_STATUS_INTERNAL);
    assert_null(oct_domain_column(sim->domain, "test.many"));
    oct_state_clear(&saved);
    oct_sim_free(sim);
    oct_sim_free(other);
}

/* A state of bodies gives the same bodies back. */
static void bodies_become_a_state_and_bodies_again(void **state)
{
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE, scene);
    oct_bodies b = {0}, again = {0};
    oct_state made = {.precision = OCT_PRECISION_DOUBLE};
    ref_ok(oct_sim_step(sim, 2));
    ref_ok(oct_sim_bodies(&b, sim));
    b.spin[4] = 3;
    ref_ok(oct_state_of_bodies(&made, &b));
    ref_ok(oct_bodies_declare_as(&again, &b));
    ref_ok(oct_state_bodies(&again, &made));
    assert_same_bodies(&b, &again);
    assert_memory_equal(b.acceleration, again.acceleration, 3 * b.n * sizeof(double));
    assert_memory_equal(b.potential, again.potential, b.n * sizeof(double));
    for (size_t c = 0; c < b.n_columns; c++)
        assert_memory_equal(b.columns[c].data, again.columns[c].data,
                            b.n * b.columns[c].width * sizeof(double));
    oct_state_clear(&made);
    oct_bodies_clear(&b);
    oct_bodies_clear(&again);
    oct_sim_free(sim);
}

/* Who joins brings values or gets defaults; who stays keeps them. */
static void bodies_that_come_and_go_have_columns(void **state)
{
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, scene);
    oct_bodies added = {0}, b = {0};
    ref_ok(oct_bodies_add_column(&added, "kind", "", 1, true, NULL));
    ref_ok(oct_bodies_resize(&added, 2));
    added.position[0] = added.position[4] = 9;
    added.mass[0] = added.mass[1] = 1e-3;
    added.columns[0].data[1] = 11;
    ref_ok(oct_sim_add(sim, &added));
    ref_ok(oct_sim_remove(sim, (uint64_t[]){1, 31, 32}, 3));
    ref_ok(oct_sim_bodies(&b, sim));
    assert_int_equal(b.n, 49);
    for (size_t i = 0; i < 47; i++)
        assert_true(oct_bodies_column(&b, "charge")->data[i] == (i < 29 ? 0.75 : 2.5));
    assert_true(oct_bodies_column(&b, "axis")->data[3 * 29 + 1] == -2);
    assert_true(oct_bodies_column(&b, "charge")->data[48] == 2.5);
    assert_true(oct_bodies_column(&b, "kind")->data[47] == 0);
    assert_true(oct_bodies_column(&b, "kind")->data[48] == 11);
    oct_bodies_clear(&added);
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

/* Sum of a column, or of it times the mass. */
static double total(const oct_bodies *b, const char *name, bool weighted)
{
    double sum = 0;
    for (size_t i = 0; i < b->n; i++)
        sum += oct_bodies_column(b, name)->data[i] * (weighted ? b->mass[i] : 1);
    return sum;
}

/* What is added up is kept when most of a cloud merges, whichever bodies meet; so is a mean. */
static void merging_bodies_put_columns_together(void **state)
{
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
        oct_sim *sim = ref_sim(
            (oct_precision)p,
            "units: nbody\ncolumns:\n  charge: {merge: sum}\n  count: {type: integer, default: 1, "
            "merge: sum}\n  heat: {merge: mean}\n  axis: {width: 3, merge: sum}\n  tag: {}\n"
            "models:\n  - cold-sphere: {n: 150, columns: {heat: 0.5, axis: [1, 0, -1]}}\n"
            "  - cold-sphere: {n: 50, mass: 3, columns: {charge: -0.25, heat: 3, tag: 7}}\n"
            "gravity: {method: direct, softening: 0.01}\n"
            "collisions: {method: direct, outcome: merge}\n"
            "integrator: {dt: 0.01}\nrun: {until: 10}\n");
        oct_bodies b = {0};
        ref_ok(oct_sim_bodies(&b, sim));
        for (size_t i = 0; i < b.n; i++) {
            b.radius[i] = 0.05;
            b.columns[0].data[i] += (double)i / 64;
        }
        ref_ok(oct_sim_set_bodies(sim, &b));
        double charge = total(&b, "charge", false), heat = total(&b, "heat", true);
        ref_ok(oct_sim_step(sim, 150));
        ref_ok(oct_sim_bodies(&b, sim));
        assert_in_range(b.n, 1, 60);
        /* Sums of 64ths, whole numbers and ones are exact. */
        assert_true(total(&b, "charge", false) == charge);
        assert_true(total(&b, "count", false) == 200);
        double axis[3] = {0};
        for (size_t i = 0; i < 3 * b.n; i++)
            axis[i % 3] += oct_bodies_column(&b, "axis")->data[i];
        assert_true(axis[0] == 150 && axis[1] == 0 && axis[2] == -150);
        /* Seen: 1.6e-7 in single, 4.4e-16 in the others. */
        assert_true(fabs(total(&b, "heat", true) / heat - 1) <
                    (p == OCT_PRECISION_SINGLE ? 1e-6 : 1e-13));
        for (size_t i = 0; i < b.n; i++) {
            double tag = oct_bodies_column(&b, "tag")->data[i];
            assert_true(tag == 0 || tag == 7);
        }
        oct_bodies_clear(&b);
        oct_sim_free(sim);
    }
    assert_refused(ref_sim_status(OCT_PRECISION_MIXED,
                                  "columns: {kind: {type: integer, merge: mean}}\n"
                                  "models: [body: {mass: 1}]\nintegrator: {dt: 1}\n"
                                  "run: {until: 1}\n"),
                   "columns.kind", "integers have no mean");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_array_of_bodies_is_in_the_table),
        cmocka_unit_test(new_bodies_have_the_default),
        cmocka_unit_test(bad_columns_are_refused),
        cmocka_unit_test(models_fill_columns_in_every_precision),
        cmocka_unit_test(rows_are_gathered_whole),
        cmocka_unit_test(columns_of_modules_are_saved_and_restored),
        cmocka_unit_test(bodies_become_a_state_and_bodies_again),
        cmocka_unit_test(bodies_that_come_and_go_have_columns),
        cmocka_unit_test(merging_bodies_put_columns_together),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
