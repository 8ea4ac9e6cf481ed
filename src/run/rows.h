/* diagnostics.csv: a row of measurements for each diagnostics interval; and tables like it. */
#ifndef OCT_RUN_ROWS_H
#define OCT_RUN_ROWS_H

#include <stdio.h>
#include <sys/types.h>

#include "core/sim.h"
#include "run/schedule.h"

typedef struct oct_rows {
    char *path;
    char *heading; /* with the line that names the run */
    FILE *file;    /* NULL before oct_rows_open */
    off_t end;     /* of the rows that a straight run would have written up to here; 0: none */
    char *last;    /* the last of them, without its line's end; NULL: none */
    bool reached;  /* there was a row of the present step, whether it stays or not */
} oct_rows;

/* Reads what is there and finds where it has to be cut back; changes nothing. Other columns, or
 * rows of another run, are refused. */
oct_status oct_rows_look(oct_rows *out, const char *folder, const oct_sim *sim,
                         oct_schedule schedule);
/* The same for a table of another name and heading, which it takes over: its rows begin with their
 * step too, and may be many of one step. */
oct_status oct_rows_look_table(oct_rows *out, const char *folder, const char *name, char *heading,
                               const oct_sim *sim, oct_schedule schedule);
/* Cuts the table back to there, or begins it. */
oct_status oct_rows_open(oct_rows *rows, oct_sim *sim);
/* Whether the last row is of this step. */
bool oct_rows_has(const oct_rows *rows, uint64_t step);
/* The values of the last row, bit for bit. */
void oct_rows_last(double *values, const oct_rows *rows, uint32_t n);
/* The text of a row; and adds it, taking it over. */
oct_status oct_rows_line(char **out, const double *values, uint32_t n, uint64_t step, double time);
oct_status oct_rows_add(oct_rows *rows, char **line);
/* Whole lines, which it takes over. */
oct_status oct_rows_add_lines(oct_rows *rows, char *lines);
/* Puts them on the disk. */
oct_status oct_rows_flush(oct_rows *rows);
void oct_rows_close(oct_rows *rows);

#endif
