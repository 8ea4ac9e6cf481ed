/* Sorted by x, so that few pairs need a look; then bounced, rubbed or merged one by one. */
#include "selftest/oracle_collision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Images are counted as core/images.c does, one ring in every repeated direction. */
static oct_image image_of(const oct_sim *sim, uint32_t index)
{
    static const int32_t steps[3] = {0, 1, -1};
    const oct_boundary *boundary = oct_setup_boundary(sim->setup);
    int32_t cell[3];
    for (size_t k = 0; k < 3; k++) {
        uint32_t n = 2 * sim->domain->around.rings[k] + 1;
        cell[k] = steps[index % n];
        index /= n;
    }
    if (!boundary->image)
        return (oct_image){0};
    return boundary->image(sim->domain->boundary.state, cell, oct_sim_time(sim));
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ x >> 29) * UINT64_C(0xa0761d6478bd642f);
    return x ^ x >> 32;
}

typedef struct meeting {
    double d[3], u[3], distance2, approach;
} meeting;

static meeting meet(const oct_bodies *b, uint32_t i, uint32_t j, const oct_image *image)
{
    meeting m = {0};
    for (size_t k = 0; k < 3; k++) {
        m.d[k] = b->position[3 * j + k] - (b->position[3 * i + k] - image->shift[k]);
        m.u[k] = b->velocity[3 * j + k] + image->velocity[k] - b->velocity[3 * i + k];
    }
    m.distance2 = m.d[0] * m.d[0] + m.d[1] * m.d[1] + m.d[2] * m.d[2];
    m.approach = m.d[0] * m.u[0] + m.d[1] * m.u[1] + m.d[2] * m.u[2];
    return m;
}

static int by_priority(const void *a, const void *b)
{
    const oct_oracle_pair *p = a, *q = b;
    if (p->priority != q->priority)
        return p->priority > q->priority ? -1 : 1;
    if (p->i != q->i)
        return p->i < q->i ? -1 : 1;
    if (p->j != q->j)
        return p->j < q->j ? -1 : 1;
    return p->image < q->image ? -1 : p->image > q->image;
}

/* Bodies by their x, so that only those near in x need to be compared. */
typedef struct place {
    double x, y;
    uint32_t index;
} place;

static int by_x(const void *a, const void *b)
{
    const place *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

static oct_status sort_by_x(place **out, const oct_bodies *b)
{
    OCT_TRY(oct_alloc(out, b->n, sizeof **out, "places"));
    for (uint32_t i = 0; i < b->n; i++)
        (*out)[i] = (place){b->position[3 * i], b->position[3 * i + 1], i};
    qsort(*out, b->n, sizeof **out, by_x);
    return OCT_STATUS_OK;
}

typedef struct pair_list {
    oct_oracle_pair *pairs;
    size_t n, room;
} pair_list;

static oct_status add_pair(pair_list *list, const oct_bodies *b, uint32_t i, uint32_t j,
                           uint32_t image, uint64_t step)
{
    if (list->n == list->room) {
        list->room = 2 * list->room + 64;
        OCT_TRY(oct_realloc(&list->pairs, list->room, sizeof *list->pairs, "pairs"));
    }
    uint64_t hash = mixed(mixed(mixed(step) + b->id[i]) + b->id[j]);
    list->pairs[list->n++] = (oct_oracle_pair){i, j, image, (uint32_t)(hash >> 32)};
    return OCT_STATUS_OK;
}

/* Pairs whose second body is seen in one of the images. */
static oct_status add_image(pair_list *list, const oct_bodies *b, const place *places,
                            double widest, oct_image at, uint32_t image, uint64_t step)
{
    size_t first = 0;
    for (size_t s = 0; s < b->n; s++) {
        uint32_t i = places[s].index;
        /* A little more than the largest reach: rounding must not hide a pair. */
        double seen = places[s].x - at.shift[0], reach = 1.001 * (b->radius[i] + widest);
        double seen_y = places[s].y - at.shift[1];
        while (first < b->n && places[first].x < seen - 2.002 * widest)
            first++;
        for (size_t q = first; q < b->n && places[q].x <= seen + reach; q++) {
            uint32_t j = places[q].index;
            if (fabs(places[q].y - seen_y) > reach)
                continue;
            meeting m = meet(b, i, j, &at);
            double sum = b->radius[i] + b->radius[j];
            if (i < j && m.distance2 < sum * sum && m.approach < 0)
                OCT_TRY(add_pair(list, b, i, j, image, step));
        }
    }
    return OCT_STATUS_OK;
}

oct_status oct_oracle_colliding(oct_oracle_pair **out, size_t *n, const oct_bodies *b,
                                const oct_sim *sim, uint64_t step)
{
    oct_status status;
    pair_list list = {0};
    place *places = NULL;
    double widest = 0;
    for (size_t i = 0; i < b->n; i++)
        widest = fmax(widest, b->radius[i]);
    OCT_TRY_DONE(sort_by_x(&places, b));
    for (uint32_t image = 0; image < sim->domain->around.n; image++)
        OCT_TRY_DONE(add_image(&list, b, places, widest, image_of(sim, image), image, step));
    if (list.n > 0)
        qsort(list.pairs, list.n, sizeof *list.pairs, by_priority);
done:
    free(places);
    *out = list.pairs;
    *n = list.n;
    return status;
}

/* Bridges, Hatzes & Lin (1984) where the scene has their law: min(1, (v / v_c)^p). */
static double restitution_of(const oct_contact *contact, double number, double speed)
{
    if (strcmp(contact->restitution, "bridges") != 0)
        return number;
    return fmin(1, pow(speed / contact->bridges_speed, contact->bridges_exponent));
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(double out[3], const double a[3], const double b[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Two bodies in contact, and what they are in it. */
typedef struct touch {
    oct_bodies *b;
    uint32_t i, j;
    meeting m;
    double distance, normal[3], omega;
    double part_i, part_j; /* of a change of the relative velocity */
} touch;

static double inertia(const oct_bodies *b, uint32_t i)
{
    return 0.4 * b->mass[i] * b->radius[i] * b->radius[i];
}

/* Kinetic energy of a body with this velocity, its spin as the frame sees it. */
static double energy_of(const oct_bodies *b, uint32_t i, const double v[3], double omega)
{
    const double *w = b->spin + 3 * i, turning[3] = {w[0], w[1], w[2] - omega};
    return (b->mass[i] * dot(v, v) + inertia(b, i) * dot(turning, turning)) / 2;
}

/* Of both, with velocities as the first one's image of the box has them. */
static double energy_of_both(const touch *t, const oct_image *image)
{
    const double *v = t->b->velocity + 3 * t->j;
    double seen[3];
    for (size_t k = 0; k < 3; k++)
        seen[k] = v[k] + image->velocity[k];
    return energy_of(t->b, t->i, t->b->velocity + 3 * t->i, t->omega) +
           energy_of(t->b, t->j, seen, t->omega);
}

static void bounce(touch *t, const oct_contact *contact, double restitution)
{
    double speed = -dot(t->m.u, t->normal);
    double jump = (1 + restitution_of(contact, restitution, speed)) * speed;
    for (size_t k = 0; k < 3; k++) {
        double change = t->normal[k] * jump;
        t->b->velocity[3 * t->i + k] += change * -t->part_i;
        t->b->velocity[3 * t->j + k] += change * t->part_j;
    }
}

/* The surfaces where they touch keep `tangential` of their speed past each other, by an impulse J
 * there: u' = u + J / mu, and spins change by its torques. */
static void rub(touch *t, double tangential)
{
    oct_bodies *b = t->b;
    double *w[2] = {b->spin + 3 * t->i, b->spin + 3 * t->j}, past[3], torque[3], impulse[3];
    double arm[2] = {t->distance * b->radius[t->i] / (b->radius[t->i] + b->radius[t->j])};
    double of[2] = {inertia(b, t->i), inertia(b, t->j)};
    double mu = b->mass[t->i] * t->part_i, give = 1 / mu;
    arm[1] = t->distance - arm[0];
    memcpy(past, t->m.u, sizeof past);
    for (int side = 0; side < 2; side++) {
        const double seen[3] = {w[side][0], w[side][1], w[side][2] - t->omega};
        double along[3];
        cross(along, seen, t->normal);
        for (size_t k = 0; k < 3; k++)
            past[k] -= arm[side] * along[k];
        give += arm[side] * arm[side] / of[side];
    }
    double through = dot(past, t->normal);
    for (size_t k = 0; k < 3; k++)
        impulse[k] = (tangential - 1) * (past[k] - through * t->normal[k]) / give;
    cross(torque, t->normal, impulse);
    for (size_t k = 0; k < 3; k++) {
        b->velocity[3 * t->i + k] -= impulse[k] / b->mass[t->i];
        b->velocity[3 * t->j + k] += impulse[k] / b->mass[t->j];
        w[0][k] -= torque[k] * arm[0] / of[0];
        w[1][k] -= torque[k] * arm[1] / of[1];
    }
}

/* One body of the two, where the heavier one is; their orbit about each other becomes spin. */
static uint32_t merge(touch *t)
{
    oct_bodies *b = t->b;
    bool first = b->mass[t->i] >= b->mass[t->j];
    uint32_t kept = first ? t->i : t->j, gone = first ? t->j : t->i;
    double both = b->mass[t->i] + b->mass[t->j], mu = b->mass[t->i] * t->part_i, orbit[3];
    double to = first ? t->part_i : -t->part_j, of[2] = {inertia(b, t->i), inertia(b, t->j)};
    /* Seen without the frame's turning: omega x d. */
    const double u[3] = {t->m.u[0] - t->omega * t->m.d[1], t->m.u[1] + t->omega * t->m.d[0],
                         t->m.u[2]};
    cross(orbit, t->m.d, u);
    b->radius[kept] = cbrt(pow(b->radius[t->i], 3) + pow(b->radius[t->j], 3));
    b->mass[kept] = both;
    b->mass[gone] = 0;
    double whole = inertia(b, kept);
    for (size_t k = 0; k < 3; k++) {
        b->position[3 * kept + k] += to * t->m.d[k];
        b->velocity[3 * kept + k] += to * t->m.u[k];
        double l = of[0] * b->spin[3 * t->i + k] + of[1] * b->spin[3 * t->j + k] + mu * orbit[k];
        b->spin[3 * kept + k] = l / whole;
    }
    return kept;
}

/* Closes the gaps that bodies without mass have left. */
static void close_up(oct_bodies *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++) {
        if (b->mass[i] == 0)
            continue;
        b->mass[n] = b->mass[i];
        b->radius[n] = b->radius[i];
        memmove(b->position + 3 * n, b->position + 3 * i, 3 * sizeof *b->position);
        memmove(b->velocity + 3 * n, b->velocity + 3 * i, 3 * sizeof *b->velocity);
        memmove(b->spin + 3 * n, b->spin + 3 * i, 3 * sizeof *b->spin);
        n++;
    }
    b->n = n;
}

/* Returns the energy lost. */
static double resolve(touch *t, const oct_image *image, const oct_contact *contact,
                      double restitution)
{
    double before = energy_of_both(t, image), after;
    if (contact->outcome == OCT_OUTCOME_MERGE) {
        uint32_t kept = merge(t);
        double v[3];
        for (size_t k = 0; k < 3; k++)
            v[k] = t->b->velocity[3 * kept + k] + (kept == t->j ? image->velocity[k] : 0);
        after = energy_of(t->b, kept, v, t->omega);
    } else {
        bounce(t, contact, restitution);
        if (contact->tangential < 1)
            rub(t, contact->tangential);
        after = energy_of_both(t, image);
    }
    return before - after;
}

double oct_oracle_resolve(oct_bodies *b, const oct_oracle_pair *pairs, size_t n, const oct_sim *sim,
                          double restitution)
{
    double lost = 0;
    for (size_t p = 0; p < n; p++) {
        oct_image image = image_of(sim, pairs[p].image);
        touch t = {.b = b, .i = pairs[p].i, .j = pairs[p].j, .omega = oct_setup_omega(sim->setup)};
        double reach = b->radius[t.i] + b->radius[t.j], both = b->mass[t.i] + b->mass[t.j];
        if (!(b->mass[t.i] > 0 && b->mass[t.j] > 0))
            continue;
        t.m = meet(b, t.i, t.j, &image);
        if (!(t.m.approach < 0 && t.m.distance2 < reach * reach))
            continue;
        t.distance = sqrt(t.m.distance2);
        t.part_i = b->mass[t.j] / both;
        t.part_j = b->mass[t.i] / both;
        for (size_t k = 0; k < 3; k++)
            t.normal[k] = t.m.d[k] / t.distance;
        lost += resolve(&t, &image, &sim->setup->contact, restitution);
    }
    close_up(b);
    return lost;
}
