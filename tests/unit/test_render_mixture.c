/* Components in a picture: each has its colour where its mass is, and no mass is lost. */
#include "render/mixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/random.h"

enum { N = 3000 };

/* A plot of 400 x 300 pixels that shows 20 x 15. */
static oct_view small_view(void)
{
    oct_view view;
    assert_int_equal(oct_view_init(&view, 'z'), OCT_STATUS_OK);
    view.extent = 20;
    view.width = 400;
    view.height = 300;
    return view;
}

/* Three clouds of one type each: a disk at -5, a bulge at 5, and a halo of all mass between them.
 */
static oct_bodies clouds(void)
{
    static const uint8_t types[] = {OCT_TYPE_DISK, OCT_TYPE_BULGE, OCT_TYPE_BODY};
    static const double places[] = {-5, 5, 0};
    oct_bodies bodies = {0};
    assert_int_equal(oct_bodies_resize(&bodies, N), OCT_STATUS_OK);
    for (size_t i = 0; i < N; i++) {
        oct_random random = oct_random_start(5, 0, i);
        for (size_t k = 0; k < 3; k++)
            bodies.position[3 * i + k] = 0.4 * oct_random_normal(&random);
        bodies.position[3 * i] += places[i % 3];
        bodies.type[i] = types[i % 3];
        bodies.mass[i] = i % 3 == 2 ? 100 : 1;
        bodies.id[i] = i + 1;
    }
    return bodies;
}

/* The pixel of a place on the x axis. */
static size_t pixel_at(double x)
{
    return (size_t)150 * 400 + (size_t)(200 + 20 * x);
}

static oct_rgb colour_at(const oct_mixture *mixture, double x)
{
    const double range[2] = {mixture->all.lowest, mixture->all.highest};
    return oct_mixture_at(mixture, pixel_at(x), range);
}

static bool same(oct_rgb a, oct_rgb b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

static double mass_of(const oct_density *density, const oct_view *view)
{
    double sum = 0, pixel = oct_view_pixel(view);
    for (int i = 0; i < density->width * density->height; i++)
        sum += density->value[i];
    return sum * pixel * pixel;
}

static void types_have_their_colours(void **state)
{
    (void)state;
    oct_view view = small_view();
    oct_bodies bodies = clouds(), shown;
    oct_mixture mixture;
    assert_int_equal(oct_mixture_init(&mixture, &view, &bodies, NULL, NULL, OCT_THEME_DARK),
                     OCT_STATUS_OK);
    assert_int_equal(mixture.n, 2);
    assert_string_equal(mixture.entries[0].name, "disk");
    assert_string_equal(mixture.entries[1].name, "bulge");
    assert_int_equal(mixture.entries[1].count, N / 3);
    assert_true(fabs(mass_of(&mixture.parts[0], &view) / (N / 3) - 1) < 1e-9);
    assert_true(fabs(mass_of(&mixture.all, &view) / (2 * N / 3) - 1) < 1e-9);
    oct_rgb disk = colour_at(&mixture, -5.6), bulge = colour_at(&mixture, 5.6);
    assert_true(disk.b > 2 * disk.r && bulge.r > 2 * bulge.b); /* blue, orange */
    /* Nothing is seen of the halo between them, though it has most of the mass. */
    assert_true(same(colour_at(&mixture, 0), mixture.ground));
    oct_mixture_clear(&mixture);
    assert_int_equal(oct_mixture_shown(&shown, &bodies), OCT_STATUS_OK);
    assert_int_equal(shown.n, 2 * N / 3);
    oct_bodies_clear(&shown);
    /* A halo alone is shown. */
    memset(bodies.type, OCT_TYPE_BODY, N);
    assert_int_equal(oct_mixture_init(&mixture, &view, &bodies, NULL, NULL, OCT_THEME_LIGHT),
                     OCT_STATUS_OK);
    assert_int_equal(mixture.n, 1);
    assert_string_equal(mixture.entries[0].name, "halo");
    assert_false(same(colour_at(&mixture, 0), mixture.ground));
    oct_mixture_clear(&mixture);
    oct_bodies_clear(&bodies);
}

static void names_come_before_types(void **state)
{
    (void)state;
    oct_view view = small_view();
    oct_bodies bodies = clouds();
    oct_mixture mixture;
    assert_int_equal(oct_bodies_add_column(&bodies, "component", "", 1, true, NULL), OCT_STATUS_OK);
    oct_user_column *column = oct_bodies_column(&bodies, "component");
    for (size_t i = 0; i < N; i++)
        column->data[i] = i % 6 < 3 ? 2 : 1 + 100 * (double)(i % 6 == 4);
    assert_int_equal(oct_mixture_init(&mixture, &view, &bodies, NULL, NULL, OCT_THEME_DARK),
                     OCT_STATUS_OK);
    assert_int_equal(mixture.n, 3);
    assert_string_equal(mixture.entries[0].name, "component 1");
    assert_string_equal(mixture.entries[1].name, "component 2");
    assert_string_equal(mixture.entries[2].name, "others");
    assert_int_equal(mixture.entries[1].count, N / 3);
    oct_mixture_clear(&mixture);
    /* Those that files have names for have theirs; here, of the first alone. */
    static const char *const given[] = {"primary second_of_two", "primary ", "primary"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(oct_mixture_init(&mixture, &view, &bodies, NULL, given[i], OCT_THEME_DARK),
                         OCT_STATUS_OK);
        assert_string_equal(mixture.entries[0].name, "primary");
        assert_string_equal(mixture.entries[1].name, i == 0 ? "second_of_two" : "component 2");
        assert_string_equal(mixture.entries[2].name, "others");
        oct_mixture_clear(&mixture);
    }
    for (size_t i = 0; i < N; i++)
        column->data[i] = 1; /* one name says nothing */
    assert_int_equal(oct_mixture_init(&mixture, &view, &bodies, NULL, NULL, OCT_THEME_DARK),
                     OCT_STATUS_OK);
    assert_string_equal(mixture.entries[0].name, "disk");
    oct_mixture_clear(&mixture);
    oct_bodies_clear(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_have_their_colours),
        cmocka_unit_test(names_come_before_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
