/* Pushes overlapping bodies apart before the first step, and keeps account of it. */
#include <math.h>
#include <stdlib.h>

#include "cluster/comm.h"
#include "collision/collision.h"

/* A touching pair overlaps by what rounding leaves; less than this does not count. */
static const double slight = 1e-6;

/* The rows of a buffer of real[4]. */
static oct_status read_rows(double (**out)[4], oct_buffer *buffer)
{
    size_t n = buffer->count;
    OCT_TRY(oct_alloc(out, n, sizeof **out, buffer->name));
    oct_status status = oct_buffer_read(*out, buffer, 0, n);
    /* Floats are in the first half: the last ones are moved first. */
    const float *narrow = (const float *)*out;
    for (size_t k = 4 * n; buffer->element == 4 * sizeof(float) && k-- > 0;)
        (*out)[k / 4][k % 4] = (double)narrow[k];
    return status;
}

/* The bodies at one moment. */
typedef struct places {
    double (*position)[4], (*velocity)[4], (*shift)[4];
    uint32_t (*pairs)[4];
} places;

static void places_clear(places *p)
{
    free(p->position);
    free(p->velocity);
    free(p->shift);
    free(p->pairs);
}

static oct_status places_read(places *out, const oct_found *found)
{
    OCT_TRY(read_rows(&out->position, found->domain->position));
    OCT_TRY(read_rows(&out->velocity, found->domain->velocity));
    OCT_TRY(read_rows(&out->shift, found->domain->around.shift));
    OCT_TRY(oct_alloc(&out->pairs, found->n_pairs, sizeof *out->pairs, "pairs"));
    return found->n_pairs > 0
               ? oct_buffer_read(out->pairs, found->collider->pairs, 0, found->n_pairs)
               : OCT_STATUS_OK;
}

/* Sums and largest numbers over the ranks that share the bodies. */
static oct_status join(double *sums, size_t n_sums, double *most, const oct_domain *domain)
{
    oct_comm *comm = domain->sim->comm;
    if (!comm)
        return OCT_STATUS_OK;
    OCT_TRY(oct_comm_sum(comm, sums, n_sums));
    return most ? oct_comm_most(comm, most, 1) : OCT_STATUS_OK;
}

/* Counts the pairs that overlap, and finds the deepest. A pair of two ranks is that of the first
 * body's. */
static oct_status count_overlaps(uint64_t *count, double *deepest, const places *p,
                                 const oct_found *found, const oct_domain *domain)
{
    double pairs = 0;
    *deepest = 0;
    for (uint32_t k = 0; k < found->n_pairs; k++) {
        const uint32_t *pair = p->pairs[k];
        double square = 0;
        if (pair[0] >= domain->n)
            continue;
        for (int d = 0; d < 3; d++)
            square +=
                pow(p->position[pair[1]][d] - (p->position[pair[0]][d] - p->shift[pair[2]][d]), 2);
        double reach = p->velocity[pair[0]][3] + p->velocity[pair[1]][3];
        double depth = 1 - sqrt(square) / reach;
        pairs += depth > slight;
        *deepest = fmax(*deepest, depth);
    }
    OCT_TRY(join(&pairs, 1, deepest, domain));
    *count = (uint64_t)pairs;
    return OCT_STATUS_OK;
}

static oct_status find_thickness(double *out, const places *p, const oct_domain *domain)
{
    double sums[2] = {0, domain->n}, squares = 0;
    for (uint32_t i = 0; i < domain->n; i++)
        sums[0] += p->position[i][2];
    OCT_TRY(join(sums, 2, NULL, domain));
    for (uint32_t i = 0; i < domain->n; i++)
        squares += pow(p->position[i][2] - sums[0] / sums[1], 2);
    OCT_TRY(join(&squares, 1, NULL, domain));
    *out = sqrt(squares / sums[1]);
    return OCT_STATUS_OK;
}

/* How far bodies have moved; one that left through a face has come in at the other. */
static oct_status measure_moves(oct_relaxation *out, const oct_domain *domain, const places *before,
                                const places *after)
{
    const oct_boundary *boundary = oct_setup_boundary(domain->setup);
    const void *self = domain->boundary.state;
    double size[3] = {0}, sums[2] = {0};
    bool repeats[3] = {false};
    if (boundary->image && boundary->size(size, self))
        boundary->repeats(repeats, self);
    for (uint32_t i = 0; i < domain->n; i++) {
        double square = 0;
        for (int d = 0; d < 3; d++) {
            double move = after->position[i][d] - before->position[i][d];
            square += pow(repeats[d] ? remainder(move, size[d]) : move, 2);
        }
        sums[0] += square > 0;
        sums[1] += sqrt(square);
        out->farthest = fmax(out->farthest, sqrt(square));
    }
    OCT_TRY(join(sums, 2, &out->farthest, domain));
    out->moved = (uint64_t)sums[0];
    out->mean = out->moved > 0 ? sums[1] / sums[0] : 0;
    return OCT_STATUS_OK;
}

/* Finds the pairs that overlap; *all: of all ranks. */
static oct_status find_all(oct_found *found, double *all, oct_collider *c, oct_domain *domain)
{
    OCT_TRY(oct_collider_meet(found, c, domain));
    *all = found->n_pairs;
    return join(all, 1, NULL, domain);
}

static oct_status sweep_all(oct_relaxation *out, oct_collider *c, oct_domain *domain,
                            oct_found *found)
{
    const oct_boundary *boundary = oct_setup_boundary(domain->setup);
    double all = 1;
    for (int64_t sweep = 0; sweep < domain->setup->contact.relax && all > 0; sweep++) {
        OCT_TRY(oct_collider_settle(found, c, domain));
        if (boundary->apply)
            OCT_TRY(boundary->apply(domain->boundary.state, domain));
        out->sweeps++;
        OCT_TRY(find_all(found, &all, c, domain));
    }
    return OCT_STATUS_OK;
}

static oct_status relax(oct_collider *c, oct_domain *domain)
{
    oct_status status;
    oct_relaxation *done = &domain->sim->relaxed;
    places before = {0}, after = {0};
    oct_found found;
    double all;
    OCT_TRY_DONE(find_all(&found, &all, c, domain));
    if (all == 0)
        goto done;
    OCT_TRY_DONE(places_read(&before, &found));
    OCT_TRY_DONE(count_overlaps(&done->pairs, &done->deepest, &before, &found, domain));
    OCT_TRY_DONE(sweep_all(done, c, domain, &found));
    OCT_TRY_DONE(places_read(&after, &found));
    OCT_TRY_DONE(count_overlaps(&done->pairs_left, &done->deepest_left, &after, &found, domain));
    OCT_TRY_DONE(find_thickness(&done->thickness, &before, domain));
    OCT_TRY_DONE(find_thickness(&done->thickness_left, &after, domain));
    status = measure_moves(done, domain, &before, &after);
done:
    places_clear(&before);
    places_clear(&after);
    return status;
}

oct_status oct_collider_start(void *state, oct_domain *domain)
{
    oct_collider *c = state;
    if (domain->setup->contact.relax == 0)
        return OCT_STATUS_OK;
    bool merges = domain->setup->contact.outcome == OCT_OUTCOME_MERGE;
    OCT_TRY(oct_collider_moves(c, domain, true));
    c->overlapping = 1;
    oct_status status = relax(c, domain);
    c->overlapping = 0;
    OCT_TRY(status);
    /* What was found last is not resolved, here or where bodies of several ranks meet. */
    oct_meeting_free(c->meeting);
    c->meeting = NULL;
    OCT_TRY(oct_collider_forget(c));
    OCT_TRY(oct_collider_moves(c, domain, merges));
    /* Bodies that were strewn at random overlap in more pairs than any step has. */
    return oct_collider_shrink(c, domain);
}
