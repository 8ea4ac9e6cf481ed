/* Chooses the measurements that apply, lists their columns, and takes one or all of them. */
#include "core/diagnose.h"
#include "cluster/comm.h"
#include "core/lead.h"
#include "core/look.h"
#include "core/units.h"
#include "core/whole.h"
#include "util/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 64 }; /* of a measurement: bits of a mask */
enum { PART_BYTES = 192 };

/* In how many rows a column is measured once; 0: in none. What is said of it goes before what is
 * said of the columns of all parts, and that before what is said of its measurement. */
static uint32_t every_of(const oct_setup *setup, const oct_diag *diag, const char *base,
                         const char *column)
{
    const char *const names[] = {diag->name, base, column};
    uint32_t every = 1;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        for (size_t i = 0; i < setup->output.every.n; i++)
            if (strcmp(setup->output.every.items[i].name, names[k]) == 0)
                every = (uint32_t)setup->output.every.items[i].values[0];
    return every;
}

size_t oct_diagnose_parts(const oct_choice *choice, const oct_setup *setup)
{
    const oct_diag *diag = (const oct_diag *)choice->module;
    size_t n = 0;
    while (diag->part && diag->part(choice->state, setup, n))
        n++;
    return diag->part ? n : 1;
}

/* The name of a column of a part. What is no letter, digit or '_' would not do for a key. */
static void part_name(char out[PART_BYTES], const char *base, const char *part)
{
    snprintf(out, PART_BYTES, "%s_%s", base, part);
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
}

static oct_status add_column(oct_sim *sim, const oct_diag *diag, const oct_column *column,
                             const char *part, size_t *n)
{
    OCT_TRY(oct_realloc(&sim->columns, *n + 2, sizeof *sim->columns, "columns"));
    OCT_TRY(oct_realloc(&sim->every, *n + 1, sizeof *sim->every, "columns"));
    oct_column *added = &sim->columns[*n];
    added[0] = *column;
    added[1] = (oct_column){0};
    if (part) {
        oct_texts *names = &sim->part_names;
        char name[PART_BYTES];
        part_name(name, column->name, part);
        OCT_TRY(oct_realloc(&names->items, names->n + 1, sizeof *names->items, "columns"));
        OCT_TRY(oct_text_copy(&names->items[names->n], name));
        added->name = names->items[names->n++];
        added->part = part;
    }
    sim->every[(*n)++] = every_of(sim->setup, diag, column->name, added->name);
    sim->n_values += column->count;
    return OCT_STATUS_OK;
}

static oct_status add_columns(oct_sim *sim, const oct_choice *choice, size_t *n)
{
    const oct_diag *diag = (const oct_diag *)choice->module;
    size_t parts = oct_diagnose_parts(choice, sim->setup), before = *n;
    for (size_t i = 0; i < parts; i++) {
        const char *part = diag->part ? diag->part(choice->state, sim->setup, i) : NULL;
        for (const oct_column *column = diag->columns; column->name; column++)
            OCT_TRY(add_column(sim, diag, column, part, n));
    }
    OCT_CHECK(*n - before <= MOST_COLUMNS, OCT_STATUS_INPUT,
              "output: the measurement '%s' would have %zu columns; expected %d at most",
              diag->name, *n - before, MOST_COLUMNS);
    return OCT_STATUS_OK;
}

oct_status oct_diagnose_columns(oct_sim *sim)
{
    size_t n_columns = 0;
    const oct_choice *diag;
    for (size_t i = 0; (diag = oct_setup_diag(sim->setup, i)) != NULL; i++)
        OCT_TRY(add_columns(sim, diag, &n_columns));
    return OCT_STATUS_OK;
}

/* Whether a name is that of a column, of all parts or of one. */
static bool has_column(const oct_choice *choice, const oct_setup *setup, const char *name)
{
    const oct_diag *diag = (const oct_diag *)choice->module;
    for (const oct_column *column = diag->columns; column->name; column++) {
        const char *part;
        char whole[PART_BYTES];
        if (strcmp(column->name, name) == 0)
            return true;
        for (size_t i = 0; diag->part && (part = diag->part(choice->state, setup, i)) != NULL;
             i++) {
            part_name(whole, column->name, part);
            if (strcmp(whole, name) == 0)
                return true;
        }
    }
    return false;
}

oct_status oct_diagnose_check(const oct_setup *setup)
{
    for (size_t i = 0; i < setup->output.every.n; i++) {
        const oct_parameter *item = &setup->output.every.items[i];
        bool known = false;
        for (size_t k = 0; !known && k < setup->n_diags; k++)
            known = strcmp(setup->diags[k].module->name, item->name) == 0 ||
                    has_column(&setup->diags[k], setup, item->name);
        OCT_CHECK(
            known, OCT_STATUS_INPUT,
            "there is no measurement and no column '%.60s'; `octant list diagnostics` has them",
            item->name);
        double every = item->values[0];
        OCT_CHECK(!item->list && every >= 0 && every <= 1e9 && every == floor(every),
                  OCT_STATUS_INPUT,
                  "%s: %g is no number of rows; expected 1, 2, 3, ..., or 0 for never", item->name,
                  every);
    }
    return OCT_STATUS_OK;
}

oct_status oct_diagnose_start(oct_domain *domain)
{
    const oct_choice *settings;
    while ((settings = oct_setup_diag(domain->setup, domain->n_diags)) != NULL) {
        const oct_diag *diag = (const oct_diag *)settings->module;
        OCT_TRY(
            oct_realloc(&domain->diags, domain->n_diags + 1, sizeof *domain->diags, "diagnostics"));
        oct_choice *choice = &domain->diags[domain->n_diags++];
        *choice = (oct_choice){0};
        OCT_TRY(oct_choice_copy(choice, settings));
        if (diag->init)
            OCT_TRY(diag->init(choice->state, domain));
    }
    return OCT_STATUS_OK;
}

void oct_diagnose_end(oct_domain *domain)
{
    for (uint32_t i = 0; i < domain->n_diags; i++)
        oct_choice_end(&domain->diags[i]);
    free(domain->diags);
}

oct_status oct_diagnose_first(oct_sim *sim)
{
    double *values;
    OCT_TRY(oct_alloc(&values, sim->n_values, sizeof *values, "measurements"));
    oct_status status = oct_sim_measure(values, sim);
    free(values);
    return status;
}

const oct_column *oct_sim_columns(const oct_sim *sim)
{
    return sim->columns;
}

uint64_t oct_looks_nowhere(const oct_setup *setup)
{
    (void)setup;
    return 0;
}

/* What a row asks for. */
typedef enum row_kind { ROW_NUMBERED, ROW_WHOLE, ROW_ALL } row_kind;
typedef struct row_request {
    row_kind kind;
    uint64_t number;
} row_request;

static row_request request_of(uint64_t row)
{
    return (row_request){.kind = row == OCT_ROW_WHOLE ? ROW_WHOLE : ROW_NUMBERED, .number = row};
}

static bool is_due(const oct_sim *sim, size_t column, row_request row)
{
    uint32_t every = sim->every[column];
    if (row.kind == ROW_ALL || every == 0)
        return row.kind == ROW_ALL;
    return row.kind == ROW_WHOLE || row.number % every == 0;
}

/* The columns of a measurement among those of the simulation. */
typedef struct span {
    size_t first, n;
    uint32_t values, at; /* numbers of all, and where they are in a row */
    uint64_t due;        /* bit k: whether the k-th of them is */
} span;

/* Those of the next measurement, behind those of the one before. */
static span next_span(span before, const oct_domain *domain, uint32_t index, row_request row)
{
    const oct_choice *choice = &domain->diags[index];
    const oct_diag *diag = (const oct_diag *)choice->module;
    span s = {.first = before.first + before.n, .at = before.at + before.values};
    while (diag->columns[s.n].name)
        s.n++;
    s.n *= oct_diagnose_parts(choice, domain->setup);
    for (size_t k = 0; k < s.n; k++) {
        s.values += domain->sim->columns[s.first + k].count;
        s.due |= (uint64_t)is_due(domain->sim, s.first + k, row) << k;
    }
    return s;
}

/* Whether a measurement knows of all bodies where they are: one that looks at pairs or rays does
 * not where ranks share them. */
static bool is_measured_here(const oct_diag *diag, const oct_sim *sim)
{
    return diag->shared || !oct_owners_several(sim);
}

static bool is_measured(const oct_diag *diag, const oct_sim *sim)
{
    return diag->gathered || is_measured_here(diag, sim);
}

void oct_diagnose_note(oct_sim *sim)
{
    char names[256] = "";
    for (uint32_t i = 0; i < sim->domain->n_diags; i++) {
        const oct_diag *diag = (const oct_diag *)sim->domain->diags[i].module;
        size_t used = strlen(names);
        if (!is_measured(diag, sim))
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", diag->name);
    }
    if (*names)
        oct_sim_note(sim, "not measured with more than one domain, their columns are nan: %s",
                     names);
}

/* Whether a column of the row needs accelerations of the present positions. */
static bool row_looks(const oct_sim *sim, row_request row)
{
    const oct_domain *domain = sim->domain;
    span s = {0};
    for (uint32_t i = 0; i < domain->n_diags; i++) {
        const oct_diag *diag = (const oct_diag *)domain->diags[i].module;
        s = next_span(s, domain, i, row);
        uint64_t looks = diag->looks ? diag->looks(domain->setup) : UINT64_MAX;
        if (diag->measure && is_measured(diag, sim) && (s.due & looks))
            return true;
    }
    return false;
}

static oct_status launch_row(oct_domain *domain, row_request row)
{
    span s = {0};
    bool whole = false;
    oct_readback_begin(domain);
    for (uint32_t i = 0; i < domain->n_diags; i++) {
        const oct_diag *diag = (const oct_diag *)domain->diags[i].module;
        s = next_span(s, domain, i, row);
        if (!s.due || !is_measured(diag, domain->sim))
            continue;
        if (is_measured_here(diag, domain->sim)) {
            OCT_TRY(diag->launch ? diag->launch(domain->diags[i].state, domain) : OCT_STATUS_OK);
            continue;
        }
        OCT_TRY(whole ? OCT_STATUS_OK : oct_whole_begin(domain->sim));
        whole = true;
        OCT_TRY(oct_whole_launch(domain->sim, i));
    }
    return OCT_STATUS_OK;
}

/* Takes away what is not due. */
static void blank_columns(double *at, const oct_sim *sim, span s)
{
    for (size_t k = 0; k < s.n; k++)
        for (unsigned i = 0; i < sim->columns[s.first + k].count; i++, at++)
            if (!(s.due >> k & 1))
                *at = NAN;
}

static oct_status measure(double *out, oct_domain *domain, uint32_t index, uint32_t values)
{
    const oct_choice *choice = &domain->diags[index];
    const oct_diag *diag = (const oct_diag *)choice->module;
    return is_measured_here(diag, domain->sim) ? diag->measure(out, choice->state, domain)
                                               : oct_whole_measure(out, domain->sim, index, values);
}

/* Says where in the row the jobs are that a measurement has left for later, from `first` on. */
static void place_jobs(oct_later *later, uint32_t first, const oct_sim *sim, span s)
{
    for (uint32_t i = first; i < later->n; i++) {
        uint32_t value = 0;
        later->jobs[i].at = s.at;
        later->jobs[i].values = s.values;
        later->jobs[i].blank = 0;
        for (size_t k = 0; k < s.n; k++)
            for (unsigned c = 0; c < sim->columns[s.first + k].count && value < 64; c++, value++)
                later->jobs[i].blank |= (uint64_t) !(s.due >> k & 1) << value;
    }
}

/* Measures what is due of those that measure, or of those that derive. */
static oct_status fill_row(double *out, oct_domain *domain, row_request row, bool derived)
{
    span s = {0};
    for (uint32_t i = 0; i < domain->n_diags; i++) {
        const oct_diag *diag = (const oct_diag *)domain->diags[i].module;
        s = next_span(s, domain, i, row);
        if (!is_measured(diag, domain->sim))
            s.due = 0;
        if (s.due && derived && diag->derive)
            diag->derive(out + s.at, domain, out);
        else if (s.due && !derived && diag->measure) {
            oct_later *later = domain->sim->later;
            uint32_t first = later->n;
            OCT_TRY(measure(out + s.at, domain, i, s.values));
            place_jobs(later, first, domain->sim, s);
        }
        if (derived || diag->measure)
            blank_columns(out + s.at, domain->sim, s);
    }
    return OCT_STATUS_OK;
}

static oct_status fill_all(double *out, oct_sim *sim, row_request row)
{
    for (oct_domain *domain = sim->domain; domain; domain = domain->beside)
        OCT_TRY(launch_row(domain, row));
    OCT_TRY(fill_row(out, sim->domain, row, false));
    return fill_row(out, sim->domain, row, true);
}

bool oct_row_looks(const oct_sim *sim, uint64_t row)
{
    return row_looks(sim, request_of(row));
}

bool oct_row_walks(const oct_sim *sim, uint64_t row)
{
    span s = {0};
    for (uint32_t i = 0; i < sim->domain->n_diags; i++) {
        const oct_diag *diag = (const oct_diag *)sim->domain->diags[i].module;
        s = next_span(s, sim->domain, i, request_of(row));
        if (s.due && !diag->derive && !diag->shared)
            return true;
    }
    return false;
}

bool oct_row_reads_ahead(const oct_sim *sim, uint64_t row)
{
    span s = {0};
    for (uint32_t i = 0; i < sim->domain->n_diags; i++) {
        const oct_diag *diag = (const oct_diag *)sim->domain->diags[i].module;
        s = next_span(s, sim->domain, i, request_of(row));
        if (s.due && !diag->ahead)
            return false;
    }
    return true;
}

oct_status oct_row_launch(oct_sim *sim, uint64_t row)
{
    return launch_row(sim->domain, request_of(row));
}

oct_status oct_row_fill(oct_later *later, double *out, oct_sim *sim, uint64_t row)
{
    sim->later = later;
    oct_status status = fill_row(out, sim->domain, request_of(row), false);
    if (status == OCT_STATUS_OK)
        status = fill_row(out, sim->domain, request_of(row), true);
    sim->later = NULL;
    return status;
}

/* later: NULL where nothing may be left for later. */
static oct_status take_row(double *out, oct_sim *sim, row_request row, oct_later *later)
{
    oct_later now = {0};
    bool looks = row_looks(sim, row);
    OCT_CHECK(!sim->ahead.measures, OCT_STATUS_INTERNAL,
              "a row was to be measured before the one before it was there");
    OCT_TRY(looks ? oct_sim_look(sim) : oct_sim_wait(sim));
    OCT_TRY(oct_sim_done(sim, oct_look_open(sim->domain)));
    sim->later = later ? later : &now;
    oct_status status = fill_all(out, sim, row);
    sim->later = NULL;
    oct_look_close(sim->domain);
    if (status == OCT_STATUS_OK)
        status = oct_later_finish(&now, out);
    oct_later_clear(&now);
    /* Rates are measured from row to row: the state knows when the last one was. */
    return oct_sim_changed(sim, status);
}

static oct_status measure_row(double *out, oct_sim *sim, row_request row, oct_later *later)
{
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_lead_begin(sim, (oct_order){OCT_ORDER_MEASURE, row.number, row.kind}));
    return oct_lead_end(sim, take_row(out, sim, row, later));
}

oct_status oct_sim_measure(double *out, oct_sim *sim)
{
    return measure_row(out, sim, (row_request){.kind = ROW_ALL}, NULL);
}

oct_status oct_diagnose_row(double *out, oct_sim *sim, uint64_t row)
{
    return measure_row(out, sim, request_of(row), NULL);
}

oct_status oct_diagnose_row_ahead(oct_later *later, double *out, oct_sim *sim, uint64_t row)
{
    oct_status status = measure_row(out, sim, request_of(row), later);
    if (status != OCT_STATUS_OK)
        oct_later_clear(later);
    return status;
}

bool oct_diagnose_tabulates(const oct_sim *sim, uint32_t index, uint64_t row)
{
    span s = {0};
    for (uint32_t i = 0; i <= index; i++)
        s = next_span(s, sim->domain, i, request_of(row));
    return s.due && ((const oct_diag *)sim->domain->diags[index].module)->table;
}

static oct_status tabulate(oct_tabulation *out, oct_sim *sim, uint32_t index)
{
    const oct_choice *choice = &sim->domain->diags[index];
    const oct_diag *diag = (const oct_diag *)choice->module;
    *out = (oct_tabulation){0};
    for (const oct_column *column = diag->table; column->name; column++)
        out->width += column->count;
    OCT_TRY(oct_sim_wait(sim));
    oct_status status = diag->tabulate(out, choice->state, sim->domain);
    if (status != OCT_STATUS_OK)
        oct_tabulation_clear(out);
    return oct_sim_done(sim, status);
}

oct_status oct_diagnose_tabulate(oct_tabulation *out, oct_sim *sim, uint32_t index)
{
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_lead_begin(sim, (oct_order){.kind = OCT_ORDER_TABULATE, .number = index}));
    return oct_lead_end(sim, tabulate(out, sim, index));
}

oct_status oct_diagnose_follow(oct_sim *sim, oct_order order)
{
    oct_tabulation table;
    double *values;
    if (order.kind == OCT_ORDER_TABULATE) {
        OCT_TRY(oct_diagnose_tabulate(&table, sim, (uint32_t)order.number));
        oct_tabulation_clear(&table);
        return OCT_STATUS_OK;
    }
    const row_request row = {.kind = (row_kind)order.until, .number = order.number};
    OCT_TRY(oct_alloc(&values, sim->n_values, sizeof *values, "measurements"));
    oct_status status = measure_row(values, sim, row, NULL);
    free(values);
    return status;
}

oct_status oct_tabulation_add(oct_tabulation *table, const char *name, const double *values)
{
    size_t n = table->n + 1;
    OCT_TRY(oct_realloc(&table->names, n, sizeof *table->names, "a table"));
    OCT_TRY(oct_realloc(&table->values, n * table->width, sizeof *table->values, "a table"));
    memcpy(table->values + table->n * table->width, values, table->width * sizeof *values);
    table->names[table->n++] = name;
    return OCT_STATUS_OK;
}

void oct_tabulation_clear(oct_tabulation *table)
{
    free(table->names);
    free(table->values);
    *table = (oct_tabulation){0};
}

oct_status oct_diagnose_whole_row(double *out, oct_sim *sim)
{
    return measure_row(out, sim, request_of(OCT_ROW_WHOLE), NULL);
}

static const oct_column *find_column(size_t *at, const oct_sim *sim, const char *name)
{
    const oct_column *column = sim->columns;
    *at = 0;
    for (; column->name && strcmp(column->name, name) != 0; column++)
        *at += column->count;
    return column->name ? column : NULL;
}

const double *oct_diagnose_value(const oct_sim *sim, const double *values, const char *name)
{
    size_t at;
    return find_column(&at, sim, name) ? values + at : NULL;
}

void oct_column_unit(char *out, size_t bytes, const oct_column *column, const oct_units *units)
{
    oct_dimension dimension = {column->length, column->mass, column->time};
    if (column->unit)
        snprintf(out, bytes, "%s", column->unit);
    else if (dimension.length || dimension.mass || dimension.time)
        oct_units_describe(out, bytes, units, dimension);
    else
        out[0] = '\0';
}

oct_status oct_sim_measure_one(double *out, oct_sim *sim, const char *name)
{
    double *values;
    size_t at;
    OCT_TRY(oct_sim_usable(sim));
    const oct_column *column = find_column(&at, sim, name);
    OCT_CHECK(column, OCT_STATUS_MISSING, "this simulation has no measurement '%.60s'", name);
    OCT_TRY(oct_sim_done(sim, oct_alloc(&values, sim->n_values, sizeof *values, "measurements")));
    oct_status status = oct_sim_measure(values, sim);
    if (status == OCT_STATUS_OK)
        memcpy(out, values + at, column->count * sizeof *out);
    free(values);
    return status;
}
