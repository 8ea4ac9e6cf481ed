#include "selftest/oracle_collision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Images are counted as core/images.c does, one ring in every repeated direction. */
static oct_image image_of(const oct_sim *sim, uint32_t index)
{
    static const int32_t steps[3] = {0, 1, -1};
    const oct_boundary *boundary = (const oct_boundary *)sim->setup->boundary.module;
    int32_t cell[3];
    for (size_t k = 0; k < 3; k++) {
        uint32_t n = 2 * sim->around.rings[k] + 1;
        cell[k] = steps[index % n];
        index /= n;
    }
    if (!boundary->image)
        return (oct_image){0};
    return boundary->image(sim->setup->boundary.state, cell, sim->time);
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
    for (uint32_t image = 0; image < sim->around.n; image++)
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

double oct_oracle_bounce(oct_bodies *b, const oct_oracle_pair *pairs, size_t n, const oct_sim *sim,
                         double restitution)
{
    double lost = 0;
    for (size_t p = 0; p < n; p++) {
        uint32_t i = pairs[p].i, j = pairs[p].j;
        oct_image image = image_of(sim, pairs[p].image);
        meeting m = meet(b, i, j, &image);
        if (!(m.approach < 0))
            continue;
        double distance = sqrt(m.distance2), normal[3];
        double both = b->mass[i] + b->mass[j];
        double part_i = b->mass[j] / both, part_j = b->mass[i] / both;
        for (size_t k = 0; k < 3; k++)
            normal[k] = m.d[k] / distance;
        double speed = -(m.u[0] * normal[0] + m.u[1] * normal[1] + m.u[2] * normal[2]);
        double jump = (1 + restitution_of(&sim->setup->contact, restitution, speed)) * speed;
        for (size_t k = 0; k < 3; k++) {
            double change = normal[k] * jump;
            b->velocity[3 * i + k] += change * -part_i;
            b->velocity[3 * j + k] += change * part_j;
        }
        lost += b->mass[i] * part_i * jump * (2 * speed - jump) / 2;
    }
    return lost;
}
