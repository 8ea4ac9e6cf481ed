#include "render/view.h"

#include <math.h>
#include <stdlib.h>

#include "render/quantile.h"

oct_status oct_view_init(oct_view *view, char axis)
{
    OCT_CHECK(axis == 'x' || axis == 'y' || axis == 'z', OCT_STATUS_INPUT,
              "the axis of sight is x, y or z");
    *view = (oct_view){.right = axis == 'x' ? 1 : 0,
                       .up = axis == 'z' ? 1 : 2,
                       .depth = axis - 'x',
                       .nearer = axis == 'y' ? -1 : 1};
    return OCT_STATUS_OK;
}

bool oct_view_finite(const double position[3])
{
    return isfinite(position[0]) && isfinite(position[1]) && isfinite(position[2]);
}

double oct_view_pixel(const oct_view *view)
{
    return view->extent / view->width;
}

bool oct_view_project(oct_view_place *out, const oct_view *view, const double position[3])
{
    double pixel = oct_view_pixel(view);
    const double *centre = view->centre;
    out->x = view->left + 0.5 * view->width + (position[view->right] - centre[view->right]) / pixel;
    out->y = view->top + 0.5 * view->height - (position[view->up] - centre[view->up]) / pixel;
    out->depth = view->nearer * position[view->depth];
    return oct_view_finite(position) && isfinite(out->x) && isfinite(out->y);
}

/* The box that leaves out a hundredth of the bodies on each side of each axis; none of few. */
static oct_status robust_box(double low[3], double high[3], const oct_bodies *bodies)
{
    double *values;
    size_t stride = oct_quantile_stride(bodies->n);
    OCT_TRY(oct_alloc(&values, oct_quantile_samples(bodies->n), sizeof *values,
                      "the size of the picture"));
    for (int axis = 0; axis < 3; axis++) {
        size_t count = 0;
        for (size_t i = 0; i < bodies->n; i += stride)
            if (oct_view_finite(&bodies->position[3 * i]))
                values[count++] = bodies->position[3 * i + (size_t)axis];
        oct_quantile_sort(values, count);
        low[axis] = oct_quantile(values, count, 0.01);
        high[axis] = oct_quantile(values, count, 0.99);
    }
    free(values);
    return OCT_STATUS_OK;
}

oct_status oct_view_fit_centre(double out[3], const oct_bodies *bodies)
{
    double low[3], high[3], sum[3] = {0}, plain[3] = {0}, mass = 0, count = 0;
    OCT_TRY(robust_box(low, high, bodies));
    for (size_t i = 0; i < bodies->n; i++) {
        const double *p = &bodies->position[3 * i];
        bool inside = oct_view_finite(p);
        for (int k = 0; k < 3; k++)
            inside = inside && p[k] >= low[k] && p[k] <= high[k];
        if (!inside)
            continue;
        double m = isfinite(bodies->mass[i]) ? bodies->mass[i] : 0;
        mass += m;
        count += 1;
        for (int k = 0; k < 3; k++) {
            sum[k] += m * (p[k] - low[k]);
            plain[k] += p[k] - low[k];
        }
    }
    for (int k = 0; k < 3; k++)
        out[k] = low[k] + (mass > 0 ? sum[k] / mass : count > 0 ? plain[k] / count : 0);
    return OCT_STATUS_OK;
}

oct_status oct_view_fit_extent(double *out, const oct_view *view, const oct_bodies *bodies,
                               double fraction)
{
    double *reach;
    double shape = view->width / view->height, radius = 0;
    size_t count = 0, stride = oct_quantile_stride(bodies->n);
    OCT_TRY(oct_alloc(&reach, oct_quantile_samples(bodies->n), sizeof *reach,
                      "the size of the picture"));
    for (size_t i = 0; i < bodies->n; i += stride) {
        const double *p = &bodies->position[3 * i];
        if (!oct_view_finite(p))
            continue;
        reach[count++] = fmax(fabs(p[view->right] - view->centre[view->right]),
                              shape * fabs(p[view->up] - view->centre[view->up]));
        if (isfinite(bodies->radius[i]))
            radius = fmax(radius, bodies->radius[i]);
    }
    oct_quantile_sort(reach, count);
    double half = 1.15 * oct_quantile(reach, count, fraction);
    free(reach);

    /* Bodies in one point still need a scale: their size, or the digits of their place. */
    double offset = fmax(fabs(view->centre[view->right]), fabs(view->centre[view->up]));
    half = fmax(half, fmax(2 * radius, 1e-9 * offset));
    *out = half > 0 ? 2 * half : 2;
    OCT_CHECK(isfinite(*out), OCT_STATUS_INPUT, "the bodies are too far apart for a picture");
    return OCT_STATUS_OK;
}

bool oct_view_is_box(const double box[3])
{
    for (int k = 0; k < 3; k++)
        if (!(box[k] > 0 && box[k] < 1e300))
            return false;
    return true;
}

void oct_view_box_centre(double out[3], const double box[3], const oct_bodies *bodies)
{
    bool negative = false, beyond = false;
    for (size_t i = 0; i < bodies->n; i++)
        for (size_t k = 0; k < 3; k++) {
            negative = negative || bodies->position[3 * i + k] < 0;
            beyond = beyond || bodies->position[3 * i + k] > 0.5 * box[k];
        }
    for (int k = 0; k < 3; k++)
        out[k] = beyond && !negative ? 0.5 * box[k] : 0;
}

double oct_view_box_extent(const oct_view *view, const double box[3], const oct_bodies *bodies)
{
    double high = 0;
    for (size_t i = 0; i < bodies->n; i++)
        if (oct_view_finite(&bodies->position[3 * i]))
            high = fmax(high,
                        fabs(bodies->position[3 * i + (size_t)view->up] - view->centre[view->up]));
    double height = high < 0.2 * box[view->up] ? 2.3 * high : box[view->up];
    return fmax(box[view->right], height * view->width / view->height);
}
