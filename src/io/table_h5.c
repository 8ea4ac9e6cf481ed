/* Writes the columns of a table; text has a fixed length, which every reader understands. */
#include "io/table_h5.h"

#include <stdlib.h>
#include <string.h>

#include "io/h5.h"

typedef struct source {
    const oct_table_column *columns;
    size_t n, rows;
} source;

static oct_status write_texts(const oct_h5 *h5, const oct_table_column *column, size_t rows)
{
    size_t longest = 1;
    char *data;
    for (size_t i = 0; i < rows; i++)
        longest = strlen(column->texts[i]) > longest ? strlen(column->texts[i]) : longest;
    OCT_TRY(oct_alloc(&data, rows * longest, 1, "a column of text"));
    for (size_t i = 0; i < rows; i++)
        memcpy(data + i * longest, column->texts[i], strlen(column->texts[i]));
    hid_t type = H5Tcopy(H5T_C_S1);
    bool made = type >= 0 && H5Tset_size(type, longest) >= 0 &&
                H5Tset_cset(type, H5T_CSET_UTF8) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0;
    oct_status status =
        made ? oct_h5_add_data(h5, column->name, type, data, rows, 1)
             : OCT_FAIL(OCT_STATUS_IO, "HDF5 cannot make a type for text in %s", h5->path);
    if (type >= 0)
        (void)H5Tclose(type);
    free(data);
    return status;
}

static oct_status write_all(const oct_h5 *h5, void *context)
{
    const source *s = context;
    for (size_t i = 0; i < s->n; i++) {
        const oct_table_column *column = &s->columns[i];
        OCT_TRY(column->texts ? write_texts(h5, column, s->rows)
                              : oct_h5_add_data(h5, column->name, H5T_NATIVE_DOUBLE,
                                                column->numbers, s->rows, 1));
        if (*column->unit)
            OCT_TRY(oct_h5_add_text(h5, column->name, "unit", column->unit));
    }
    return OCT_STATUS_OK;
}

oct_status oct_table_save(const char *path, const oct_table_column *columns, size_t n, size_t rows)
{
    source s = {columns, n, rows};
    return oct_h5_save(path, NULL, NULL, write_all, &s);
}
