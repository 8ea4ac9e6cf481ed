/* Images of a box in a picture. */
#include "render/ghosts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double box[3] = {10, 20, 30};

/* One body at (1, 2, 3), seen from above in a plot that holds a hundred boxes. */
static oct_bodies images(double orbit, double time, double extent, unsigned rings,
                         const double cast[3])
{
    oct_bodies bodies = {0}, out;
    oct_file_info info = {
        .size = sizeof info, .box = {box[0], box[1], box[2]}, .periodic = true, .orbit = orbit};
    info.time = time;
    assert_int_equal(oct_bodies_resize(&bodies, 1), OCT_STATUS_OK);
    for (int k = 0; k < 3; k++)
        bodies.position[k] = k + 1;
    bodies.velocity[1] = 4;
    bodies.mass[0] = 5;
    bodies.radius[0] = 0.5;
    bodies.type[0] = OCT_TYPE_STAR;
    oct_view view;
    assert_int_equal(oct_view_init(&view, 'z'), OCT_STATUS_OK);
    view.width = view.height = 100;
    view.extent = extent;
    oct_ghosts which = {.cast = cast};
    oct_ghosts_rings(which.rings, &info, rings);
    assert_int_equal(oct_ghosts_make(&out, &view, &bodies, &info, &which), OCT_STATUS_OK);
    oct_bodies_clear(&bodies);
    return out;
}

static void a_box_repeats_all_around(void **state)
{
    (void)state;
    oct_bodies out = images(0, 7, 1000, 1, NULL);
    assert_int_equal(out.n, 27);
    for (size_t i = 0; i < out.n; i++) {
        const int cell[3] = {(int)(i % 3) - 1, (int)(i / 3 % 3) - 1, (int)(i / 9) - 1};
        for (int k = 0; k < 3; k++)
            assert_true(out.position[3 * i + (size_t)k] == k + 1 + cell[k] * box[k]);
        assert_true(out.velocity[3 * i + 1] == 4 && out.mass[i] == 5 && out.radius[i] == 0.5);
        assert_int_equal(out.type[i], OCT_TYPE_STAR);
    }
    oct_bodies_clear(&out);
}

static void boxes_of_a_disk_slide_past(void **state)
{
    (void)state;
    /* Omega = 0.1: the box outward lags behind by 1.5 * 0.1 * 10 * 20 = 30, one box and a half. */
    oct_bodies out = images(20 * acos(-1.0), 18, 1000, 1, NULL);
    assert_int_equal(out.n, 9);
    for (size_t i = 0; i < out.n; i++) {
        const int x = (int)(i % 3) - 1, y = (int)(i / 3) - 1;
        assert_true(fabs(out.position[3 * i] - 1 - 10 * x) < 1e-12);
        /* After 18 it is 27, which is 7 and a box. */
        assert_true(fabs(out.position[3 * i + 1] - 2 - 20 * y + 7 * x) < 1e-12);
        assert_true(out.position[3 * i + 2] == 3);
        assert_true(fabs(out.velocity[3 * i + 1] - 4 + 1.5 * x) < 1e-12);
    }
    oct_bodies_clear(&out);
}

static void what_is_not_seen_is_left_out(void **state)
{
    (void)state;
    /* The plot shows |x|, |y| < 10.4: the images at x = -9 and 1, of those at 11 only the rim, and
     * no other in y. */
    oct_bodies out = images(20 * acos(-1.0), 0, 20.8, 3, NULL);
    assert_int_equal(out.n, 3);
    for (size_t i = 0; i < out.n; i++)
        assert_true(out.position[3 * i] == -9 + 10 * (double)i && out.position[3 * i + 1] == 2);
    oct_bodies_clear(&out);
}

static void what_casts_a_shadow_into_the_plot_stays(void **state)
{
    (void)state;
    /* The same plot. Shadows fall 12 to the left: that of the image at 21 ends at 9, that of the
     * one at 31 outside; or 35 downwards: that of the one at y = 22 passes through the plot, that
     * of the one at 42 ends in it. */
    oct_bodies out = images(20 * acos(-1.0), 0, 20.8, 3, (const double[3]){-12, 0, -1});
    assert_int_equal(out.n, 4);
    for (size_t i = 0; i < out.n; i++)
        assert_true(out.position[3 * i] == -9 + 10 * (double)i && out.position[3 * i + 1] == 2);
    oct_bodies_clear(&out);
    out = images(20 * acos(-1.0), 0, 20.8, 3, (const double[3]){0, -35, -1});
    assert_int_equal(out.n, 9);
    for (size_t i = 0; i < out.n; i++)
        assert_true(out.position[3 * i + 1] == 2 + 20 * (double)(i / 3));
    oct_bodies_clear(&out);
}

static void bodies_can_be_moved_into_the_box(void **state)
{
    (void)state;
    /* Around (5, 10, 15) the box reaches from the origin to its size. Two boxes outward, after 18
     * with Omega = 0.1 (see above), y comes back by 2 * 27 = 54, which is 14 and two boxes. */
    const double home[3] = {5, 10, 15};
    const oct_ghosts which = {.home = home};
    oct_file_info info = {.size = sizeof info, .box = {box[0], box[1], box[2]}, .periodic = true};
    oct_view view;
    oct_bodies bodies = {0}, out;
    assert_int_equal(oct_bodies_resize(&bodies, 1), OCT_STATUS_OK);
    assert_int_equal(oct_view_init(&view, 'z'), OCT_STATUS_OK);
    view.width = view.height = 100;
    view.extent = 1e4;
    for (int sheared = 0; sheared < 2; sheared++) {
        info.orbit = sheared ? 20 * acos(-1.0) : 0;
        info.time = 18;
        bodies.position[0] = 21;
        bodies.position[1] = 62;
        bodies.position[2] = -4;
        assert_int_equal(oct_ghosts_make(&out, &view, &bodies, &info, &which), OCT_STATUS_OK);
        assert_int_equal(out.n, 1);
        assert_true(fabs(out.position[0] - 1) < 1e-12);
        assert_true(fabs(out.position[1] - (sheared ? 16 : 2)) < 1e-12);
        assert_true(fabs(out.position[2] - (sheared ? -4 : 26)) < 1e-12);
        oct_bodies_clear(&out);
    }
    oct_bodies_clear(&bodies);
}

static void tiles_end_at_their_faces(void **state)
{
    (void)state;
    oct_view view;
    oct_file_info info = {.size = sizeof info, .box = {box[0], box[1], box[2]}, .periodic = true};
    oct_tiles tiles = {.info = &info};
    assert_int_equal(oct_view_init(&view, 'z'), OCT_STATUS_OK);
    assert_true(oct_tiles_hold(&tiles, &view, (const double[3]){4.9, -9.9, 99}));
    assert_false(oct_tiles_hold(&tiles, &view, (const double[3]){5.1, 0, 0}));
    assert_false(oct_tiles_hold(&tiles, &view, (const double[3]){0, 10.1, 0}));
    tiles.rings = 1;
    assert_true(oct_tiles_hold(&tiles, &view, (const double[3]){14.9, 29.9, 0}));
    assert_false(oct_tiles_hold(&tiles, &view, (const double[3]){15.1, 0, 0}));
    /* The column outward is 7 lower (see above), the one inward 7 higher. */
    info.orbit = 20 * acos(-1.0);
    info.time = 18;
    assert_true(oct_tiles_hold(&tiles, &view, (const double[3]){10, 22.9, 0}));
    assert_false(oct_tiles_hold(&tiles, &view, (const double[3]){10, 23.1, 0}));
    assert_true(oct_tiles_hold(&tiles, &view, (const double[3]){-10, 36.9, 0}));
    assert_false(oct_tiles_hold(&tiles, &view, (const double[3]){-10, 37.1, 0}));
    /* A patch of a disk has no images above and below, and does not end there. */
    assert_int_equal(oct_view_init(&view, 'y'), OCT_STATUS_OK);
    assert_true(oct_tiles_hold(&tiles, &view, (const double[3]){0, 0, 1000}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_repeats_all_around),
        cmocka_unit_test(boxes_of_a_disk_slide_past),
        cmocka_unit_test(what_is_not_seen_is_left_out),
        cmocka_unit_test(what_casts_a_shadow_into_the_plot_stays),
        cmocka_unit_test(bodies_can_be_moved_into_the_box),
        cmocka_unit_test(tiles_end_at_their_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
