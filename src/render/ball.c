/* The outline of a sphere in perspective, and the light at each pixel within it. */
#include "render/ball.h"

#include <math.h>
#include <string.h>

void oct_ball_axes(double out[3][3], const oct_view *view, const double at[3])
{
    double x = at[0], y = at[1], z = oct_view_distance(view) - at[2], aside = hypot(x, y);
    bool middle = !(view->slope > 0 && aside > 0);
    double far = sqrt(x * x + y * y + z * z), c = middle ? 1 : x / aside,
           s = middle ? 0 : y / aside;
    double ahead = middle ? 1 : z / far, off = middle ? 0 : aside / far;
    const double axes[3][3] = {
        {c * ahead, s * ahead, off}, {-s, c, 0}, {-c * off, -s * off, ahead}};
    memcpy(out, axes, sizeof axes);
}

/* The outline of a sphere of radius R at X, Y, -Z from the eye, on a screen at distance 1: an
 * ellipse around X, Y times Z / (Z^2 - R^2), longest away from the middle of the picture. */
static bool perspective(oct_ball *out, const oct_view *view, const double light[3],
                        const double at[3], double radius)
{
    double x = at[0], y = at[1], z = oct_view_distance(view) - at[2];
    double screen = 0.5 * view->width / view->slope;
    double square = x * x + y * y + z * z, free = z * z - radius * radius;
    if (!(z > radius))
        return false;
    double away = sqrt(square - radius * radius), axes[3][3];
    out->x += screen * x * z / free;
    out->y -= screen * y * z / free;
    out->axes[0] = screen * radius * away / free;
    out->axes[1] = screen * radius / sqrt(free);
    oct_ball_axes(axes, view, at);
    out->direction[0] = axes[1][1];
    out->direction[1] = axes[1][0];
    /* Both ends of the chord that a line of sight cuts out of a sphere have distances with this
     * product, whatever the line: of two spheres apart it orders them along every line. */
    out->depth = radius * radius - square;
    out->near = radius / sqrt(square);
    for (int k = 0; k < 3; k++)
        out->light[k] = axes[k][0] * light[0] + axes[k][1] * light[1] + axes[k][2] * light[2];
    return true;
}

bool oct_ball_project(oct_ball *out, const oct_view *view, const double light[3],
                      const double position[3], double radius)
{
    oct_view_place place;
    double at[3], pixel = oct_view_pixel(view);
    if (!oct_view_project(&place, view, position))
        return false;
    oct_view_rotate(at, view, position);
    *out = (oct_ball){.x = view->left + 0.5 * view->width,
                      .y = view->top + 0.5 * view->height,
                      .scale = place.scale};
    if (view->slope > 0)
        return perspective(out, view, light, at, radius);
    *out = (oct_ball){.x = place.x,
                      .y = place.y,
                      .axes = {radius / pixel, radius / pixel},
                      .direction = {1, 0},
                      .light = {light[0], light[1], light[2]},
                      .scale = 1,
                      .depth = place.depth};
    return true;
}

/* Lambert's cosine law, rounded off around 0 as if the lamp were no point, and a little light from
 * the side of the viewer, which leaves the rim dark where the lamp does not reach it; (x, y) in
 * radii of the outline. In a shadow there is still what lit neighbours scatter. */
static double lit(const oct_ball *ball, double x, double y, const oct_shade *shade)
{
    const double ambient = 0.2, soft = 0.15, scattered = 0.05, *light = ball->light;
    double out2 = x * x + y * y, facing = sqrt(fmax(0, 1 - out2)), rim = sqrt(fmax(1, out2));
    /* From an eye less than half of the sphere is seen: this is where its rays meet it. */
    double less = 1 + ball->near * facing, z = (ball->near + facing) / less;
    double aside = sqrt(1 - ball->near * ball->near) / (less * rim);
    double cosine = aside * (x * light[0] + y * light[1]) + z * light[2];
    if (cosine < soft)
        cosine = cosine > -soft ? (cosine + soft) * (cosine + soft) / (4 * soft) : 0;
    if (shade && cosine > 0)
        cosine *= scattered + (1 - scattered) * oct_shade_left(shade, aside * x, aside * y, z);
    return ambient * (0.2 + 0.8 * facing) + (1 - ambient) * fmin(cosine, 1);
}

void oct_ball_draw(oct_canvas *canvas, const oct_ball *ball, oct_rgb colour, double alpha,
                   const oct_shade *shade)
{
    /* A ramp of one pixel at the edge adds pi / 12 to the area: a smaller radius makes up for it.
     * When the ramp is all that is left, the ball fades with its area. */
    double square = ball->axes[0] * ball->axes[1];
    double radius = sqrt(fmax(square, 1.0 / 3) - 1.0 / 12), a = radius, b = radius;
    if (square < 1.0 / 3) {
        alpha *= 3 * square;
    } else {
        a = ball->axes[0] * radius / sqrt(square);
        b = ball->axes[1] * radius / sqrt(square);
    }
    double reach = fmax(a, b) + 0.5, c = ball->direction[0], s = ball->direction[1];
    int box[4];
    oct_canvas_bounds(box, canvas, ball->x - reach, ball->y - reach, ball->x + reach,
                      ball->y + reach);
    for (int j = box[1]; j < box[3]; j++)
        for (int i = box[0]; i < box[2]; i++) {
            double dx = i + 0.5 - ball->x, dy = j + 0.5 - ball->y;
            /* The second axis is a quarter turn from the first, counter-clockwise as seen. */
            double x = (dx * c + dy * s) / a, y = (dx * s - dy * c) / b;
            double coverage = fmin(1, radius * (1 - sqrt(x * x + y * y)) + 0.5);
            if (coverage <= 0)
                continue;
            float light = (float)lit(ball, x, y, shade);
            oct_rgb seen = {light * colour.r, light * colour.g, light * colour.b};
            oct_canvas_blend(canvas, i, j, seen, alpha * coverage);
        }
}
