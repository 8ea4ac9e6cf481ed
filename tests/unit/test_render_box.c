/* Whole pictures of boxes that repeat themselves: their faces and their shape. */
#include "pictures.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* A box with one of its corners at the origin, or around it, full of bodies in clumps. */
static oct_bodies clumps(const double box[3], size_t n)
{
    oct_bodies bodies = {0};
    sample_bodies(&bodies, n, "1");
    for (size_t i = 0; i < n; i++) {
        double *p = &bodies.position[3 * i];
        bodies.mass[i] = 1;
        /* Two thirds of them are drawn towards a few places; all stay within the box. */
        for (size_t k = 0; k < 3; k++) {
            double place = i % 3 == 0 ? p[k] : 0.5 * sin(7 * (double)(i % 20) + 2.1 * (double)k);
            p[k] = box[k] * remainder(place + 0.1 * p[k], 1);
        }
    }
    return bodies;
}

static oct_file_info box_info(const double box[3], double orbit, double time)
{
    oct_file_info info = si_info();
    memcpy(info.box, box, sizeof info.box);
    info.periodic = true;
    info.orbit = orbit;
    info.time = time;
    return info;
}

/* Mean difference of the left column from the right one, moved up by `shift` pixels. */
static double seam(const picture *p, int shift)
{
    double sum = 0;
    for (int y = 0; y < p->height; y++) {
        int other = (y + shift % p->height + p->height) % p->height;
        sum += abs(p->rgb[3 * (y * p->width + p->width - 1)] - p->rgb[3 * other * p->width]);
    }
    return sum / p->height;
}

static void density_reaches_through_the_faces(void **state)
{
    (void)state;
    const double box[3] = {40, 40, 40};
    oct_bodies bodies = clumps(box, 3000);
    oct_render_options options = {
        .size = sizeof options, .width = 300, .height = 300, .bare = true, .map = "grey"};
    oct_file_info info = box_info(box, 0, 5);
    picture p = render(&bodies, &info, &options);
    double across = 0, along = 0;
    for (int i = 0; i < 300; i++) {
        across += abs(p.rgb[3 * (300 * i)] - p.rgb[3 * (300 * i + 299)]);
        along += abs(p.rgb[3 * i] - p.rgb[3 * (300 * 299 + i)]);
    }
    /* Of 255; measured: 2.2 and 2.7, and 22 and 24 without the images. */
    assert_true(across / 300 < 5 && along / 300 < 5);
    free(p.rgb);
    oct_bodies_clear(&bodies);
}

static void a_patch_of_a_disk_is_joined_where_the_shear_has_put_it(void **state)
{
    (void)state;
    /* The box outward lags behind by 1.5 * 2 pi / 100 * 40 * t: 13.2 or 99 pixels of 300. */
    const double box[3] = {40, 40, 10};
    oct_bodies bodies = clumps(box, 3000);
    oct_render_options options = {
        .size = sizeof options, .width = 300, .height = 300, .bare = true, .map = "grey"};
    const double pixels[2] = {13.2, 99};
    for (int i = 0; i < 2; i++) {
        double time = pixels[i] * (40 / 300.0) / (1.5 * 2 * pi / 100 * 40);
        oct_file_info info = box_info(box, 100, time);
        picture p = render(&bodies, &info, &options);
        /* The image outward is lower by that much: what is at a height y at the right face goes on
         * at the left one that much higher, which is a smaller row. */
        int best = 0;
        for (int shift = -150; shift < 150; shift++)
            if (seam(&p, shift) < seam(&p, best))
                best = shift;
        /* Measured: 2.6 and 2.0 of 255 there, 41 and 44 on average over all shifts. */
        if (!(fabs(-best - pixels[i]) < 1.5 && seam(&p, best) < 5))
            fail_msg("joined after %d pixels, not %g, to %g", -best, pixels[i], seam(&p, best));
        free(p.rgb);
    }
    oct_bodies_clear(&bodies);
}

static void a_sphere_in_a_face_is_seen_on_both_sides(void **state)
{
    (void)state;
    /* 10 pixels to a unit: a sphere of 2 around x = 19.5 reaches 15 pixels into the other side; y
     * is 12 there at once, and after a quarter of a box of shear 10 less. */
    const double box[3] = {40, 40, 40};
    oct_bodies bodies = one_body(19.5, 12, 0);
    bodies.radius[0] = 2;
    for (int sheared = 0; sheared < 2; sheared++) {
        oct_file_info info = box_info(box, sheared ? 100 : 0, 10 / (1.5 * 2 * pi / 100 * 40));
        for (int wide = 0; wide < 2; wide++) {
            oct_render_options options = {
                .size = sizeof options, .width = 400, .height = 400, .mode = "spheres"};
            options.bare = true;
            options.extent = wide ? 44 : 0;
            picture p = render(&bodies, &info, &options);
            int row = sheared ? 400 - 20 : 80; /* y = 22 is -18 of the next box */
            assert_true(wide || p.rgb[3 * (400 * 80 + 397)] > 60);
            assert_true((p.rgb[3 * (400 * row + 3)] > 60) == !wide);
            assert_true(p.rgb[3 * (400 * 200 + 3)] < 20);
            free(p.rgb);
        }
    }
    oct_bodies_clear(&bodies);
}

static void away_from_its_faces_a_box_is_like_any_other(void **state)
{
    (void)state;
    const double box[3] = {40, 40, 40};
    oct_bodies bodies = clumps(box, 3000);
    oct_file_info info = box_info(box, 0, 0);
    oct_render_options options = {
        .size = sizeof options, .width = 300, .height = 300, .mode = "particles", .map = "ice"};
    options.extent = 15;
    options.centred = true;
    picture within = render(&bodies, &info, &options);
    info.periodic = false;
    picture open = render(&bodies, &info, &options);
    assert_memory_equal(within.rgb, open.rgb, 300 * 300 * 3);
    free(within.rgb);
    free(open.rgb);
    oct_bodies_clear(&bodies);
}

static void nothing_is_shown_outside_of_the_box(void **state)
{
    (void)state;
    const double box[3] = {40, 40, 40};
    oct_bodies bodies = clumps(box, 3000);
    oct_file_info info = box_info(box, 0, 0);
    for (unsigned rings = 0; rings < 2; rings++) {
        oct_render_options options = {
            .size = sizeof options, .width = 300, .height = 300, .bare = true, .map = "grey"};
        options.extent = 200;
        options.ghosts = rings;
        picture p = render(&bodies, &info, &options);
        /* 60 pixels a box: it reaches from 120 to 180, and its ring from 60 to 240. */
        int lit = 0, edge = rings ? 60 : 120, ground = p.rgb[0];
        for (int y = 0; y < 300; y++)
            for (int x = 0; x < 300; x++)
                if (x < edge || y < edge || x >= 300 - edge || y >= 300 - edge)
                    assert_int_equal(p.rgb[3 * (300 * y + x)], ground);
                else
                    lit += p.rgb[3 * (300 * y + x)] > ground + 20;
        assert_true(lit > (300 - 2 * edge) * (300 - 2 * edge) / 2);
        free(p.rgb);
    }
    oct_bodies_clear(&bodies);
}

static void bodies_outside_of_the_box_are_those_in_it(void **state)
{
    (void)state;
    const double box[3] = {40, 30, 20};
    oct_bodies bodies = clumps(box, 500);
    oct_file_info info = box_info(box, 0, 0);
    oct_render_options options = {
        .size = sizeof options, .width = 320, .height = 240, .bare = true};
    picture inside = render(&bodies, &info, &options);
    for (size_t i = 0; i < bodies.n; i += 3)
        bodies.position[3 * i] -= 80;
    for (size_t i = 0; i < bodies.n; i += 7)
        bodies.position[3 * i + 1] += 30;
    picture outside = render(&bodies, &info, &options);
    /* Rounding is all that differs. */
    for (int i = 0; i < 320 * 240 * 3; i++)
        assert_true(abs(inside.rgb[i] - outside.rgb[i]) <= 1);
    free(inside.rgb);
    free(outside.rgb);
    oct_bodies_clear(&bodies);
}

static void images_do_not_add_to_a_surface_density(void **state)
{
    (void)state;
    /* Seen along each axis, with images or around a body, columns are as deep as the box. */
    const double box[3] = {40, 40, 40};
    oct_bodies bodies = clumps(box, 3000);
    for (int sheared = 0; sheared < 2; sheared++)
        for (char axis = 'x'; axis <= 'z'; axis++) {
            oct_file_info info = box_info(box, sheared ? 100 : 0, 3);
            double plain = 0;
            for (int i = 0; i < 3; i++) {
                oct_render_options options = {
                    .size = sizeof options, .width = 300, .height = 300, .bare = true};
                options.axis = axis;
                options.ghosts = i == 1;
                options.follows = i == 2;
                options.follow = bodies.id[5];
                assert_int_equal(oct_render_fit(&options, &bodies, &info), OCT_STATUS_OK);
                plain = i == 0 ? options.range[1] : plain;
                /* Measured: 2 %, as pixels lie elsewhere; a column of three boxes would be 200 %.
                 */
                assert_true(fabs(options.range[1] / plain - 1) < 0.05);
            }
        }
    oct_bodies_clear(&bodies);
}

static void a_long_box_fills_its_picture(void **state)
{
    (void)state;
    const double boxes[][3] = {{100, 400, 60}, {400, 100, 60}, {30, 30, 30}, {3000, 30, 30}};
    for (size_t i = 0; i < 4; i++) {
        oct_bodies bodies = clumps(boxes[i], 800);
        oct_file_info info = box_info(boxes[i], 0, 0);
        for (int mode = 0; mode < 2; mode++) {
            oct_render_options options = {
                .size = sizeof options, .bare = true, .mode = mode ? "particles" : "density"};
            assert_int_equal(oct_render_fit(&options, &bodies, &info), OCT_STATUS_OK);
            double shape = (double)options.width / options.height;
            /* Whole and even pixels: measured 0 here. A picture has 200 rows at least. */
            assert_true(fabs(shape / (boxes[i][0] / boxes[i][1]) - 1) < 0.005 ||
                        (i == 3 && options.height == 200 && options.width == 7600));
            assert_true(options.extent == boxes[i][0] && options.extent_up == boxes[i][1]);
            assert_true(options.width % 2 == 0 && options.height % 2 == 0);
        }
        oct_bodies_clear(&bodies);
    }
}

static void the_plot_of_a_long_box_has_no_empty_bands(void **state)
{
    (void)state;
    /* 4 : 1 in a picture of another shape: the plot is as wide, and the border around it is where
     * the box ends. */
    const double box[3] = {400, 100, 60};
    oct_bodies bodies = clumps(box, 4000);
    oct_file_info info = box_info(box, 0, 0);
    oct_render_options options = {
        .size = sizeof options, .width = 900, .height = 700, .map = "grey"};
    picture p = render(&bodies, &info, &options);
    /* Along the line through the middle of the picture nothing but the map is between the border's
     * two crossings; above and below the plot is the ground of the page, 0x0c0f15. */
    int rows = 0;
    for (int y = 0; y < p.height; y++)
        rows += memcmp(&p.rgb[3 * (y * p.width + 400)], "\x0c\x0f\x15", 3) != 0;
    double font = 900 / 66.0, plot = (900 - 5.2 * font - 7.8 * font) / 4;
    /* The plot, its border, and at most the labels of an axis. */
    assert_true(rows > 0.9 * plot && rows < 1.1 * plot + 4 * font);
    free(p.rgb);
    oct_bodies_clear(&bodies);
}

static void a_body_that_is_followed_is_in_the_middle(void **state)
{
    (void)state;
    const double box[3] = {40, 40, 40};
    oct_bodies bodies = {0};
    assert_int_equal(oct_bodies_resize(&bodies, 2), OCT_STATUS_OK);
    for (size_t i = 0; i < 2; i++) {
        bodies.id[i] = 5 + i;
        bodies.radius[i] = 2;
        bodies.type[i] = i ? OCT_TYPE_STAR : OCT_TYPE_BODY;
    }
    bodies.position[3] = 18; /* near the face, and the other one is 6 beyond it */
    bodies.position[0] = -16;
    oct_file_info info = box_info(box, 0, 0);
    oct_render_options options = {
        .size = sizeof options, .width = 400, .height = 400, .mode = "spheres", .bare = true};
    options.follows = true;
    options.follow = 6;
    picture p = render(&bodies, &info, &options);
    const unsigned char *middle = &p.rgb[3 * (400 * 200 + 200)];
    const unsigned char *beyond = &p.rgb[3 * (400 * 200 + 260)];
    assert_true(middle[0] > middle[2] + 50); /* a star is golden */
    assert_true(beyond[0] > 60 && beyond[0] < middle[0] + 80);
    free(p.rgb);
    /* Once it is gone the camera stays; without a place to stay at there is no picture. */
    bodies.id[1] = 7;
    options.centre[0] = -16;
    options.centred = true;
    p = render(&bodies, &info, &options);
    middle = &p.rgb[3 * (400 * 200 + 200)];
    assert_true(middle[0] > 100);
    free(p.rgb);
    options.centred = false;
    char path[128];
    scratch_path(path, "gone.png");
    assert_refused(oct_render(&bodies, &info, &options, path), "id 6", "follow");
    oct_bodies_clear(&bodies);
}

static void two_extents_give_the_plot_its_shape(void **state)
{
    (void)state;
    oct_bodies bodies = one_body(0, 0, 0);
    oct_file_info info = si_info();
    oct_render_options options = {
        .size = sizeof options, .extent = 100, .extent_up = 50, .bare = true, .centred = true};
    assert_int_equal(oct_render_fit(&options, &bodies, &info), OCT_STATUS_OK);
    assert_true(abs(options.width - 2 * options.height) <= 2);
    /* In a picture of another shape the rest is page, 0x0c0f15, around the plot's 0x05070b. */
    options = (oct_render_options){.size = sizeof(oct_render_options),
                                   .width = 400,
                                   .height = 400,
                                   .bare = true,
                                   .centred = true};
    options.mode = "particles";
    options.extent = 100;
    options.extent_up = 50;
    picture p = render(&bodies, &info, &options);
    for (int y = 0; y < 400; y++) {
        const char *ground = y >= 100 && y < 300 ? "\x05\x07\x0b" : "\x0c\x0f\x15";
        assert_memory_equal(&p.rgb[3 * (400 * y + 20)], ground, 3);
    }
    free(p.rgb);
    oct_bodies_clear(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(density_reaches_through_the_faces),
        cmocka_unit_test(a_patch_of_a_disk_is_joined_where_the_shear_has_put_it),
        cmocka_unit_test(a_sphere_in_a_face_is_seen_on_both_sides),
        cmocka_unit_test(away_from_its_faces_a_box_is_like_any_other),
        cmocka_unit_test(nothing_is_shown_outside_of_the_box),
        cmocka_unit_test(bodies_outside_of_the_box_are_those_in_it),
        cmocka_unit_test(images_do_not_add_to_a_surface_density),
        cmocka_unit_test(a_long_box_fills_its_picture),
        cmocka_unit_test(the_plot_of_a_long_box_has_no_empty_bands),
        cmocka_unit_test(a_body_that_is_followed_is_in_the_middle),
        cmocka_unit_test(two_extents_give_the_plot_its_shape),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
