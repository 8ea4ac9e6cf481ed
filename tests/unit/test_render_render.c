/* Whole pictures: bodies at their pixels, sizes, the same bytes again. */
#include "pictures.h"

#include <math.h>

#include "render/density.h"
#include "render/plot_frame.h"

/* Middle of the brightest pixels inside the plot, away from legend and scale bar. */
static void brightest(double out[2], const picture *p, const oct_view *view)
{
    int most = 0, count = 0;
    double x = 0, y = 0;
    int bottom = (int)(view->top + 0.85 * view->height),
        top = (int)(view->top + 0.15 * view->height);
    for (int pass = 0; pass < 2; pass++)
        for (int j = top; j < bottom; j++)
            for (int i = (int)view->left; i < (int)(view->left + view->width); i++) {
                const unsigned char *c = &p->rgb[3 * (j * p->width + i)];
                int bright = c[0] + c[1] + c[2];
                if (pass == 0)
                    most = bright > most ? bright : most;
                else if (bright >= most - 3) {
                    x += i + 0.5;
                    y += j + 0.5;
                    count++;
                }
            }
    assert_true(most > 300);
    out[0] = x / count;
    out[1] = y / count;
}

/* The plot of a picture with these options, all of them set. */
static oct_view plot_of(const oct_render_options *options, bool bar)
{
    oct_plot_frame frame = {.units = si, .rise = options->extent_up, .asked = options->font};
    assert_int_equal(oct_view_init(&frame.view, options->axis), OCT_STATUS_OK);
    memcpy(frame.view.centre, options->centre, sizeof frame.view.centre);
    frame.view.extent = options->extent_up > 0 ? options->extent : 0;
    oct_plot_frame_layout(&frame, options->width, options->height, bar);
    frame.view.extent = options->extent;
    oct_plot_frame_layout(&frame, options->width, options->height, bar);
    return frame.view;
}

static void a_body_is_at_its_pixel_along_each_axis(void **state)
{
    (void)state;
    oct_bodies bodies = one_body(1.5, -1, 2);
    oct_file_info info = si_info();
    const double expected[3][2] = {{-1, 2}, {1.5, 2}, {1.5, -1}};
    for (int mode = 0; mode < 2; mode++)
        for (int axis = 0; axis < 3; axis++) {
            oct_render_options options = {.size = sizeof options,
                                          .width = 700,
                                          .height = 600,
                                          .axis = (char)('x' + axis),
                                          .mode = mode ? "particles" : "density",
                                          .extent = 8,
                                          .centred = true};
            picture p = render(&bodies, &info, &options);
            oct_view plot = plot_of(&options, !mode), *view = &plot;
            double seen[2], scale = view->width / 8;
            brightest(seen, &p, view);
            /* Measured: at most 0.5 pixels. */
            assert_true(fabs(seen[0] - view->left - view->width / 2 - scale * expected[axis][0]) <
                        1);
            assert_true(fabs(seen[1] - view->top - view->height / 2 + scale * expected[axis][1]) <
                        1);
            free(p.rgb);
        }
    oct_bodies_clear(&bodies);
}

static void pictures_have_the_size_asked_for(void **state)
{
    (void)state;
    oct_bodies bodies = one_body(0, 0, 0);
    const int sizes[][4] = {{0, 0, 1200, 1000}, {240, 200, 240, 200}, {333, 777, 333, 777}};
    for (size_t i = 0; i < 3; i++) {
        oct_render_options options = {
            .size = sizeof options, .width = sizes[i][0], .height = sizes[i][1]};
        picture p = render(&bodies, NULL, &options);
        assert_int_equal(p.width, sizes[i][2]);
        assert_int_equal(p.height, sizes[i][3]);
        free(p.rgb);
    }
    oct_bodies_clear(&bodies);
}

static void the_same_bodies_give_the_same_bytes(void **state)
{
    (void)state;
    oct_bodies bodies = {0};
    oct_file_info info = si_info();
    sample_bodies(&bodies, 500, "145");
    char path[2][128], *bytes[2];
    scratch_path(path[0], "one.png");
    scratch_path(path[1], "two.png");
    const char *const modes[] = {"density", "particles"};
    for (int mode = 0; mode < 2; mode++) {
        oct_render_options options = {
            .size = sizeof options, .width = 400, .height = 300, .mode = modes[mode]};
        size_t length[2];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(oct_render(&bodies, &info, &options, path[i]), OCT_STATUS_OK);
            length[i] = slurp(&bytes[i], path[i]);
        }
        assert_int_equal(length[0], length[1]);
        assert_memory_equal(bytes[0], bytes[1], length[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
    oct_bodies_clear(&bodies);
}

static void nearer_bodies_hide_farther_ones(void **state)
{
    (void)state;
    /* A star in front of a body, by +z, +x and -y in turn, whatever their order. */
    const char axes[] = "xyz";
    const double front[3][3] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}};
    oct_file_info info = si_info();
    for (int axis = 0; axis < 3; axis++)
        for (size_t star = 0; star < 2; star++) {
            oct_bodies bodies = {0};
            assert_int_equal(oct_bodies_resize(&bodies, 2), OCT_STATUS_OK);
            for (size_t k = 0; k < 3; k++)
                bodies.position[3 * star + k] = front[axis][k];
            for (size_t i = 0; i < 2; i++) {
                bodies.radius[i] = 1;
                bodies.type[i] = i == star ? OCT_TYPE_STAR : OCT_TYPE_BODY;
            }
            oct_render_options options = {.size = sizeof options,
                                          .width = 400,
                                          .height = 400,
                                          .mode = "particles",
                                          .axis = axes[axis],
                                          .extent = 6,
                                          .centred = true};
            picture p = render(&bodies, &info, &options);
            const unsigned char *c = &p.rgb[3 * (200 * p.width + 210)];
            assert_true(c[0] > c[2] + 50); /* stars are golden, bodies are blue */
            free(p.rgb);
            oct_bodies_clear(&bodies);
        }
}

static void a_patch_fills_the_plot(void **state)
{
    (void)state;
    oct_bodies bodies = {0};
    oct_file_info info = si_info();
    sample_bodies(&bodies, 300, "1");
    info.periodic = true;
    for (size_t k = 0; k < 3; k++)
        info.box[k] = 4;
    for (size_t i = 0; i < 900; i++)
        bodies.position[i] *= 3.5;
    oct_render_options options = {.size = sizeof options, .width = 700, .height = 600};
    assert_int_equal(oct_render_fit(&options, &bodies, &info), OCT_STATUS_OK);
    oct_view plot = plot_of(&options, true);
    double side = 4 / oct_view_pixel(&plot);
    /* To a pixel: the widths of labels are known only when the extent is. */
    assert_true(fabs(fmin(plot.width, plot.height) - side) < 4);
    assert_true(options.centre[0] == 0 && options.centre[1] == 0 && options.centre[2] == 0);
    /* What the user asks for comes first, and a box that does not repeat itself says nothing. */
    oct_render_options own = {
        .size = sizeof own, .extent = 1, .centre = {1, 2, 3}, .centred = true};
    assert_int_equal(oct_render_fit(&own, &bodies, &info), OCT_STATUS_OK);
    assert_true(own.extent == 1 && own.centre[2] == 3);
    info.periodic = false;
    own = (oct_render_options){.size = sizeof(oct_render_options), .width = 700, .height = 600};
    assert_int_equal(oct_render_fit(&own, &bodies, &info), OCT_STATUS_OK);
    assert_true(own.extent != options.extent && own.centre[0] != 0);
    oct_bodies_clear(&bodies);
}

static void odd_sets_of_bodies_are_drawn(void **state)
{
    (void)state;
    oct_file_info info = si_info();
    const char *const modes[] = {"density", "particles", "density"};
    for (int mode = 0; mode < 3; mode++)
        for (size_t n = 0; n <= 3; n++) {
            oct_bodies bodies = {0};
            assert_int_equal(oct_bodies_resize(&bodies, n), OCT_STATUS_OK);
            oct_render_options options = {.size = sizeof options,
                                          .width = 300,
                                          .height = 300,
                                          .mode = modes[mode],
                                          .map = "ice"};
            info.periodic = mode == 2;
            info.box[0] = info.box[1] = info.box[2] = 8;
            free(render(&bodies, &info, &options).rgb); /* all in one point, without mass */
            if (n > 0) {
                bodies.position[0] = NAN;
                bodies.velocity[1] = INFINITY;
                bodies.radius[0] = NAN;
                bodies.mass[0] = NAN;
                free(render(&bodies, &info, &options).rgb);
            }
            if (n > 1) {
                bodies.position[3] = 1e200;
                bodies.mass[1] = 1e-300;
                free(render(&bodies, &info, &options).rgb);
            }
            oct_bodies_clear(&bodies);
        }
}

static void bodies_without_a_place_are_told_of(void **state)
{
    (void)state;
    oct_file_info info = si_info();
    oct_bodies bodies = {0};
    sample_bodies(&bodies, 20, "1");
    oct_render_options options = {.size = sizeof options, .extent = 3, .centred = true};
    picture before = render(&bodies, &info, &options);
    bodies.position[0] = INFINITY;
    picture after = render(&bodies, &info, &options);
    int changed = 0; /* in the line below the title, right of what is always there */
    for (int y = 40; y < 66; y++)
        for (int x = 300; x < 900; x++)
            changed += before.rgb[3 * (y * 1200 + x)] != after.rgb[3 * (y * 1200 + x)];
    assert_true(changed > 100);
    free(before.rgb);
    free(after.rgb);
    oct_bodies_clear(&bodies);
}

static void fitting_makes_every_choice(void **state)
{
    (void)state;
    oct_file_info info = si_info();
    oct_bodies bodies = {0};
    sample_bodies(&bodies, 300, "1");
    oct_render_options options = {.size = sizeof options};
    assert_int_equal(oct_render_fit(&options, &bodies, &info), OCT_STATUS_OK);
    assert_true(options.extent > 0.9 && options.extent < 5 && options.centred);
    assert_true(options.range[0] > 0 && options.range[1] > options.range[0]);
    assert_string_equal(options.mode, "density");
    assert_string_equal(options.map, oct_render_map(0));
    oct_view plot = plot_of(&options, true);
    oct_density density;
    assert_int_equal(oct_density_init(&density, &plot, &bodies, NULL), OCT_STATUS_OK);
    assert_true(options.range[0] == density.lowest && options.range[1] == density.highest);
    oct_density_clear(&density);
    /* What was fitted, drawn, is what would have been drawn without it. */
    picture fitted = render(&bodies, &info, &options);
    picture open =
        render(&bodies, &info, &(oct_render_options){.size = sizeof(oct_render_options)});
    assert_memory_equal(fitted.rgb, open.rgb, 1200 * 1000 * 3);
    free(fitted.rgb);
    free(open.rgb);
    oct_bodies_clear(&bodies);
}

/* Whether any pixel of a rectangle is not the ground of a plot, 0x05070b. */
static bool is_drawn(const picture *p, int left, int top, int right, int bottom)
{
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++)
            if (memcmp(&p->rgb[3 * (y * p->width + x)], "\x05\x07\x0b", 3) != 0)
                return true;
    return false;
}

static void a_bare_picture_is_the_sphere_alone(void **state)
{
    (void)state;
    /* By hand: the eye is 10 / 2 / tan(30 degrees) = 5 sqrt(3) from the origin at 60 degrees up;
     * a body 2 above the origin is sqrt(3) nearer and 1 up, a unit is 40 pixels at the origin. */
    oct_bodies bodies = one_body(0, 0, 2);
    oct_file_info info = si_info();
    bodies.radius[0] = 0.25;
    oct_render_options options = {
        .size = sizeof options, .width = 400, .height = 300, .mode = "spheres", .extent = 10};
    options.centred = options.aimed = options.bare = true;
    options.elevation = 60;
    options.fov = 60;
    picture p = render(&bodies, &info, &options);
    double near = 5 / 4.0, up = 1 * 40 * near, radius = 0.25 * 40 * near;
    int y = (int)(150 - up), r = (int)ceil(radius) + 2;
    assert_true(is_drawn(&p, 199, y - 1, 201, y + 1));
    assert_true(is_drawn(&p, 200 - r + 4, y, 201, y + 1));
    assert_false(is_drawn(&p, 0, 0, 400, y - r) || is_drawn(&p, 0, y + r, 400, 300) ||
                 is_drawn(&p, 0, 0, 200 - r, 300) || is_drawn(&p, 200 + r, 0, 400, 300));
    free(p.rgb);
    /* Text, the light and all the rest are added where they are asked for. */
    options.text = "a line";
    p = render(&bodies, &info, &options);
    assert_true(is_drawn(&p, 250, 250, 400, 300) && !is_drawn(&p, 0, 250, 250, 300));
    free(p.rgb);
    options.text = NULL;
    options.bare = false;
    p = render(&bodies, &info, &options);
    assert_true(is_drawn(&p, 0, 0, 200, 60) && is_drawn(&p, 0, 250, 200, 300));
    free(p.rgb);
    oct_bodies_clear(&bodies);
}

static void light_comes_from_where_it_is_set(void **state)
{
    (void)state;
    oct_bodies bodies = one_body(0, 0, 0);
    oct_file_info info = si_info();
    bodies.radius[0] = 3;
    /* Light from +x: along y it comes from the right, from the other side from the left. */
    for (int side = 0; side < 2; side++) {
        oct_render_options options = {
            .size = sizeof options, .width = 300, .height = 300, .mode = "spheres", .extent = 10};
        options.centred = options.aimed = options.bare = options.lit = true;
        options.azimuth = side * 180;
        options.light[0] = 90;
        picture p = render(&bodies, &info, &options);
        const unsigned char *left = &p.rgb[3 * (150 * 300 + 90)];
        const unsigned char *right = &p.rgb[3 * (150 * 300 + 210)];
        assert_true(side == 0 ? right[1] > left[1] + 60 : left[1] > right[1] + 60);
        free(p.rgb);
    }
    oct_bodies_clear(&bodies);
}

static void ghosts_surround_a_box(void **state)
{
    (void)state;
    oct_bodies bodies = one_body(0, 0, 0);
    oct_file_info info = si_info();
    info.periodic = true;
    for (int k = 0; k < 3; k++)
        info.box[k] = 10;
    bodies.radius[0] = 1;
    for (unsigned rings = 0; rings < 2; rings++) {
        oct_render_options options = {
            .size = sizeof options, .width = 300, .height = 300, .mode = "spheres", .extent = 30};
        options.centred = options.bare = true;
        options.ghosts = rings;
        picture p = render(&bodies, &info, &options);
        for (int i = 0; i < 9; i++) {
            int x = 50 + 100 * (i % 3), y = 50 + 100 * (i / 3);
            assert_true(is_drawn(&p, x - 5, y - 5, x + 5, y + 5) == (i == 4 || rings == 1));
        }
        free(p.rgb);
    }
    oct_bodies_clear(&bodies);
}

static void bad_options_are_refused_and_leave_nothing(void **state)
{
    (void)state;
    oct_bodies bodies = one_body(0, 0, 0);
    oct_file_info info = si_info();
    static struct {
        oct_render_options options;
        const char *word, *other;
    } cases[] = {{{.width = 10, .height = 300}, "pixels", "10"},
                 {{.width = 9000, .height = 300}, "pixels", "9000"},
                 {{.width = -5, .height = 300}, "pixels", "-5"},
                 {{.axis = 'q'}, "axis", "x, y or z"},
                 {{.mode = "movie"}, "density, components, particles or spheres", "movie"},
                 {{.aimed = true, .elevation = 95}, "elevation", "95"},
                 {{.aimed = true, .azimuth = NAN}, "azimuth", "finite"},
                 {{.fov = 170}, "field of view", "170"},
                 {{.lit = true, .light = {0, 100}}, "light", "90"},
                 {{.ghosts = 21}, "rings", "21"},
                 {{.map = "duskk"}, "duskk", "`dusk`"},
                 {{.extent = -1}, "extent", "positive"},
                 {{.extent = INFINITY}, "extent", "positive"},
                 {{.centre = {0, NAN, 0}, .centred = true}, "centre", "finite"},
                 {{.range = {2, 1}}, "range", "greater"},
                 {{.range = {0, 1}}, "range", "greater"},
                 {{.theme = "pink"}, "dark or light", "pink"},
                 {{.font = 5}, "6 to 200", "5"},
                 {{.font = NAN}, "6 to 200", "nan"},
                 {{.font = 60, .width = 300, .height = 300}, "no room", "300 x 300"},
                 {{.extent_up = 5}, "height", "width"},
                 {{.extent = 1, .extent_up = -5}, "extent", "positive"},
                 {{.extent = 101, .extent_up = 1}, "at most 100 times", "plot"},
                 {{.follows = true, .follow = 12}, "id 12", "follow"}};
    char path[128];
    size_t before = scratch_count();
    scratch_path(path, "refused.png");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cases[i].options.size = sizeof cases[i].options;
        assert_refused(oct_render(&bodies, &info, &cases[i].options, path), cases[i].word,
                       cases[i].other);
    }
    assert_int_equal(scratch_count(), before);
    assert_true(oct_render(&bodies, &info,
                           &(oct_render_options){.size = sizeof(oct_render_options)},
                           "no/such/folder/a.png") != OCT_STATUS_OK);
    assert_non_null(strstr(oct_last_error(), "no/such/folder"));
    oct_bodies_clear(&bodies);
}

static void a_light_picture_is_dark_on_white(void **state)
{
    (void)state;
    oct_bodies bodies = {0};
    oct_file_info info = si_info();
    sample_bodies(&bodies, 400, "145");
    const char *const modes[] = {"density", "particles", "spheres"};
    for (int mode = 0; mode < 3; mode++) {
        oct_render_options options = {.size = sizeof options,
                                      .width = 400,
                                      .height = 400,
                                      .mode = modes[mode],
                                      .theme = "light",
                                      .extent = 5};
        picture p = render(&bodies, &info, &options);
        const unsigned char *corner = p.rgb, *empty = &p.rgb[3 * (100 * p.width + 100)];
        int dark = 0; /* of the title */
        for (int i = 0; i < 3 * 40 * p.width; i++)
            dark += p.rgb[i] < 100;
        assert_true(corner[0] == 255 && corner[1] == 255 && corner[2] == 255);
        assert_true(empty[0] == 255 && empty[1] == 255 && empty[2] == 255);
        assert_true(dark > 50);
        free(p.rgb);
    }
    /* A light map runs from white to dark, and it is the densest place that is dark. */
    oct_render_options bare = {
        .size = sizeof bare, .width = 300, .height = 300, .theme = "light", .bare = true};
    picture p = render(&bodies, &info, &bare);
    int least = 765;
    for (int i = 0; i < 300 * 300; i++) {
        int sum = p.rgb[3 * i] + p.rgb[3 * i + 1] + p.rgb[3 * i + 2];
        least = sum < least ? sum : least;
    }
    assert_true(least < 30 && p.rgb[0] == 255);
    free(p.rgb);
    oct_bodies_clear(&bodies);
}

static void labels_have_the_size_asked_for(void **state)
{
    (void)state;
    oct_bodies bodies = one_body(0, 0, 0);
    oct_file_info info = si_info();
    int height[2];
    for (int large = 0; large < 2; large++) {
        oct_render_options options = {.size = sizeof options,
                                      .width = 600,
                                      .height = 500,
                                      .extent = 8,
                                      .centred = true,
                                      .font = large ? 30 : 15};
        options.title = "H";
        picture p = render(&bodies, &info, &options);
        int top = -1, bottom = 0;
        for (int y = 0; y < 2 * (large ? 30 : 15); y++)
            for (int x = 0; x < 200; x++)
                if (p.rgb[3 * (y * p.width + x)] > 120) {
                    top = top < 0 ? y : top;
                    bottom = y;
                }
        height[large] = bottom - top + 1;
        free(p.rgb);
    }
    /* A capital of a title is 1.25 * 0.72 of the size high, 14 and 27 pixels, and a stroke more. */
    assert_true(height[0] >= 13 && height[0] <= 17 && height[1] >= 26 && height[1] <= 32);
    oct_bodies_clear(&bodies);
}

static void the_ending_chooses_the_format(void **state)
{
    (void)state;
    oct_bodies bodies = one_body(0, 0, 0);
    oct_file_info info = si_info();
    static const char *const cases[][2] = {
        {"a.png", "\x89PNG"}, {"a.svg", "<?xml"}, {"a.pdf", "%PDF-1.4"}, {"a.other", "\x89PNG"}};
    for (size_t i = 0; i < 4; i++) {
        char path[128], *bytes, *again;
        scratch_path(path, cases[i][0]);
        oct_render_options options = {.size = sizeof options, .width = 300, .height = 300};
        assert_int_equal(oct_render(&bodies, &info, &options, path), OCT_STATUS_OK);
        size_t length = slurp(&bytes, path);
        assert_memory_equal(bytes, cases[i][1], strlen(cases[i][1]));
        assert_int_equal(oct_render(&bodies, &info, &options, path), OCT_STATUS_OK);
        assert_int_equal(slurp(&again, path), length);
        assert_memory_equal(bytes, again, length);
        free(bytes);
        free(again);
    }
    oct_bodies_clear(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_is_at_its_pixel_along_each_axis),
        cmocka_unit_test(pictures_have_the_size_asked_for),
        cmocka_unit_test(the_same_bodies_give_the_same_bytes),
        cmocka_unit_test(nearer_bodies_hide_farther_ones),
        cmocka_unit_test(a_patch_fills_the_plot),
        cmocka_unit_test(odd_sets_of_bodies_are_drawn),
        cmocka_unit_test(bodies_without_a_place_are_told_of),
        cmocka_unit_test(fitting_makes_every_choice),
        cmocka_unit_test(a_bare_picture_is_the_sphere_alone),
        cmocka_unit_test(light_comes_from_where_it_is_set),
        cmocka_unit_test(ghosts_surround_a_box),
        cmocka_unit_test(a_light_picture_is_dark_on_white),
        cmocka_unit_test(labels_have_the_size_asked_for),
        cmocka_unit_test(the_ending_chooses_the_format),
        cmocka_unit_test(bad_options_are_refused_and_leave_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
