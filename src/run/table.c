/* Reads a heading and rows of numbers, and refuses rows of another length. */
#include "run/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/diagnose.h"
#include "run/survey.h"
#include "util/file.h"
#include "util/number.h"

static const char units_mark[] = "# units: ";

void oct_heading_add(oct_heading *heading, const oct_column *column, const char *suffix,
                     const oct_units *units)
{
    char unit[64];
    oct_column_unit(unit, sizeof unit, column, units);
    oct_text_add(&heading->names, "%s%s%s", heading->names.length ? "," : "", column->name, suffix);
    oct_text_add(&heading->units, "%s%s", heading->units.length ? "," : units_mark,
                 *unit ? unit : "1");
}

oct_status oct_heading_take(char **out, oct_heading *heading)
{
    oct_text text = {0};
    bool failed = heading->names.failed || heading->units.failed;
    if (!failed)
        oct_text_add(&text, "%s\n%s\n", heading->names.data, heading->units.data);
    if (heading->run)
        oct_text_add(&text, "%s%s\n", OCT_RUN_COMMENT, heading->run);
    oct_text_clear(&heading->names);
    oct_text_clear(&heading->units);
    OCT_CHECK(!failed, OCT_STATUS_MEMORY, "no memory for the heading of a table");
    return oct_text_take(out, &text);
}

static size_t count_columns(const char *line)
{
    size_t n = 1;
    for (; *line; line++)
        n += *line == ',';
    return n;
}

static oct_status add_row(oct_table *table, const char *line, size_t *room)
{
    if (table->n_rows == *room) {
        *room = 2 * *room + 64;
        OCT_TRY(oct_realloc(&table->values, *room * table->n_columns, sizeof *table->values,
                            "rows of a table"));
    }
    double *value = table->values + table->n_rows++ * table->n_columns;
    for (size_t i = 0; i < table->n_columns; i++) {
        const char *end = line;
        if (!oct_number_read(&value[i], &end, line))
            value[i] = NAN;
        line = end + strcspn(end, ",");
        line += *line == ',';
    }
    return OCT_STATUS_OK;
}

/* The two lines before the rows; the second need not be there. */
static oct_status add_heading(oct_table *out, const char *line, bool *taken)
{
    size_t mark = sizeof units_mark - 1;
    *taken = !out->names || (!out->units && strncmp(line, units_mark, mark) == 0);
    if (!*taken)
        return OCT_STATUS_OK;
    if (out->names)
        return oct_text_copy(&out->units, line + mark);
    out->n_columns = count_columns(line);
    return oct_text_copy(&out->names, line);
}

static oct_status read_rows(oct_table *out, FILE *file, const char *path)
{
    char *line = NULL;
    size_t bytes = 0, room = 0;
    oct_status status = OCT_STATUS_OK;
    for (size_t number = 1; getline(&line, &bytes, file) > 0; number++) {
        bool heading;
        line[strcspn(line, "\r\n")] = '\0';
        if (number == 3 && strncmp(line, OCT_RUN_COMMENT, strlen(OCT_RUN_COMMENT)) == 0)
            continue;
        OCT_TRY_DONE(add_heading(out, line, &heading));
        size_t n = count_columns(line);
        OCT_CHECK_DONE(n == out->n_columns, OCT_STATUS_INPUT,
                       "%s, line %zu: there are %zu columns; expected %zu", path, number, n,
                       out->n_columns);
        if (!heading)
            OCT_TRY_DONE(add_row(out, line, &room));
    }
    OCT_CHECK_DONE(!ferror(file), OCT_STATUS_IO, "cannot read %s", path);
    OCT_CHECK_DONE(out->names, OCT_STATUS_INPUT, "%s is empty", path);
done:
    free(line);
    return status;
}

oct_status oct_table_read(oct_table *out, const char *path)
{
    FILE *file;
    uint64_t bytes;
    *out = (oct_table){0};
    OCT_TRY(oct_file_open(&file, &bytes, path));
    oct_status status = read_rows(out, file, path);
    (void)fclose(file);
    if (status != OCT_STATUS_OK)
        oct_table_clear(out);
    return status;
}

void oct_table_clear(oct_table *table)
{
    free(table->names);
    free(table->units);
    free(table->values);
    *table = (oct_table){0};
}
