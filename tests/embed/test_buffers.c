/* A program with OpenCL of its own, on the buffers of a simulation. */
#include "files.h"

#include "scene_sim.h"

#include <CL/cl.h>

#define SCENE                                                                                      \
    "units: nbody\nmodels: [plummer: {n: 33}]\ngravity: {method: direct, softening: 0.1}\n"        \
    "integrator: {dt: 0.01}\nrun: {until: 1}\n"

/* Moves every body by 2 along y. */
static const char source[] =
    "kernel void shift(global uchar *column, uint stride, uint offset, uint n)\n"
    "{\n"
    "    uint i = get_global_id(0);\n"
    "    if (i < n)\n"
    "        ((global NUMBER *)(column + (size_t)i * stride + offset))[1] += 2;\n"
    "}\n";

static void shift(const oct_column_buffer *b, const oct_device_handles *h)
{
    const char *text = source;
    char options[64];
    cl_int code;
    cl_device_id id = h->id;
    cl_mem memory = b->memory;
    cl_uint stride = (cl_uint)b->stride, offset = (cl_uint)b->offset, n = (cl_uint)b->n;
    size_t items = b->n;
    cl_program program = clCreateProgramWithSource(h->context, 1, &text, NULL, &code);
    snprintf(options, sizeof options, "-D NUMBER=%s", b->number);
    assert_int_equal(clBuildProgram(program, 1, &id, options, NULL, NULL), CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "shift", &code);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof stride, &stride), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(kernel, 2, sizeof offset, &offset), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(kernel, 3, sizeof n, &n), CL_SUCCESS);
    assert_int_equal(clEnqueueNDRangeKernel(h->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
                     CL_SUCCESS);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void a_kernel_of_ones_own_moves_bodies(void **state)
{
    const oct_precision precisions[] = {OCT_PRECISION_SINGLE, OCT_PRECISION_DOUBLE};
    (void)state;
    for (size_t p = 0; p < 2; p++) {
        oct_sim *sim = ref_sim(precisions[p], SCENE), *other = ref_sim(precisions[p], SCENE);
        oct_device_handles handles = {.size = sizeof handles};
        oct_column_buffer buffer = {.size = sizeof buffer};
        double position[3 * 33];
        ref_ok(oct_device_get_handles(&handles, ref_device()));
        ref_ok(oct_sim_step(sim, 3));
        ref_ok(oct_sim_step(other, 3));
        ref_ok(oct_sim_buffer(&buffer, sim, "position"));
        assert_true(buffer.n == 33 && buffer.width == 3 && buffer.offset == 0);
        shift(&buffer, &handles);
        ref_ok(oct_sim_written(sim, "position"));
        ref_ok(oct_sim_read(position, OCT_ELEMENT_DOUBLE, other, "position", NULL));
        for (size_t i = 0; i < 33; i++) {
            float narrow = (float)position[3 * i + 1] + 2;
            position[3 * i + 1] = p == 0 ? (double)narrow : position[3 * i + 1] + 2;
        }
        ref_ok(oct_sim_write(other, "position", NULL, position, OCT_ELEMENT_DOUBLE));
        ref_ok(oct_sim_step(sim, 3));
        ref_ok(oct_sim_step(other, 3));
        assert_true(ref_hash(sim) == ref_hash(other));
        oct_sim_free(sim);
        oct_sim_free(other);
    }
}

static void columns_say_where_they_are(void **state)
{
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, SCENE);
    oct_column_buffer buffer = {.size = sizeof buffer};
    (void)state;
    ref_ok(oct_sim_buffer(&buffer, sim, "mass"));
    assert_true(buffer.stride == 32 && buffer.offset == 24 && buffer.width == 1);
    assert_string_equal(buffer.number, "double");
    ref_ok(oct_sim_buffer(&buffer, sim, "id"));
    assert_true(buffer.stride == 8 && buffer.offset == 0);
    assert_string_equal(buffer.number, "ulong");
    assert_int_equal(oct_sim_buffer(&buffer, sim, "spin"), OCT_STATUS_MISSING);
    assert_refused(oct_sim_written(sim, "id"), "'id'", "cannot be written");
    buffer.size = 3;
    assert_refused(oct_sim_buffer(&buffer, sim, "mass"), "oct_column_buffer", "sizeof");
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_of_ones_own_moves_bodies),
        cmocka_unit_test(columns_say_where_they_are),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
