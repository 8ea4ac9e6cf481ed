/* Buffers of 1, 2, 3, ...: they take no memory until they have to, and nobody sees a difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/sim.h"
#include "device/fetch.h"
#include "scene_sim.h"

static const oct_include own[] = {
    {.name = "user.clh",
     .label = "own.cl",
     .text = "real4 octant_force(real3 x, real3 v, real m, ulong id, real t)\n"
             "{ return (real4)(0); }\n"
             "kernel void own_double(global ulong *out, global const ulong *numbers, uint n)\n"
             "{\n"
             "    uint i = (uint)get_global_id(0);\n"
             "    if (i < n)\n"
             "        out[i] = 2 * numbers[i];\n"
             "}\n"},
    {0}};

/* More than are written at a time. */
enum { N = 300001, PART = 1000 };

static uint64_t taken(void)
{
    return oct_device_memory(ref_device()).now;
}

static oct_buffer *make(void)
{
    oct_buffer *buffer;
    uint64_t before = taken();
    ref_ok(oct_buffer_create_counted(&buffer, ref_device(), "numbers", N));
    assert_true(oct_buffer_is_counted(buffer) && taken() == before);
    return buffer;
}

static void end(oct_buffer *buffer, uint64_t before)
{
    oct_buffer_free(buffer);
    assert_int_equal(taken(), before);
}

/* That buffer has i + 1 at place i, but `other` at `at`. */
static void check(oct_buffer *buffer, size_t at, uint64_t other)
{
    static uint64_t read[N];
    ref_ok(oct_buffer_read(read, buffer, 0, N));
    for (size_t i = 0; i < N; i++)
        assert_int_equal(read[i], i == at ? other : i + 1);
}

static void takes_no_memory(void **state)
{
    uint64_t part[PART], before = taken(), version;
    (void)state;
    oct_buffer *buffer = make();
    check(buffer, N, 0);
    ref_ok(oct_buffer_read(part, buffer, N - PART, PART));
    assert_int_equal(part[0], N - PART + 1);
    /* The same again changes nothing but the version. */
    version = buffer->version;
    ref_ok(oct_buffer_write(buffer, part, N - PART, PART));
    assert_true(oct_buffer_is_counted(buffer) && buffer->version > version);
    end(buffer, before);
}

static void others_take_it(void **state)
{
    uint64_t before = taken(), other = 7;
    (void)state;
    oct_buffer *buffer = make();
    ref_ok(oct_buffer_write(buffer, &other, N - 2, 1));
    assert_true(!oct_buffer_is_counted(buffer) && taken() == before + N * sizeof other);
    check(buffer, N - 2, other);
    end(buffer, before);
    buffer = make();
    ref_ok(oct_buffer_post(buffer, &other, 3, 1));
    check(buffer, 3, other);
    end(buffer, before);
    buffer = make();
    ref_ok(oct_buffer_fill(buffer, 1));
    ref_ok(oct_buffer_read(&other, buffer, N - 1, 1));
    assert_int_equal(other, UINT64_C(0x0101010101010101));
    end(buffer, before);
}

static void kernels_take_it(void **state)
{
    const oct_build build = {
        .file = "force_custom.cl", .precision = OCT_PRECISION_SINGLE, .includes = own};
    static uint64_t read[N];
    uint64_t before = taken();
    const uint32_t n = N;
    oct_program *program;
    oct_kernel *kernel;
    oct_buffer *buffer = make(), *out = make();
    uint64_t version = buffer->version;
    (void)state;
    ref_ok(oct_program_create(&program, ref_device(), &build));
    ref_ok(oct_kernel_create(&kernel, program, "own_double"));
    ref_ok(OCT_BIND(kernel, OCT_BIND_OUT("out", &out), OCT_BIND_IN("numbers", &buffer),
                    OCT_BIND_UINT("n", &n)));
    ref_ok(oct_kernel_launch(kernel, N, 0));
    assert_int_equal(taken(), before + 2 * N * sizeof read[0]);
    assert_int_equal(buffer->version, version);
    ref_ok(oct_buffer_read(read, out, 0, N));
    for (size_t i = 0; i < N; i++)
        assert_int_equal(read[i], 2 * (i + 1));
    check(buffer, N, 0);
    oct_kernel_free(kernel);
    oct_program_free(program);
    oct_buffer_free(out);
    end(buffer, before);
}

static void copies_are_of_what_it_stands_for(void **state)
{
    static uint64_t read[N];
    uint64_t before = taken(), other = 5;
    oct_buffer *from = make(), *to = make(), *plain;
    oct_fetch *fetch;
    (void)state;
    ref_ok(oct_buffer_copy(to, from));
    assert_true(oct_buffer_is_counted(to) && oct_buffer_is_counted(from));
    ref_ok(oct_buffer_write(from, &other, 0, 1));
    ref_ok(oct_buffer_copy(to, from));
    check(to, 0, other);
    oct_buffer_free(from);
    from = make();
    ref_ok(oct_fetch_create(&fetch, ref_device()));
    ref_ok(oct_fetch_add(fetch, read, from, N));
    ref_ok(oct_fetch_send(fetch));
    ref_ok(oct_fetch_finish(fetch));
    oct_fetch_free(fetch);
    assert_true(oct_buffer_is_counted(from) && read[N - 1] == N);
    ref_ok(oct_buffer_create(&plain, ref_device(), "plain", sizeof other, N));
    ref_ok(oct_buffer_copy_rows(plain, 0, from, 0, N));
    check(plain, N, 0);
    oct_buffer_free(plain);
    oct_buffer_free(to);
    end(from, before);
}

/* Of a simulation without anybody who asks for ids, and of one whose bodies have others. */
static void ids_take_memory_where_they_are_wanted(void **state)
{
    static const char text[] = "units: nbody\nmodels: [plummer: {n: 100}]\n%s"
                               "integrator: {dt: 1e-3}\nrun: {until: 1}\n";
    static const char stones[] = "collisions: {method: direct, restitution: 0.5}\n";
    oct_bodies bodies = {0};
    (void)state;
    for (int collide = 0; collide < 2; collide++) {
        oct_sim *sim = ref_sim(OCT_PRECISION_AUTO, text, collide ? stones : "");
        ref_ok(oct_sim_step(sim, 2));
        ref_ok(oct_sim_bodies(&bodies, sim));
        assert_true(oct_buffer_is_counted(sim->domain->id) == !collide);
        for (size_t i = 0; i < bodies.n; i++)
            assert_int_equal(bodies.id[i], i + 1);
        bodies.id[3] = 1000;
        ref_ok(oct_sim_upload(sim, &bodies));
        assert_false(oct_buffer_is_counted(sim->domain->id));
        oct_bodies_clear(&bodies);
        ref_ok(oct_sim_bodies(&bodies, sim));
        assert_true(bodies.id[2] == 3 && bodies.id[3] == 1000 && bodies.id[4] == 5);
        oct_bodies_clear(&bodies);
        oct_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_no_memory),
        cmocka_unit_test(others_take_it),
        cmocka_unit_test(kernels_take_it),
        cmocka_unit_test(copies_are_of_what_it_stands_for),
        cmocka_unit_test(ids_take_memory_where_they_are_wanted),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
