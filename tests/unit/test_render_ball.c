/* Spheres in the picture, against rays. */
#include "render/ball.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { SIDE = 200 };

static const oct_rgb black = {0, 0, 0}, white = {1, 1, 1};
static const double upper_left[3] = {-0.40, 0.50, 0.77}, facing[3] = {0, 0, 1};

/* 10 units wide in SIDE by SIDE pixels, from above. */
static oct_view view_of(double fov)
{
    oct_view view;
    assert_int_equal(oct_view_aim(&view, 0, 90, 0, fov), OCT_STATUS_OK);
    view.width = view.height = SIDE;
    view.extent = 10;
    return view;
}

static oct_canvas draw(const oct_ball *ball, oct_rgb ground, oct_rgb colour)
{
    oct_canvas canvas;
    assert_int_equal(oct_canvas_init(&canvas, SIDE, SIDE, ground), OCT_STATUS_OK);
    oct_ball_draw(&canvas, ball, colour, 1, NULL);
    return canvas;
}

static double at(const oct_canvas *canvas, int x, int y)
{
    return (double)canvas->pixels[y * SIDE + x].g;
}

/* What is lit by a lamp from this angle and seen from that. */
static double shade(double cosine, double facing_us)
{
    double lamp = cosine > 0.15    ? cosine
                  : cosine < -0.15 ? 0
                                   : (cosine + 0.15) * (cosine + 0.15) / 0.6;
    return 0.2 * (0.2 + 0.8 * facing_us) + 0.8 * lamp;
}

/* The unit vector from the eye through the middle of a pixel, for a view from above. */
static void ray(double out[3], const oct_view *view, int x, int y)
{
    double pixel = oct_view_pixel(view), distance = oct_view_distance(view);
    double to[3] = {(x + 0.5 - 0.5 * SIDE) * pixel, (0.5 * SIDE - y - 0.5) * pixel, -distance};
    double length = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
    for (int k = 0; k < 3; k++)
        out[k] = to[k] / length;
}

static void a_sphere_is_a_disc_from_far(void **state)
{
    (void)state;
    oct_view view = view_of(0);
    oct_ball ball;
    assert_true(oct_ball_project(&ball, &view, facing, (const double[]){1, 2, 3}, 0.7));
    assert_true(fabs(ball.x - 120) < 1e-9 && fabs(ball.y - 60) < 1e-9);
    assert_true(fabs(ball.axes[0] - 14) < 1e-9 && fabs(ball.axes[1] - 14) < 1e-9);
    oct_canvas canvas = draw(&ball, white, black);
    double area = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        area += 1 - (double)canvas.pixels[i].g;
    /* Seen: 7e-4. */
    assert_true(fabs(area / (acos(-1.0) * 14 * 14) - 1) < 2e-3);
    oct_canvas_clear(&canvas);
}

static void small_spheres_fade_with_their_area(void **state)
{
    (void)state;
    oct_view view = view_of(0);
    const double radii[] = {0.1, 0.3, 0.5};
    for (int i = 0; i < 3; i++) {
        oct_ball ball;
        double light = 0, radius = radii[i] * oct_view_pixel(&view);
        assert_true(
            oct_ball_project(&ball, &view, facing, (const double[]){1.01, 2.02, 0}, radius));
        oct_canvas canvas = draw(&ball, white, black);
        for (int k = 0; k < SIDE * SIDE; k++)
            light += 1 - (double)canvas.pixels[k].g;
        /* Seen: 2 %. */
        assert_true(fabs(light / (acos(-1.0) * radii[i] * radii[i]) - 1) < 0.05);
        oct_canvas_clear(&canvas);
    }
}

static void light_falls_as_the_cosine(void **state)
{
    (void)state;
    oct_view view = view_of(0);
    oct_ball ball;
    assert_true(oct_ball_project(&ball, &view, upper_left, (const double[]){0, 0, 0}, 4));
    oct_canvas canvas = draw(&ball, black, white);
    /* Radius 80: at (-32, 40) pixels right and up the normal is the light's own. */
    double brightest = at(&canvas, 68, 60), lowest = 1;
    assert_true(brightest > 0.94 && brightest <= 1);
    for (int y = 30; y < 170; y++)
        for (int x = 30; x < 170; x++) {
            double nx = (x + 0.5 - 100) / 80, ny = (100 - y - 0.5) / 80, n2 = nx * nx + ny * ny;
            if (n2 > 0.95)
                continue;
            double nz = sqrt(1 - n2);
            double cosine = nx * upper_left[0] + ny * upper_left[1] + nz * upper_left[2];
            /* Seen: 1.1e-3, from the radius that makes up for the soft edge. */
            assert_true(fabs(at(&canvas, x, y) - shade(cosine, nz)) < 3e-3);
            lowest = fmin(lowest, at(&canvas, x, y));
        }
    /* Beyond the terminator it is dark, but not black. */
    assert_true(lowest < 0.15 && lowest > 0.03);
    assert_true(at(&canvas, 100, 182) == 0);
    oct_canvas_clear(&canvas);
}

static void the_outline_in_perspective_is_that_of_the_sphere(void **state)
{
    (void)state;
    /* Against rays: a pixel is covered where its ray comes nearer to the middle than the radius. */
    const double fov = 80, centre[3] = {2.5, 1.5, -1}, radius = 1.3;
    oct_view view = view_of(fov);
    oct_ball ball;
    assert_true(oct_ball_project(&ball, &view, facing, centre, radius));
    assert_true(ball.axes[0] > 1.05 * ball.axes[1]);
    oct_canvas canvas = draw(&ball, white, black);
    double c[3] = {centre[0], centre[1], centre[2] - oct_view_distance(&view)};
    double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    int covered = 0, wrong = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double u[3];
            ray(u, &view, x, y);
            double along = u[0] * c[0] + u[1] * c[1] + u[2] * c[2];
            bool hit = square - along * along < radius * radius;
            covered += hit;
            wrong += hit != (at(&canvas, x, y) < 0.5);
        }
    /* Seen: 1 of 1753. */
    assert_true(covered > 1500 && wrong <= 2);
    oct_canvas_clear(&canvas);
}

static void light_in_perspective_falls_on_the_sphere_itself(void **state)
{
    (void)state;
    const double centre[3] = {2.5, -1.5, -1}, radius = 0.5;
    oct_view view = view_of(60);
    oct_ball ball;
    assert_true(oct_ball_project(&ball, &view, upper_left, centre, radius));
    oct_canvas canvas = draw(&ball, black, white);
    double c[3] = {centre[0], centre[1], centre[2] - oct_view_distance(&view)}, worst = 0;
    double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double u[3], cosine = 0, face = 0;
            ray(u, &view, x, y);
            double along = u[0] * c[0] + u[1] * c[1] + u[2] * c[2];
            double inside = radius * radius - (square - along * along);
            if (inside < 0.15 * radius * radius)
                continue;
            for (int k = 0; k < 3; k++) {
                double normal = ((along - sqrt(inside)) * u[k] - c[k]) / radius;
                cosine += normal * upper_left[k];
                face -= normal * u[k];
            }
            worst = fmax(worst, fabs(at(&canvas, x, y) - shade(cosine, face)));
        }
    /* Seen: 0.0086: the outline is drawn a little smaller, for its soft edge. */
    assert_true(worst > 0 && worst < 0.02);
    oct_canvas_clear(&canvas);
}

static void depth_orders_spheres_along_every_line(void **state)
{
    (void)state;
    oct_view view = view_of(90);
    oct_ball large, little;
    assert_true(oct_ball_project(&large, &view, facing, (const double[]){0, 0, 0}, 3));
    assert_true(oct_ball_project(&little, &view, facing, (const double[]){2.2, 0, 2.4}, 0.2));
    assert_true(little.depth > large.depth); /* in front of it, and beside and below it */
    assert_true(oct_ball_project(&little, &view, facing, (const double[]){3.3, 0, -1.5}, 0.2));
    assert_true(little.depth < large.depth);
    /* Hidden behind the limb of a large one whose middle is 100 away, while its own is only 90. */
    const double angle = 36.4 * acos(-1.0) / 180;
    const double behind[3] = {90 * sin(angle), 0, 50 - 90 * cos(angle)};
    view.extent = 100;
    assert_true(oct_ball_project(&large, &view, facing, (const double[]){0, 0, -50}, 60));
    assert_true(oct_ball_project(&little, &view, facing, behind, 0.05));
    assert_true(hypot(behind[0], behind[2] + 50) > 60.05 && angle < asin(0.6));
    assert_true(little.depth < large.depth);
}

static void the_eye_inside_a_sphere_sees_nothing_of_it(void **state)
{
    (void)state;
    oct_view view = view_of(90);
    oct_ball ball;
    assert_false(oct_ball_project(&ball, &view, facing, (const double[]){0, 0, 4}, 2));
    assert_false(oct_ball_project(&ball, &view, facing, (const double[]){0, 0, 6}, 0.5));
    assert_false(oct_ball_project(&ball, &view, facing, (const double[]){NAN, 0, 0}, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_is_a_disc_from_far),
        cmocka_unit_test(small_spheres_fade_with_their_area),
        cmocka_unit_test(light_falls_as_the_cosine),
        cmocka_unit_test(the_outline_in_perspective_is_that_of_the_sphere),
        cmocka_unit_test(light_in_perspective_falls_on_the_sphere_itself),
        cmocka_unit_test(depth_orders_spheres_along_every_line),
        cmocka_unit_test(the_eye_inside_a_sphere_sees_nothing_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
