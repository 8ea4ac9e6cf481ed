/* Rows of all columns on their way to another rank's domain, and put in order there. */
#include <stdlib.h>
#include <string.h>

#include "core/decompose.h"
#include "core/freight.h"
#include "core/look.h"
#include "core/sim_population.h"
#include "core/trade.h"

/* Bodies on their way; a body's tag is its point. */
typedef struct transit {
    oct_sim *sim;
    const oct_course *course;
    oct_domain *from, *to;
    oct_freight freight;
    oct_buffer *columns[OCT_DOMAIN_COLUMNS]; /* of the new domain, as freight has the old one's */
    uint32_t coming;
    oct_buffer *order; /* where the bodies to be come from: rows of the domain, then those coming */
    uint32_t *places;  /* of the bodies to be */
} transit;

uint64_t oct_migrate_columns(oct_domain *domain)
{
    uint64_t bits = 0, bit = 1;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++, bit <<= 1)
        if (spec->flags & OCT_COLUMN_WHERE_USED && oct_domain_column(domain, spec->name))
            bits |= bit;
    return bits;
}

oct_status oct_migrate_add_columns(oct_domain *domain, uint64_t bits)
{
    uint64_t bit = 1;
    bits &= ~oct_migrate_columns(domain);
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++, bit <<= 1)
        if (bits & bit)
            OCT_TRY(oct_domain_add_column(domain, spec));
    return OCT_STATUS_OK;
}

static oct_status agree_on_columns(oct_domain *domain)
{
    uint64_t mine = oct_migrate_columns(domain), any = 0, *all;
    oct_comm *comm = domain->sim->comm;
    OCT_TRY(oct_alloc(&all, comm->size, sizeof *all, "ranks"));
    oct_status status = oct_comm_gather(comm, all, &mine, sizeof mine);
    for (uint32_t r = 0; r < comm->size; r++)
        any |= all[r];
    free(all);
    return status == OCT_STATUS_OK ? oct_migrate_add_columns(domain, any) : status;
}

static oct_status match_columns(transit *t)
{
    oct_buffer *rows;
    for (uint32_t c = 0; c < t->from->n_columns; c++) {
        OCT_TRY(oct_domain_match(&rows, t->to, &t->from->columns[c]));
        if (!rows)
            continue;
        t->columns[t->freight.n_columns] = rows;
        oct_freight_add(&t->freight, t->from->columns[c].buffer);
    }
    return OCT_STATUS_OK;
}

/* Those who leave, in the order of the curve, which is that of ranks. */
static oct_status send(transit *t)
{
    const oct_lineup *l = &t->course->lineup;
    const uint32_t *ends = t->course->ends;
    uint32_t rank = t->sim->comm->rank, size = t->sim->comm->size, *rows = NULL, n = 0;
    oct_point *points = NULL;
    uint64_t *n_out = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&rows, l->n, sizeof *rows, "bodies that leave"));
    OCT_TRY_DONE(oct_alloc(&points, l->n, sizeof *points, "bodies that leave"));
    OCT_TRY_DONE(oct_alloc(&n_out, size, sizeof *n_out, "bodies that leave"));
    for (uint32_t r = 0; r < size; r++)
        n_out[r] = r == rank ? 0 : ends[r + 1] - ends[r];
    for (uint32_t i = 0; i < l->n; i++)
        if (i < ends[rank] || i >= ends[rank + 1]) {
            rows[n] = l->row[i];
            points[n++] = l->at[i];
        }
    OCT_TRY_DONE(oct_freight_send(&t->freight, n_out, rows, points));
    t->coming = (uint32_t)t->freight.coming;
done:
    free(rows);
    free(points);
    free(n_out);
    return status;
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
    oct_freight_tags(points, &t->freight);
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

static oct_status put_column(transit *t, uint32_t c)
{
    oct_buffer *rows = NULL, *from = t->freight.columns[c];
    char *host = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&host, t->coming, from->element, "rows that come"));
    oct_freight_rows(host, &t->freight, c);
    OCT_TRY_DONE(oct_buffer_create(&rows, t->to->device, "rows", from->element,
                                   (size_t)t->from->n + t->coming));
    OCT_TRY_DONE(oct_buffer_copy_rows(rows, 0, from, 0, t->from->n));
    if (t->coming > 0)
        OCT_TRY_DONE(oct_buffer_write(rows, host, t->from->n, t->coming));
    OCT_TRY_DONE(oct_mover_move(&t->freight.mover, t->columns[c], rows, t->order, t->to->n));
    status = oct_device_wait(t->to->device);
done:
    oct_buffer_free(rows);
    free(host);
    return status;
}

static oct_status travel(transit *t)
{
    oct_sim *sim = t->sim;
    uint64_t n = t->course->counts[sim->comm->rank];
    OCT_CHECK(n < INT32_MAX, OCT_STATUS_SPACE, "%llu bodies are too many for one domain",
              (unsigned long long)n);
    OCT_TRY(agree_on_columns(t->from));
    OCT_TRY(oct_domain_create(&t->to, sim, t->from->device, (uint32_t)n, NULL));
    OCT_TRY(oct_freight_start(&t->freight, t->from, sizeof(oct_point)));
    OCT_TRY(match_columns(t));
    OCT_TRY(send(t));
    OCT_TRY(merge(t));
    for (uint32_t c = 0; c < t->freight.n_columns; c++)
        OCT_TRY(put_column(t, c));
    return oct_domain_keep(t->to, t->from);
}

static void arrive(transit *t)
{
    oct_sim *sim = t->sim;
    oct_owners *owners = &sim->owners;
    bool fresh = oct_forces_fresh(t->from);
    oct_trader_free(owners->trader);
    owners->trader = NULL;
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
    oct_freight_end(&t.freight);
    oct_buffer_free(t.order);
    if (status == OCT_STATUS_OK)
        arrive(&t);
    oct_domain_free(t.to);
    free(t.places);
    return status;
}
