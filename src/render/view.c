/* Projects places, directions and sizes, and fits the view around most of the bodies. */
#include "render/view.h"

#include <math.h>
#include <stdlib.h>

#include "render/quantile.h"

/* So that no body is cut by the plane of the eye: this part of the eye's distance is kept free. */
static const double nearest = 1e-3;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double radians(double degrees)
{
    return degrees * (acos(-1.0) / 180);
}

oct_status oct_view_init(oct_view *view, char axis)
{
    OCT_CHECK(axis == 'x' || axis == 'y' || axis == 'z', OCT_STATUS_INPUT,
              "the axis of sight is x, y or z");
    *view = (oct_view){.across = axis == 'x' ? 1 : 0, .along = axis == 'z' ? 1 : 2};
    view->right[view->across] = 1;
    view->up[view->along] = 1;
    view->towards[axis - 'x'] = axis == 'y' ? -1 : 1;
    return OCT_STATUS_OK;
}

static void direction_of(double out[3], double azimuth, double elevation)
{
    double a = radians(azimuth), e = radians(elevation);
    out[0] = cos(e) * sin(a);
    out[1] = -cos(e) * cos(a);
    out[2] = sin(e);
}

oct_status oct_view_aim(oct_view *view, double azimuth, double elevation, double roll, double fov)
{
    OCT_CHECK(isfinite(azimuth) && isfinite(roll), OCT_STATUS_INPUT,
              "azimuth and roll of a picture are finite numbers of degrees");
    OCT_CHECK(elevation >= -90 && elevation <= 90, OCT_STATUS_INPUT,
              "the elevation of a picture is an angle from -90 to 90 degrees, not %g", elevation);
    OCT_CHECK(fov >= 0 && fov <= 150, OCT_STATUS_INPUT,
              "the field of view is an angle from 0 to 150 degrees, not %g", fov);
    *view = (oct_view){.across = -1, .along = -1, .slope = tan(radians(fov) / 2)};
    double a = radians(azimuth), e = radians(elevation), r = radians(roll);
    const double right[3] = {cos(a), sin(a), 0};
    const double up[3] = {-sin(e) * sin(a), sin(e) * cos(a), cos(e)};
    direction_of(view->towards, azimuth, elevation);
    for (int k = 0; k < 3; k++) {
        view->right[k] = cos(r) * right[k] - sin(r) * up[k];
        view->up[k] = sin(r) * right[k] + cos(r) * up[k];
    }
    return OCT_STATUS_OK;
}

void oct_view_angles(oct_render_options *options)
{
    if (options->aimed)
        return;
    options->aimed = true;
    options->azimuth = options->axis == 'x' ? 90 : 0;
    options->elevation = options->axis == 'x' || options->axis == 'y' ? 0 : 90;
}

void oct_view_direction(double out[3], const oct_view *view, double azimuth, double elevation)
{
    double direction[3];
    direction_of(direction, azimuth, elevation);
    out[0] = dot(view->right, direction);
    out[1] = dot(view->up, direction);
    out[2] = dot(view->towards, direction);
}

bool oct_view_finite(const double position[3])
{
    return isfinite(position[0]) && isfinite(position[1]) && isfinite(position[2]);
}

double oct_view_pixel(const oct_view *view)
{
    return view->extent / view->width;
}

double oct_view_distance(const oct_view *view)
{
    return view->slope > 0 ? 0.5 * view->extent / view->slope : INFINITY;
}

void oct_view_rotate(double out[3], const oct_view *view, const double position[3])
{
    const double from[3] = {position[0] - view->centre[0], position[1] - view->centre[1],
                            position[2] - view->centre[2]};
    out[0] = dot(view->right, from);
    out[1] = dot(view->up, from);
    out[2] = dot(view->towards, from);
}

bool oct_view_project(oct_view_place *out, const oct_view *view, const double position[3])
{
    double pixel = oct_view_pixel(view), distance = oct_view_distance(view), at[3];
    oct_view_rotate(at, view, position);
    double ahead = view->slope > 0 ? 1 - at[2] / distance : 1;
    out->scale = 1 / ahead;
    out->x = view->left + 0.5 * view->width + at[0] / pixel * out->scale;
    out->y = view->top + 0.5 * view->height - at[1] / pixel * out->scale;
    out->depth = at[2];
    return ahead > nearest && isfinite(out->x) && isfinite(out->y);
}

void oct_view_ground(double out[3], const oct_view *view, double x, double y)
{
    double pixel = oct_view_pixel(view);
    double right = pixel * (x - view->left - 0.5 * view->width);
    double up = -pixel * (y - view->top - 0.5 * view->height);
    for (int k = 0; k < 3; k++)
        out[k] = view->centre[k] + right * view->right[k] + up * view->up[k];
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

/* Half the width of a plot that has this place at its edge. One nearer to the eye by z needs
 * slope z more, since |x| / (distance - z) <= slope and half the width is slope distance. */
static double reach_of(const oct_view *view, const double position[3])
{
    double at[3], shape = view->width / view->height;
    oct_view_rotate(at, view, position);
    return fmax(fabs(at[0]), shape * fabs(at[1])) + view->slope * at[2];
}

oct_status oct_view_fit_extent(double *out, const oct_view *view, const oct_bodies *bodies,
                               double fraction)
{
    double *reach;
    double radius = 0;
    size_t count = 0, stride = oct_quantile_stride(bodies->n);
    OCT_TRY(oct_alloc(&reach, oct_quantile_samples(bodies->n), sizeof *reach,
                      "the size of the picture"));
    for (size_t i = 0; i < bodies->n; i += stride) {
        const double *p = &bodies->position[3 * i];
        if (!oct_view_finite(p))
            continue;
        reach[count++] = reach_of(view, p);
        if (isfinite(bodies->radius[i]))
            radius = fmax(radius, bodies->radius[i]);
    }
    oct_quantile_sort(reach, count);
    double half = 1.15 * oct_quantile(reach, count, fraction);
    free(reach);

    /* Bodies in one point still need a scale: their size, or the digits of their place. */
    const double *c = view->centre;
    double offset = fmax(fabs(c[0]), fmax(fabs(c[1]), fabs(c[2])));
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

/* Half the sides of the part of a box that is shown; of a sheet only the middle. */
static void shown_half(double half[3], const oct_view *view, const double box[3],
                       const oct_bodies *bodies)
{
    double far[3] = {0};
    for (size_t i = 0; i < bodies->n; i++)
        if (oct_view_finite(&bodies->position[3 * i]))
            for (size_t k = 0; k < 3; k++)
                far[k] = fmax(far[k], fabs(bodies->position[3 * i + k] - view->centre[k]));
    for (int k = 0; k < 3; k++)
        half[k] = far[k] < 0.2 * box[k] && k != view->across ? 1.15 * far[k] : 0.5 * box[k];
}

double oct_view_box_extent(const oct_view *view, const double box[3], const oct_bodies *bodies)
{
    double half[3], reach = 0;
    shown_half(half, view, box, bodies);
    for (int corner = 0; corner < 8; corner++) {
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = view->centre[k] + (corner >> k & 1 ? half[k] : -half[k]);
        reach = fmax(reach, reach_of(view, at));
    }
    return 2 * reach;
}

void oct_view_box_sides(double out[2], const oct_view *view, const double box[3],
                        const oct_bodies *bodies)
{
    double half[3];
    shown_half(half, view, box, bodies);
    out[0] = 2 * half[view->across];
    out[1] = fmin(fmax(2 * half[view->along], 0.25 * out[0]), box[view->along]);
}
