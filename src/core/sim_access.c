/* Columns of some bodies, read and written by a program between steps. */
#include <stdlib.h>
#include <string.h>

#include "core/access.h"
#include "core/look.h"
#include "core/set.h"
#include "util/sized.h"

size_t oct_sim_size(const oct_sim *sim)
{
    return sim->domain->n;
}

/* Why a program may not write a column: what follows from other columns, and who a body is, stays,
 * and some are there from the start or never. NULL: it may. */
static const char *fixed(const oct_column_spec *spec, const oct_sim *sim)
{
    oct_access_column column;
    if (strcmp(spec->name, "id") == 0 || strcmp(spec->name, "system") == 0)
        return "is given when bodies come";
    if (!(spec->flags & OCT_COLUMN_FROM_OUTSIDE))
        return "follows from others";
    bool late = sim && spec->flags & OCT_COLUMN_FROM_START &&
                (oct_access_find(&column, sim->domain, spec->name) || !column.buffer);
    return late ? "had no number of any body when the simulation began" : NULL;
}

/* The column of this index: the table's that the host has, then the scene's; NULL past the last. */
static const oct_column_spec *column_at(const oct_sim *sim, size_t index)
{
    const oct_domain *domain = sim ? sim->domain : NULL;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++)
        if (spec->host && index-- == 0)
            return spec;
    for (size_t i = 0; domain && i < domain->n_columns; i++)
        if (domain->columns[i].spec.flags & OCT_COLUMN_USER && index-- == 0)
            return &domain->columns[i].spec;
    return NULL;
}

bool oct_sim_body_column(oct_body_column *out, const oct_sim *sim, size_t index)
{
    static const oct_element elements[] = {[OCT_COLUMN_REAL] = OCT_ELEMENT_DOUBLE,
                                           [OCT_COLUMN_LONG] = OCT_ELEMENT_INT64,
                                           [OCT_COLUMN_ULONG] = OCT_ELEMENT_UINT64,
                                           [OCT_COLUMN_UINT] = OCT_ELEMENT_UINT32,
                                           [OCT_COLUMN_BYTE] = OCT_ELEMENT_UINT8};
    const oct_column_spec *spec = column_at(sim, index);
    if (!spec || OCT_SIZED_CHECK(oct_body_column, writable, out) != OCT_STATUS_OK)
        return false;
    bool user = spec->flags & OCT_COLUMN_USER;
    const oct_body_column own = {.name = user ? spec->data_set : spec->name,
                                 .width = spec->width,
                                 .element = elements[spec->type],
                                 .length = spec->unit.length,
                                 .mass = spec->unit.mass,
                                 .time = spec->unit.time,
                                 .unit = user ? spec->unit_text : NULL,
                                 .writable = !fixed(spec, sim)};
    oct_sized_give(out, &own, sizeof own);
    return true;
}

static oct_status find(oct_access_column *out, const oct_sim *sim, const char *name)
{
    return oct_access_find(out, sim->domain, name);
}

/* The bodies meant, all of which must be there. */
static oct_status check_selection(oct_selection *out, const oct_sim *sim, const oct_selection *of)
{
    size_t all = sim->domain->n;
    *out = of ? *of : (oct_selection){.n = all};
    if (!out->list)
        OCT_CHECK(out->first <= all && out->n <= all - out->first, OCT_STATUS_INPUT,
                  "%zu bodies from %zu on were asked for; the simulation has %zu, counted from 0",
                  out->n, out->first, all);
    for (size_t i = 0; out->list && i < out->n; i++)
        OCT_CHECK(out->list[i] < all, OCT_STATUS_INPUT,
                  "body %lu was asked for; the simulation has %zu, counted from 0",
                  (unsigned long)out->list[i], all);
    return OCT_STATUS_OK;
}

/* A part of a selection on its way. */
typedef struct part {
    const uint32_t *list;
    size_t first, n;
} part;

static part part_of(const oct_selection *of, size_t done)
{
    size_t left = of->n - done;
    return (part){.list = of->list ? of->list + done : NULL,
                  .first = of->first + done,
                  .n = left < OCT_ACCESS_PART ? left : OCT_ACCESS_PART};
}

static oct_status make_room(void **out, const oct_access_column *column, const oct_selection *of)
{
    size_t n = of->n < OCT_ACCESS_PART ? of->n : OCT_ACCESS_PART;
    return oct_alloc(out, n, column->spec.width * column->number, "a part of a column");
}

/* Positions of a part that is on the host, as oct_sim_bodies has them. */
static void fold(void *out, oct_element type, size_t n, const oct_sim *sim)
{
    double period[3];
    oct_setup_periods(period, sim->setup);
    for (size_t i = 0; i < 3 * n; i++) {
        double x = type == OCT_ELEMENT_FLOAT ? (double)((float *)out)[i] : ((double *)out)[i];
        oct_fold(&x, period[i % 3]);
        if (type == OCT_ELEMENT_FLOAT)
            ((float *)out)[i] = (float)x;
        else
            ((double *)out)[i] = x;
    }
}

static oct_status read_parts(void *out, oct_element type, oct_sim *sim,
                             const oct_access_column *column, const oct_selection *of)
{
    const size_t bytes = column->spec.width * oct_access_bytes(type);
    const bool folds = strcmp(column->spec.name, "position") == 0;
    void *packed;
    oct_status status = make_room(&packed, column, of);
    for (size_t done = 0; status == OCT_STATUS_OK && done < of->n;) {
        part p = part_of(of, done);
        char *at = (char *)out + done * bytes;
        status = oct_access_read(packed, sim->domain, column, p.list, p.first, p.n);
        if (status == OCT_STATUS_OK)
            status = oct_access_give(at, type, column, packed, p.n * column->spec.width);
        if (status == OCT_STATUS_OK && folds)
            fold(at, type, p.n, sim);
        done += p.n;
    }
    free(packed);
    return status;
}

oct_status oct_sim_read(void *out, oct_element type, oct_sim *sim, const char *name,
                        const oct_selection *of)
{
    oct_access_column column;
    oct_selection which;
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_sim_check_alone(sim, "columns cannot be read"));
    OCT_TRY(find(&column, sim, name));
    OCT_TRY(column.spec.flags & OCT_COLUMN_OF_FORCES ? oct_sim_look(sim) : oct_sim_wait(sim));
    /* Waiting may have closed gaps up, in arrays of another domain. */
    OCT_TRY(find(&column, sim, name));
    OCT_TRY(check_selection(&which, sim, of));
    OCT_TRY(oct_sim_done(sim, oct_look_open(sim->domain)));
    oct_status status = read_parts(out, type, sim, &column, &which);
    oct_look_close(sim->domain);
    return oct_sim_done(sim, status);
}

/* Makes a set of those that are meant. */
static oct_status choose(oct_set **out, oct_sim *sim, const oct_selection *of)
{
    oct_domain *domain = sim->domain;
    uint8_t *marks;
    OCT_TRY(oct_alloc(&marks, domain->n, sizeof *marks, "a set of bodies"));
    for (size_t i = 0; i < of->n; i++)
        marks[of->list ? of->list[i] : of->first + i] = 1;
    oct_status status = oct_set_create(out, domain);
    if (status == OCT_STATUS_OK)
        status = oct_buffer_write((*out)->marks, marks, 0, domain->n);
    free(marks);
    return status;
}

oct_status oct_sim_forces_on(double *acceleration, double *potential, oct_sim *sim,
                             const oct_selection *of)
{
    oct_set *set = NULL;
    oct_selection which;
    OCT_TRY(oct_sim_wait(sim));
    OCT_TRY(check_selection(&which, sim, of));
    /* A tree has what walks for some bodies need only where steps need it. */
    bool apart = oct_setup_gravity(sim->setup)->all_pairs && which.n < sim->domain->n &&
                 oct_set_check(sim->setup) == OCT_STATUS_OK;
    oct_status status = apart ? oct_sim_done(sim, choose(&set, sim, &which)) : OCT_STATUS_OK;
    if (status == OCT_STATUS_OK)
        status = oct_sim_look_for(sim, set);
    if (status == OCT_STATUS_OK && acceleration)
        status = oct_sim_read(acceleration, OCT_ELEMENT_DOUBLE, sim, "acceleration", &which);
    if (status == OCT_STATUS_OK && potential)
        status = oct_sim_read(potential, OCT_ELEMENT_DOUBLE, sim, "potential", &which);
    if (set)
        oct_look_forget(sim->domain);
    oct_set_free(set);
    return status;
}

/* Writing ------------------------------------------------------------------------------------- */

static oct_status check_writable(const oct_access_column *column, const oct_sim *sim,
                                 const char *name)
{
    const char *reason = fixed(&column->spec, sim);
    OCT_CHECK(!reason, OCT_STATUS_INPUT, "column '%s' cannot be written: it %s", name, reason);
    return OCT_STATUS_OK;
}

/* Two writes to one body would leave either of them. */
static oct_status check_once(const oct_sim *sim, const oct_selection *of)
{
    unsigned char *seen;
    oct_status status = OCT_STATUS_OK;
    if (!of->list)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&seen, sim->domain->n / 8 + 1, 1, "a list of bodies"));
    for (size_t i = 0; i < of->n && status == OCT_STATUS_OK; i++) {
        unsigned char bit = (unsigned char)(1U << of->list[i] % 8), *byte = &seen[of->list[i] / 8];
        if (*byte & bit)
            status = OCT_FAIL(OCT_STATUS_INPUT, "body %lu is named twice; expected each once",
                              (unsigned long)of->list[i]);
        *byte |= bit;
    }
    free(seen);
    return status;
}

static oct_status check_living(oct_sim *sim, const oct_selection *of)
{
    oct_access_column type;
    uint8_t *types = NULL;
    if (sim->removed == sim->closed)
        return OCT_STATUS_OK;
    OCT_TRY(find(&type, sim, "type"));
    OCT_TRY(oct_alloc(&types, of->n, sizeof *types, "types"));
    oct_status status = read_parts(types, OCT_ELEMENT_UINT8, sim, &type, of);
    for (size_t i = 0; i < of->n && status == OCT_STATUS_OK; i++)
        if (types[i] == OCT_TYPE_REMOVED)
            status = OCT_FAIL(OCT_STATUS_INPUT, "body %zu was removed: it cannot be written",
                              of->list ? (size_t)of->list[i] : of->first + i);
    free(types);
    return status;
}

/* Looks at all numbers first where `domain` is NULL. */
static oct_status write_parts(oct_domain *domain, const oct_access_column *column,
                              const oct_selection *of, const void *data, oct_element type)
{
    const size_t bytes = column->spec.width * oct_access_bytes(type);
    void *packed;
    oct_status status = make_room(&packed, column, of);
    for (size_t done = 0; status == OCT_STATUS_OK && done < of->n;) {
        part p = part_of(of, done);
        const char *at = (const char *)data + done * bytes;
        status = oct_access_take(packed, column, at, type, p.n * column->spec.width);
        if (status == OCT_STATUS_OK && domain)
            status = oct_access_write(domain, column, packed, p.list, p.first, p.n);
        done += p.n;
    }
    free(packed);
    return status;
}

/* What rounding took off the numbers that were there is gone with them. */
static oct_status clear_low(oct_sim *sim, const char *name, const oct_selection *of)
{
    bool position = strcmp(name, "position") == 0;
    oct_domain *domain = sim->domain;
    oct_buffer *low = position ? domain->position_low : domain->velocity_low;
    const oct_access_column column = {
        .spec = {.name = name, .width = 3}, .buffer = low, .number = sizeof(float)};
    float *zeros;
    if (sim->precision != OCT_PRECISION_SINGLE || (!position && strcmp(name, "velocity") != 0))
        return OCT_STATUS_OK;
    size_t most = of->n < OCT_ACCESS_PART ? of->n : OCT_ACCESS_PART;
    OCT_TRY(oct_alloc(&zeros, most, 3 * sizeof *zeros, "a part of a column"));
    oct_status status = OCT_STATUS_OK;
    for (size_t done = 0; status == OCT_STATUS_OK && done < of->n;) {
        part p = part_of(of, done);
        status = oct_access_write(domain, &column, zeros, p.list, p.first, p.n);
        done += p.n;
    }
    free(zeros);
    return status;
}

/* What follows when a program has changed a column: forces are others. */
static oct_status note_written(oct_sim *sim, const oct_buffer *column, const char *name)
{
    const oct_boundary *boundary = oct_domain_boundary(sim->domain);
    oct_domain_given(sim->domain, column);
    if (strcmp(name, "position") != 0)
        return OCT_STATUS_OK;
    /* In a box that repeats itself bodies outside stand for their images inside. */
    return boundary->image ? boundary->apply(sim->domain->boundary.state, sim->domain)
                           : OCT_STATUS_OK;
}

static oct_status write_all(oct_sim *sim, const oct_access_column *column, const char *name,
                            const oct_selection *of, const void *data, oct_element type)
{
    OCT_TRY(write_parts(sim->domain, column, of, data, type));
    OCT_TRY(clear_low(sim, name, of));
    return note_written(sim, column->buffer, name);
}

/* Everything that can be wrong with a write, and room for a column that bodies get with it. */
static oct_status prepare_write(oct_access_column *column, oct_selection *which, oct_sim *sim,
                                const char *name, const oct_selection *of, const void *data,
                                oct_element type)
{
    OCT_TRY(find(column, sim, name));
    OCT_TRY(check_writable(column, sim, name));
    OCT_TRY(oct_sim_check_whole(sim));
    OCT_TRY(check_selection(which, sim, of));
    OCT_TRY(check_once(sim, which));
    OCT_TRY(check_living(sim, which));
    OCT_TRY(write_parts(NULL, column, which, data, type));
    if (column->buffer)
        return OCT_STATUS_OK;
    OCT_TRY(oct_domain_add_column(sim->domain, &column->spec));
    return find(column, sim, name);
}

oct_status oct_sim_write(oct_sim *sim, const char *name, const oct_selection *of, const void *data,
                         oct_element type)
{
    oct_access_column column;
    oct_selection which;
    OCT_TRY(oct_sim_check_alone(sim, "columns cannot be written"));
    OCT_TRY(oct_sim_wait(sim));
    OCT_TRY(oct_sim_done(sim, prepare_write(&column, &which, sim, name, of, data, type)));
    return oct_sim_changed(sim, write_all(sim, &column, name, &which, data, type));
}

/* Ids ----------------------------------------------------------------------------------------- */

typedef struct wanted {
    uint64_t id;
    size_t place; /* in the caller's list */
} wanted;

static int by_id(const void *a, const void *b)
{
    uint64_t x = ((const wanted *)a)->id, y = ((const wanted *)b)->id;
    return (x > y) - (x < y);
}

/* The first of those wanted with this id or a larger one. */
static size_t lower_bound(const wanted *list, size_t n, uint64_t id)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static oct_status match(uint32_t *index, oct_sim *sim, const wanted *list, size_t n)
{
    uint64_t *ids = NULL;
    uint8_t *types = NULL;
    oct_domain *domain = sim->domain;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&ids, domain->n, sizeof *ids, "ids"));
    OCT_TRY_DONE(oct_alloc(&types, domain->n, sizeof *types, "types"));
    OCT_TRY_DONE(oct_buffer_read(ids, domain->id, 0, domain->n));
    OCT_TRY_DONE(oct_buffer_read(types, domain->type, 0, domain->n));
    for (uint32_t i = 0; i < domain->n; i++)
        for (size_t k = lower_bound(list, n, ids[i]); k < n && list[k].id == ids[i]; k++)
            if (types[i] != OCT_TYPE_REMOVED)
                index[list[k].place] = i;
done:
    free(ids);
    free(types);
    return status;
}

oct_status oct_sim_find(uint32_t *index, oct_sim *sim, const uint64_t *ids, size_t n)
{
    wanted *list;
    OCT_TRY(oct_sim_check_alone(sim, "bodies cannot be found by their ids"));
    OCT_TRY(oct_sim_wait(sim));
    OCT_TRY(oct_sim_done(sim, oct_alloc(&list, n, sizeof *list, "ids")));
    for (size_t i = 0; i < n; i++) {
        list[i] = (wanted){ids[i], i};
        index[i] = UINT32_MAX;
    }
    qsort(list, n, sizeof *list, by_id);
    oct_status status = match(index, sim, list, n);
    free(list);
    return oct_sim_done(sim, status);
}

/* Buffers that programs write themselves ------------------------------------------------------- */

static const char *number_name(const oct_access_column *column)
{
    static const char *const names[] = {[OCT_COLUMN_LONG] = "long",
                                        [OCT_COLUMN_ULONG] = "ulong",
                                        [OCT_COLUMN_UINT] = "uint",
                                        [OCT_COLUMN_BYTE] = "uchar"};
    if (column->spec.type != OCT_COLUMN_REAL)
        return names[column->spec.type];
    return column->number == sizeof(float) ? "float" : "double";
}

oct_status oct_sim_buffer(oct_column_buffer *out, oct_sim *sim, const char *name)
{
    oct_access_column column;
    OCT_TRY(oct_sim_check_alone(sim, "buffers cannot be handed out"));
    OCT_TRY(oct_sim_wait(sim));
    OCT_TRY(find(&column, sim, name));
    OCT_TRY(oct_sim_check_whole(sim));
    OCT_CHECK(column.buffer, OCT_STATUS_MISSING, "no body has a number in column '%s' yet", name);
    OCT_TRY(oct_buffer_settle(column.buffer));
    OCT_CHECK(column.buffer->memory, OCT_STATUS_INPUT,
              "buffers cannot be handed out where members of a scan share their memory: run them "
              "without a batch");
    const oct_column_buffer buffer = {.size = out->size,
                                      .memory = column.buffer->memory,
                                      .n = sim->domain->n,
                                      .stride = column.buffer->element,
                                      .offset = column.lane * column.number,
                                      .width = column.spec.width,
                                      .number = number_name(&column)};
    OCT_TRY(OCT_SIZED_CHECK(oct_column_buffer, number, out));
    oct_sized_give(out, &buffer, sizeof buffer);
    return OCT_STATUS_OK;
}

oct_status oct_sim_written(oct_sim *sim, const char *name)
{
    oct_access_column column;
    const oct_selection all = {.n = sim->domain->n};
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_sim_check_alone(sim, "columns cannot be written"));
    OCT_TRY(find(&column, sim, name));
    OCT_TRY(check_writable(&column, sim, name));
    OCT_TRY(oct_sim_check_whole(sim));
    OCT_CHECK(column.buffer, OCT_STATUS_MISSING, "no body has a number in column '%s' yet", name);
    column.buffer->version++;
    OCT_TRY(oct_sim_changed(sim, clear_low(sim, name, &all)));
    return oct_sim_changed(sim, note_written(sim, column.buffer, name));
}
