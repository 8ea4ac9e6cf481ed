/* Sorts what is seen by distance, and draws rows of the picture on all cores. */
#include "render/particles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/ball.h"
#include "render/quantile.h"
#include "util/parallel.h"

static const double least_ball = 0.75; /* pixels from which on a size can be seen */

static const char *const kinds[OCT_PARTICLE_KINDS] = {"bodies", "stars", "black holes", "other"};

enum { BLACK_HOLE = 2 };

static int kind_of(uint8_t flagged)
{
    int type = flagged & OCT_TYPE_MASK;
    bool star = type == OCT_TYPE_STAR || type == OCT_TYPE_DISK || type == OCT_TYPE_BULGE;
    return type == OCT_TYPE_BODY ? 0 : star ? 1 : type == OCT_TYPE_BLACK_HOLE ? BLACK_HOLE : 3;
}

/* A body in the picture. */
typedef struct spot {
    oct_ball ball;
    double alpha;
    bool sphere; /* shows the true size */
    bool hole;   /* a black hole's dot, which would be lost among the others */
    size_t index;
} spot;

/* How the bodies of a picture are drawn. */
typedef struct look {
    double pixel;            /* units of the bodies for one pixel */
    double heaviest, widest; /* mass and radius */
    double alpha;            /* of dots */
    double light[3];         /* unit vector towards it, along right, up and towards */
    bool few, glow;          /* room for dots that differ, and a ground on which they glow */
    bool sized;              /* enough bodies can be seen in their true size to show that of all */
} look;

/* Far ones first, black holes at the end; the index makes the order unique. */
static int compare_spots(const void *a, const void *b)
{
    const spot *p = a, *q = b;
    if (p->hole != q->hole)
        return p->hole ? 1 : -1;
    if (p->ball.depth != q->ball.depth)
        return p->ball.depth < q->ball.depth ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

static double speed_of(const oct_bodies *bodies, size_t i)
{
    const double *v = &bodies->velocity[3 * i];
    double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return isfinite(speed) ? speed : 0;
}

static double largest(const double *values, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            most = fmax(most, values[i]);
    return most;
}

void oct_particles_light(double out[3], const oct_particles_style *style)
{
    static const double upper_left[3] = {-0.40, 0.50, 0.77};
    bool given = style->light[0] != 0 || style->light[1] != 0 || style->light[2] != 0;
    memcpy(out, given ? style->light : upper_left, sizeof upper_left);
}

static oct_status look_init(look *out, const oct_view *view, const oct_bodies *bodies,
                            const oct_particles_style *style)
{
    double *radii;
    size_t count = 0, n = bodies->n, stride = oct_quantile_stride(n);
    OCT_TRY(oct_alloc(&radii, oct_quantile_samples(n), sizeof *radii, "the radii of the bodies"));
    for (size_t i = 0; i < n; i += stride)
        radii[count++] = isfinite(bodies->radius[i]) ? bodies->radius[i] : 0;
    oct_quantile_sort(radii, count);
    *out = (look){.pixel = oct_view_pixel(view),
                  .heaviest = largest(bodies->mass, n),
                  .widest = largest(bodies->radius, n),
                  .few = n <= 100,
                  .glow = n <= 100 && style->theme == OCT_THEME_DARK,
                  .alpha = fmin(fmax(0.95 * pow(3000 / fmax(1, (double)n), 0.33), 0.1), 0.95)};
    oct_particles_light(out->light, style);
    /* A sun among its planets is not enough. */
    out->sized = style->spheres ||
                 oct_quantile(radii, count, out->few ? 0.5 : 0.75) >= least_ball * out->pixel;
    free(radii);
    return OCT_STATUS_OK;
}

/* Dots shrink with the number of bodies; among few, the heavier ones are larger. */
static double least_radius(const oct_plot_frame *frame, const oct_bodies *bodies, size_t i,
                           double heaviest)
{
    double n = (double)bodies->n;
    double radius = frame->font / 18 * fmin(fmax(9 * pow(n, -0.22), 0.75), 6);
    if (n > 100 || !(bodies->mass[i] > 0) || !(heaviest > 0))
        return radius;
    return radius * (0.75 + 1.25 * exp(log10(bodies->mass[i] / heaviest) / 2.5));
}

static oct_rgb kind_colour(int which, const oct_particles_style *style)
{
    const oct_palette *palette = oct_theme_palette(style->theme);
    return oct_rgb_hex(style->ice && which == 0 ? palette->ice : palette->kinds[which]);
}

static oct_rgb colour_of(const oct_bodies *bodies, size_t i, const oct_particles_style *style,
                         const look *as)
{
    if (style->speed != NULL) {
        double span = style->high - style->low;
        double t = span > 0 ? (speed_of(bodies, i) - style->low) / span : 0.5;
        return oct_colormap_at(style->speed, t);
    }
    int which = kind_of(bodies->type[i]);
    oct_rgb colour = kind_colour(which, style);
    if (style->ice && which == 0 && bodies->radius[i] > 0) {
        /* The smaller ones are a little darker and redder, so that the larger ones stand out. */
        float less = (float)(1 - fmin(1, bodies->radius[i] / as->widest));
        colour.r *= 1 - 0.30F * less;
        colour.g *= 1 - 0.42F * less;
        colour.b *= 1 - 0.55F * less;
    }
    return colour;
}

/* Gives a spot that is no sphere, or too small a one, its size in pixels. */
static void widen(spot *s, double radius)
{
    s->ball.axes[0] = s->ball.axes[1] = radius;
}

/* How a body is shown; false when it is not. */
static bool spot_init(spot *out, const oct_plot_frame *frame, const oct_bodies *bodies, size_t i,
                      const look *as)
{
    double radius = isfinite(bodies->radius[i]) ? fmax(0, bodies->radius[i]) : 0;
    *out = (spot){.alpha = 1, .index = i};
    if (!oct_ball_project(&out->ball, &frame->view, as->light, &bodies->position[3 * i], radius))
        return false;
    double size = sqrt(out->ball.axes[0] * out->ball.axes[1]);
    if (as->sized && radius > 0) {
        /* One too small to be seen keeps its area in light, down to a trace. */
        out->sphere = true;
        out->alpha = fmax(pow(fmin(size / least_ball, 1), 2), 0.1);
        if (size < least_ball)
            widen(out, least_ball);
        return true;
    }
    double least =
        least_radius(frame, bodies, i, as->heaviest) * fmin(fmax(out->ball.scale, 0.5), 2);
    out->hole = kind_of(bodies->type[i]) == BLACK_HOLE && size < least;
    /* Among many, dots are a pixel or two: those few are to be seen as what they are. */
    if (out->hole)
        least = fmax(least, frame->font / 18 * 4);
    out->sphere = size >= least;
    if (size < least)
        widen(out, least);
    if (fmax(size, least) < 1.5)
        out->alpha = as->alpha;
    return true;
}

/* Draws a sphere with the shadows on it; one of hardly more than a pixel has the same everywhere.
 */
static oct_status draw_shaded(oct_canvas *canvas, const spot *s, oct_rgb colour,
                              const oct_view *view, const oct_bodies *bodies,
                              const oct_shadows *shadows, oct_shade *shade)
{
    double reach = fmax(s->ball.axes[0], s->ball.axes[1]);
    int box[4];
    oct_canvas_bounds(box, canvas, s->ball.x - reach - 1, s->ball.y - reach - 1,
                      s->ball.x + reach + 1, s->ball.y + reach + 1);
    if (box[0] >= box[2] || box[1] >= box[3])
        return OCT_STATUS_OK;
    oct_shade_target target = {.radius = reach > 1 ? bodies->radius[s->index] : 0,
                               .blur = 0.5 * oct_view_pixel(view) / s->ball.scale,
                               .index = s->index};
    oct_view_rotate(target.at, view, &bodies->position[3 * s->index]);
    if (target.radius > 0)
        oct_ball_axes(target.axes, view, target.at);
    OCT_TRY(oct_shade_find(shade, shadows, &target));
    oct_ball_draw(canvas, &s->ball, colour, s->alpha, shade);
    return OCT_STATUS_OK;
}

static void draw_spot(oct_canvas *canvas, const spot *s, oct_rgb colour, bool glow)
{
    const float rim = 0.4F; /* brightness of the edge that parts overlapping dots */
    double x = s->ball.x, y = s->ball.y, radius = s->ball.axes[0];
    if (s->sphere) {
        oct_ball_draw(canvas, &s->ball, colour, s->alpha, NULL);
        return;
    }
    if (glow && radius >= 1.5)
        oct_canvas_glow(canvas, x, y, 1.5 * radius, colour, 0.2);
    if (radius < 2.5) {
        oct_canvas_disc(canvas, x, y, radius, colour, s->alpha);
        return;
    }
    oct_rgb edge = {rim * colour.r, rim * colour.g, rim * colour.b};
    oct_canvas_disc(canvas, x, y, radius, edge, s->alpha);
    oct_canvas_disc(canvas, x, y, radius - fmin(fmax(0.8, 0.06 * radius), 2), colour, s->alpha);
}

/* A picture that is drawn in bands of rows, all at once: a pixel sees the bodies in one order. */
typedef struct painting {
    const oct_canvas *canvas;
    const oct_view *view;
    const oct_bodies *bodies;
    const oct_particles_style *style;
    const look *as;
    const spot *spots;
    size_t count;
    oct_shadows shadows; /* none, or those of all spheres */
} painting;

/* The rows whose first pixels are among these. */
static oct_status draw_rows(void *context, size_t first, size_t end)
{
    const painting *job = context;
    oct_status status = OCT_STATUS_OK;
    oct_shade shade = {0};
    oct_canvas band = *job->canvas;
    size_t width = (size_t)band.width;
    int top = (int)((first + width - 1) / width), bottom = (int)((end + width - 1) / width);
    band.clip[1] = top > band.clip[1] ? top : band.clip[1];
    band.clip[3] = bottom < band.clip[3] ? bottom : band.clip[3];
    for (size_t i = 0; band.clip[1] < band.clip[3] && i < job->count; i++) {
        const spot *s = &job->spots[i];
        double reach = 6 * fmax(s->ball.axes[0], s->ball.axes[1]) + 1; /* with its glow */
        if (s->ball.y + reach < band.clip[1] || s->ball.y - reach > band.clip[3])
            continue;
        oct_rgb colour = colour_of(job->bodies, s->index, job->style, job->as);
        if (s->sphere && job->shadows.count > 0)
            OCT_TRY_DONE(
                draw_shaded(&band, s, colour, job->view, job->bodies, &job->shadows, &shade));
        else
            draw_spot(&band, s, colour, job->as->glow);
    }
done:
    oct_shade_clear(&shade);
    return status;
}

oct_status oct_particles_draw(oct_canvas *canvas, const oct_plot_frame *frame,
                              const oct_bodies *bodies, const oct_particles_style *style)
{
    oct_status status = OCT_STATUS_OK;
    spot *spots = NULL;
    look as;
    OCT_TRY(look_init(&as, &frame->view, bodies, style));
    painting job = {canvas, &frame->view, bodies, style, &as, .count = 0};
    OCT_TRY_DONE(oct_alloc(&spots, bodies->n, sizeof *spots, "the bodies of a picture"));
    if (style->spheres)
        OCT_TRY_DONE(oct_shadows_init(&job.shadows, &frame->view, as.light, bodies));
    for (size_t i = 0; i < bodies->n; i++)
        job.count += spot_init(&spots[job.count], frame, bodies, i, &as);
    qsort(spots, job.count, sizeof *spots, compare_spots);
    job.spots = spots;
    status = oct_parallel((size_t)canvas->width * (size_t)canvas->height, draw_rows, &job);
done:
    oct_shadows_clear(&job.shadows);
    free(spots);
    return status;
}

size_t oct_particles_kinds(oct_plot_frame_entry out[OCT_PARTICLE_KINDS], const oct_bodies *bodies,
                           const oct_particles_style *style)
{
    uint64_t counts[OCT_PARTICLE_KINDS] = {0};
    bool galaxy = false; /* whose bodies of type 1 are the halo */
    for (size_t i = 0; i < bodies->n; i++) {
        int type = bodies->type[i] & OCT_TYPE_MASK;
        galaxy = galaxy || type == OCT_TYPE_DISK || type == OCT_TYPE_BULGE;
        counts[kind_of(bodies->type[i])]++;
    }
    size_t used = 0;
    for (int k = 0; k < OCT_PARTICLE_KINDS; k++)
        if (counts[k] > 0) {
            oct_plot_frame_entry *entry = &out[used++];
            *entry = (oct_plot_frame_entry){.colour = kind_colour(k, style), .count = counts[k]};
            snprintf(entry->name, sizeof entry->name, "%s", k == 0 && galaxy ? "halo" : kinds[k]);
        }
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
