/* The table of a scan: a line a member in CSV, which is read back to go on, and columns in HDF5. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/table_h5.h"
#include "run/sweep.h"
#include "util/file.h"
#include "util/number.h"

enum { MOST_BYTES = 1 << 30 };

/* A field of a line, in quotes where it needs them. */
static void add_field(oct_text *out, const char *text)
{
    if (!strpbrk(text, ",\"\n\r#")) {
        oct_text_add(out, "%s", text);
        return;
    }
    oct_text_add(out, "\"");
    for (; *text; text++) {
        if (*text == '"')
            oct_text_add(out, "\"");
        oct_text_add(out, "%c", *text == '\n' || *text == '\r' ? ' ' : *text);
    }
    oct_text_add(out, "\"");
}

static const char *cell_text(const oct_sweep_entry *member, const char *name)
{
    for (size_t i = 0; i < member->n_cells; i++)
        if (strcmp(member->cells[i].name, name) == 0)
            return member->cells[i].text;
    return oct_sweep_is_text(name) ? "" : "nan";
}

static void add_heading(oct_text *out, const oct_sweep *sweep, const oct_cell *columns, size_t n)
{
    oct_text_add(out, "member,");
    for (size_t k = 0; k < sweep->n_keys; k++) {
        add_field(out, sweep->keys[k]);
        oct_text_add(out, ",");
    }
    oct_text_add(out, "seed,status,failure");
    for (size_t k = 0; k < n; k++)
        oct_text_add(out, ",%s", columns[k].name);
    oct_text_add(out, "\n# units: 1");
    for (size_t k = 0; k < sweep->n_keys + 3; k++)
        oct_text_add(out, ",1");
    for (size_t k = 0; k < n; k++)
        oct_text_add(out, ",%s", *columns[k].unit ? columns[k].unit : "1");
    oct_text_add(out, "\n");
}

static void add_row(oct_text *out, const oct_sweep *sweep, size_t index, const oct_cell *columns,
                    size_t n)
{
    const oct_sweep_entry *member = &sweep->members[index];
    oct_text_add(out, "%zu,", index);
    for (size_t k = 0; k < sweep->n_keys; k++) {
        add_field(out, member->values[k]);
        oct_text_add(out, ",");
    }
    oct_text_add(out, "%" PRIu64 ",%s,", member->seed, oct_member_state_name(member->state));
    add_field(out, member->failure ? member->failure : "");
    for (size_t k = 0; k < n; k++)
        oct_text_add(out, ",%s", cell_text(member, columns[k].name));
    oct_text_add(out, "\n");
}

oct_status oct_sweep_write_csv(const oct_sweep *sweep, const char *path)
{
    oct_cell *columns;
    size_t n;
    oct_text text = {0};
    char *table;
    oct_status status = oct_sweep_columns(&columns, &n, sweep);
    if (status == OCT_STATUS_OK) {
        add_heading(&text, sweep, columns, n);
        for (size_t i = 0; i < sweep->n; i++)
            add_row(&text, sweep, i, columns, n);
    }
    free(columns);
    OCT_TRY(status);
    OCT_TRY(oct_text_take(&table, &text));
    status = oct_file_write(path, table, strlen(table), false);
    free(table);
    return status;
}

/* One column of the file, in room for its numbers or its texts. */
static void fill_column(oct_table_column *out, double *numbers, const char **texts,
                        const oct_sweep *sweep, const oct_cell *column)
{
    bool text = oct_sweep_is_text(column->name);
    *out = (oct_table_column){.name = column->name,
                              .unit = column->unit,
                              .numbers = text ? NULL : numbers,
                              .texts = text ? texts : NULL};
    for (size_t i = 0; i < sweep->n; i++) {
        numbers[i] = oct_sweep_value(&sweep->members[i], column->name);
        texts[i] = cell_text(&sweep->members[i], column->name);
    }
}

enum { MEMBER, SEED, STATUS, FAILURE, FIXED };

static const char *fixed_text(const oct_sweep_entry *member, size_t column)
{
    if (column >= FIXED)
        return member->values[column - FIXED];
    if (column == STATUS)
        return oct_member_state_name(member->state);
    return column == FAILURE && member->failure ? member->failure : "";
}

/* The columns before what was measured; a key's are numbers where all of its values are. */
static void fill_fixed(oct_table_column *out, double *numbers, const char **texts,
                       const oct_sweep *sweep, size_t column)
{
    static const char *const names[] = {"member", "seed", "status", "failure"};
    bool text = column == STATUS || column == FAILURE;
    for (size_t i = 0; i < sweep->n; i++) {
        const oct_sweep_entry *member = &sweep->members[i];
        const char *end = "";
        texts[i] = fixed_text(member, column);
        numbers[i] = column == MEMBER ? (double)i : (double)member->seed;
        if (column >= FIXED)
            text = !oct_number_read(&numbers[i], &end, texts[i]) || *end || text;
    }
    *out = (oct_table_column){.name = column < FIXED ? names[column] : sweep->keys[column - FIXED],
                              .unit = "",
                              .numbers = text ? NULL : numbers,
                              .texts = text ? texts : NULL};
}

oct_status oct_sweep_write_hdf5(const oct_sweep *sweep, const char *path)
{
    oct_cell *cells;
    size_t n, fixed = sweep->n_keys + FIXED, rows = sweep->n;
    oct_table_column *columns = NULL;
    double *numbers = NULL;
    const char **texts = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_sweep_columns(&cells, &n, sweep));
    OCT_TRY_DONE(oct_alloc(&columns, fixed + n, sizeof *columns, "columns"));
    OCT_TRY_DONE(oct_alloc(&numbers, (fixed + n) * rows, sizeof *numbers, "a table"));
    OCT_TRY_DONE(oct_alloc(&texts, (fixed + n) * rows, sizeof *texts, "a table"));
    for (size_t k = 0; k < fixed; k++)
        fill_fixed(&columns[k], numbers + k * rows, texts + k * rows, sweep, k);
    for (size_t k = fixed; k < fixed + n; k++)
        fill_column(&columns[k], numbers + k * rows, texts + k * rows, sweep, &cells[k - fixed]);
    status = oct_table_save(path, columns, fixed + n, rows);
done:
    free(cells);
    free(columns);
    free(numbers);
    free(texts);
    return status;
}

/* The next field of a line, in place, without its quotes; NULL past the last. */
static char *next_field(char **line)
{
    char *field = *line, *to = field, *from = field;
    if (!field)
        return NULL;
    bool quoted = *from == '"';
    for (from += quoted; *from; from++) {
        if (quoted && *from == '"' && from[1] != '"')
            quoted = false;
        else if (!quoted && *from == ',')
            break;
        else
            *to++ = *(from += quoted && *from == '"');
    }
    *line = *from ? from + 1 : NULL;
    *to = '\0';
    return field;
}

static char *next_line(char **text)
{
    char *line = *text;
    size_t length = strcspn(line, "\n");
    if (!*line)
        return NULL;
    *text = line + length + (line[length] == '\n');
    line[length] = '\0';
    return line;
}

/* The heading of a table that is read: as many names as units. */
typedef struct heading {
    size_t n;
    char **names, **units;
} heading;

static oct_status read_heading(heading *out, char **text)
{
    static const char mark[] = "# units: ";
    char *names = next_line(text), *units = next_line(text), *field;
    size_t n = 0;
    if (!names || !units || strncmp(units, mark, strlen(mark)) != 0)
        return OCT_STATUS_OK;
    units += strlen(mark);
    size_t most = 1 + strlen(names);
    OCT_TRY(oct_alloc(&out->names, most, sizeof *out->names, "columns"));
    OCT_TRY(oct_alloc(&out->units, most, sizeof *out->units, "columns"));
    while ((field = next_field(&names)) != NULL)
        out->names[out->n++] = field;
    while (n < out->n && (field = next_field(&units)) != NULL)
        out->units[n++] = field;
    out->n = n;
    return OCT_STATUS_OK;
}

/* Takes over a row of a member that is done; what is not of this scan is left out. */
static oct_status read_row(oct_sweep *sweep, const heading *h, char *line)
{
    size_t fixed = sweep->n_keys + FIXED, k = 0;
    char *fields[FIXED] = {0}, *field = next_field(&line), *end;
    size_t index = field ? (size_t)strtoull(field, &end, 10) : SIZE_MAX;
    if (h->n < fixed || index >= sweep->n)
        return OCT_STATUS_OK;
    oct_sweep_entry *member = &sweep->members[index];
    for (k = 1; k < fixed && (field = next_field(&line)) != NULL; k++) {
        if (k <= sweep->n_keys && strcmp(field, member->values[k - 1]) != 0)
            return OCT_STATUS_OK;
        if (k > sweep->n_keys)
            fields[k - sweep->n_keys - 1] = field;
    }
    const char *done = oct_member_state_name(OCT_MEMBER_DONE);
    if (k < fixed || strtoull(fields[0], NULL, 10) != member->seed || strcmp(fields[1], done) != 0)
        return OCT_STATUS_OK;
    oct_sweep_entry_clear(member);
    for (; k < h->n && (field = next_field(&line)) != NULL; k++)
        OCT_TRY(oct_sweep_cell(member, h->names[k],
                               strcmp(h->units[k], "1") == 0 ? "" : h->units[k], field));
    member->state = OCT_MEMBER_DONE;
    return OCT_STATUS_OK;
}

oct_status oct_sweep_read_csv(oct_sweep *sweep, const char *path)
{
    char *data, *line;
    heading h = {0};
    oct_status status = oct_file_read(&data, NULL, path, MOST_BYTES);
    if (status == OCT_STATUS_MISSING) /* it was killed before its first member was done */
        return OCT_STATUS_OK;
    OCT_TRY(status);
    char *text = data;
    status = read_heading(&h, &text);
    while (status == OCT_STATUS_OK && (line = next_line(&text)) != NULL)
        status = read_row(sweep, &h, line);
    free(h.names);
    free(h.units);
    free(data);
    return status;
}
