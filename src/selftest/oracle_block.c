/* Bodies are kept as they were when their steps began, and predicted from there. */
#include "selftest/oracle_block.h"

#include <math.h>
#include <stdlib.h>

#include "util/status.h"

static double seconds(const oct_oracle_block *block, int64_t ticks)
{
    return block->rules.dt * (double)ticks / OCT_ORACLE_BLOCK_TICKS;
}

/* x + (v + a h/2) t and v + a t, t into a step of h. */
void oct_oracle_block_now(double x[3], double v[3], const oct_oracle_block *block, size_t i)
{
    const oct_oracle_block_body *b = &block->bodies[i];
    double h = seconds(block, b->ticks), t = seconds(block, block->now - b->begin);
    for (int k = 0; k < 3; k++) {
        x[k] = b->x[k] + (b->v[k] + b->a[k] * h / 2) * t;
        v[k] = b->v[k] + b->a[k] * t;
    }
}

/* The potential there; and the acceleration. */
static double find_force(double a[3], const oct_oracle_block *block, size_t i, double (*x)[3])
{
    double potential = 0;
    a[0] = a[1] = a[2] = 0;
    for (size_t j = 0; j < block->n; j++) {
        double d[3], r2 = block->rules.softening * block->rules.softening;
        for (int k = 0; k < 3; k++) {
            d[k] = x[j][k] - x[i][k];
            r2 += d[k] * d[k];
        }
        for (int k = 0; k < 3 && j != i; k++)
            a[k] += block->bodies[j].mass * d[k] * pow(r2, -1.5);
        potential -= j != i ? block->bodies[j].mass / sqrt(r2) : 0;
    }
    return potential;
}

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Kepler's third law about each heavy body, with the mean of both ends of the step where steps are
 * symmetric, to first order. */
static double orbit_limit(const oct_oracle_block *block, size_t i)
{
    const oct_oracle_block_rules *r = &block->rules;
    double least = INFINITY, x[3], v[3];
    oct_oracle_block_now(x, v, block, i);
    for (size_t j = 0; j < block->n && r->orbit > 0; j++) {
        double y[3], w[3], square = r->length * r->length, dot = 0;
        if (j == i || block->bodies[j].mass <= r->heavy)
            continue;
        oct_oracle_block_now(y, w, block, j);
        for (int k = 0; k < 3; k++) {
            square += (x[k] - y[k]) * (x[k] - y[k]);
            dot += (x[k] - y[k]) * (v[k] - w[k]);
        }
        double t = r->orbit * pow(square, 0.75) / sqrt(block->bodies[j].mass);
        double rate = r->symmetric ? 1.5 * dot / square * t : 0;
        least = fmin(least, t / fmin(fmax(1 - rate / 2, 0.5), 2));
    }
    return least;
}

/* The next step of a body that takes twice the last one after it has wanted a longer one for long.
 */
static int64_t be_patient(const oct_oracle_block *block, oct_oracle_block_body *b, int64_t wanted,
                          int64_t elapsed)
{
    b->calm = wanted > elapsed ? b->calm + elapsed : 0;
    if ((double)b->calm < block->rules.patience * OCT_ORACLE_BLOCK_TICKS ||
        block->now % (2 * elapsed) != 0)
        return wanted < elapsed ? wanted : elapsed;
    b->calm = 0;
    return 2 * elapsed;
}

/* The length of the next step in ticks, where that of the last was `elapsed` (0: there was none).
 */
static int64_t choose(oct_oracle_block *block, size_t i, int64_t elapsed)
{
    const oct_oracle_block_rules *r = &block->rules;
    oct_oracle_block_body *b = &block->bodies[i];
    double by_pull = sqrt(r->length / norm(b->a)), by_speed = r->length / norm(b->v);
    double tau = r->gadget ? sqrt(2 * r->eta) * by_pull : r->eta * fmin(by_pull, by_speed);
    if (r->escape)
        tau = r->eta * r->length / sqrt(-2 * b->potential);
    double step = tau;
    if (r->symmetric && elapsed > 0) {
        double divisor = 1 - (tau - b->wanted) / seconds(block, elapsed) / 2;
        step = tau / fmin(fmax(divisor, 0.5), 2);
    }
    b->wanted = tau;
    step = fmin(step, orbit_limit(block, i));
    double exact = log2(r->dt / step), level = fmin(fmax(ceil(exact), 0), r->levels);
    block->margin = fmin(block->margin, fabs(exact - round(exact)));
    int64_t ticks = OCT_ORACLE_BLOCK_TICKS / (int64_t)exp2(level);
    if (r->patience > 0 && elapsed > 0)
        return be_patient(block, b, ticks, elapsed);
    while (block->now % ticks != 0)
        ticks /= 2;
    return ticks;
}

/* The shortest step of all, for all or for those who are heavy. */
static void share(oct_oracle_block *block)
{
    int64_t least = OCT_ORACLE_BLOCK_TICKS;
    for (size_t i = 0; i < block->n; i++)
        least = block->bodies[i].ticks < least ? block->bodies[i].ticks : least;
    for (size_t i = 0; i < block->n; i++)
        if (block->rules.shared || block->bodies[i].mass > block->rules.heavy)
            block->bodies[i].ticks = least;
}

static void find_places(oct_oracle_block *block)
{
    double v[3];
    for (size_t i = 0; i < block->n; i++)
        oct_oracle_block_now(block->places[i], v, block, i);
}

oct_status oct_oracle_block_start(oct_oracle_block *out, const oct_bodies *bodies,
                                  const oct_oracle_block_rules *rules)
{
    *out = (oct_oracle_block){.rules = *rules, .n = bodies->n, .margin = INFINITY};
    OCT_TRY(oct_alloc(&out->bodies, bodies->n, sizeof *out->bodies, "an oracle"));
    OCT_TRY(oct_alloc(&out->places, bodies->n, sizeof *out->places, "an oracle"));
    for (size_t i = 0; i < bodies->n; i++) {
        oct_oracle_block_body *b = &out->bodies[i];
        b->mass = bodies->mass[i];
        for (size_t k = 0; k < 3; k++) {
            b->x[k] = bodies->position[3 * i + k];
            b->v[k] = bodies->velocity[3 * i + k];
        }
    }
    find_places(out);
    for (size_t i = 0; i < out->n; i++) {
        out->bodies[i].potential = find_force(out->bodies[i].a, out, i, out->places);
        out->bodies[i].ticks = choose(out, i, 0);
    }
    share(out);
    return OCT_STATUS_OK;
}

static void end_step(oct_oracle_block *block, size_t i)
{
    oct_oracle_block_body *b = &block->bodies[i];
    double h = seconds(block, b->ticks), a[3];
    block->forces++;
    b->potential = find_force(a, block, i, block->places);
    for (int k = 0; k < 3; k++) {
        b->v[k] += (b->a[k] + a[k]) * h / 2;
        b->a[k] = a[k];
        b->x[k] = block->places[i][k];
    }
    b->begin = block->now;
}

void oct_oracle_block_step(oct_oracle_block *block)
{
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < block->n; i++) {
        const oct_oracle_block_body *b = &block->bodies[i];
        next = b->begin + b->ticks < next ? b->begin + b->ticks : next;
    }
    block->now = next;
    find_places(block);
    for (size_t i = 0; i < block->n; i++)
        if (block->bodies[i].begin + block->bodies[i].ticks == next)
            end_step(block, i);
    /* All have velocities of now by then. */
    for (size_t i = 0; i < block->n; i++)
        if (block->bodies[i].begin == next)
            block->bodies[i].ticks = choose(block, i, block->bodies[i].ticks);
    share(block);
}

int oct_oracle_block_level(const oct_oracle_block *block, size_t i)
{
    return (int)lround(log2((double)OCT_ORACLE_BLOCK_TICKS / (double)block->bodies[i].ticks));
}

void oct_oracle_block_clear(oct_oracle_block *block)
{
    free(block->bodies);
    free(block->places);
    *block = (oct_oracle_block){0};
}
