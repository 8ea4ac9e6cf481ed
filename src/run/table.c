#include "run/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/number.h"
#include "util/text.h"

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

static oct_status read_rows(oct_table *out, FILE *file, const char *path)
{
    char *line = NULL;
    size_t bytes = 0, room = 0;
    oct_status status = OCT_STATUS_OK;
    while (getline(&line, &bytes, file) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        size_t n = count_columns(line);
        if (!out->header) {
            OCT_TRY_DONE(oct_text_copy(&out->header, line));
            out->n_columns = n;
            continue;
        }
        OCT_CHECK_DONE(n == out->n_columns, OCT_STATUS_INPUT,
                       "%s, line %zu: there are %zu columns; expected %zu", path, out->n_rows + 2,
                       n, out->n_columns);
        OCT_TRY_DONE(add_row(out, line, &room));
    }
    OCT_CHECK_DONE(!ferror(file), OCT_STATUS_IO, "cannot read %s", path);
    OCT_CHECK_DONE(out->header, OCT_STATUS_INPUT, "%s is empty", path);
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
    free(table->header);
    free(table->values);
    *table = (oct_table){0};
}
