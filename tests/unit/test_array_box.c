/* Boxes against loops: any size, every precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "array/primitives.h"
#include "arrays.h"
#include "scene_sim.h"

enum { REMOVED = 255 };

static const oct_precision precisions[] = {OCT_PRECISION_SINGLE, OCT_PRECISION_MIXED,
                                           OCT_PRECISION_DOUBLE};

static int precision_count(void)
{
    return oct_device_describe(ref_device())->fp64 ? 3 : 1;
}

static void put(void *array, bool wide, size_t i, double value)
{
    if (wide)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

static double get(const void *array, bool wide, size_t i)
{
    return wide ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

/* One coordinate in (-2^30, 2^30), exact in any precision, of which every third particle is far
 * outside and removed; masses are beyond all of them. */
static void fill(void *position, unsigned char *type, bool wide, size_t n, bool all_removed)
{
    for (size_t i = 0; i < n; i++) {
        type[i] = all_removed || i % 3 == 1 ? REMOVED : (unsigned char)(i % 7);
        for (size_t k = 0; k < 3; k++) {
            int32_t place = (int32_t)(array_key(ARRAY_RANDOM, 3 * i + k, n) >> 40) - (1 << 23);
            put(position, wide, 4 * i + k, place * (type[i] == REMOVED ? 1024.0 : 128.0));
        }
        put(position, wide, 4 * i + 3, i % 2 ? 1e30 : -1e30);
    }
}

static void check_box(oct_variant variant, oct_precision precision, size_t n, bool all_removed)
{
    bool wide = precision != OCT_PRECISION_SINGLE;
    size_t real4 = wide ? 4 * sizeof(double) : 4 * sizeof(float);
    void *position = array_alloc(n, real4), *got = array_alloc(2, real4);
    unsigned char *type = array_alloc(n, 1);
    double expected[8] = {INFINITY, INFINITY, INFINITY, 0, -INFINITY, -INFINITY, -INFINITY, 0};
    oct_primitives *primitives = NULL;
    oct_buffer *box = NULL;
    fill(position, type, wide, n, all_removed);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3 && type[i] != REMOVED; k++) {
            double x = get(position, wide, 4 * i + k);
            expected[k] = fmin(expected[k], x);
            expected[4 + k] = fmax(expected[4 + k], x);
        }
    oct_buffer *positions = array_upload(position, real4, n), *types = array_upload(type, 1, n);
    ref_ok(oct_buffer_create(&box, ref_device(), "box", real4, 2));
    ref_ok(oct_primitives_create(&primitives, ref_device(), precision, variant));
    ref_ok(oct_array_box(primitives, box, positions, types, n));
    ref_ok(oct_buffer_read(got, box, 0, 2));
    for (size_t k = 0; k < 8; k++)
        if (get(got, wide, k) != expected[k])
            fail_msg("number %zu of the box around %zu is %g instead of %g", k, n,
                     get(got, wide, k), expected[k]);
    oct_primitives_free(primitives);
    oct_buffer_free(box);
    oct_buffer_free(positions);
    oct_buffer_free(types);
    free(position);
    free(got);
    free(type);
}

static void boxes_of_every_size_are_found(void **state)
{
    (void)state;
    for (int p = 0; p < precision_count(); p++) {
        for (int i = 0; i < ARRAY_SIZES; i++)
            check_box(OCT_VARIANT_AUTO, precisions[p], array_sizes[i], false);
        for (int i = 0; i < ARRAY_SMALL_SIZES; i++)
            check_box(OCT_VARIANT_GROUPS, precisions[p], array_sizes[i], false);
    }
}

static void a_box_around_ten_million_is_found(void **state)
{
    (void)state;
    check_box(OCT_VARIANT_AUTO, OCT_PRECISION_SINGLE, 10000000, false);
}

static void a_box_around_nothing_is_inside_out(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; variant++)
        check_box((oct_variant)variant, OCT_PRECISION_SINGLE, 9001, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_of_every_size_are_found),
        cmocka_unit_test(a_box_around_ten_million_is_found),
        cmocka_unit_test(a_box_around_nothing_is_inside_out),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
