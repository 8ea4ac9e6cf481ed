/* Tables that measurements have of their own, such as profiles.csv: rows of one moment after the
 * other, kept as diagnostics.csv is. */
#ifndef OCT_RUN_TABLES_H
#define OCT_RUN_TABLES_H

#include "core/diagnose.h"
#include "run/rows.h"

enum { OCT_MOST_TABLES = 4 };

typedef struct oct_tables {
    uint32_t n;
    uint32_t of[OCT_MOST_TABLES]; /* the measurement of each, by its index in the domain */
    oct_rows rows[OCT_MOST_TABLES];
} oct_tables;

/* The name of its file; NULL: the measurement has none. */
const char *oct_table_file(char out[48], const oct_diag *diag);

/* As those of oct_rows, for all tables of a simulation. */
oct_status oct_tables_look(oct_tables *out, const char *folder, const oct_sim *sim,
                           oct_schedule schedule);
oct_status oct_tables_open(oct_tables *tables, oct_sim *sim);
oct_status oct_tables_flush(oct_tables *tables);
void oct_tables_close(oct_tables *tables);
/* Adds what is due in the row of this number, or OCT_ROW_WHOLE. */
oct_status oct_tables_add(oct_tables *tables, oct_sim *sim, uint64_t row);

#endif
