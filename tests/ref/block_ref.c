/* Bodies are kept as they were when their steps began, and predicted from there. */
#include "block_ref.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static double seconds(const ref_block *block, int64_t ticks)
{
    return block->rules.dt * (double)ticks / REF_BLOCK_TICKS;
}

/* x + (v + a h/2) t and v + a t, t into a step of h. */
void ref_block_now(double x[3], double v[3], const ref_block *block, size_t i)
{
    const ref_block_body *b = &block->bodies[i];
    double h = seconds(block, b->ticks), t = seconds(block, block->now - b->begin);
    for (int k = 0; k < 3; k++) {
        x[k] = b->x[k] + (b->v[k] + b->a[k] * h / 2) * t;
        v[k] = b->v[k] + b->a[k] * t;
    }
}

static void find_force(double a[3], const ref_block *block, size_t i, double (*x)[3])
{
    a[0] = a[1] = a[2] = 0;
    for (size_t j = 0; j < block->n; j++) {
        double d[3], r2 = block->rules.softening * block->rules.softening;
        for (int k = 0; k < 3; k++) {
            d[k] = x[j][k] - x[i][k];
            r2 += d[k] * d[k];
        }
        for (int k = 0; k < 3 && j != i; k++)
            a[k] += block->bodies[j].mass * d[k] * pow(r2, -1.5);
    }
}

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The length of the next step in ticks, where that of the last was `elapsed` (0: there was none).
 */
static int64_t choose(ref_block_body *b, const ref_block *block, int64_t elapsed)
{
    const ref_block_rules *r = &block->rules;
    double by_pull = sqrt(r->length / norm(b->a)), by_speed = r->length / norm(b->v);
    double tau = r->gadget ? sqrt(2 * r->eta) * by_pull : r->eta * fmin(by_pull, by_speed);
    double step = tau;
    if (r->symmetric && elapsed > 0) {
        double divisor = 1 - (tau - b->wanted) / seconds(block, elapsed) / 2;
        step = tau / fmin(fmax(divisor, 0.5), 2);
    }
    b->wanted = tau;
    double level = fmin(fmax(ceil(log2(r->dt / step)), 0), r->levels);
    int64_t ticks = REF_BLOCK_TICKS / (int64_t)exp2(level);
    while (block->now % ticks != 0)
        ticks /= 2;
    return ticks;
}

/* The shortest step of all, for all or for those who are heavy. */
static void share(ref_block *block)
{
    int64_t least = REF_BLOCK_TICKS;
    for (size_t i = 0; i < block->n; i++)
        least = block->bodies[i].ticks < least ? block->bodies[i].ticks : least;
    for (size_t i = 0; i < block->n; i++)
        if (block->rules.shared || block->bodies[i].mass > block->rules.heavy)
            block->bodies[i].ticks = least;
}

void ref_block_start(ref_block *out, const oct_bodies *bodies, const ref_block_rules *rules)
{
    *out = (ref_block){.rules = *rules, .n = bodies->n};
    out->bodies = calloc(bodies->n, sizeof *out->bodies);
    double(*x)[3] = calloc(bodies->n, sizeof *x);
    assert_true(out->bodies && x);
    for (size_t i = 0; i < bodies->n; i++) {
        ref_block_body *b = &out->bodies[i];
        b->mass = bodies->mass[i];
        for (size_t k = 0; k < 3; k++) {
            b->x[k] = x[i][k] = bodies->position[3 * i + k];
            b->v[k] = bodies->velocity[3 * i + k];
        }
    }
    for (size_t i = 0; i < out->n; i++) {
        find_force(out->bodies[i].a, out, i, x);
        out->bodies[i].ticks = choose(&out->bodies[i], out, 0);
    }
    share(out);
    free(x);
}

void ref_block_step(ref_block *block)
{
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < block->n; i++) {
        const ref_block_body *b = &block->bodies[i];
        next = b->begin + b->ticks < next ? b->begin + b->ticks : next;
    }
    block->now = next;
    double(*x)[3] = calloc(block->n, sizeof *x), (*v)[3] = calloc(block->n, sizeof *v);
    assert_true(x && v);
    for (size_t i = 0; i < block->n; i++)
        ref_block_now(x[i], v[i], block, i);
    for (size_t i = 0; i < block->n; i++) {
        ref_block_body *b = &block->bodies[i];
        int64_t elapsed = b->ticks;
        double h = seconds(block, elapsed), a[3];
        if (b->begin + elapsed != next)
            continue;
        block->forces++;
        find_force(a, block, i, x);
        for (int k = 0; k < 3; k++) {
            b->v[k] += (b->a[k] + a[k]) * h / 2;
            b->a[k] = a[k];
            b->x[k] = x[i][k];
        }
        b->begin = next;
        b->ticks = choose(b, block, elapsed);
    }
    share(block);
    free(x);
    free(v);
}

int ref_block_level(const ref_block *block, size_t i)
{
    return (int)lround(log2((double)REF_BLOCK_TICKS / (double)block->bodies[i].ticks));
}

void ref_block_clear(ref_block *block)
{
    free(block->bodies);
    *block = (ref_block){0};
}
