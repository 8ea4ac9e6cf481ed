/* Spheres are sorted along a curve across the light, so that few have to be asked. */
#include "render/shadow.h"

#include <math.h>
#include <stdlib.h>

enum { LEAF = 8, STACK = 64 };

/* Half the angle across the lamp. The Sun's is 0.005 at the Earth, 0.0005 at Saturn: shadows with
 * so sharp an edge look like cuts. */
static const double lamp = 0.03;

static const double dark = 1e-4; /* light that is as good as none */

/* A sphere's place on a curve that keeps neighbours together. */
typedef struct mark {
    uint64_t key;
    size_t from;
} mark;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Two directions at right angles to the light and to each other. */
static void axes_init(double out[3][3], const double light[3])
{
    double length = sqrt(dot(light, light));
    int least = 0;
    for (int k = 0; k < 3; k++) {
        out[2][k] = light[k] / length;
        least = fabs(light[k]) < fabs(light[least]) ? k : least;
    }
    const double *l = out[2];
    double aside = sqrt(1 - l[least] * l[least]);
    for (int k = 0; k < 3; k++)
        out[0][k] = ((k == least) - l[least] * l[k]) / aside;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        out[1][k] = l[next] * out[0][last] - l[last] * out[0][next];
    }
}

static void turn(double out[3], const oct_shadows *shadows, const double at[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = dot(shadows->axes[k], at);
}

/* Puts a 0 before every bit of a number below 2^32. */
static uint64_t spread(uint64_t bits)
{
    bits = (bits | bits << 16) & 0x0000ffff0000ffff;
    bits = (bits | bits << 8) & 0x00ff00ff00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0f;
    bits = (bits | bits << 2) & 0x3333333333333333;
    return (bits | bits << 1) & 0x5555555555555555;
}

static uint64_t key_of(const oct_shadow_sphere *sphere, const double low[2], double span)
{
    uint64_t cell[2] = {0};
    for (int k = 0; k < 2; k++)
        if (span > 0 && isfinite(span))
            cell[k] = (uint64_t)((sphere->at[k] - low[k]) / span * 0xffffffff);
    return spread(cell[0]) | spread(cell[1]) << 1;
}

/* The index makes the order unique. */
static int compare_marks(const void *a, const void *b)
{
    const mark *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return (p->from > q->from) - (p->from < q->from);
}

static void collect(oct_shadows *out, const oct_view *view, const oct_bodies *bodies)
{
    for (size_t i = 0; i < bodies->n; i++) {
        double at[3], radius = bodies->radius[i];
        if (!oct_view_finite(&bodies->position[3 * i]) || !(radius > 0) || !isfinite(radius))
            continue;
        oct_view_rotate(at, view, &bodies->position[3 * i]);
        oct_shadow_sphere *sphere = &out->spheres[out->count];
        *sphere = (oct_shadow_sphere){.radius = radius, .index = i};
        turn(sphere->at, out, at);
        out->count += oct_view_finite(sphere->at); /* the largest numbers overflow */
    }
}

/* Sorts the spheres along a Z-order curve over the plane across the light. */
static oct_status sort(oct_shadows *shadows)
{
    oct_status status = OCT_STATUS_OK;
    mark *marks = NULL;
    oct_shadow_sphere *sorted = NULL;
    double low[2] = {INFINITY, INFINITY}, span = 0;
    OCT_TRY_DONE(oct_alloc(&marks, shadows->count, sizeof *marks, "the order of the shadows"));
    OCT_TRY_DONE(oct_alloc(&sorted, shadows->count, sizeof *sorted, "the shadows of a picture"));
    for (size_t i = 0; i < shadows->count; i++)
        for (int k = 0; k < 2; k++)
            low[k] = fmin(low[k], shadows->spheres[i].at[k]);
    for (size_t i = 0; i < shadows->count; i++)
        for (int k = 0; k < 2; k++)
            span = fmax(span, shadows->spheres[i].at[k] - low[k]);
    for (size_t i = 0; i < shadows->count; i++)
        marks[i] = (mark){key_of(&shadows->spheres[i], low, span), i};
    qsort(marks, shadows->count, sizeof *marks, compare_marks);
    for (size_t i = 0; i < shadows->count; i++)
        sorted[i] = shadows->spheres[marks[i].from];
    oct_shadow_sphere *unsorted = shadows->spheres;
    shadows->spheres = sorted;
    sorted = unsorted;
done:
    free(sorted);
    free(marks);
    return status;
}

static void widen(oct_shadow_box *box, const oct_shadow_box *by)
{
    for (int k = 0; k < 2; k++) {
        box->low[k] = fmin(box->low[k], by->low[k]);
        box->high[k] = fmax(box->high[k], by->high[k]);
    }
    box->top = fmax(box->top, by->top);
    box->widest = fmax(box->widest, by->widest);
}

/* A tree, not a grid: it serves radii and distances of any range alike, a moon among grains too. */
static oct_status build(oct_shadows *shadows)
{
    const oct_shadow_box empty = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, -INFINITY, 0};
    size_t leaves = 1;
    while (leaves * LEAF < shadows->count)
        leaves *= 2;
    OCT_TRY(oct_alloc(&shadows->boxes, 2 * leaves, sizeof *shadows->boxes, "the shadows' tree"));
    shadows->leaves = leaves;
    for (size_t k = 0; k < 2 * leaves; k++)
        shadows->boxes[k] = empty;
    for (size_t i = 0; i < shadows->count; i++) {
        const oct_shadow_sphere *s = &shadows->spheres[i];
        const double r = s->radius;
        const oct_shadow_box disc = {
            {s->at[0] - r, s->at[1] - r}, {s->at[0] + r, s->at[1] + r}, s->at[2], r};
        widen(&shadows->boxes[leaves + i / LEAF], &disc);
    }
    for (size_t k = 2 * leaves - 1; k > 1; k--)
        widen(&shadows->boxes[k / 2], &shadows->boxes[k]);
    return OCT_STATUS_OK;
}

oct_status oct_shadows_init(oct_shadows *out, const oct_view *view, const double light[3],
                            const oct_bodies *bodies)
{
    oct_status status = OCT_STATUS_OK;
    *out = (oct_shadows){0};
    axes_init(out->axes, light);
    OCT_TRY(oct_alloc(&out->spheres, bodies->n, sizeof *out->spheres, "the shadows of a picture"));
    collect(out, view, bodies);
    OCT_TRY_DONE(sort(out));
    OCT_TRY_DONE(build(out));
    return OCT_STATUS_OK;
done:
    oct_shadows_clear(out);
    return status;
}

void oct_shadows_clear(oct_shadows *shadows)
{
    free(shadows->spheres);
    free(shadows->boxes);
    *shadows = (oct_shadows){0};
}

/* Half the width of a shadow's edge this far behind the sphere. No wider than the sphere, so that
 * what it takes of the light in all stays about its disc and none reaches beyond two radii. */
static double softness(double away, double blur, double radius)
{
    double soft = lamp * away + blur;
    return soft < radius ? soft : radius;
}

/* What a sphere there leaves to the origin. */
static double left_by(double u, double v, double away, double radius, double blur)
{
    if (away <= 0)
        return 1;
    double soft = softness(away, blur, radius), square = u * u + v * v;
    double outer = radius + soft, inner = radius - soft;
    if (square >= outer * outer)
        return 1;
    if (square <= inner * inner)
        return 0;
    double t = (sqrt(square) - inner) / (2 * soft);
    return t * t * (3 - 2 * t);
}

double oct_shade_left(const oct_shade *shade, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    double p[3], left = shade->left;
    for (int k = 0; k < 3; k++)
        p[k] = dot(shade->turn[k], at);
    for (size_t i = 0; left > dark && i < shade->count; i++) {
        const oct_shadow_sphere *s = &shade->spheres[i];
        left *= left_by(s->at[0] - p[0], s->at[1] - p[1], s->at[2] - p[2], s->radius, shade->blur);
    }
    return left > dark ? left : 0;
}

static oct_status add(oct_shade *shade, const oct_shadow_sphere *sphere)
{
    if (shade->count == shade->room) {
        size_t room = shade->room > 0 ? 2 * shade->room : 32;
        OCT_TRY(oct_realloc(&shade->spheres, room, sizeof *shade->spheres, "a shaded sphere"));
        shade->room = room;
    }
    shade->spheres[shade->count++] = *sphere;
    return OCT_STATUS_OK;
}

/* Whether some of the discs in a box may reach a disc around the middle, from nearer the light. */
static bool is_near(const oct_shadow_box *box, const double middle[3], double radius, double blur)
{
    double away = box->top - middle[2] + radius;
    double reach = radius + softness(away, blur, box->widest);
    return away > 0 && box->low[0] < middle[0] + reach && box->high[0] > middle[0] - reach &&
           box->low[1] < middle[1] + reach && box->high[1] > middle[1] - reach;
}

/* Takes a sphere in when it shadows any of the target, and ends all when it shadows all of it. */
static oct_status consider(oct_shade *shade, const oct_shadow_sphere *sphere,
                           const double middle[3], const oct_shade_target *target)
{
    oct_shadow_sphere from = *sphere;
    for (int k = 0; k < 3; k++)
        from.at[k] -= middle[k];
    double away = from.at[2] + target->radius, reach = target->radius + from.radius;
    if (away <= 0 || from.index == target->index)
        return OCT_STATUS_OK;
    double soft = softness(away, target->blur, from.radius);
    double square = from.at[0] * from.at[0] + from.at[1] * from.at[1];
    if (square >= (reach + soft) * (reach + soft))
        return OCT_STATUS_OK;
    double inside = from.radius - soft - target->radius;
    if (from.at[2] > target->radius && inside > 0 && square <= inside * inside) {
        shade->left = 0;
        return OCT_STATUS_OK;
    }
    if (target->radius > 0)
        return add(shade, &from);
    shade->left *= left_by(from.at[0], from.at[1], from.at[2], from.radius, target->blur);
    return OCT_STATUS_OK;
}

oct_status oct_shade_find(oct_shade *shade, const oct_shadows *shadows,
                          const oct_shade_target *target)
{
    double middle[3];
    size_t stack[STACK] = {1}, depth = 1;
    shade->left = 1;
    shade->count = 0;
    shade->blur = target->blur;
    turn(middle, shadows, target->at);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            shade->turn[k][j] = target->radius * dot(shadows->axes[k], target->axes[j]);
    while (depth > 0 && shade->left > dark) {
        size_t node = stack[--depth];
        if (!is_near(&shadows->boxes[node], middle, target->radius, target->blur))
            continue;
        if (node < shadows->leaves) {
            stack[depth++] = 2 * node;
            stack[depth++] = 2 * node + 1;
            continue;
        }
        size_t first = (node - shadows->leaves) * LEAF, end = first + LEAF;
        for (size_t i = first; i < end && i < shadows->count; i++)
            OCT_TRY(consider(shade, &shadows->spheres[i], middle, target));
    }
    return OCT_STATUS_OK;
}

void oct_shade_clear(oct_shade *shade)
{
    free(shade->spheres);
    *shade = (oct_shade){0};
}
