/* Tables of results: their headings, and how they are read back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/table.h"
#include "scene_sim.h"

static const char path[] = "table_test.csv";

static oct_status read_text(oct_table *out, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    oct_status status = oct_table_read(out, path);
    assert_int_equal(remove(path), 0);
    return status;
}

static void a_heading_has_names_and_units(void **state)
{
    static const oct_column columns[] = {{.name = "step"},
                                         {.name = "speed", .length = 1, .time = -1},
                                         {.name = "angle", .unit = "deg"}};
    static const struct {
        const char *units, *text;
    } rows[] = {{"si", "step,speed_x,angle\n# units: 1,m/s,deg\n"},
                {"nbody", "step,speed_x,angle\n# units: 1,length/time,deg\n"},
                {"solar", "step,speed_x,angle\n# units: 1,AU/day,deg\n"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        oct_heading heading = {0};
        char *text = NULL;
        for (int k = 0; k < 3; k++)
            oct_heading_add(&heading, &columns[k], k == 1 ? "_x" : "",
                            oct_units_find(rows[i].units));
        ref_ok(oct_heading_take(&text, &heading));
        assert_string_equal(text, rows[i].text);
        oct_text_free(text);
    }
}

static void what_was_written_is_read(void **state)
{
    oct_table table;
    (void)state;
    ref_ok(read_text(&table, "a,b\n# units: 1,m/s\n1,2.5\n3,nan\n"));
    assert_string_equal(table.names, "a,b");
    assert_string_equal(table.units, "1,m/s");
    assert_int_equal(table.n_rows, 2);
    assert_true(table.values[0] == 1 && table.values[1] == 2.5 && isnan(table.values[3]));
    oct_table_clear(&table);
    ref_ok(read_text(&table, "a,b\r\n1,2\r\n"));
    assert_null(table.units);
    assert_true(table.n_rows == 1 && table.values[1] == 2);
    oct_table_clear(&table);
}

static void what_is_no_table_is_refused(void **state)
{
    static const struct {
        const char *text, *sentence;
    } rows[] = {
        {"", "is empty"},
        {"a,b\n1,2\n1\n", "line 3: there are 1 columns; expected 2"},
        {"a,b\n# units: m\n1,2\n", "line 2: there are 1 columns; expected 2"},
        {"a,b\n# units: m,s\n1,2,3\n", "line 3: there are 3 columns; expected 2"},
    };
    oct_table table;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(read_text(&table, rows[i].text), OCT_STATUS_INPUT);
        ref_says(rows[i].sentence);
        assert_null(table.names);
    }
    assert_int_equal(oct_table_read(&table, "no such table"), OCT_STATUS_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heading_has_names_and_units),
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(what_is_no_table_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
