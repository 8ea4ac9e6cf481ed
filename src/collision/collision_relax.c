/* Pushes overlapping bodies apart before the first step, and keeps account of it. */
#include <math.h>
#include <stdlib.h>

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

static oct_status places_read(places *out, oct_collider *c, oct_domain *domain, uint32_t n_pairs)
{
    OCT_TRY(read_rows(&out->position, domain->position));
    OCT_TRY(read_rows(&out->velocity, domain->velocity));
    OCT_TRY(read_rows(&out->shift, domain->around.shift));
    OCT_TRY(oct_alloc(&out->pairs, n_pairs, sizeof *out->pairs, "pairs"));
    return oct_buffer_read(out->pairs, c->pairs, 0, n_pairs);
}

/* Counts the pairs that overlap, and finds the deepest. */
static void count_overlaps(uint64_t *count, double *deepest, const places *p, uint32_t n_pairs)
{
    *count = 0;
    *deepest = 0;
    for (uint32_t k = 0; k < n_pairs; k++) {
        const uint32_t *pair = p->pairs[k];
        double square = 0;
        for (int d = 0; d < 3; d++)
            square +=
                pow(p->position[pair[1]][d] - (p->position[pair[0]][d] - p->shift[pair[2]][d]), 2);
        double reach = p->velocity[pair[0]][3] + p->velocity[pair[1]][3];
        double depth = 1 - sqrt(square) / reach;
        *count += depth > slight;
        *deepest = fmax(*deepest, depth);
    }
}

static double thickness(const places *p, uint32_t n)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += p->position[i][2];
    for (uint32_t i = 0; i < n; i++)
        squares += pow(p->position[i][2] - sum / n, 2);
    return sqrt(squares / n);
}

/* How far bodies have moved; one that left through a face has come in at the other. */
static void measure_moves(oct_relaxation *out, const oct_domain *domain, const places *before,
                          const places *after)
{
    const oct_boundary *boundary = oct_setup_boundary(domain->setup);
    const void *self = domain->boundary.state;
    double size[3] = {0}, sum = 0;
    bool repeats[3] = {false};
    if (boundary->image && boundary->size(size, self))
        boundary->repeats(repeats, self);
    for (uint32_t i = 0; i < domain->n; i++) {
        double square = 0;
        for (int d = 0; d < 3; d++) {
            double move = after->position[i][d] - before->position[i][d];
            square += pow(repeats[d] ? remainder(move, size[d]) : move, 2);
        }
        out->moved += square > 0;
        out->farthest = fmax(out->farthest, sqrt(square));
        sum += sqrt(square);
    }
    out->mean = out->moved > 0 ? sum / (double)out->moved : 0;
}

static oct_status sweep_all(oct_relaxation *out, oct_collider *c, oct_domain *domain,
                            uint32_t *n_pairs)
{
    const oct_boundary *boundary = oct_setup_boundary(domain->setup);
    for (int64_t sweep = 0; sweep<domain->setup->contact.relax && * n_pairs> 0; sweep++) {
        OCT_TRY(oct_collider_resolve(c, domain));
        if (boundary->apply)
            OCT_TRY(boundary->apply(domain->boundary.state, domain));
        out->sweeps++;
        OCT_TRY(oct_collider_find(n_pairs, c, domain));
    }
    return OCT_STATUS_OK;
}

static oct_status relax(oct_collider *c, oct_domain *domain)
{
    oct_status status;
    oct_relaxation *done = &domain->sim->relaxed;
    places before = {0}, after = {0};
    uint32_t n_pairs;
    OCT_TRY_DONE(oct_collider_find(&n_pairs, c, domain));
    if (n_pairs == 0)
        goto done;
    OCT_TRY_DONE(places_read(&before, c, domain, n_pairs));
    count_overlaps(&done->pairs, &done->deepest, &before, n_pairs);
    OCT_TRY_DONE(sweep_all(done, c, domain, &n_pairs));
    OCT_TRY_DONE(places_read(&after, c, domain, n_pairs));
    count_overlaps(&done->pairs_left, &done->deepest_left, &after, n_pairs);
    done->thickness = thickness(&before, domain->n);
    done->thickness_left = thickness(&after, domain->n);
    measure_moves(done, domain, &before, &after);
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
    OCT_TRY(oct_sim_check_alone(domain->sim, "collisions.relax has to be 0"));
    bool merges = domain->setup->contact.outcome == OCT_OUTCOME_MERGE;
    OCT_TRY(oct_collider_moves(c, domain, true));
    c->overlapping = 1;
    oct_status status = relax(c, domain);
    c->overlapping = 0;
    OCT_TRY(status);
    OCT_TRY(oct_collider_forget(c));
    OCT_TRY(oct_collider_moves(c, domain, merges));
    /* Bodies that were strewn at random overlap in more pairs than any step has. */
    return oct_collider_shrink(c, domain);
}
