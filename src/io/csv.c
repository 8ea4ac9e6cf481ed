#include "io/csv.h"

#include "core/state.h"
#include "util/file.h"
#include "util/number.h"
#include "util/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum column_kind { REAL, ID, TYPE, SYSTEM } column_kind;

/* The columns there are, in the order in which they are written. */
static const struct csv_column {
    const char *name;
    column_kind kind;
    size_t offset, stride, index; /* number `index` of `stride` in the array at `offset` */
    bool required;
} columns[] = {
    {"id", ID, offsetof(oct_bodies, id), 1, 0, false},
    {"mass", REAL, offsetof(oct_bodies, mass), 1, 0, true},
    {"x", REAL, offsetof(oct_bodies, position), 3, 0, true},
    {"y", REAL, offsetof(oct_bodies, position), 3, 1, true},
    {"z", REAL, offsetof(oct_bodies, position), 3, 2, true},
    {"vx", REAL, offsetof(oct_bodies, velocity), 3, 0, true},
    {"vy", REAL, offsetof(oct_bodies, velocity), 3, 1, true},
    {"vz", REAL, offsetof(oct_bodies, velocity), 3, 2, true},
    {"radius", REAL, offsetof(oct_bodies, radius), 1, 0, false},
    {"type", TYPE, offsetof(oct_bodies, type), 1, 0, false},
    {"system", SYSTEM, offsetof(oct_bodies, system), 1, 0, false},
    {"wx", REAL, offsetof(oct_bodies, spin), 3, 0, false},
    {"wy", REAL, offsetof(oct_bodies, spin), 3, 1, false},
    {"wz", REAL, offsetof(oct_bodies, spin), 3, 2, false},
};

enum { COLUMNS = sizeof columns / sizeof columns[0], LONGEST_LINE = 1 << 16, HIGHEST_TYPE = 6 };

static double *real_of(const oct_bodies *bodies, const struct csv_column *column, size_t i)
{
    double *array;
    memcpy(&array, (const char *)bodies + column->offset, sizeof array);
    return &array[column->stride * i + column->index];
}

static bool write_body(FILE *file, const oct_bodies *bodies, size_t i, size_t n_columns)
{
    bool fine = true;
    for (size_t c = 0; c < n_columns; c++) {
        char number[OCT_NUMBER_BYTES];
        if (c > 0)
            fine = fine && fputc(',', file) != EOF;
        switch (columns[c].kind) {
        case ID:
            fine = fine && fprintf(file, "%" PRIu64, bodies->id[i]) > 0;
            break;
        case TYPE:
            fine = fine && fprintf(file, "%u", (unsigned)bodies->type[i]) > 0;
            break;
        case SYSTEM:
            fine = fine && fprintf(file, "%" PRIu32, bodies->system[i]) > 0;
            break;
        case REAL:
            oct_number_write(number, *real_of(bodies, &columns[c], i));
            fine = fine && fputs(number, file) != EOF;
            break;
        }
    }
    return fine && fputc('\n', file) != EOF;
}

/* The title may hold anything; a comment is one line. */
static bool write_head(FILE *file, const oct_file_info *info, size_t n_columns)
{
    char time[OCT_NUMBER_BYTES], title[sizeof info->title];
    snprintf(title, sizeof title, "%s", info->title);
    for (char *c = title; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    oct_number_write(time, info->time);
    bool fine =
        fprintf(file, "# %s%stime %s, step %" PRIu64 ", units %s\n", title, title[0] ? ": " : "",
                time, info->step, info->units.name ? info->units.name : "unknown") > 0;
    for (size_t c = 0; c < n_columns; c++)
        fine = fine && fprintf(file, "%s%s", c > 0 ? "," : "", columns[c].name) > 0;
    return fine && fputc('\n', file) != EOF;
}

oct_status oct_csv_write(const oct_bodies *bodies, const oct_file_info *info, const char *path)
{
    oct_file_draft draft = {0};
    size_t n_columns = COLUMNS - 5; /* without type, system and spin */
    for (size_t i = 0; i < bodies->n && n_columns < COLUMNS - 3; i++)
        if (bodies->system[i] != 0)
            n_columns = COLUMNS - 3;
        else if (bodies->type[i] != OCT_TYPE_BODY)
            n_columns = COLUMNS - 4;
    if (info->spins || oct_bodies_spin(bodies))
        n_columns = COLUMNS;
    OCT_TRY(oct_file_begin(&draft, path));
    FILE *file = fopen(draft.temporary, "w");
    bool fine = file && write_head(file, info, n_columns);
    for (size_t i = 0; fine && i < bodies->n; i++)
        fine = write_body(file, bodies, i, n_columns);
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

/* The next line that is neither empty nor a comment. */
static oct_status next_line(bool *found, csv_reader *r)
{
    for (;;) {
        OCT_TRY(read_line(found, r));
        char first = r->text[strspn(r->text, " \t\r")];
        if (!*found || (first != '\0' && first != '#'))
            return OCT_STATUS_OK;
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

static oct_status read_header(csv_reader *r)
{
    const char *names[COLUMNS];
    bool seen[COLUMNS] = {false};
    for (size_t c = 0; c < COLUMNS; c++)
        names[c] = columns[c].name;
    split_line(r);
    for (size_t f = 0; f < r->n_fields; f++) {
        const char *name = r->fields[f];
        size_t c = 0;
        while (c < COLUMNS && strcmp(names[c], name) != 0)
            c++;
        const char *nearest = oct_text_nearest(name, names, COLUMNS);
        OCT_CHECK(c < COLUMNS, OCT_STATUS_INPUT, "%s:%zu: there is no column '%.40s'%s%s%s",
                  r->path, r->line, name, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                  nearest ? "'?" : "");
        OCT_CHECK(!seen[c], OCT_STATUS_INPUT, "%s:%zu: column '%s' is there twice", r->path,
                  r->line, name);
        seen[c] = true;
        r->order[f] = c;
    }
    for (size_t c = 0; c < COLUMNS; c++)
        OCT_CHECK(seen[c] || !columns[c].required, OCT_STATUS_INPUT,
                  "%s:%zu: column '%s' is missing", r->path, r->line, names[c]);
    return OCT_STATUS_OK;
}

static bool read_uint(uint64_t *out, const char *text)
{
    if (*text == '\0' || text[strspn(text, "0123456789")] != '\0')
        return false;
    errno = 0;
    *out = strtoull(text, NULL, 10);
    return errno == 0;
}

static oct_status read_field(csv_reader *r, oct_bodies *bodies, size_t i,
                             const struct csv_column *column, const char *text)
{
    const char *end;
    double value = 0;
    uint64_t number = 0;
    switch (column->kind) {
    case REAL:
        OCT_CHECK(oct_number_read(&value, &end, text) && *end == '\0' && isfinite(value),
                  OCT_STATUS_INPUT, "%s:%zu: column %s: '%.40s' is not a finite number", r->path,
                  r->line, column->name, text);
        *real_of(bodies, column, i) = value;
        break;
    case ID:
        OCT_CHECK(read_uint(&number, text), OCT_STATUS_INPUT,
                  "%s:%zu: column id: '%.40s' is not a whole number from 0 to 2^64 - 1", r->path,
                  r->line, text);
        bodies->id[i] = number;
        break;
    case TYPE:
        OCT_CHECK(read_uint(&number, text) && (number & ~(uint64_t)OCT_TYPE_HELD) >= 1 &&
                      (number & ~(uint64_t)OCT_TYPE_HELD) <= HIGHEST_TYPE,
                  OCT_STATUS_INPUT,
                  "%s:%zu: column type: '%.40s' is not a type from 1 to %d, nor one with %d added "
                  "for a body that is held",
                  r->path, r->line, text, HIGHEST_TYPE, OCT_TYPE_HELD);
        bodies->type[i] = (uint8_t)number;
        break;
    case SYSTEM:
        OCT_CHECK(read_uint(&number, text) && number <= UINT32_MAX, OCT_STATUS_INPUT,
                  "%s:%zu: column system: '%.40s' is not a whole number from 0 to 2^32 - 1",
                  r->path, r->line, text);
        bodies->system[i] = (uint32_t)number;
        break;
    }
    return OCT_STATUS_OK;
}

static oct_status read_bodies(csv_reader *r, oct_bodies *bodies)
{
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
            OCT_TRY(read_field(r, bodies, n, &columns[r->order[f]], r->fields[f]));
        n++;
    }
    OCT_CHECK(n > 0, OCT_STATUS_INPUT, "'%s' holds no bodies", r->path);
    return oct_bodies_resize(bodies, n);
}

oct_status oct_csv_read(oct_bodies *out, const char *path)
{
    oct_bodies bodies = {0};
    csv_reader *r = NULL;
    uint64_t bytes;
    OCT_TRY(oct_alloc(&r, 1, sizeof *r, "a line"));
    r->path = path;
    oct_status status = oct_file_open(&r->file, &bytes, path);
    if (status == OCT_STATUS_OK)
        status = read_bodies(r, &bodies);
    if (r->file)
        fclose(r->file);
    free(r);
    if (status == OCT_STATUS_OK)
        *out = bodies;
    else
        oct_bodies_clear(&bodies);
    return status;
}
