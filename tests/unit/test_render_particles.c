/* Bodies as balls and dots. */
#include "render/particles.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 400, GRID = 16 };

static const oct_rgb black = {0, 0, 0}, white = {1, 1, 1};

/* A plot of 10 by 10 in SIDE by SIDE pixels. */
static oct_plot_frame plain_frame(void)
{
    oct_plot_frame frame = {.font = 18};
    assert_int_equal(oct_view_init(&frame.view, 'z'), OCT_STATUS_OK);
    frame.view.width = frame.view.height = SIDE;
    frame.view.extent = 10;
    return frame;
}

static oct_canvas draw(const oct_bodies *bodies, const oct_particles_style *style, oct_rgb ground)
{
    oct_canvas canvas;
    oct_plot_frame frame = plain_frame();
    assert_int_equal(oct_canvas_init(&canvas, SIDE, SIDE, ground), OCT_STATUS_OK);
    assert_int_equal(oct_particles_draw(&canvas, &frame, bodies, style), OCT_STATUS_OK);
    return canvas;
}

/* Spheres on a grid, their radii in pixels one of the two in turn, the first one more often. */
static oct_bodies grid(double one, double other)
{
    oct_bodies bodies = {0};
    assert_int_equal(oct_bodies_resize(&bodies, (size_t)GRID * GRID), OCT_STATUS_OK);
    for (size_t i = 0; i < bodies.n; i++) {
        /* A pitch that is no whole number of pixels: spheres lie anywhere in them. */
        bodies.position[3 * i] = 0.613 * ((double)(i % GRID) - 7.5);
        bodies.position[3 * i + 1] = 0.607 * ((double)(i / GRID) - 7.5);
        bodies.radius[i] = 10.0 / SIDE * (i % 3 != 1 ? one : other);
        bodies.mass[i] = 1;
        bodies.type[i] = OCT_TYPE_BODY;
    }
    return bodies;
}

/* How much is covered, in pixels: what a white ground shows more than a black one is not. */
static double covered(const oct_bodies *bodies)
{
    const oct_particles_style style = {0};
    oct_canvas dark = draw(bodies, &style, black), light = draw(bodies, &style, white);
    double area = 0;
    for (size_t k = 0; k < (size_t)SIDE * SIDE; k++)
        area += 1 - ((double)light.pixels[k].g - (double)dark.pixels[k].g);
    oct_canvas_clear(&dark);
    oct_canvas_clear(&light);
    return area;
}

static void spheres_cover_their_area(void **state)
{
    (void)state;
    /* Those too small to be seen keep their area beside larger ones. */
    const double radii[][2] = {{11, 5}, {3, 1.2}, {0.9, 0.8}, {0.9, 0.5}, {3, 0.3}};
    for (size_t i = 0; i < sizeof radii / sizeof radii[0]; i++) {
        oct_bodies bodies = grid(radii[i][0], radii[i][1]);
        double expected = 0, area = covered(&bodies);
        for (size_t k = 0; k < bodies.n; k++)
            expected += acos(-1.0) * pow(bodies.radius[k] * SIDE / 10, 2);
        /* Seen: 5e-4 at most. */
        assert_true(fabs(area / expected - 1) < 2e-3);
        oct_bodies_clear(&bodies);
    }
}

static void bodies_that_are_points_are_dots(void **state)
{
    (void)state;
    oct_bodies points = grid(0, 0), tiny = grid(0.01, 0.01), mixed = grid(0.01, 0.01);
    double dots = covered(&points);
    assert_true(dots > 3 * GRID * GRID);
    assert_true(covered(&tiny) == dots);
    /* One large body among small ones does not make them fade. */
    mixed.radius[0] = 10.0 / SIDE * 8;
    assert_true(covered(&mixed) > dots + 100);
    oct_bodies_clear(&points);
    oct_bodies_clear(&tiny);
    oct_bodies_clear(&mixed);
}

static void nearer_spheres_hide_farther_ones(void **state)
{
    (void)state;
    /* A pile over the middle: of each pair the upper one is seen, whatever the order in memory. */
    oct_bodies bodies = {0};
    enum { PILE = 6 };
    assert_int_equal(oct_bodies_resize(&bodies, PILE), OCT_STATUS_OK);
    const double order[PILE] = {3, 0, 5, 1, 4, 2};
    size_t top = 2, second = 4;
    for (size_t i = 0; i < PILE; i++) {
        bodies.position[3 * i] = 0.1 * order[i];
        bodies.position[3 * i + 2] = 3 * order[i];
        bodies.velocity[3 * i] = order[i];
        bodies.radius[i] = 1;
    }
    oct_colormap map;
    for (int i = 0; i < OCT_COLORMAP_SIZE; i++)
        map.colours[i] = (oct_rgb){(float)i / (OCT_COLORMAP_SIZE - 1), 1, 0};
    const oct_particles_style style = {.speed = &map, .high = PILE - 1};
    oct_canvas canvas = draw(&bodies, &style, black);
    /* Red over green is the place in the pile, whatever the light. */
    const oct_rgb *at = &canvas.pixels[SIDE / 2 * SIDE + SIDE / 2 + 20];
    assert_true(fabs((double)(at->r / at->g) - bodies.velocity[3 * top] / (PILE - 1)) < 1e-5);
    /* Left of the uppermost by two pixels, where the next one is not hidden. */
    at = &canvas.pixels[SIDE / 2 * SIDE + SIDE / 2 + 20 - 40 - 2];
    assert_true(fabs((double)(at->r / at->g) - bodies.velocity[3 * second] / (PILE - 1)) < 1e-5);
    oct_canvas_clear(&canvas);
    oct_bodies_clear(&bodies);
}

static void bodies_of_a_patch_are_warm_and_the_larger_ones_brighter(void **state)
{
    (void)state;
    oct_bodies bodies = grid(8, 4);
    const oct_particles_style plain = {0}, ring = {.ice = true};
    oct_plot_frame_entry entries[OCT_PARTICLE_KINDS];
    for (int patch = 0; patch < 2; patch++) {
        oct_canvas canvas = draw(&bodies, patch ? &ring : &plain, black);
        oct_rgb seen[2];
        for (size_t i = 0; i < 2; i++) {
            double x = SIDE / 2 + bodies.position[3 * i] * SIDE / 10;
            double y = SIDE / 2 - bodies.position[3 * i + 1] * SIDE / 10;
            seen[i] = canvas.pixels[(int)y * SIDE + (int)x];
        }
        assert_true(patch ? seen[0].r > seen[0].b : seen[0].r < seen[0].b);
        assert_true(patch ? seen[0].g > 1.15F * seen[1].g : seen[0].g < 1.1F * seen[1].g);
        assert_int_equal(oct_particles_kinds(entries, &bodies, patch ? &ring : &plain), 1);
        assert_true((entries[0].colour.r > entries[0].colour.b) == (patch == 1));
        oct_canvas_clear(&canvas);
    }
    oct_bodies_clear(&bodies);
}

/* A black hole behind 256 dots of bodies is in front of them, larger and in its own colour. */
static void black_holes_are_seen(void **state)
{
    (void)state;
    const oct_particles_style style = {0};
    oct_bodies bodies = grid(0, 0);
    size_t hole = (size_t)GRID * GRID / 2 + GRID / 2, pink[2] = {0};
    for (int k = 0; k < 2; k++) {
        bodies.position[3 * hole + 2] = -1;
        memcpy(&bodies.position[3 * hole], &bodies.position[3 * (hole - 1)], 2 * sizeof(double));
        bodies.type[hole] = k == 0 ? OCT_TYPE_STAR : OCT_TYPE_BLACK_HOLE;
        oct_canvas canvas = draw(&bodies, &style, black);
        for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
            pink[k] += canvas.pixels[i].r > 0.5F && canvas.pixels[i].g < 0.5F * canvas.pixels[i].r;
        oct_canvas_clear(&canvas);
    }
    oct_plot_frame_entry legend[OCT_PARTICLE_KINDS];
    assert_int_equal(oct_particles_kinds(legend, &bodies, &style), 2);
    assert_string_equal(legend[0].name, "bodies");
    assert_string_equal(legend[1].name, "black holes");
    bodies.type[0] = OCT_TYPE_DISK;
    assert_int_equal(oct_particles_kinds(legend, &bodies, &style), 3);
    assert_string_equal(legend[0].name, "halo");
    assert_string_equal(legend[1].name, "stars");
    print_message("%zu pixels\n", pink[1]);
    assert_int_equal(pink[0], 0);
    assert_true(pink[1] > 20); /* measured 38 */
    oct_bodies_clear(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(black_holes_are_seen),
        cmocka_unit_test(spheres_cover_their_area),
        cmocka_unit_test(bodies_that_are_points_are_dots),
        cmocka_unit_test(nearer_spheres_hide_farther_ones),
        cmocka_unit_test(bodies_of_a_patch_are_warm_and_the_larger_ones_brighter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
