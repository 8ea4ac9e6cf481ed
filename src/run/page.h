/* The parts that reports in HTML share: the page and its style, tables of facts, units, times. */
#ifndef OCT_RUN_PAGE_H
#define OCT_RUN_PAGE_H

#include "core/sim.h"
#include "util/text.h"

enum { OCT_PAGE_UNIT = 80, OCT_PAGE_AXIS = OCT_PAGE_UNIT + 16 };

/* Everything up to and after what is on the page; meta: more lines of its head. */
void oct_page_begin(oct_text *out, const char *title, const char *meta);
void oct_page_end(oct_text *out);
/* Writes it as report.html of a folder. */
oct_status oct_page_write(const oct_text *page, const char *folder);

/* A row of a table: its name, then its cells. */
void oct_page_row_begin(oct_text *out, const char *name);
void oct_page_row_next(oct_text *out);
void oct_page_row_end(oct_text *out);
/* A row of one cell. */
void oct_page_row(oct_text *out, const char *name, const char *value);

/* "kg m^2/s^2"; "" where there is no unit. */
void oct_page_unit(char out[OCT_PAGE_UNIT], const oct_units *units, oct_dimension dimension);
/* What stands at the axis of a plot: "time [s]". */
void oct_page_axis(char out[OCT_PAGE_AXIS], const char *name, const char *unit);
/* A unit with raised powers. */
void oct_page_add_unit(oct_text *out, const char *unit);
/* "name [unit]: doc", the name in bold. */
void oct_page_add_caption(oct_text *out, const char *name, const char *unit, const char *doc);
/* "1 000 000" */
void oct_page_add_count(oct_text *out, uint64_t count);
/* A number to six digits, a whole one to its last. */
void oct_page_add_value(oct_text *out, double value);

/* Times are shown in orbits or years where the scene has them, or in its own unit. */
typedef struct oct_page_time {
    double size; /* of what they are shown in */
    char unit[OCT_PAGE_UNIT], own[OCT_PAGE_UNIT], axis[OCT_PAGE_AXIS];
    const char *column; /* of measurements that is the same; NULL: none */
} oct_page_time;

oct_page_time oct_page_time_of(const oct_sim *sim);
void oct_page_add_time(oct_text *out, const oct_page_time *shown, double time);
/* The same with the time in the scene's own unit before it: "1000 s (0.02 orbit)". */
void oct_page_add_both_times(oct_text *out, const oct_page_time *shown, double time);

#endif
