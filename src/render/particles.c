#include "render/particles.h"

#include <math.h>
#include <stdlib.h>

#include "render/quantile.h"

typedef struct kind {
    const char *name;
    unsigned colour;
} kind;

static const kind kinds[OCT_PARTICLE_KINDS] = {
    {"bodies", 0x86bdf5}, {"stars", 0xffc861}, {"black holes", 0xff5fa2}, {"other", 0x83d9a9}};

static int kind_of(uint8_t type)
{
    return type == OCT_TYPE_BODY         ? 0
           : type == OCT_TYPE_STAR       ? 1
           : type == OCT_TYPE_BLACK_HOLE ? 2
                                         : 3;
}

typedef struct disc {
    double x, y, depth, radius;
    size_t index;
} disc;

/* Far ones first; the index makes the order, and so the picture, unique. */
static int compare_discs(const void *a, const void *b)
{
    const disc *p = a, *q = b;
    if (p->depth != q->depth)
        return p->depth < q->depth ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

static double speed_of(const oct_bodies *bodies, size_t i)
{
    const double *v = &bodies->velocity[3 * i];
    double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return isfinite(speed) ? speed : 0;
}

static double largest_mass(const oct_bodies *bodies)
{
    double most = 0;
    for (size_t i = 0; i < bodies->n; i++)
        if (isfinite(bodies->mass[i]))
            most = fmax(most, bodies->mass[i]);
    return most;
}

/* Dots shrink with the number of bodies; among few, the heavier ones are larger. */
static double least_radius(const oct_frame *frame, const oct_bodies *bodies, size_t i,
                           double heaviest)
{
    double n = (double)bodies->n;
    double radius = frame->font / 18 * fmin(fmax(9 * pow(n, -0.22), 0.75), 6);
    if (n > 100 || !(bodies->mass[i] > 0) || !(heaviest > 0))
        return radius;
    return radius * (0.75 + 1.25 * exp(log10(bodies->mass[i] / heaviest) / 2.5));
}

static oct_rgb colour_of(const oct_bodies *bodies, size_t i, const oct_particles_style *style)
{
    if (style->speed == NULL)
        return oct_rgb_hex(kinds[kind_of(bodies->type[i])].colour);
    double span = style->high - style->low;
    double t = span > 0 ? (speed_of(bodies, i) - style->low) / span : 0.5;
    return oct_colormap_at(style->speed, t);
}

static void draw_disc(oct_canvas *canvas, const disc *d, oct_rgb colour, double alpha, bool glow)
{
    const double rim = 0.4; /* brightness of the edge that parts overlapping discs */
    if (glow)
        oct_canvas_glow(canvas, d->x, d->y, 1.5 * d->radius, colour, 0.2);
    if (d->radius < 2.5) {
        oct_canvas_disc(canvas, d->x, d->y, d->radius, colour, alpha);
        return;
    }
    oct_rgb edge = {(float)rim * colour.r, (float)rim * colour.g, (float)rim * colour.b};
    oct_canvas_disc(canvas, d->x, d->y, d->radius, edge, alpha);
    oct_canvas_disc(canvas, d->x, d->y, d->radius - fmin(fmax(0.8, 0.06 * d->radius), 2), colour,
                    alpha);
}

oct_status oct_particles_draw(oct_canvas *canvas, const oct_frame *frame, const oct_bodies *bodies,
                              const oct_particles_style *style)
{
    disc *discs;
    size_t count = 0;
    const oct_view *view = &frame->view;
    double pixel = oct_view_pixel(view), heaviest = largest_mass(bodies);
    OCT_TRY(oct_alloc(&discs, bodies->n, sizeof *discs, "the bodies of a picture"));
    for (size_t i = 0; i < bodies->n; i++) {
        oct_view_place place;
        if (!oct_view_project(&place, view, &bodies->position[3 * i]))
            continue;
        double radius = isfinite(bodies->radius[i]) ? bodies->radius[i] / pixel : 0;
        radius = fmax(radius, least_radius(frame, bodies, i, heaviest));
        discs[count++] = (disc){place.x, place.y, place.depth, radius, i};
    }
    qsort(discs, count, sizeof *discs, compare_discs);

    bool few = bodies->n <= 100;
    double alpha = fmin(fmax(0.95 * pow(3000 / fmax(1, (double)bodies->n), 0.33), 0.1), 0.95);
    for (size_t i = 0; i < count; i++) {
        bool dot = discs[i].radius < 1.5;
        draw_disc(canvas, &discs[i], colour_of(bodies, discs[i].index, style), dot ? alpha : 1,
                  few && !dot && discs[i].radius < 20);
    }
    free(discs);
    return OCT_STATUS_OK;
}

size_t oct_particles_kinds(oct_frame_entry out[OCT_PARTICLE_KINDS], const oct_bodies *bodies)
{
    uint64_t counts[OCT_PARTICLE_KINDS] = {0};
    for (size_t i = 0; i < bodies->n; i++)
        counts[kind_of(bodies->type[i])]++;
    size_t used = 0;
    for (int k = 0; k < OCT_PARTICLE_KINDS; k++)
        if (counts[k] > 0)
            out[used++] = (oct_frame_entry){kinds[k].name, oct_rgb_hex(kinds[k].colour), counts[k]};
    return used;
}

oct_status oct_particles_speeds(double *low, double *high, const oct_bodies *bodies)
{
    double *speeds;
    size_t count = 0, stride = oct_quantile_stride(bodies->n);
    OCT_TRY(oct_alloc(&speeds, oct_quantile_samples(bodies->n), sizeof *speeds,
                      "the speeds of the bodies"));
    for (size_t i = 0; i < bodies->n; i += stride)
        speeds[count++] = speed_of(bodies, i);
    oct_quantile_sort(speeds, count);
    *low = 0;
    *high = oct_quantile(speeds, count, 0.99);
    if (!(*high > 0))
        *high = 1;
    free(speeds);
    return OCT_STATUS_OK;
}
