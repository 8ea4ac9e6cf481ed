/* Columns in any order, with units in a comment; numbers in the digits that give them back. */
#include "io/csv.h"

#include "core/column.h"
#include "core/units.h"
#include "util/file.h"
#include "util/identity.h"
#include "util/number.h"
#include "util/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* When a column is in a file: it must be, it always is when written, or only where a body differs
 * from what its absence means. */
typedef enum column_need { REQUIRED, USUAL, WHERE_SAID } column_need;

/* Our own columns in the order in which they are written; the user's follow. */
static const struct csv_order {
    const char *name;
    column_need need;
} order[] = {{"id", USUAL},          {"mass", REQUIRED},   {"position", REQUIRED},
             {"velocity", REQUIRED}, {"radius", USUAL},    {"type", WHERE_SAID},
             {"system", WHERE_SAID}, {"spin", WHERE_SAID}, {"softening", WHERE_SAID}};

enum {
    OWN = sizeof order / sizeof order[0],
    COLUMNS = 3 * (OWN + OCT_USER_COLUMNS),
    LONGEST_LINE = 1 << 16,
    HIGHEST_TYPE = 6
};

/* A column of a file: number `index` of a body in a column of the table or of the user's. */
typedef struct csv_column {
    char name[OCT_COLUMN_NAME + 2];
    const oct_column_spec *spec; /* NULL: the user's */
    size_t user, index;
    column_need need;
} csv_column;

typedef struct csv_columns {
    size_t n;
    csv_column items[COLUMNS];
} csv_columns;

/* All columns that a file of these bodies may have. */
static void list_columns(csv_columns *out, const oct_bodies *bodies)
{
    static const char *const endings[] = {"_x", "_y", "_z"};
    out->n = 0;
    for (size_t c = 0; c < OWN; c++) {
        const oct_column_spec *spec = oct_column_find(order[c].name);
        for (size_t k = 0; k < spec->width; k++) {
            csv_column *column = &out->items[out->n++];
            *column = (csv_column){.spec = spec, .index = k, .need = order[c].need};
            snprintf(column->name, sizeof column->name, "%s", spec->headings[k]);
        }
    }
    for (size_t c = 0; c < bodies->n_columns; c++)
        for (size_t k = 0; k < bodies->columns[c].width; k++) {
            csv_column *column = &out->items[out->n++];
            bool vector = bodies->columns[c].width == 3;
            *column = (csv_column){.user = c, .index = k, .need = USUAL};
            snprintf(column->name, sizeof column->name, "%s%s", bodies->columns[c].name,
                     vector ? endings[k] : "");
        }
}

static double *real_of(const oct_bodies *bodies, const csv_column *column, size_t i)
{
    if (column->spec)
        return (double *)oct_column_host(bodies, column->spec) + i * column->spec->width +
               column->index;
    const oct_user_column *user = &bodies->columns[column->user];
    return user->data + i * user->width + column->index;
}

static oct_column_type type_of(const csv_column *column)
{
    return column->spec ? column->spec->type : OCT_COLUMN_REAL;
}

/* Whether a body is other than a reader takes it for without this column. */
static bool says_something(const oct_bodies *bodies, const csv_column *column, size_t i)
{
    switch (type_of(column)) {
    case OCT_COLUMN_BYTE:
        return bodies->type[i] != OCT_TYPE_BODY;
    case OCT_COLUMN_UINT:
        return bodies->system[i] != 0;
    case OCT_COLUMN_REAL:
        return *real_of(bodies, column, i) != 0;
    default:
        return true;
    }
}

/* Leaves out what nobody needs. Spins are shown whole or not at all. */
static void choose_columns(csv_columns *columns, const oct_bodies *bodies,
                           const oct_file_info *info)
{
    bool spins = info->spins || oct_bodies_spin(bodies);
    size_t n = 0;
    for (size_t c = 0; c < columns->n; c++) {
        const csv_column *column = &columns->items[c];
        bool spin = column->spec && column->spec->host == offsetof(oct_bodies, spin);
        bool shown = column->need != WHERE_SAID || (spin && spins);
        for (size_t i = 0; i < bodies->n && !shown; i++)
            shown = says_something(bodies, column, i);
        if (shown)
            columns->items[n++] = *column;
    }
    columns->n = n;
}

static bool write_body(FILE *file, const oct_bodies *bodies, size_t i, const csv_columns *columns)
{
    bool fine = true;
    for (size_t c = 0; c < columns->n; c++) {
        char number[OCT_NUMBER_BYTES];
        if (c > 0)
            fine = fine && fputc(',', file) != EOF;
        switch (type_of(&columns->items[c])) {
        case OCT_COLUMN_BYTE:
            fine = fine && fprintf(file, "%u", (unsigned)bodies->type[i]) > 0;
            break;
        case OCT_COLUMN_UINT:
            fine = fine && fprintf(file, "%" PRIu32, bodies->system[i]) > 0;
            break;
        case OCT_COLUMN_REAL:
            oct_number_write(number, *real_of(bodies, &columns->items[c], i));
            fine = fine && fputs(number, file) != EOF;
            break;
        default:
            fine = fine && fprintf(file, "%" PRIu64, bodies->id[i]) > 0;
            break;
        }
    }
    return fine && fputc('\n', file) != EOF;
}

/* What a reader cannot see in the name of a column. */
static bool write_declarations(FILE *file, const oct_bodies *bodies)
{
    bool fine = true;
    for (size_t c = 0; c < bodies->n_columns; c++) {
        const oct_user_column *column = &bodies->columns[c];
        fine = fine &&
               fprintf(file, "# column %s: %s%s%s%s\n", column->name,
                       column->integer ? "integer" : "real", column->width == 3 ? " vector" : "",
                       *column->unit ? " in " : "", column->unit) > 0;
    }
    return fine;
}

/* The title may hold anything; a comment is one line. */
static bool write_head(FILE *file, const oct_bodies *bodies, const oct_file_info *info,
                       const csv_columns *columns)
{
    char time[OCT_NUMBER_BYTES], title[sizeof info->title], units[160] = "unknown";
    snprintf(title, sizeof title, "%s", info->title);
    for (char *c = title; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    oct_number_write(time, info->time);
    if (info->units.name && strcmp(info->units.name, oct_units_unknown.name) != 0)
        oct_units_to_text(units, sizeof units, &info->units);
    bool fine = fprintf(file, "# %s%stime %s, step %" PRIu64 ", units %s\n", title,
                        title[0] ? ": " : "", time, info->step, units) > 0;
    if (info->run[0])
        fine = fine && fprintf(file, "# run: %s\n", info->run) > 0;
    if (info->components[0])
        fine = fine && fprintf(file, "# components: %s\n", info->components) > 0;
    fine = fine && write_declarations(file, bodies);
    for (size_t c = 0; c < columns->n; c++)
        fine = fine && fprintf(file, "%s%s", c > 0 ? "," : "", columns->items[c].name) > 0;
    return fine && fputc('\n', file) != EOF;
}

oct_status oct_csv_write(const oct_bodies *bodies, const oct_file_info *info, const char *path)
{
    oct_file_draft draft = {0};
    csv_columns columns;
    list_columns(&columns, bodies);
    choose_columns(&columns, bodies, info);
    OCT_TRY(oct_file_begin(&draft, path));
    FILE *file = fopen(draft.temporary, "w");
    bool fine = file && write_head(file, bodies, info, &columns);
    for (size_t i = 0; fine && i < bodies->n; i++)
        fine = write_body(file, bodies, i, &columns);
    int code = errno;
    if (file && fclose(file) != 0 && fine) {
        fine = false;
        code = errno;
    }
    if (!fine) {
        oct_file_abandon(&draft);
        return OCT_FAIL(OCT_STATUS_IO, "writing '%s' failed: %s", path, strerror(code));
    }
    return oct_file_commit(&draft, true);
}

typedef struct csv_reader {
    FILE *file;
    const char *path;
    size_t line;
    char text[LONGEST_LINE];
    size_t n_fields;
    char *fields[COLUMNS + 1]; /* one more, to notice too many */
    size_t order[COLUMNS];     /* the column of each field */
    csv_columns columns;       /* that there may be */
    oct_bodies *bodies;
    oct_file_info *info;
    size_t units_line; /* where the units are said; 0: nowhere yet */
} csv_reader;

/* Reads a line without its newline; false at the end of the file. */
static oct_status read_line(bool *found, csv_reader *r)
{
    size_t length = 0;
    int c;
    r->line++;
    while ((c = getc_unlocked(r->file)) != EOF && c != '\n') {
        OCT_CHECK(c != '\0', OCT_STATUS_INPUT, "%s:%zu: this is no text but binary data", r->path,
                  r->line);
        OCT_CHECK(length < LONGEST_LINE - 1, OCT_STATUS_INPUT,
                  "%s:%zu: this line is longer than %d characters", r->path, r->line,
                  LONGEST_LINE - 1);
        r->text[length++] = (char)c;
    }
    OCT_CHECK(!ferror(r->file), OCT_STATUS_IO, "reading '%s' failed: %s", r->path, strerror(errno));
    r->text[length] = '\0';
    /* Spreadsheets put a byte order mark before the first line. */
    if (r->line == 1 && strncmp(r->text, "\xef\xbb\xbf", 3) == 0)
        memset(r->text, ' ', 3);
    *found = c == '\n' || length > 0;
    return OCT_STATUS_OK;
}

static oct_status note_units(csv_reader *r, const char *text)
{
    OCT_CHECK(r->units_line == 0, OCT_STATUS_INPUT,
              "%s:%zu: the units are said here and in line %zu; expected one of the two", r->path,
              r->line, r->units_line);
    r->units_line = r->line;
    oct_status status = oct_units_from_text(&r->info->units, text);
    return status == OCT_STATUS_OK ? status : oct_fail_within(status, "%s:%zu", r->path, r->line);
}

/* The line that Octant writes: "TITLE: time T, step S, units U". The title may hold anything, and
 * what follows it is at the end. */
static bool read_own_comment(oct_file_info *info, const char **units, const char *comment)
{
    static const char before_time[] = "time ", before_step[] = ", step ",
                      before_units[] = ", units ";
    const char *start = NULL, *end;
    char *next;
    for (const char *c = comment; (c = strstr(c, before_time)); c += strlen(before_time))
        if (c == comment || (c - comment >= 2 && strncmp(c - 2, ": ", 2) == 0))
            start = c;
    if (!start || !oct_number_read(&info->time, &end, start + strlen(before_time)) ||
        strncmp(end, before_step, strlen(before_step)) != 0)
        return false;
    info->step = strtoull(end + strlen(before_step), &next, 10);
    if (strncmp(next, before_units, strlen(before_units)) != 0)
        return false;
    *units = next + strlen(before_units);
    if (start > comment)
        snprintf(info->title, sizeof info->title, "%.*s", (int)(start - comment - 2), comment);
    return true;
}

/* "NAME: real vector in C", the rest of a line that declares a column of the user's; what looks
 * different is a comment like any other. */
static oct_status read_declaration(csv_reader *r, char *text)
{
    char *colon = strchr(text, ':'), *kind = colon + 1 + strspn(colon + 1, " \t");
    bool integer = strncmp(kind, "integer", 7) == 0;
    if (!integer && strncmp(kind, "real", 4) != 0)
        return OCT_STATUS_OK;
    kind += integer ? 7 : 4;
    bool vector = strncmp(kind, " vector", 7) == 0;
    kind += vector ? 7 : 0;
    char *end = kind + strlen(kind);
    while (end > kind && strchr(" \t\r", end[-1]))
        *--end = '\0';
    bool unit = strncmp(kind, " in ", 4) == 0;
    if (!unit && *kind != '\0')
        return OCT_STATUS_OK;
    *colon = '\0';
    oct_status status =
        oct_bodies_add_column(r->bodies, text, unit ? kind + 4 : "", vector ? 3 : 1, integer, NULL);
    return status == OCT_STATUS_OK ? status : oct_fail_within(status, "%s:%zu", r->path, r->line);
}

/* A comment before the header may say the units, "# units: solar", or a column of the user's,
 * "# column charge: real in C". */
static oct_status read_comment(csv_reader *r, char *comment)
{
    static const char key[] = "units", column[] = "column ";
    const char *units;
    comment += strspn(comment, "# \t");
    if (strncmp(comment, column, strlen(column)) == 0 && strchr(comment, ':'))
        return read_declaration(r, comment + strlen(column));
    if (strncasecmp(comment, key, strlen(key)) == 0) {
        units = comment + strlen(key);
        units += strspn(units, " \t");
        if (*units == ':' || *units == '=')
            return note_units(r, units + 1);
    }
    if (strncmp(comment, "run: ", 5) == 0)
        (void)oct_identity_read(r->info->run, comment + 5);
    if (strncmp(comment, "components: ", 12) == 0)
        snprintf(r->info->components, sizeof r->info->components, "%.*s",
                 (int)strcspn(comment + 12, "\r"), comment + 12);
    oct_file_info said = *r->info;
    if (!read_own_comment(&said, &units, comment))
        return OCT_STATUS_OK;
    *r->info = said;
    return strcmp(units, oct_units_unknown.name) == 0 ? OCT_STATUS_OK : note_units(r, units);
}

/* The next line that is neither empty nor a comment. */
static oct_status next_line(bool *found, csv_reader *r)
{
    for (;;) {
        OCT_TRY(read_line(found, r));
        char *start = r->text + strspn(r->text, " \t\r");
        if (!*found || (*start != '\0' && *start != '#'))
            return OCT_STATUS_OK;
        if (*start == '#' && r->n_fields == 0)
            OCT_TRY(read_comment(r, start));
    }
}

/* Splits the line at its commas and strips blanks around the fields. */
static void split_line(csv_reader *r)
{
    char *start = r->text;
    for (r->n_fields = 0; r->n_fields <= COLUMNS;) {
        char *comma = strchr(start, ','), *end = comma ? comma : start + strlen(start);
        while (end > start && strchr(" \t\r", end[-1]))
            end--;
        *end = '\0';
        r->fields[r->n_fields++] = start + strspn(start, " \t");
        if (!comma)
            return;
        start = comma + 1;
    }
}

static oct_status fail_unknown(const csv_reader *r, const char *name)
{
    const char *names[COLUMNS];
    for (size_t c = 0; c < r->columns.n; c++)
        names[c] = r->columns.items[c].name;
    const char *nearest = oct_text_nearest(name, names, r->columns.n);
    if (nearest)
        return OCT_FAIL(OCT_STATUS_INPUT, "%s:%zu: there is no column '%.40s'; did you mean '%s'?",
                        r->path, r->line, name, nearest);
    oct_text list = {0};
    for (size_t c = 0; c < r->columns.n; c++)
        oct_text_add(&list, "%s%s", c ? ", " : "", names[c]);
    oct_status status =
        OCT_FAIL(OCT_STATUS_INPUT, "%s:%zu: there is no column '%.40s'; expected some of %s",
                 r->path, r->line, name, list.data ? list.data : "the known ones");
    oct_text_clear(&list);
    return status;
}

/* A vector of the user's is there whole or not at all. */
static oct_status check_header(const csv_reader *r, const bool seen[COLUMNS])
{
    for (size_t c = 0; c < r->columns.n; c++) {
        const csv_column *column = &r->columns.items[c];
        bool part = !column->spec && column->index > 0;
        OCT_CHECK(seen[c] || (column->need != REQUIRED && !(part && seen[c - 1])), OCT_STATUS_INPUT,
                  "%s:%zu: column '%s' is missing", r->path, r->line, column->name);
        OCT_CHECK(!part || seen[c - 1] || !seen[c], OCT_STATUS_INPUT,
                  "%s:%zu: column '%s' is missing", r->path, r->line, r->columns.items[c - 1].name);
    }
    return OCT_STATUS_OK;
}

static oct_status read_header(csv_reader *r)
{
    bool seen[COLUMNS] = {false};
    list_columns(&r->columns, r->bodies);
    split_line(r);
    for (size_t f = 0; f < r->n_fields; f++) {
        const char *name = r->fields[f];
        size_t c = 0;
        while (c < r->columns.n && strcmp(r->columns.items[c].name, name) != 0)
            c++;
        if (c == r->columns.n)
            return fail_unknown(r, name);
        OCT_CHECK(!seen[c], OCT_STATUS_INPUT, "%s:%zu: column '%s' is there twice", r->path,
                  r->line, name);
        seen[c] = true;
        r->order[f] = c;
    }
    return check_header(r, seen);
}

static bool read_uint(uint64_t *out, const char *text)
{
    if (*text == '\0' || text[strspn(text, "0123456789")] != '\0')
        return false;
    errno = 0;
    *out = strtoull(text, NULL, 10);
    return errno == 0;
}

static oct_status read_field(csv_reader *r, oct_bodies *bodies, size_t i, const csv_column *column,
                             const char *text)
{
    const char *end;
    double value = 0;
    uint64_t number = 0;
    switch (type_of(column)) {
    case OCT_COLUMN_REAL:
        OCT_CHECK(oct_number_read(&value, &end, text) && *end == '\0' && isfinite(value),
                  OCT_STATUS_INPUT, "%s:%zu: column %s: '%.40s' is not a finite number", r->path,
                  r->line, column->name, text);
        *real_of(bodies, column, i) = value;
        break;
    case OCT_COLUMN_BYTE:
        OCT_CHECK(read_uint(&number, text) && (number & ~(uint64_t)OCT_TYPE_HELD) >= 1 &&
                      (number & ~(uint64_t)OCT_TYPE_HELD) <= HIGHEST_TYPE,
                  OCT_STATUS_INPUT,
                  "%s:%zu: column type: '%.40s' is not a type from 1 to %d, nor one with %d added "
                  "for a body that is held",
                  r->path, r->line, text, HIGHEST_TYPE, OCT_TYPE_HELD);
        bodies->type[i] = (uint8_t)number;
        break;
    case OCT_COLUMN_UINT:
        OCT_CHECK(read_uint(&number, text) && number <= UINT32_MAX, OCT_STATUS_INPUT,
                  "%s:%zu: column system: '%.40s' is not a whole number from 0 to 2^32 - 1",
                  r->path, r->line, text);
        bodies->system[i] = (uint32_t)number;
        break;
    default:
        OCT_CHECK(read_uint(&number, text), OCT_STATUS_INPUT,
                  "%s:%zu: column id: '%.40s' is not a whole number from 0 to 2^64 - 1", r->path,
                  r->line, text);
        bodies->id[i] = number;
        break;
    }
    return OCT_STATUS_OK;
}

static oct_status read_bodies(csv_reader *r)
{
    oct_bodies *bodies = r->bodies;
    enum { FIRST_ROOM = 1024 };
    size_t n = 0;
    bool found;
    OCT_TRY(next_line(&found, r));
    OCT_CHECK(found, OCT_STATUS_INPUT, "'%s' is empty: it has no header", r->path);
    OCT_TRY(read_header(r));
    size_t n_columns = r->n_fields;
    for (;;) {
        OCT_TRY(next_line(&found, r));
        if (!found)
            break;
        split_line(r);
        OCT_CHECK(r->n_fields == n_columns, OCT_STATUS_INPUT,
                  "%s:%zu: %zu fields where the header has %zu columns", r->path, r->line,
                  r->n_fields, n_columns);
        if (n == bodies->n)
            OCT_TRY(oct_bodies_resize(bodies, n ? 2 * n : FIRST_ROOM));
        bodies->id[n] = n + 1;
        bodies->type[n] = OCT_TYPE_BODY;
        for (size_t f = 0; f < n_columns; f++)
            OCT_TRY(read_field(r, bodies, n, &r->columns.items[r->order[f]], r->fields[f]));
        n++;
    }
    OCT_CHECK(n > 0, OCT_STATUS_INPUT, "'%s' holds no bodies", r->path);
    return oct_bodies_resize(bodies, n);
}

oct_status oct_csv_read(oct_bodies *out, oct_file_info *info, const char *path)
{
    csv_reader *r = NULL;
    uint64_t bytes;
    OCT_TRY(oct_alloc(&r, 1, sizeof *r, "a line"));
    r->path = path;
    r->bodies = out;
    r->info = info;
    *info = (oct_file_info){.kind = "csv", .units = oct_units_unknown};
    oct_status status = oct_file_open(&r->file, &bytes, path);
    if (status == OCT_STATUS_OK)
        status = read_bodies(r);
    if (r->file)
        fclose(r->file);
    free(r);
    if (status != OCT_STATUS_OK)
        oct_bodies_clear(out);
    return status;
}
