/* Shadows against rays. */
#include "render/shadow.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "render/particles.h"
#include "util/random.h"

enum { POINTS = 40, SIDE = 160 };

static const double upright[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double azimuth = 75, elevation = 35; /* of the light */

static oct_view view_of(double fov)
{
    oct_view view;
    assert_int_equal(oct_view_aim(&view, 25, 40, 10, fov), OCT_STATUS_OK);
    view.width = view.height = SIDE;
    view.extent = 10;
    view.centre[0] = 1;
    view.centre[2] = -2;
    return view;
}

/* The light in the space of the bodies. */
static void light_of(double out[3], double sign)
{
    double a = azimuth * acos(-1.0) / 180, e = elevation * acos(-1.0) / 180;
    out[0] = sign * cos(e) * sin(a);
    out[1] = -sign * cos(e) * cos(a);
    out[2] = sign * sin(e);
}

static oct_shadows shadows_of(const oct_view *view, const oct_bodies *bodies, double sign)
{
    oct_shadows shadows;
    double light[3];
    oct_view_direction(light, view, azimuth, elevation);
    for (int k = 0; k < 3; k++)
        light[k] *= sign;
    assert_int_equal(oct_shadows_init(&shadows, view, light, bodies), OCT_STATUS_OK);
    return shadows;
}

static oct_bodies bodies_of(size_t n, double spheres[][4])
{
    oct_bodies bodies = {0};
    assert_int_equal(oct_bodies_resize(&bodies, n), OCT_STATUS_OK);
    for (size_t i = 0; i < n; i++) {
        memcpy(&bodies.position[3 * i], spheres[i], 3 * sizeof(double));
        bodies.radius[i] = spheres[i][3];
        bodies.type[i] = OCT_TYPE_BODY;
    }
    return bodies;
}

/* Spheres in a cube, their radii from one to `range` times as large, spread over its logarithm. */
static oct_bodies cloud(size_t n, double side, double least, double range)
{
    oct_bodies bodies = {0};
    assert_int_equal(oct_bodies_resize(&bodies, n), OCT_STATUS_OK);
    for (size_t i = 0; i < n; i++) {
        oct_random random = oct_random_start(5, 0, i);
        for (size_t k = 0; k < 3; k++)
            bodies.position[3 * i + k] = side * (oct_random_uniform(&random) - 0.5);
        bodies.radius[i] = least * pow(range, oct_random_uniform(&random));
    }
    return bodies;
}

static void find(oct_shade *shade, const oct_shadows *shadows, const oct_view *view,
                 const oct_bodies *bodies, size_t i, double blur)
{
    oct_shade_target target = {.radius = bodies->radius[i], .blur = blur, .index = i};
    oct_view_rotate(target.at, view, &bodies->position[3 * i]);
    memcpy(target.axes, upright, sizeof upright);
    assert_int_equal(oct_shade_find(shade, shadows, &target), OCT_STATUS_OK);
}

/* A point of a sphere, from its normal along right, up and towards. */
static void surface(double out[3], const oct_view *view, const oct_bodies *bodies, size_t i,
                    const double normal[3])
{
    for (size_t k = 0; k < 3; k++)
        out[k] = bodies->position[3 * i + k] +
                 bodies->radius[i] * (normal[0] * view->right[k] + normal[1] * view->up[k] +
                                      normal[2] * view->towards[k]);
}

/* Follows the ray from a point to the light past one sphere: how far along it comes nearest, and
 * how near. */
static void pass(double *along, double *miss, const double point[3], const double light[3],
                 const double centre[3])
{
    double to[3], square = 0;
    *along = 0;
    for (int k = 0; k < 3; k++) {
        to[k] = centre[k] - point[k];
        *along += to[k] * light[k];
    }
    for (int k = 0; k < 3; k++)
        square += pow(to[k] - *along * light[k], 2);
    *miss = sqrt(square);
}

/* 1: the light is seen from there, 0: it is hidden, -1: at the edge of some sphere or inside. */
static int ray(const oct_bodies *bodies, size_t self, const double point[3], const double light[3],
               double edge)
{
    bool hidden = false;
    for (size_t i = 0; i < bodies->n; i++) {
        double along, miss, r = bodies->radius[i];
        if (i == self)
            continue;
        pass(&along, &miss, point, light, &bodies->position[3 * i]);
        if (hypot(along, miss) <= r)
            return -1;
        if (along > 0 && fabs(miss - r) < 0.035 * along + edge)
            return -1;
        hidden = hidden || (along > 0 && miss < r);
    }
    return !hidden;
}

/* Compares points on all spheres with rays; counts those that are lit and those that are not. */
static void compare_with_rays(int counts[2], const oct_bodies *bodies, double sign)
{
    oct_view view = view_of(0);
    oct_shadows shadows = shadows_of(&view, bodies, sign);
    oct_shade shade = {0};
    double light[3];
    light_of(light, sign);
    counts[0] = counts[1] = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        oct_random random = oct_random_start(6, 0, i);
        find(&shade, &shadows, &view, bodies, i, 1e-9);
        for (int k = 0; k < POINTS; k++) {
            double normal[3], point[3];
            oct_random_direction(normal, &random);
            surface(point, &view, bodies, i, normal);
            int seen = ray(bodies, i, point, light, 1e-6);
            if (seen < 0)
                continue;
            counts[seen]++;
            assert_true(oct_shade_left(&shade, normal[0], normal[1], normal[2]) == seen);
        }
    }
    oct_shade_clear(&shade);
    oct_shadows_clear(&shadows);
}

static void shadows_are_where_rays_are_stopped(void **state)
{
    (void)state;
    oct_bodies bodies = cloud(400, 16, 0.3, 4);
    int counts[2];
    for (int sign = -1; sign <= 1; sign += 2) {
        compare_with_rays(counts, &bodies, sign);
        /* Seen: 1878 dark and 5490 lit, and with the light turned round 2143 and 5409. */
        assert_true(counts[0] > 1000 && counts[1] > 3000);
    }
    oct_bodies_clear(&bodies);
}

static void a_large_body_shadows_small_ones(void **state)
{
    (void)state;
    oct_bodies bodies = cloud(400, 100, 0.3, 1.1);
    memcpy(&bodies.position[0], (const double[3]){0}, 3 * sizeof(double));
    bodies.radius[0] = 30;
    int counts[2];
    compare_with_rays(counts, &bodies, 1);
    /* Seen: 586 dark and 11782 lit. */
    assert_true(counts[0] > 300 && counts[1] > 5000);
    oct_bodies_clear(&bodies);
}

static void light_from_the_other_side_reaches_it(void **state)
{
    (void)state;
    double light[3];
    light_of(light, 1);
    double spheres[2][4] = {{0, 0, 0, 1}, {4 * light[0], 4 * light[1], 4 * light[2], 1.5}};
    oct_bodies bodies = bodies_of(2, spheres);
    oct_view view = view_of(0);
    for (int sign = -1; sign <= 1; sign += 2) {
        oct_shadows shadows = shadows_of(&view, &bodies, sign);
        oct_shade shade = {0};
        /* The larger one leaves nothing to the other; the smaller one not all. */
        find(&shade, &shadows, &view, &bodies, 0, 0.01);
        assert_true(oct_shade_left(&shade, 0, 0, 1) == (sign > 0 ? 0 : 1));
        find(&shade, &shadows, &view, &bodies, 1, 0.01);
        assert_true(oct_shade_left(&shade, 0, 0, 0) == (sign > 0 ? 1 : 0));
        oct_shade_clear(&shade);
        oct_shadows_clear(&shadows);
    }
    oct_bodies_clear(&bodies);
}

static void nothing_shadows_itself(void **state)
{
    (void)state;
    double spheres[3][4] = {{0, 0, 0, 1}, {NAN, 0, 0, 9}, {0, 0, 0, 0}};
    oct_bodies bodies = bodies_of(3, spheres);
    oct_view view = view_of(0);
    for (int sign = -1; sign <= 1; sign += 2) {
        oct_shadows shadows = shadows_of(&view, &bodies, sign);
        oct_shade shade = {0};
        /* What has no place or no size is not there. */
        assert_int_equal(shadows.count, 1);
        find(&shade, &shadows, &view, &bodies, 0, 0.1);
        for (int k = 0; k < POINTS; k++) {
            double normal[3];
            oct_random random = oct_random_start(7, 0, (uint64_t)k);
            oct_random_direction(normal, &random);
            assert_true(oct_shade_left(&shade, normal[0], normal[1], normal[2]) == 1);
        }
        oct_shade_clear(&shade);
        oct_shadows_clear(&shadows);
    }
    oct_bodies_clear(&bodies);
}

/* What all spheres leave, each with an edge as wide as the distance makes it. */
static double left_of(const oct_bodies *bodies, size_t self, const double point[3],
                      const double light[3], double blur)
{
    double left = 1;
    for (size_t i = 0; i < bodies->n; i++) {
        double along, miss, r = bodies->radius[i];
        pass(&along, &miss, point, light, &bodies->position[3 * i]);
        if (i == self || along <= 0)
            continue;
        double soft = fmin(r, blur + 0.03 * along);
        double t = fmin(1, fmax(0, 0.5 + (miss - r) / (2 * soft)));
        left *= 3 * t * t - 2 * t * t * t;
    }
    return left;
}

static void the_tree_finds_what_a_search_of_all_finds(void **state)
{
    (void)state;
    /* From thin to crowded, sizes over a factor of 300, one body far away from all others. */
    const double least[] = {0.002, 0.02, 0.05}, blur = 0.03;
    oct_view view = view_of(0);
    double light[3], worst = 0;
    int between = 0;
    light_of(light, 1);
    for (int run = 0; run < 3; run++) {
        oct_bodies bodies = cloud(1500, 20, least[run], 300);
        bodies.position[0] = -1e7;
        oct_shadows shadows = shadows_of(&view, &bodies, 1);
        oct_shade shade = {0};
        for (size_t i = 1; i < bodies.n; i += 7) {
            oct_random random = oct_random_start(8, 0, i);
            find(&shade, &shadows, &view, &bodies, i, blur);
            for (int k = 0; k < POINTS; k++) {
                double normal[3], point[3];
                oct_random_direction(normal, &random);
                surface(point, &view, &bodies, i, normal);
                double left = oct_shade_left(&shade, normal[0], normal[1], normal[2]);
                worst = fmax(worst, fabs(left - left_of(&bodies, i, point, light, blur)));
                between += left > 0.01 && left < 0.99;
            }
        }
        oct_shade_clear(&shade);
        oct_shadows_clear(&shadows);
        oct_bodies_clear(&bodies);
    }
    /* Seen: 7.5e-5, as less than 1e-4 counts as none (without that 2.5e-14); 1942 in between. */
    assert_true(worst < 1.01e-4 && between > 1000);
}

static void the_largest_numbers_do_no_harm(void **state)
{
    (void)state;
    double spheres[4][4] = {
        {0, 0, 0, 1}, {1.7e308, 1.7e308, -1.7e308, 1}, {-1.7e308, 0, 0, 1}, {1.7e308, 0, 0, 1e308}};
    oct_bodies bodies = bodies_of(4, spheres);
    oct_view view = view_of(0);
    oct_shadows shadows = shadows_of(&view, &bodies, 1);
    oct_shade shade = {0};
    find(&shade, &shadows, &view, &bodies, 0, 0.1);
    double left = oct_shade_left(&shade, 0, 0, 1);
    /* One of them has no place across the light, and no number tells how far apart two others are.
     */
    assert_int_equal(shadows.count, 3);
    assert_true(left >= 0 && left <= 1);
    oct_shade_clear(&shade);
    oct_shadows_clear(&shadows);
    oct_bodies_clear(&bodies);
}

static void a_point_has_the_shade_of_its_middle(void **state)
{
    (void)state;
    oct_bodies bodies = cloud(500, 20, 0.2, 10);
    oct_view view = view_of(0);
    oct_shadows shadows = shadows_of(&view, &bodies, 1);
    oct_shade whole = {0}, point = {0};
    int dark = 0;
    for (size_t i = 0; i < bodies.n; i++) {
        oct_shade_target target = {.radius = 0, .blur = 0.05, .index = i};
        oct_view_rotate(target.at, &view, &bodies.position[3 * i]);
        assert_int_equal(oct_shade_find(&point, &shadows, &target), OCT_STATUS_OK);
        find(&whole, &shadows, &view, &bodies, i, 0.05);
        double left = oct_shade_left(&whole, 0, 0, 0);
        assert_true(fabs(oct_shade_left(&point, 0.6, 0, 0.8) - left) < 1e-12);
        dark += left < 0.5;
    }
    /* Seen: 351 of 500. */
    assert_true(dark > 100 && dark < 450);
    oct_shade_clear(&whole);
    oct_shade_clear(&point);
    oct_shadows_clear(&shadows);
    oct_bodies_clear(&bodies);
}

/* Draws rows `top` to `bottom`. */
static oct_canvas draw(const oct_view *view, const oct_bodies *bodies, bool spheres, double sign,
                       int top, int bottom)
{
    oct_canvas canvas;
    oct_plot_frame frame = {.view = *view, .font = 18};
    oct_particles_style style = {.spheres = spheres};
    oct_view_direction(style.light, view, azimuth, elevation);
    for (int k = 0; k < 3; k++)
        style.light[k] *= sign;
    assert_int_equal(oct_canvas_init(&canvas, SIDE, SIDE, (oct_rgb){0, 0, 0}), OCT_STATUS_OK);
    oct_canvas_clip(&canvas, 0, top, SIDE, bottom);
    assert_int_equal(oct_particles_draw(&canvas, &frame, bodies, &style), OCT_STATUS_OK);
    return canvas;
}

/* Where the line of sight through a pixel meets the first sphere of all that it meets. */
static bool look(double point[3], size_t *which, const oct_view *view, const oct_bodies *bodies,
                 int x, int y)
{
    double pixel = oct_view_pixel(view), distance = oct_view_distance(view), eye[3], sight[3];
    double a = (x + 0.5 - 0.5 * SIDE) * pixel, b = (0.5 * SIDE - y - 0.5) * pixel;
    double nearest = INFINITY, length = sqrt(a * a + b * b + distance * distance);
    for (int k = 0; k < 3; k++) {
        eye[k] = view->centre[k] + distance * view->towards[k];
        sight[k] = (a * view->right[k] + b * view->up[k] - distance * view->towards[k]) / length;
    }
    for (size_t i = 0; i < bodies->n; i++) {
        double along, miss, r = bodies->radius[i];
        pass(&along, &miss, eye, sight, &bodies->position[3 * i]);
        /* The rim is left out: it is mixed with what lies behind. */
        if (fabs(miss - r) < 0.1 * r)
            return false;
        if (miss >= r || along - sqrt(r * r - miss * miss) > nearest)
            continue;
        nearest = along - sqrt(r * r - miss * miss);
        *which = i;
    }
    for (int k = 0; k < 3; k++)
        point[k] = eye[k] + nearest * sight[k];
    return isfinite(nearest);
}

static void pictures_in_perspective_show_them(void **state)
{
    (void)state;
    oct_view view = view_of(60);
    double light[3];
    light_of(light, 1);
    double spheres[3][4] = {{1, 0, -2, 2.2}, {0, 0, 0, 0.7}, {0, 0, 0, 0.5}};
    for (int k = 0; k < 3; k++) {
        spheres[1][k] = spheres[0][k] + 3.2 * light[k] + 0.3 * view.up[k];
        spheres[2][k] = spheres[0][k] + 2.6 * light[k] - 1.5 * view.up[k];
    }
    oct_bodies bodies = bodies_of(3, spheres);
    oct_canvas shaded = draw(&view, &bodies, true, 1, 0, SIDE);
    oct_canvas plain = draw(&view, &bodies, false, 1, 0, SIDE);
    int dark = 0, lit = 0, wrong = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double point[3], cosine = 0;
            size_t i = 0;
            if (!look(point, &i, &view, &bodies, x, y))
                continue;
            for (size_t k = 0; k < 3; k++)
                cosine += (point[k] - bodies.position[3 * i + k]) * light[k] / bodies.radius[i];
            int seen = ray(&bodies, i, point, light, oct_view_pixel(&view));
            if (cosine < 0.2 || seen < 0)
                continue;
            float ratio = shaded.pixels[y * SIDE + x].g / plain.pixels[y * SIDE + x].g;
            *(seen ? &lit : &dark) += 1;
            wrong += seen ? ratio < 0.999F : ratio > 0.7F;
        }
    /* Seen: 266 dark, 3139 lit, none wrong; 234 wrong when half the sphere was drawn as seen. */
    assert_true(dark > 200 && lit > 2000 && wrong <= 2);
    oct_canvas_clear(&shaded);
    oct_canvas_clear(&plain);
    oct_bodies_clear(&bodies);
}

static void bands_of_a_picture_fit_together(void **state)
{
    (void)state;
    oct_view view = view_of(40);
    oct_bodies bodies = cloud(2000, 10, 0.03, 20);
    oct_canvas whole = draw(&view, &bodies, true, 1, 0, SIDE);
    oct_canvas plain = draw(&view, &bodies, false, 1, 0, SIDE);
    assert_memory_not_equal(whole.pixels, plain.pixels, sizeof(oct_rgb) * SIDE * SIDE);
    const int cuts[] = {0, 37, 38, 101, SIDE};
    for (int i = 0; i < 4; i++) {
        oct_canvas band = draw(&view, &bodies, true, 1, cuts[i], cuts[i + 1]);
        size_t first = (size_t)cuts[i] * SIDE, end = (size_t)cuts[i + 1] * SIDE;
        assert_memory_equal(&band.pixels[first], &whole.pixels[first],
                            sizeof(oct_rgb) * (end - first));
        oct_canvas_clear(&band);
    }
    oct_canvas_clear(&whole);
    oct_canvas_clear(&plain);
    oct_bodies_clear(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shadows_are_where_rays_are_stopped),
        cmocka_unit_test(a_large_body_shadows_small_ones),
        cmocka_unit_test(light_from_the_other_side_reaches_it),
        cmocka_unit_test(nothing_shadows_itself),
        cmocka_unit_test(the_tree_finds_what_a_search_of_all_finds),
        cmocka_unit_test(the_largest_numbers_do_no_harm),
        cmocka_unit_test(a_point_has_the_shade_of_its_middle),
        cmocka_unit_test(pictures_in_perspective_show_them),
        cmocka_unit_test(bands_of_a_picture_fit_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
