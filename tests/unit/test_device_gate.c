/* Launches from two threads, each on a queue of its own, wider now and then. PoCL 3.1 by itself
 * ends the process within the first few hundred of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <pthread.h>

#include "device/device.h"
#include "scene_sim.h"
#include "util/status.h"

/* A kernel of a test's own, beside a user's force. */
static const oct_include own[] = {
    {.name = "user.clh",
     .label = "own.cl",
     .text = "real4 octant_force(real3 x, real3 v, real m, ulong id, real t)\n"
             "{ return (real4)(0); }\n"
             "kernel void own_count(global uint *out, uint n)\n"
             "{\n"
             "    uint i = (uint)get_global_id(0), x = i;\n"
             "    for (uint k = 0; k < 20000; k++)\n"
             "        x = x * 1664525u + 1013904223u;\n"
             "    if (i < n)\n"
             "        out[i] += 1 + (x == i);\n"
             "}\n"},
    {0}};

enum { THREADS = 4, ROUNDS = 64 };

typedef struct worker {
    pthread_barrier_t *together;
    oct_device *device;
    uint32_t number, n;
    bool right;
} worker;

/* Each launch is wider than all before it, of those of other threads as well where they are late.
 */
static oct_status launch_all(worker *w, oct_kernel *kernel)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(w->together);
        w->n = i * THREADS + w->number + 1;
        OCT_TRY(oct_kernel_launch(kernel, w->n, 1));
        OCT_TRY(oct_device_wait(w->device));
    }
    return OCT_STATUS_OK;
}

static oct_status work(worker *w)
{
    enum { ROOM = THREADS * ROUNDS };
    const oct_build build = {
        .file = "force_custom.cl", .precision = OCT_PRECISION_SINGLE, .includes = own};
    oct_program *program = NULL;
    oct_kernel *kernel = NULL;
    oct_buffer *out = NULL;
    uint32_t first = 0;
    oct_status status;
    OCT_TRY_DONE(oct_program_create(&program, w->device, &build));
    OCT_TRY_DONE(oct_kernel_create(&kernel, program, "own_count"));
    OCT_TRY_DONE(oct_buffer_create(&out, w->device, "out", sizeof(uint32_t), ROOM));
    OCT_TRY_DONE(oct_buffer_fill(out, 0));
    OCT_TRY_DONE(OCT_BIND(kernel, OCT_BIND_OUT("out", &out), OCT_BIND_UINT("n", &w->n)));
    OCT_TRY_DONE(launch_all(w, kernel));
    status = oct_buffer_read(&first, out, 0, 1);
    w->right = first == ROUNDS;
done:
    oct_buffer_free(out);
    oct_kernel_free(kernel);
    oct_program_free(program);
    return status;
}

static void *run(void *context)
{
    worker *w = context;
    if (work(w) != OCT_STATUS_OK)
        fprintf(stderr, "%s [%s]\n", oct_last_error(), oct_last_error_place());
    return NULL;
}

static void queues_that_grow(void **state)
{
    pthread_barrier_t together;
    pthread_t threads[THREADS];
    worker workers[THREADS] = {{0}};
    (void)state;
    assert_int_equal(pthread_barrier_init(&together, NULL, THREADS), 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.together = &together, .number = i};
        ref_ok(oct_device_share(&workers[i].device, ref_device()));
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(workers[i].right);
        oct_device_free(workers[i].device);
    }
    pthread_barrier_destroy(&together);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(queues_that_grow)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
