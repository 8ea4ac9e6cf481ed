/* The measurements of a simulation: the diag modules that apply to it. */
#ifndef OCT_CORE_DIAGNOSE_H
#define OCT_CORE_DIAGNOSE_H

#include "core/sim.h"

/* The columns that the simulation will measure. */
oct_status oct_diagnose_columns(oct_sim *sim);
oct_status oct_diagnose_start(oct_domain *domain);
/* Measures the start, which later measurements are compared with. */
oct_status oct_diagnose_first(oct_sim *sim);
void oct_diagnose_end(oct_domain *domain);

/* A row of a run, by its number among the rows: columns that are not due in it (output.every) are
 * NaN. Forces are looked at only where a column that is due needs them. */
oct_status oct_diagnose_row(double *out, oct_sim *sim, uint64_t row);
/* The same for a row that all columns are due in but those that never are. */
oct_status oct_diagnose_whole_row(double *out, oct_sim *sim);

/* oct_diagnose_row, or with OCT_ROW_WHOLE the other one, but for what can be done later: the row is
 * whole after oct_later_finish. */
oct_status oct_diagnose_row_ahead(oct_later *later, double *out, oct_sim *sim, uint64_t row);

/* The parts of it, for core/ahead.h: whether a column that is due needs forces; whether all that
 * are due can be read when steps have been taken since; enqueues; and fills in what has come. */
bool oct_row_looks(const oct_sim *sim, uint64_t row);
/* Or images: those who look at pairs or rays do. */
bool oct_row_walks(const oct_sim *sim, uint64_t row);
bool oct_row_reads_ahead(const oct_sim *sim, uint64_t row);
oct_status oct_row_launch(oct_sim *sim, uint64_t row);
oct_status oct_row_fill(oct_later *later, double *out, oct_sim *sim, uint64_t row);

/* Rows of a measurement's own table, as of one moment: a name and numbers each. */
typedef struct oct_tabulation {
    size_t n, width; /* numbers of a row */
    const char **names;
    double *values;
} oct_tabulation;

/* Adds a row; the name stays the caller's. */
oct_status oct_tabulation_add(oct_tabulation *table, const char *name, const double *values);
void oct_tabulation_clear(oct_tabulation *table);

/* OCT_ROW_WHOLE in place of a row's number: one that all columns are due in. */
#define OCT_ROW_WHOLE UINT64_MAX
/* Whether the measurement of this index in a domain has a table that gets rows then. */
bool oct_diagnose_tabulates(const oct_sim *sim, uint32_t index, uint64_t row);
/* Fills its table; a row has been measured at this step. */
oct_status oct_diagnose_tabulate(oct_tabulation *out, oct_sim *sim, uint32_t index);

/* How many parts the columns of a measurement are measured of, one after the other. */
size_t oct_diagnose_parts(const oct_choice *choice, const oct_setup *setup);

/* Refuses names in output.every that no measurement has. */
oct_status oct_diagnose_check(const oct_setup *setup);

/* The numbers of a column among the values of all; NULL where there is no such column. */
const double *oct_diagnose_value(const oct_sim *sim, const double *values, const char *name);
/* The unit of a column: "m/s", "deg", "length"; "" for a plain number. */
void oct_column_unit(char *out, size_t bytes, const oct_column *column, const oct_units *units);

/* Tells the log what is not measured because ranks share the bodies. */
void oct_diagnose_note(oct_sim *sim);

#endif
