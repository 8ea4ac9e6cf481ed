/* Bodies are copied to the meeting and back; guests come and go with every search. */
#include <stdlib.h>
#include <string.h>

#include "collision/meeting.h"

/* Forces have no part in collisions. */
static bool takes_part(const oct_held_column *held)
{
    return held->buffer && held->buffer->count > 0 &&
           !(held->spec.flags & (OCT_COLUMN_DERIVED | OCT_COLUMN_OF_FORCES));
}

/* What is counted for a body is counted where it is at home. */
static bool is_counted(const oct_buffer *column)
{
    return strncmp(column->name, "collision.", strlen("collision.")) == 0;
}

/* What bounces change of a body. */
static bool bounces(const oct_buffer *column)
{
    static const char *const names[] = {"velocity", "velocity_low", "spin"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], column->name) == 0)
            return true;
    return false;
}

static void end_domain(oct_meeting *m)
{
    oct_freight_end(&m->news);
    oct_set_free(m->own);
    m->own = NULL;
    if (m->domain) {
        /* Images are those of the rank's domain. */
        m->domain->around = m->domain->acting = (oct_images){0};
        oct_domain_free(m->domain);
    }
    m->domain = NULL;
    m->collider = NULL;
}

void oct_meeting_free(oct_meeting *meeting)
{
    if (!meeting)
        return;
    end_domain(meeting);
    oct_freight_end(&meeting->lent);
    oct_lender_end(&meeting->lender);
    free(meeting->place);
    free(meeting->host);
    for (size_t c = 0; c < OCT_DOMAIN_COLUMNS; c++)
        free(meeting->rows[c]);
    free(meeting);
}

static oct_status start(oct_collider *c, oct_domain *domain)
{
    oct_meeting *m;
    if (c->meeting)
        return OCT_STATUS_OK;
    OCT_CHECK(c->climbs, OCT_STATUS_INPUT,
              "collisions with more than one domain need a device that orders memory for all its "
              "work-groups: a CPU, or one of NVIDIA's");
    OCT_TRY(oct_alloc(&c->meeting, 1, sizeof *c->meeting, "bodies that meet"));
    m = c->meeting;
    m->n_own = domain->n;
    OCT_TRY(oct_lender_start(&m->lender, domain));
    OCT_TRY(oct_freight_start(&m->lent, domain, sizeof(uint32_t)));
    for (uint32_t i = 0; i < domain->n_columns; i++) {
        oct_buffer *column = domain->columns[i].buffer;
        if (!takes_part(&domain->columns[i]))
            continue;
        m->home[m->n_columns++] = column;
        if (!is_counted(column))
            oct_freight_add(&m->lent, column);
    }
    return OCT_STATUS_OK;
}

/* The meeting's columns, of those that are at home; `moves`: bodies change in all of them. */
static oct_status match_columns(oct_meeting *m, oct_domain *domain, bool moves)
{
    for (uint32_t i = 0, n = 0; i < domain->n_columns; i++) {
        if (!takes_part(&domain->columns[i]))
            continue;
        OCT_TRY(oct_domain_match(&m->columns[n], m->domain, &domain->columns[i]));
        if (moves ? !is_counted(m->columns[n]) : bounces(m->columns[n]))
            oct_freight_add(&m->news, m->columns[n]);
        n++;
    }
    return OCT_STATUS_OK;
}

/* Marks and places of the rank's own bodies, which stay while its domain does. */
static oct_status seat_own(oct_meeting *m, const oct_domain *domain)
{
    uint8_t *marks;
    OCT_TRY(oct_set_create(&m->own, m->domain));
    OCT_TRY(oct_alloc(&marks, m->n_own, 1, "bodies that meet"));
    memset(marks, 1, m->n_own);
    oct_status status = oct_buffer_fill(m->own->marks, 0);
    if (status == OCT_STATUS_OK)
        status = oct_buffer_write(m->own->marks, marks, 0, m->n_own);
    free(marks);
    OCT_TRY(status);
    oct_domain_restrict(m->domain, m->own);
    return oct_buffer_write(m->collider->place, domain->sim->owners.places, 0, m->n_own);
}

/* A domain with room for the guests, and for half as many more. */
static oct_status make_room(oct_meeting *m, oct_domain *domain, bool moves)
{
    uint64_t needed = (uint64_t)m->n_own + m->n_guests, room = needed + m->n_guests / 2 + 64;
    if (m->domain && needed <= m->domain->n)
        return OCT_STATUS_OK;
    OCT_CHECK(room < INT32_MAX, OCT_STATUS_SPACE, "%llu bodies are too many to meet in one domain",
              (unsigned long long)room);
    end_domain(m);
    OCT_TRY(oct_domain_create_bare(&m->domain, domain, (uint32_t)room));
    m->collider = m->domain->collisions.state;
    m->collider->shared = true;
    OCT_TRY(oct_domain_collision(m->domain)->init(m->collider, m->domain));
    OCT_TRY(oct_freight_start(&m->news, m->domain, 4 * sizeof(uint32_t)));
    OCT_TRY(match_columns(m, domain, moves));
    return seat_own(m, domain);
}

oct_status oct_meeting_seat(oct_meeting *m)
{
    for (uint32_t c = 0; m->n_guests > 0 && c < m->news.n_columns; c++)
        OCT_TRY(oct_buffer_write(m->news.columns[c], m->rows[c], m->n_own, m->n_guests));
    return OCT_STATUS_OK;
}

/* Writes the rows that guests have come with. Those of columns in which they change are kept: they
 * are written anew where there is news of some. */
static oct_status seat_guests(oct_meeting *m)
{
    for (uint32_t i = 0, c = 0, k = 0; m->n_guests > 0 && i < m->n_columns; i++) {
        char *rows;
        if (is_counted(m->columns[i]))
            continue;
        OCT_TRY(oct_alloc(&rows, m->n_guests, m->columns[i]->element, "guests"));
        oct_freight_rows(rows, &m->lent, c++);
        oct_status status = oct_buffer_write(m->columns[i], rows, m->n_own, m->n_guests);
        bool kept = k < m->news.n_columns && m->news.columns[k] == m->columns[i];
        if (kept) {
            free(m->rows[k]);
            m->rows[k++] = rows;
        } else {
            free(rows);
        }
        OCT_TRY(status);
    }
    return OCT_STATUS_OK;
}

/* Places without a guest are those of removed bodies. */
static oct_status clear_seats(oct_meeting *m)
{
    uint32_t first = m->n_own + m->n_guests, n = m->domain->n - first;
    uint8_t *types;
    OCT_TRY(oct_alloc(&types, n, 1, "bodies that meet"));
    memset(types, OCT_TYPE_REMOVED, n);
    oct_status status = n > 0 ? oct_buffer_write(m->domain->type, types, first, n) : OCT_STATUS_OK;
    free(types);
    return status;
}

/* Takes the guests in: their rows, places and ranks. */
static oct_status receive(oct_meeting *m)
{
    uint32_t n = m->n_guests = (uint32_t)m->lent.coming, at = 0;
    OCT_TRY(oct_realloc(&m->place, n, sizeof *m->place, "guests"));
    OCT_TRY(oct_realloc(&m->host, n, sizeof *m->host, "guests"));
    oct_freight_tags(m->place, &m->lent);
    for (uint32_t r = 0; r < m->lent.domain->sim->comm->size; r++)
        for (uint64_t i = 0; i < m->lent.n_in[r]; i++)
            m->host[at++] = r;
    return OCT_STATUS_OK;
}

static oct_status bring_together(oct_meeting *m, oct_collider *c, oct_domain *domain)
{
    OCT_TRY(make_room(m, domain, oct_meeting_moves(c, domain)));
    m->domain->around = domain->around;
    m->domain->acting = domain->acting;
    for (uint32_t i = 0; i < m->n_columns; i++)
        OCT_TRY(oct_buffer_copy_rows(m->columns[i], 0, m->home[i], 0, m->n_own));
    OCT_TRY(seat_guests(m));
    OCT_TRY(clear_seats(m));
    if (m->n_guests > 0)
        OCT_TRY(oct_buffer_write(m->collider->place, m->place, m->n_own, m->n_guests));
    OCT_TRY(oct_set_list(m->own));
    return oct_buffer_copy(m->collider->speeds, c->speeds);
}

static oct_status lend(oct_meeting *m, oct_domain *domain)
{
    oct_loan loan;
    uint32_t *places = NULL;
    OCT_TRY(oct_lender_find(&loan, &m->lender, domain));
    oct_status status = oct_alloc(&places, loan.n, sizeof *places, "bodies that are lent");
    for (uint32_t i = 0; status == OCT_STATUS_OK && i < loan.n; i++)
        places[i] = domain->sim->owners.places[loan.rows[i]];
    if (status == OCT_STATUS_OK)
        status = oct_freight_send(&m->lent, loan.n_out, loan.rows, places);
    free(places);
    oct_loan_clear(&loan);
    return status;
}

oct_status oct_meeting_gather(bool *guests, oct_collider *c, oct_domain *domain)
{
    double all;
    OCT_TRY(start(c, domain));
    oct_traffic_kind before = oct_comm_about(domain->sim->comm, OCT_TRAFFIC_LENT);
    OCT_TRY(lend(c->meeting, domain));
    oct_comm_about(domain->sim->comm, before);
    OCT_TRY(receive(c->meeting));
    all = c->meeting->n_guests;
    OCT_TRY(oct_comm_sum(domain->sim->comm, &all, 1));
    *guests = all > 0;
    return *guests ? bring_together(c->meeting, c, domain) : OCT_STATUS_OK;
}

bool oct_meeting_moves(const oct_collider *c, const oct_domain *domain)
{
    return c->overlapping || domain->setup->contact.outcome == OCT_OUTCOME_MERGE;
}

oct_status oct_meeting_part(oct_meeting *m, oct_collider *c, oct_domain *domain)
{
    bool moves = oct_meeting_moves(c, domain);
    uint32_t gone, before;
    for (uint32_t i = 0; i < m->n_columns; i++)
        if (moves || is_counted(m->home[i]) || bounces(m->home[i]))
            OCT_TRY(oct_buffer_copy_rows(m->home[i], 0, m->columns[i], 0, m->n_own));
    OCT_TRY(oct_buffer_copy(c->speeds, m->collider->speeds));
    OCT_TRY(oct_buffer_read(&gone, m->domain->counters, OCT_COUNTER_REMOVED, 1));
    if (gone == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_read(&before, domain->counters, OCT_COUNTER_REMOVED, 1));
    before += gone;
    gone = 0;
    OCT_TRY(oct_buffer_write(domain->counters, &before, OCT_COUNTER_REMOVED, 1));
    return oct_buffer_write(m->domain->counters, &gone, OCT_COUNTER_REMOVED, 1);
}
