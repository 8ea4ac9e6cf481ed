/* Finds where to cut the curve, and decides whether bodies move. */
#include "core/decompose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"

/* A cut is found digit by digit, first of its key and then of its place: so many bits at a time,
 * with a probe for each digit but 0. */
enum { DIGIT = 4, PROBES = (1 << DIGIT) - 1, KEY_DIGITS = 16, PLACE_DIGITS = 8 };

/* A move takes about as long as four steps: worth it where the 64 until the next look are quicker
 * by a 16th, or where a 16th of the bodies is among others. */
static const double worth = 1.0 / 16;

/* A cut with another digit: the n-th, from the highest of the key on. */
static oct_point with_digit(oct_point cut, unsigned n, uint64_t digit)
{
    if (n < KEY_DIGITS)
        cut.key += digit << DIGIT * (KEY_DIGITS - 1 - n);
    else
        cut.place += digit << DIGIT * (KEY_DIGITS + PLACE_DIGITS - 1 - n);
    return cut;
}

static uint64_t cost_before(const oct_lineup *lineup, oct_point point)
{
    return lineup->before[oct_lineup_find(lineup, point)];
}

/* What ranks tell each other while cuts are found. Rank r finds the cut before its bodies, from
 * what bodies before its probes cost in each rank: nobody sees all keys. */
typedef struct cutting {
    const oct_lineup *lineup;
    oct_comm *comm;
    uint64_t target;              /* what bodies before this rank's cost */
    oct_point *cuts;              /* of each rank, as far as they are found */
    uint64_t (*sent)[PROBES];     /* to each rank */
    uint64_t (*received)[PROBES]; /* from each rank */
    uint32_t *digits;             /* of each rank */
    oct_parcel *out, *in;
} cutting;

static oct_status cutting_start(cutting *c, const oct_lineup *lineup, oct_comm *comm)
{
    uint32_t size = comm->size;
    c->lineup = lineup;
    c->comm = comm;
    OCT_TRY(oct_alloc(&c->cuts, size + 1, sizeof *c->cuts, "cuts"));
    OCT_TRY(oct_alloc(&c->sent, size, sizeof *c->sent, "cuts"));
    OCT_TRY(oct_alloc(&c->received, size, sizeof *c->received, "cuts"));
    OCT_TRY(oct_alloc(&c->digits, size, sizeof *c->digits, "cuts"));
    OCT_TRY(oct_alloc(&c->out, size, sizeof *c->out, "cuts"));
    OCT_TRY(oct_alloc(&c->in, size, sizeof *c->in, "cuts"));
    for (uint32_t r = 0; r < size; r++) {
        if (r > 0)
            c->out[r] = (oct_parcel){c->sent[r], sizeof c->sent[r]};
        if (comm->rank > 0)
            c->in[r] = (oct_parcel){c->received[r], sizeof c->received[r]};
    }
    return OCT_STATUS_OK;
}

static void cutting_end(cutting *c)
{
    free(c->cuts);
    free(c->sent);
    free(c->received);
    free(c->digits);
    free(c->out);
    free(c->in);
}

/* The n-th digit of all cuts: the largest with which bodies before it cost no more than they may.
 */
static oct_status find_digit(cutting *c, unsigned n)
{
    uint32_t size = c->comm->size, digit = 0;
    for (uint32_t r = 1; r < size; r++)
        for (uint32_t d = 0; d < PROBES; d++)
            c->sent[r][d] = cost_before(c->lineup, with_digit(c->cuts[r], n, d + 1));
    OCT_TRY(oct_comm_exchange(c->comm, c->out, c->in));
    for (uint32_t d = 0; c->comm->rank > 0 && d < PROBES; d++) {
        uint64_t cost = 0;
        for (uint32_t r = 0; r < size; r++)
            cost += c->received[r][d];
        if (cost <= c->target)
            digit = d + 1;
    }
    OCT_TRY(oct_comm_gather(c->comm, c->digits, &digit, sizeof digit));
    for (uint32_t r = 1; r < size; r++)
        c->cuts[r] = with_digit(c->cuts[r], n, c->digits[r]);
    return OCT_STATUS_OK;
}

/* What all bodies before a rank's are to cost. */
static uint64_t target_of(uint32_t rank, const double *shares, uint64_t cost)
{
    double part = 0;
    for (uint32_t r = 0; r < rank; r++)
        part += shares[r];
    return (uint64_t)floor(part * (double)cost);
}

static oct_status find_ends(oct_course *course, oct_sim *sim, const double *shares)
{
    const oct_lineup *l = &course->lineup;
    oct_comm *comm = sim->comm;
    double cost = (double)l->before[l->n];
    cutting c = {0};
    oct_status status;
    OCT_TRY_DONE(oct_comm_sum(comm, &cost, 1));
    OCT_TRY_DONE(cutting_start(&c, l, comm));
    c.target = target_of(comm->rank, shares, (uint64_t)cost);
    for (unsigned n = 0; n < KEY_DIGITS + PLACE_DIGITS; n++)
        OCT_TRY_DONE(find_digit(&c, n));
    for (uint32_t r = 1; r < comm->size; r++)
        course->ends[r] = oct_lineup_find(l, c.cuts[r]);
    course->ends[comm->size] = l->n;
done:
    cutting_end(&c);
    return status;
}

/* What a division comes to. */
typedef struct outlook {
    double now, then; /* the largest cost of a rank, in parts of what its share is */
    uint64_t moved, living;
    bool whole; /* each rank has bodies */
} outlook;

/* What a rank tells the others: of each rank, the bodies that go there and their cost; its removed
 * bodies, which stay. */
static oct_status compare(outlook *out, oct_course *course, oct_sim *sim, const double *shares)
{
    oct_comm *comm = sim->comm;
    const oct_lineup *l = &course->lineup;
    uint32_t size = comm->size;
    size_t width = 2 * (size_t)size + 1;
    uint64_t *all, *mine, cost = 0;
    OCT_TRY(oct_alloc(&all, (size + 1) * width, sizeof *all, "bodies of ranks"));
    mine = all + size * width;
    for (uint32_t r = 0; r < size; r++) {
        mine[r] = course->ends[r + 1] - course->ends[r];
        mine[size + r] = l->before[course->ends[r + 1]] - l->before[course->ends[r]];
    }
    mine[2 * size] = sim->domain->n - l->n;
    oct_status status = oct_comm_gather(comm, all, mine, width * sizeof *all);
    *out = (outlook){.whole = true};
    for (size_t k = 0; k < (size_t)size * size; k++)
        cost += all[k / size * width + size + k % size];
    for (uint32_t r = 0; r < size; r++) {
        uint64_t now = 0, then = 0;
        course->counts[r] = all[r * width + 2 * size];
        for (uint32_t s = 0; s < size; s++) {
            uint64_t going = all[s * width + r];
            now += all[r * width + size + s];
            then += all[s * width + size + r];
            course->counts[r] += going;
            out->living += going;
            out->moved += s != r ? going : 0;
        }
        out->now = fmax(out->now, (double)now / (shares[r] * (double)cost));
        out->then = fmax(out->then, (double)then / (shares[r] * (double)cost));
        out->whole = out->whole && course->counts[r] > 0;
    }
    free(all);
    return status;
}

/* Every rank the same number of bodies: for costs or shares that would leave one without any. */
static oct_status share_evenly(outlook *out, oct_course *course, oct_sim *sim)
{
    uint32_t size = oct_comm_size(sim->comm);
    double *even;
    OCT_TRY(oct_alloc(&even, size, sizeof *even, "shares"));
    for (uint32_t r = 0; r < size; r++)
        even[r] = 1.0 / size;
    for (uint32_t i = 0; i <= course->lineup.n; i++)
        course->lineup.before[i] = i;
    oct_status status = find_ends(course, sim, even);
    if (status == OCT_STATUS_OK)
        status = compare(out, course, sim, even);
    free(even);
    return status;
}

static oct_status plot(outlook *out, oct_course *course, oct_sim *sim)
{
    uint32_t size = oct_comm_size(sim->comm);
    OCT_TRY(oct_alloc(&course->ends, size + 1, sizeof *course->ends, "ranks"));
    OCT_TRY(oct_alloc(&course->counts, size, sizeof *course->counts, "ranks"));
    OCT_TRY(oct_lineup_make(&course->lineup, sim));
    OCT_TRY(find_ends(course, sim, sim->owners.shares));
    OCT_TRY(compare(out, course, sim, sim->owners.shares));
    return out->whole || out->living < size ? OCT_STATUS_OK : share_evenly(out, course, sim);
}

static oct_status decompose(oct_sim *sim, bool first)
{
    oct_course course = {0};
    outlook look = {0};
    oct_traffic_kind before = oct_comm_about(sim->comm, OCT_TRAFFIC_CUTS);
    oct_status status = plot(&look, &course, sim);
    oct_comm_about(sim->comm, OCT_TRAFFIC_BODIES);
    /* Too few are left for all to have some: they stay where they are. */
    bool due =
        first || look.now - look.then > worth || (double)look.moved > worth * (double)look.living;
    if (status == OCT_STATUS_OK && look.whole && due)
        status = oct_migrate(sim, &course);
    oct_comm_about(sim->comm, before);
    oct_lineup_clear(&course.lineup);
    free(course.ends);
    free(course.counts);
    return status;
}

static bool may_move(const oct_sim *sim)
{
    return oct_owners_several(sim) && !sim->owners.whole;
}

oct_status oct_decompose_first(oct_sim *sim)
{
    return may_move(sim) ? decompose(sim, true) : OCT_STATUS_OK;
}

oct_status oct_decompose_again(oct_sim *sim)
{
    if (!may_move(sim) || oct_sim_steps(sim) % sim->owners.every != 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_sim_wait(sim));
    return decompose(sim, false);
}
