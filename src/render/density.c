/* A pyramid of grids, each twice as coarse as the one before. The number of bodies around a place
 * is read off the pyramid of counts, which tells at which level a body is put down; the levels are
 * then refined from the coarsest to the pixels by cubic B-spline subdivision (Lane & Riesenfeld),
 * which keeps the integral. The cost is that of the bodies plus that of the pixels. */
#include "render/density.h"

#include <math.h>
#include <stdlib.h>

#include "render/quantile.h"

enum { MAX_LEVELS = 12 };

/* A body is spread so that about this many lie in a cell of its level. */
static const double cell_count = 3.5;

typedef struct grid {
    int nx, ny;
    double *value;
} grid;

typedef struct pyramid {
    int levels;
    double guard; /* pixels around the plot, whose bodies reach into it */
    grid grids[MAX_LEVELS];
} pyramid;

static void pyramid_clear(pyramid *p)
{
    for (int k = 0; k < p->levels; k++)
        free(p->grids[k].value);
    *p = (pyramid){0};
}

/* Cells may be as wide as a 24th of the picture. */
static double widest_cell(const oct_view *view)
{
    return fmin(view->width, view->height) / 24;
}

double oct_density_margin(const oct_view *view)
{
    return 4 * fmax(1, widest_cell(view));
}

/* Cells are less wide when there are few bodies. */
static int level_count(const oct_view *view, size_t n)
{
    double widest = fmin(widest_cell(view), 5 * sqrt((double)n));
    int levels = 1;
    while (levels < MAX_LEVELS && ldexp(1, levels) <= widest)
        levels++;
    return levels;
}

static oct_status pyramid_init(pyramid *p, const oct_view *view, int levels)
{
    *p = (pyramid){.guard = ldexp(4, levels - 1)};
    for (int k = 0; k < levels; k++) {
        grid *g = &p->grids[k];
        /* Two more nodes, so that a deposit at the last pixel stays inside. */
        g->nx = (int)ceil(ldexp(view->width + 2 * p->guard, -k)) + 2;
        g->ny = (int)ceil(ldexp(view->height + 2 * p->guard, -k)) + 2;
        oct_status status = oct_alloc(&g->value, (size_t)g->nx * (size_t)g->ny, sizeof *g->value,
                                      "the density of a picture");
        if (status != OCT_STATUS_OK) {
            pyramid_clear(p);
            return status;
        }
        p->levels = k + 1;
    }
    return OCT_STATUS_OK;
}

static double *node(const grid *g, int x, int y)
{
    return &g->value[(size_t)y * (size_t)g->nx + (size_t)x];
}

/* Weights exp(-d^2) of the six nearest nodes along one axis, scaled to sum to 1; returns the first
 * of them. At this width a spot looks the same wherever it lies between the nodes. */
static int spot(double weights[6], double x)
{
    int first = (int)floor(x) - 2;
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        double d = x - (first + i);
        weights[i] = exp(-d * d);
        sum += weights[i];
    }
    for (int i = 0; i < 6; i++)
        weights[i] /= sum;
    return first;
}

static void deposit(grid *g, double x, double y, double value)
{
    double wx[6], wy[6];
    int left = spot(wx, x), top = spot(wy, y);
    for (int b = 0; b < 6; b++)
        for (int a = 0; a < 6; a++)
            if (left + a >= 0 && left + a < g->nx && top + b >= 0 && top + b < g->ny)
                *node(g, left + a, top + b) += value * wx[a] * wy[b];
}

/* Bilinear value; (x, y) is inside the grid, which has a node to spare at its far edges. */
static double sample(const grid *g, double x, double y)
{
    int i = (int)x, j = (int)y;
    double u = x - i, v = y - j;
    const double *row = node(g, i, j), *next = node(g, i, j + 1);
    return (1 - v) * ((1 - u) * row[0] + u * row[1]) + v * ((1 - u) * next[0] + u * next[1]);
}

/* The share of fine node `fine` in coarse node fine / 2 + which - 1 along one axis, times 8: rows
 * of the cubic B-spline's mask 1 4 6 4 1. */
static double mask(int fine, int which)
{
    static const double even[3] = {1, 6, 1}, odd[3] = {0, 4, 4};
    return (fine % 2 == 0 ? even : odd)[which] / 8;
}

/* Passes values between neighbouring levels: up sums counts, down spreads densities. */
static void transfer(grid *coarse, grid *fine, bool up)
{
    for (int y = 0; y < fine->ny; y++)
        for (int x = 0; x < fine->nx; x++)
            for (int b = 0; b < 3; b++)
                for (int a = 0; a < 3; a++) {
                    int i = x / 2 + a - 1, j = y / 2 + b - 1;
                    if (i < 0 || i >= coarse->nx || j < 0 || j >= coarse->ny)
                        continue;
                    double weight = mask(x, a) * mask(y, b);
                    if (up)
                        *node(coarse, i, j) += weight * *node(fine, x, y);
                    else
                        *node(fine, x, y) += weight * *node(coarse, i, j);
                }
}

/* Places relative to the first node, which lies at the centre of the guard's first pixel; the third
 * number is the scale there. */
static bool locate(double out[3], const pyramid *p, const oct_view *view, const double position[3])
{
    oct_view_place place;
    if (!oct_view_project(&place, view, position))
        return false;
    out[0] = place.x - view->left + p->guard - 0.5;
    out[1] = place.y - view->top + p->guard - 0.5;
    out[2] = place.scale;
    return out[0] >= 0 && out[0] <= view->width + 2 * p->guard - 1 && out[1] >= 0 &&
           out[1] <= view->height + 2 * p->guard - 1;
}

/* The level, with a fraction, at which a cell around the place holds cell_count bodies. */
static double level_at(const pyramid *counts, const double place[2])
{
    double before = 0;
    for (int k = 0; k < counts->levels; k++) {
        double here = sample(&counts->grids[k], ldexp(place[0], -k), ldexp(place[1], -k));
        if (here >= cell_count) {
            bool between = k > 0 && before > 0 && here > before;
            return between ? k - 1 + log(cell_count / before) / log(here / before) : k;
        }
        before = here;
    }
    return counts->levels - 1;
}

static double weight_of(const oct_bodies *bodies, size_t i, bool counts)
{
    return counts ? 1 : isfinite(bodies->mass[i]) ? bodies->mass[i] : 0;
}

static void spread(pyramid *mass, pyramid *counts, const oct_view *view, const oct_bodies *bodies,
                   bool by_number)
{
    double place[3];
    for (size_t i = 0; i < bodies->n; i++)
        if (locate(place, counts, view, &bodies->position[3 * i]))
            deposit(&counts->grids[0], place[0], place[1], 1);
    for (int k = 1; k < counts->levels; k++)
        transfer(&counts->grids[k], &counts->grids[k - 1], true);

    for (size_t i = 0; i < bodies->n; i++) {
        if (!locate(place, counts, view, &bodies->position[3 * i]))
            continue;
        double level = level_at(counts, place);
        double pixel = oct_view_pixel(view) / place[2];
        double density = weight_of(bodies, i, by_number) / (pixel * pixel);
        int k = (int)level;
        double part = level - k;
        deposit(&mass->grids[k], ldexp(place[0], -k), ldexp(place[1], -k),
                ldexp((1 - part) * density, -2 * k));
        if (part > 0)
            deposit(&mass->grids[k + 1], ldexp(place[0], -k - 1), ldexp(place[1], -k - 1),
                    ldexp(part * density, -2 * (k + 1)));
    }
    for (int k = mass->levels - 1; k > 0; k--)
        transfer(&mass->grids[k], &mass->grids[k - 1], false);
}

/* Colours go from the thinnest places where there are bodies to the densest pixel. */
static oct_status find_range(oct_density *out, const pyramid *mass, const oct_view *view,
                             const oct_bodies *bodies, const oct_tiles *tiles)
{
    double *values;
    size_t count = 0, stride = oct_quantile_stride(bodies->n);
    OCT_TRY(oct_alloc(&values, oct_quantile_samples(bodies->n), sizeof *values,
                      "the range of densities"));
    for (size_t i = 0; i < bodies->n; i += stride) {
        double place[3];
        const double *position = &bodies->position[3 * i];
        if (!locate(place, mass, view, position) ||
            (tiles && !oct_tiles_hold(tiles, view, position)))
            continue;
        double value = sample(&mass->grids[0], place[0], place[1]);
        if (value > 0)
            values[count++] = value;
    }
    oct_quantile_sort(values, count);
    for (size_t i = 0; i < (size_t)out->width * (size_t)out->height; i++)
        out->highest = fmax(out->highest, out->value[i]);
    double thin = 0.25 * oct_quantile(values, count, 0.02);
    free(values);
    out->lowest = fmax(fmin(thin, 0.01 * out->highest), 1e-10 * out->highest);
    return OCT_STATUS_OK;
}

/* Takes the part of the pyramid's finest level that is shown. */
static void take_values(oct_density *out, const pyramid *mass, const oct_view *view,
                        const oct_tiles *tiles)
{
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width; x++) {
            double at[3];
            oct_view_ground(at, view, view->left + x + 0.5, view->top + y + 0.5);
            if (!tiles || oct_tiles_hold(tiles, view, at))
                out->value[(size_t)y * (size_t)out->width + (size_t)x] =
                    *node(&mass->grids[0], x + (int)mass->guard, y + (int)mass->guard);
        }
}

oct_status oct_density_init(oct_density *out, const oct_view *view, const oct_bodies *bodies,
                            const oct_tiles *tiles)
{
    pyramid counts = {0}, mass = {0};
    oct_status status;
    *out = (oct_density){.width = (int)view->width, .height = (int)view->height, .counts = true};
    for (size_t i = 0; i < bodies->n; i++)
        out->counts = out->counts && !(bodies->mass[i] > 0);

    int levels = level_count(view, bodies->n);
    OCT_TRY_DONE(pyramid_init(&counts, view, levels));
    OCT_TRY_DONE(pyramid_init(&mass, view, levels));
    OCT_TRY_DONE(oct_alloc(&out->value, (size_t)out->width * (size_t)out->height,
                           sizeof *out->value, "the density of a picture"));
    spread(&mass, &counts, view, bodies, out->counts);
    take_values(out, &mass, view, tiles);
    OCT_TRY_DONE(find_range(out, &mass, view, bodies, tiles));
done:
    pyramid_clear(&counts);
    pyramid_clear(&mass);
    if (status != OCT_STATUS_OK)
        oct_density_clear(out);
    return status;
}

void oct_density_clear(oct_density *density)
{
    free(density->value);
    *density = (oct_density){0};
}
