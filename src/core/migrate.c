/* Rows of all columns on their way to another rank's domain: gathered on the device, exchanged, and
 * put in order on the other device. */
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"
#include "core/decompose.h"
#include "core/look.h"
#include "core/sim_population.h"

/* Bodies on their way, for one rank and from one: their points, then their rows of each column. */
typedef struct transit {
    oct_sim *sim;
    const oct_course *course;
    oct_domain *from, *to;
    oct_mover mover;
    size_t row; /* bytes of a body */
    uint32_t leaving, coming;
    uint64_t *n_out, *n_in; /* bodies for each rank, and from each; none from a rank to itself */
    oct_parcel *out, *in;
    oct_buffer *index; /* the rows of those who leave, in the order of ranks */
    oct_buffer *order; /* where the bodies to be come from: rows of the domain, then those coming */
    uint32_t *places;  /* of the bodies to be */
} transit;

/* Columns that some ranks have made for their bodies, and others have had no use for. */
static oct_status agree_on_columns(oct_domain *domain)
{
    uint64_t mine = 0, *all, bit = 1, any = 0;
    oct_comm *comm = domain->sim->comm;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++, bit <<= 1)
        if (spec->flags & OCT_COLUMN_WHERE_USED && oct_domain_column(domain, spec->name))
            mine |= bit;
    OCT_TRY(oct_alloc(&all, comm->size, sizeof *all, "ranks"));
    oct_status status = oct_comm_gather(comm, all, &mine, sizeof mine);
    for (uint32_t r = 0; r < comm->size; r++)
        any |= all[r];
    free(all);
    bit = 1;
    for (const oct_column_spec *spec = oct_columns; spec->name && status == OCT_STATUS_OK;
         spec++, bit <<= 1)
        if (any & ~mine & bit)
            status = oct_domain_add_column(domain, spec);
    return status;
}

static oct_status find_row_bytes(transit *t)
{
    oct_buffer *rows;
    t->row = sizeof(oct_point);
    for (uint32_t c = 0; c < t->from->n_columns; c++) {
        OCT_TRY(oct_domain_match(&rows, t->to, &t->from->columns[c]));
        t->row += rows ? rows->element : 0;
    }
    return OCT_STATUS_OK;
}

static oct_status make_parcels(transit *t)
{
    const oct_course *course = t->course;
    uint32_t size = t->sim->comm->size, rank = t->sim->comm->rank;
    OCT_TRY(oct_alloc(&t->n_out, 2 * (size_t)size, sizeof *t->n_out, "messages"));
    OCT_TRY(oct_alloc(&t->out, 2 * (size_t)size, sizeof *t->out, "messages"));
    t->n_in = t->n_out + size;
    t->in = t->out + size;
    for (uint32_t r = 0; r < size; r++) {
        if (r == rank)
            continue;
        t->n_out[r] = course->going[rank * size + r];
        t->n_in[r] = course->going[r * size + rank];
        t->leaving += (uint32_t)t->n_out[r];
        t->coming += (uint32_t)t->n_in[r];
        t->out[r].bytes = t->n_out[r] * t->row;
        t->in[r].bytes = t->n_in[r] * t->row;
        OCT_TRY(oct_alloc(&t->out[r].data, t->n_out[r], t->row, "bodies that leave"));
        OCT_TRY(oct_alloc(&t->in[r].data, t->n_in[r], t->row, "bodies that come"));
    }
    return OCT_STATUS_OK;
}

/* Puts rows, those for one rank after those for another, behind what parcels have: `at` bytes of
 * each body. */
static void pack(transit *t, const char *rows, size_t element, size_t at)
{
    for (uint32_t r = 0; r < t->sim->comm->size; r++) {
        if (t->n_out[r] > 0)
            memcpy((char *)t->out[r].data + at * t->n_out[r], rows, element * t->n_out[r]);
        rows += element * t->n_out[r];
    }
}

/* And back, of those that have come. */
static void unpack(char *rows, const transit *t, size_t element, size_t at)
{
    for (uint32_t r = 0; r < t->sim->comm->size; r++) {
        if (t->n_in[r] > 0)
            memcpy(rows, (const char *)t->in[r].data + at * t->n_in[r], element * t->n_in[r]);
        rows += element * t->n_in[r];
    }
}

/* Points of those who leave, and the list of their rows on the device. */
static oct_status list_leaving(transit *t)
{
    const oct_lineup *l = &t->course->lineup;
    uint32_t rank = t->sim->comm->rank, *rows = NULL, n = 0;
    oct_point *points = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&rows, t->leaving, sizeof *rows, "bodies that leave"));
    OCT_TRY_DONE(oct_alloc(&points, t->leaving, sizeof *points, "bodies that leave"));
    for (uint32_t i = 0; i < l->n; i++)
        if (i < t->course->ends[rank] || i >= t->course->ends[rank + 1]) {
            rows[n] = l->row[i];
            points[n++] = l->at[i];
        }
    pack(t, (const char *)points, sizeof *points, 0);
    OCT_TRY_DONE(oct_buffer_create(&t->index, t->from->device, "leaving", sizeof *rows, n));
    status = n > 0 ? oct_buffer_write(t->index, rows, 0, n) : OCT_STATUS_OK;
done:
    free(rows);
    free(points);
    return status;
}

static oct_status pack_column(transit *t, oct_buffer *column, size_t at)
{
    oct_buffer *rows = NULL;
    char *host = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&host, t->leaving, column->element, "rows that leave"));
    OCT_TRY_DONE(
        oct_buffer_create(&rows, t->from->device, "rows that leave", column->element, t->leaving));
    OCT_TRY_DONE(oct_mover_move(&t->mover, rows, column, t->index, t->leaving));
    OCT_TRY_DONE(oct_buffer_read(host, rows, 0, t->leaving));
    pack(t, host, column->element, at);
done:
    oct_buffer_free(rows);
    free(host);
    return status;
}

/* What is done with each column that moves: of the old domain and of the new one, from so many
 * bytes of a row on. */
static oct_status pack_columns(transit *t)
{
    size_t at = sizeof(oct_point);
    for (uint32_t c = 0; t->leaving > 0 && c < t->from->n_columns; c++) {
        oct_buffer *rows;
        OCT_TRY(oct_domain_match(&rows, t->to, &t->from->columns[c]));
        if (rows)
            OCT_TRY(pack_column(t, t->from->columns[c].buffer, at));
        at += rows ? rows->element : 0;
    }
    return OCT_STATUS_OK;
}

/* The new rows, in order: who stays and who comes, each with its point. */
typedef struct newcomer {
    oct_point at;
    uint32_t row; /* behind those of the domain */
} newcomer;

static int by_point(const void *a, const void *b)
{
    oct_point x = ((const newcomer *)a)->at, y = ((const newcomer *)b)->at;
    return oct_point_before(y, x) - oct_point_before(x, y);
}

static oct_status list_coming(newcomer **out, const transit *t)
{
    oct_point *points;
    OCT_TRY(oct_alloc(out, t->coming, sizeof **out, "bodies that come"));
    OCT_TRY(oct_alloc(&points, t->coming, sizeof *points, "bodies that come"));
    unpack((char *)points, t, sizeof *points, 0);
    for (uint32_t i = 0; i < t->coming; i++)
        (*out)[i] = (newcomer){points[i], t->from->n + i};
    free(points);
    qsort(*out, t->coming, sizeof **out, by_point);
    return OCT_STATUS_OK;
}

/* The rows of the domain that no lineup has: those of removed bodies. */
static oct_status mark_removed(bool **out, const transit *t)
{
    const oct_lineup *l = &t->course->lineup;
    OCT_TRY(oct_alloc(out, t->from->n, sizeof **out, "removed bodies"));
    memset(*out, true, t->from->n * sizeof **out);
    for (uint32_t i = 0; i < l->n; i++)
        (*out)[l->row[i]] = false;
    return OCT_STATUS_OK;
}

static oct_status merge(transit *t)
{
    const oct_lineup *l = &t->course->lineup;
    const uint32_t *before = t->sim->owners.places, rank = t->sim->comm->rank;
    uint32_t *order = NULL, n = 0, next = 0, n_to = t->to->n;
    newcomer *coming = NULL;
    bool *removed = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&order, n_to, sizeof *order, "bodies"));
    OCT_TRY_DONE(oct_alloc(&t->places, n_to, sizeof *t->places, "bodies"));
    OCT_TRY_DONE(list_coming(&coming, t));
    OCT_TRY_DONE(mark_removed(&removed, t));
    for (uint32_t i = t->course->ends[rank];; i++) {
        bool end = i == t->course->ends[rank + 1];
        for (; next < t->coming && (end || oct_point_before(coming[next].at, l->at[i])); next++) {
            t->places[n] = (uint32_t)coming[next].at.place;
            order[n++] = coming[next].row;
        }
        if (end)
            break;
        t->places[n] = (uint32_t)l->at[i].place;
        order[n++] = l->row[i];
    }
    for (uint32_t i = 0; i < t->from->n; i++)
        if (removed[i]) {
            t->places[n] = before[i];
            order[n++] = i;
        }
    OCT_CHECK_DONE(n == n_to, OCT_STATUS_INTERNAL, "bodies were lost between ranks");
    OCT_TRY_DONE(oct_buffer_create(&t->order, t->to->device, "order", sizeof *order, n));
    status = oct_buffer_write(t->order, order, 0, n);
done:
    free(order);
    free(coming);
    free(removed);
    return status;
}

static oct_status unpack_column(transit *t, oct_buffer *to, oct_buffer *from, size_t at)
{
    oct_buffer *rows = NULL;
    char *host = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&host, t->coming, from->element, "rows that come"));
    unpack(host, t, from->element, at);
    OCT_TRY_DONE(oct_buffer_create(&rows, t->to->device, "rows", from->element,
                                   (size_t)t->from->n + t->coming));
    OCT_TRY_DONE(oct_buffer_copy_rows(rows, 0, from, 0, t->from->n));
    if (t->coming > 0)
        OCT_TRY_DONE(oct_buffer_write(rows, host, t->from->n, t->coming));
    OCT_TRY_DONE(oct_mover_move(&t->mover, to, rows, t->order, t->to->n));
    status = oct_device_wait(t->to->device);
done:
    oct_buffer_free(rows);
    free(host);
    return status;
}

static oct_status unpack_columns(transit *t)
{
    size_t at = sizeof(oct_point);
    for (uint32_t c = 0; c < t->from->n_columns; c++) {
        oct_buffer *rows;
        OCT_TRY(oct_domain_match(&rows, t->to, &t->from->columns[c]));
        if (rows)
            OCT_TRY(unpack_column(t, rows, t->from->columns[c].buffer, at));
        at += rows ? rows->element : 0;
    }
    return OCT_STATUS_OK;
}

static oct_status travel(transit *t)
{
    oct_sim *sim = t->sim;
    uint64_t n = t->course->counts[sim->comm->rank];
    OCT_CHECK(n < INT32_MAX, OCT_STATUS_SPACE, "%llu bodies are too many for one domain",
              (unsigned long long)n);
    OCT_TRY(agree_on_columns(t->from));
    OCT_TRY(oct_domain_create(&t->to, sim, t->from->device, (uint32_t)n, NULL));
    OCT_TRY(find_row_bytes(t));
    OCT_TRY(make_parcels(t));
    OCT_TRY(oct_mover_start(&t->mover, t->from));
    OCT_TRY(list_leaving(t));
    OCT_TRY(pack_columns(t));
    OCT_TRY(oct_comm_exchange(sim->comm, t->out, t->in));
    OCT_TRY(merge(t));
    OCT_TRY(unpack_columns(t));
    return oct_domain_keep(t->to, t->from);
}

static void arrive(transit *t)
{
    oct_sim *sim = t->sim;
    oct_owners *owners = &sim->owners;
    bool fresh = oct_forces_fresh(t->from);
    sim->domain = t->to;
    sim->n_own = t->to->n;
    memcpy(owners->counts, t->course->counts, sim->comm->size * sizeof *owners->counts);
    sim->first = oct_owners_first(sim, sim->comm->rank);
    free(owners->places);
    owners->places = t->places;
    owners->moves++;
    t->places = NULL;
    oct_domain_given(t->to, t->to->position);
    oct_domain_free(t->from);
    t->to = NULL;
    /* Bodies have brought their forces with them. */
    oct_forces_begun(sim->domain);
    if (fresh)
        oct_forces_found(sim->domain);
}

oct_status oct_migrate(oct_sim *sim, const oct_course *course)
{
    transit t = {.sim = sim, .course = course, .from = sim->domain};
    oct_status status = travel(&t);
    for (uint32_t r = 0; t.out && r < 2 * sim->comm->size; r++)
        free(t.out[r].data);
    free(t.out);
    free(t.n_out);
    oct_mover_end(&t.mover);
    oct_buffer_free(t.index);
    oct_buffer_free(t.order);
    if (status == OCT_STATUS_OK)
        arrive(&t);
    oct_domain_free(t.to);
    free(t.places);
    return status;
}
