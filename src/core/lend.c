/* Boxes are found on the device; the host looks at rows of those alone that are near another rank's
 * boxes. */
#include "core/lend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"

/* Rows in a box of one's own, and boxes that others are told. */
enum { CHUNK = 256, TOLD = 64 };

/* More than rounding moves a body by that is looked at from another image, in parts of where it is.
 */
static const double slack = 1e-6;

typedef struct box {
    double low[3], high[3], radius;
} box;

static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};

oct_status oct_lender_start(oct_lender *lender, oct_domain *domain)
{
    char options[32];
    lender->n_boxes = (domain->n + CHUNK - 1) / CHUNK;
    snprintf(options, sizeof options, "-D CHUNK=%d", CHUNK);
    OCT_TRY(oct_buffer_create(&lender->boxes, domain->device, "lend.boxes",
                              domain->position->element, 2 * (size_t)lender->n_boxes));
    OCT_TRY(oct_domain_build(&lender->program, domain, "lend.cl", options));
    return OCT_KERNEL(&lender->find_boxes, lender->program, "lend_boxes", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_OUT("boxes", &lender->boxes));
}

void oct_lender_end(oct_lender *lender)
{
    oct_kernel_free(lender->find_boxes);
    oct_program_free(lender->program);
    oct_buffer_free(lender->boxes);
}

void oct_loan_clear(oct_loan *loan)
{
    free(loan->rows);
    free(loan->n_out);
    *loan = (oct_loan){0};
}

/* Elements of real[4] as doubles. */
static oct_status read_wide(double (*out)[4], oct_buffer *buffer, size_t first, size_t count)
{
    OCT_TRY(oct_buffer_read(out, buffer, first, count));
    /* Floats are in the first half: the last ones are moved first. */
    const float *narrow = (const float *)out;
    for (size_t k = 4 * count; buffer->element == 4 * sizeof(float) && k-- > 0;)
        out[k / 4][k % 4] = (double)narrow[k];
    return OCT_STATUS_OK;
}

static void extend(box *b, const box *by)
{
    for (int k = 0; k < 3; k++) {
        b->low[k] = fmin(b->low[k], by->low[k]);
        b->high[k] = fmax(b->high[k], by->high[k]);
    }
    b->radius = fmax(b->radius, by->radius);
}

/* As fmax, of numbers: this is asked for each body at a face. */
static double larger(double x, double y)
{
    return x > y ? x : y;
}

/* Whether something in box a, moved back by a shift, may touch something in box b. */
static bool near(const box *a, const double shift[4], const box *b)
{
    double square = 0, far = 0;
    if (a->low[0] > a->high[0])
        return false;
    for (int k = 0; k < 3; k++) {
        double low = a->low[k] - shift[k], high = a->high[k] - shift[k];
        double gap = larger(larger(b->low[k] - high, low - b->high[k]), 0);
        square += gap * gap;
        far = larger(far, larger(fabs(a->low[k]), fabs(a->high[k])) + fabs(shift[k]));
    }
    double reach = (a->radius + b->radius) * (1 + slack) + slack * far;
    return square <= reach * reach;
}

/* All that is looked at while bodies are listed. */
typedef struct search {
    oct_domain *domain;
    uint32_t size, rank, n_boxes, n_shifts;
    box *own;          /* around CHUNK rows each */
    box (*told)[TOLD]; /* of each rank */
    box *around;       /* all that each rank has told */
    uint32_t *met;     /* boxes of a rank, in images, that CHUNK rows are near: shift and box */
    uint32_t n_met;
    double (*shifts)[4];
    uint32_t **lists; /* rows for each rank */
    uint64_t *counts;
} search;

/* Lists the boxes of a rank that a box is near. */
static bool meet_rank(search *s, const box *b, uint32_t rank)
{
    s->n_met = 0;
    for (uint32_t i = 0; i < s->n_shifts; i++)
        for (uint32_t k = 0; k < TOLD && near(b, s->shifts[i], &s->around[rank]); k++)
            if (near(b, s->shifts[i], &s->told[rank][k]))
                s->met[s->n_met++] = i * TOLD + k;
    return s->n_met > 0;
}

/* Whether a body is near one of those that its chunk has met. */
static bool near_met(const search *s, const box *body, uint32_t rank)
{
    for (uint32_t m = 0; m < s->n_met; m++)
        if (near(body, s->shifts[s->met[m] / TOLD], &s->told[rank][s->met[m] % TOLD]))
            return true;
    return false;
}

static oct_status find_boxes(search *s, oct_lender *lender)
{
    double(*corners)[4];
    box mine[TOLD];
    uint32_t each = (s->n_boxes + TOLD - 1) / TOLD;
    OCT_TRY(oct_alloc(&corners, 2 * (size_t)s->n_boxes, sizeof *corners, "boxes"));
    oct_status status = oct_kernel_launch(lender->find_boxes, s->n_boxes, 0);
    if (status == OCT_STATUS_OK)
        status = read_wide(corners, lender->boxes, 0, 2 * (size_t)s->n_boxes);
    for (uint32_t k = 0; k < TOLD; k++)
        mine[k] = nothing;
    for (uint32_t i = 0; i < s->n_boxes; i++) {
        memcpy(s->own[i].low, corners[2 * i], sizeof s->own[i].low);
        memcpy(s->own[i].high, corners[2 * i + 1], sizeof s->own[i].high);
        s->own[i].radius = corners[2 * i][3];
        extend(&mine[i / each], &s->own[i]);
    }
    free(corners);
    OCT_TRY(status);
    oct_traffic_kind before = oct_comm_about(s->domain->sim->comm, OCT_TRAFFIC_BOXES);
    OCT_TRY(oct_comm_gather(s->domain->sim->comm, s->told, mine, sizeof mine));
    oct_comm_about(s->domain->sim->comm, before);
    for (uint32_t r = 0; r < s->size; r++) {
        s->around[r] = nothing;
        for (uint32_t k = 0; k < TOLD; k++)
            extend(&s->around[r], &s->told[r][k]);
    }
    return OCT_STATUS_OK;
}

static oct_status search_start(search *s, oct_lender *lender)
{
    oct_domain *domain = s->domain;
    s->size = oct_comm_size(domain->sim->comm);
    s->rank = oct_comm_rank(domain->sim->comm);
    s->n_boxes = lender->n_boxes;
    s->n_shifts = domain->around.n;
    OCT_TRY(oct_alloc(&s->own, s->n_boxes, sizeof *s->own, "boxes"));
    OCT_TRY(oct_alloc(&s->told, s->size, sizeof *s->told, "boxes"));
    OCT_TRY(oct_alloc(&s->around, s->size, sizeof *s->around, "boxes"));
    OCT_TRY(oct_alloc(&s->met, (size_t)s->n_shifts * TOLD, sizeof *s->met, "boxes"));
    OCT_TRY(oct_alloc(&s->shifts, s->n_shifts, sizeof *s->shifts, "images"));
    OCT_TRY(oct_alloc(&s->lists, s->size, sizeof *s->lists, "bodies that are lent"));
    OCT_TRY(oct_alloc(&s->counts, s->size, sizeof *s->counts, "bodies that are lent"));
    OCT_TRY(read_wide(s->shifts, domain->around.shift, 0, s->n_shifts));
    return find_boxes(s, lender);
}

static void search_end(search *s)
{
    for (uint32_t r = 0; s->lists && r < s->size; r++)
        free(s->lists[r]);
    free(s->own);
    free(s->told);
    free(s->around);
    free(s->met);
    free(s->shifts);
    free(s->lists);
    free(s->counts);
}

/* Lists those of CHUNK rows that are near a rank, whose boxes have been met. */
static oct_status list_rows(search *s, uint32_t chunk, uint32_t rank)
{
    double position[CHUNK][4], velocity[CHUNK][4];
    uint8_t type[CHUNK];
    oct_domain *domain = s->domain;
    uint32_t first = chunk * CHUNK, left = domain->n - first, n = left < CHUNK ? left : CHUNK;
    OCT_TRY(read_wide(position, domain->position, first, n));
    OCT_TRY(read_wide(velocity, domain->velocity, first, n));
    OCT_TRY(oct_buffer_read(type, domain->type, first, n));
    OCT_TRY(oct_realloc(&s->lists[rank], s->counts[rank] + n, sizeof *s->lists[rank],
                        "bodies that are lent"));
    for (uint32_t i = 0; i < n; i++) {
        box body = {.radius = velocity[i][3]};
        memcpy(body.low, position[i], sizeof body.low);
        memcpy(body.high, position[i], sizeof body.high);
        if (type[i] != OCT_TYPE_REMOVED && near_met(s, &body, rank))
            s->lists[rank][s->counts[rank]++] = first + i;
    }
    return OCT_STATUS_OK;
}

static oct_status list_all(search *s)
{
    uint32_t each = (s->n_boxes + TOLD - 1) / TOLD;
    for (uint32_t r = 0; r < s->size; r++)
        for (uint32_t first = 0; r != s->rank && first < s->n_boxes; first += each) {
            if (!meet_rank(s, &s->told[s->rank][first / each], r))
                continue;
            for (uint32_t i = first; i < first + each && i < s->n_boxes; i++)
                if (meet_rank(s, &s->own[i], r))
                    OCT_TRY(list_rows(s, i, r));
        }
    return OCT_STATUS_OK;
}

static oct_status join_lists(oct_loan *out, const search *s)
{
    uint64_t n = 0;
    for (uint32_t r = 0; r < s->size; r++)
        n += s->counts[r];
    OCT_TRY(oct_alloc(&out->n_out, s->size, sizeof *out->n_out, "bodies that are lent"));
    OCT_TRY(oct_alloc(&out->rows, n, sizeof *out->rows, "bodies that are lent"));
    for (uint32_t r = 0; r < s->size; out->n += (uint32_t)s->counts[r], r++) {
        out->n_out[r] = s->counts[r];
        if (s->counts[r] > 0)
            memcpy(out->rows + out->n, s->lists[r], s->counts[r] * sizeof *out->rows);
    }
    return OCT_STATUS_OK;
}

oct_status oct_lender_find(oct_loan *out, oct_lender *lender, oct_domain *domain)
{
    search s = {.domain = domain};
    oct_status status;
    *out = (oct_loan){0};
    OCT_TRY_DONE(search_start(&s, lender));
    OCT_TRY_DONE(list_all(&s));
    status = join_lists(out, &s);
done:
    search_end(&s);
    if (status != OCT_STATUS_OK)
        oct_loan_clear(out);
    return status;
}
