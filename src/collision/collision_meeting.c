/* Bodies are copied to the meeting and back; guests come and go with every search. */
#include <stdlib.h>
#include <string.h>

#include "collision/meeting.h"

static bool is_among(const char *const *names, size_t n, const oct_buffer *column)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], column->name) == 0)
            return true;
    return false;
}

/* What bounces change of a body. */
static bool bounces(const oct_buffer *column)
{
    static const char *const names[] = {"velocity", "velocity_low", "spin"};
    return is_among(names, sizeof names / sizeof names[0], column);
}

/* Who merged into whom is kept where the bodies are at home. */
static bool is_counted(const oct_buffer *column)
{
    return strncmp(column->name, "collision.", strlen("collision.")) == 0;
}

static bool merges(const oct_domain *domain)
{
    return domain->setup->contact.outcome == OCT_OUTCOME_MERGE;
}

/* Forces have no part in collisions. Of bodies that do not merge all else stays as it is. */
static bool takes_part(const oct_held_column *held, const oct_domain *domain)
{
    static const char *const names[] = {"position", "position_low", "type", "id"};
    const size_t n = sizeof names / sizeof names[0];
    static const char *const sums[] = {"collision.impacts", "collision.energy",
                                       "collision.transport"};
    const oct_buffer *column = held->buffer;
    if (!column || column->count == 0)
        return false;
    if (!merges(domain))
        return bounces(column) || is_among(names, n, column);
    return !(held->spec.flags & (OCT_COLUMN_DERIVED | OCT_COLUMN_OF_FORCES)) &&
           !is_among(sums, sizeof sums / sizeof sums[0], column);
}

/* What stays as it is while bodies keep their rows. */
static bool is_fixed(const oct_meeting *m, const oct_buffer *column)
{
    return !m->moves && strcmp(column->name, "id") == 0;
}

/* What nobody asks of a rank's own bodies before it is known that they are in a pair. */
static bool comes_late(const oct_meeting *m, const oct_buffer *column)
{
    static const char *const names[] = {"position", "position_low"};
    return !m->moves && m->collider->by_tree &&
           is_among(names, sizeof names / sizeof names[0], column);
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
        if (!takes_part(&domain->columns[i], domain))
            continue;
        m->home[m->n_columns++] = column;
        if (!is_counted(column))
            oct_freight_add(&m->lent, column);
    }
    return OCT_STATUS_OK;
}

/* The meeting's columns, of those that are at home. Where bodies move they change in all of them.
 */
static oct_status match_columns(oct_meeting *m, oct_domain *domain)
{
    for (uint32_t i = 0, n = 0; i < domain->n_columns; i++) {
        if (!takes_part(&domain->columns[i], domain))
            continue;
        OCT_TRY(oct_domain_match(&m->columns[n], m->domain, &domain->columns[i]));
        if (m->moves ? !is_counted(m->columns[n]) : bounces(m->columns[n]))
            oct_freight_add(&m->news, m->columns[n]);
        n++;
    }
    return OCT_STATUS_OK;
}

/* What is counted is counted at home, for bodies that are at home there. */
static oct_status count_at_home(oct_meeting *m, oct_collider *c)
{
    const oct_collider *here = m->collider;
    oct_kernel *const kernels[] = {here->climb, here->round, here->finish, here->go};
    const oct_binding rows[] = {
        OCT_BIND_OUT("impacts", &c->impacts), OCT_BIND_OUT("energy", &c->energy),
        OCT_BIND_OUT("transport", &c->transport), OCT_BIND_OUT("speeds", &c->speeds),
        OCT_BIND_OUT("faults", &c->faults)};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        OCT_TRY(oct_kernel_bind(kernels[i], rows, sizeof rows / sizeof rows[0]));
    return OCT_STATUS_OK;
}

static oct_status mark_own(oct_meeting *m)
{
    uint8_t *marks;
    OCT_TRY(oct_set_create(&m->own, m->domain));
    OCT_TRY(oct_alloc(&marks, m->n_own, 1, "bodies that meet"));
    memset(marks, 1, m->n_own);
    oct_status status = oct_buffer_fill(m->own->marks, 0);
    if (status == OCT_STATUS_OK)
        status = oct_buffer_write(m->own->marks, marks, 0, m->n_own);
    free(marks);
    oct_domain_restrict(m->domain, m->own);
    return status;
}

/* Rows of the rank's own bodies; their places and names where other bodies have come to rows. */
static oct_status seat_own(oct_meeting *m, const oct_domain *domain)
{
    uint64_t traded = domain->sim->owners.traded;
    bool others = !m->seated || m->traded != traded || !oct_edition_same(m->placed, domain->placed);
    for (uint32_t i = 0; i < m->n_columns; i++)
        if (!comes_late(m, m->columns[i]) && (others || !is_fixed(m, m->columns[i])))
            OCT_TRY(oct_buffer_copy_rows(m->columns[i], 0, m->home[i], 0, m->n_own));
    if (others)
        OCT_TRY(oct_buffer_post(m->collider->place, domain->sim->owners.places, 0, m->n_own));
    m->placed = domain->placed;
    m->traded = traded;
    m->seated = true;
    return OCT_STATUS_OK;
}

/* A domain with room for the guests, and for half as many more. */
static oct_status make_room(oct_meeting *m, oct_collider *c, oct_domain *domain)
{
    uint64_t needed = (uint64_t)m->n_own + m->n_guests, room = needed + m->n_guests / 2 + 64;
    bool moves = oct_meeting_moves(c, domain);
    if (m->domain && needed <= m->domain->n && m->moves == moves)
        return OCT_STATUS_OK;
    m->moves = moves;
    OCT_CHECK(room < INT32_MAX, OCT_STATUS_SPACE, "%llu bodies are too many to meet in one domain",
              (unsigned long long)room);
    end_domain(m);
    OCT_TRY(oct_domain_create_bare(&m->domain, domain, (uint32_t)room));
    m->collider = m->domain->collisions.state;
    m->collider->home = domain;
    OCT_TRY(oct_domain_collision(m->domain)->init(m->collider, m->domain));
    OCT_TRY(count_at_home(m, c));
    OCT_TRY(oct_freight_start(&m->news, m->domain, 4 * sizeof(uint32_t)));
    OCT_TRY(match_columns(m, domain));
    m->seated = false;
    return mark_own(m);
}

oct_status oct_meeting_seat(oct_meeting *m)
{
    for (uint32_t c = 0; m->n_guests > 0 && c < m->news.n_columns; c++)
        OCT_TRY(oct_buffer_post(m->news.columns[c], m->rows[c], m->n_own, m->n_guests));
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
        oct_status status = oct_buffer_post(m->columns[i], rows, m->n_own, m->n_guests);
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
    OCT_TRY(make_room(m, c, domain));
    m->domain->around = domain->around;
    m->domain->acting = domain->acting;
    m->collider->first_guest = m->n_own;
    m->collider->end_guest = m->n_own + m->n_guests;
    OCT_TRY(seat_own(m, domain));
    OCT_TRY(seat_guests(m));
    return m->n_guests > 0 ? oct_buffer_post(m->collider->place, m->place, m->n_own, m->n_guests)
                           : OCT_STATUS_OK;
}

static oct_status lend(oct_meeting *m, oct_domain *domain)
{
    oct_loan loan;
    uint32_t *places = NULL;
    OCT_TRY(oct_tree_update_alone(m->lender.tree, domain));
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

oct_status oct_meeting_gather(oct_collider *c, oct_domain *domain)
{
    OCT_TRY(start(c, domain));
    oct_traffic_kind before = oct_comm_about(domain->sim->comm, OCT_TRAFFIC_LENT);
    OCT_TRY(lend(c->meeting, domain));
    oct_comm_about(domain->sim->comm, before);
    OCT_TRY(receive(c->meeting));
    return bring_together(c->meeting, c, domain);
}

bool oct_meeting_moves(const oct_collider *c, const oct_domain *domain)
{
    return c->overlapping || merges(domain);
}

static oct_status copy_pairs(oct_collider *c, oct_buffer *to, oct_buffer *from, uint32_t n_pairs)
{
    c->copied.to = to;
    c->copied.from = from;
    c->copied.words = (uint32_t)(to->element / sizeof(uint32_t));
    c->copied.n = n_pairs;
    return oct_kernel_launch(c->copy, n_pairs, 0);
}

oct_status oct_meeting_join(oct_meeting *m, uint32_t n_pairs)
{
    for (uint32_t i = 0; i < m->n_columns; i++)
        if (comes_late(m, m->columns[i]))
            OCT_TRY(copy_pairs(m->collider, m->columns[i], m->home[i], n_pairs));
    return OCT_STATUS_OK;
}

oct_status oct_meeting_part(oct_meeting *m, oct_domain *domain, uint32_t n_pairs)
{
    uint32_t gone, before;
    for (uint32_t i = 0; i < m->n_columns; i++) {
        if (m->moves)
            OCT_TRY(oct_buffer_copy_rows(m->home[i], 0, m->columns[i], 0, m->n_own));
        else if (bounces(m->home[i]))
            OCT_TRY(copy_pairs(m->collider, m->home[i], m->columns[i], n_pairs));
    }
    if (!merges(domain))
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_read(&gone, m->domain->counters, OCT_COUNTER_REMOVED, 1));
    if (gone == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_read(&before, domain->counters, OCT_COUNTER_REMOVED, 1));
    before += gone;
    gone = 0;
    OCT_TRY(oct_buffer_write(domain->counters, &before, OCT_COUNTER_REMOVED, 1));
    return oct_buffer_write(m->domain->counters, &gone, OCT_COUNTER_REMOVED, 1);
}
