/* What threads may share: the library, and a device by oct_device_share. */
#include "files.h"

#include "scene_sim.h"

#include <pthread.h>

enum { THREADS = 2, STEPS = 12 };

/* Octrees, collisions and a user's function, and another precision in each thread: programs that
 * both build, and programs that only one does. */
#define SCENE                                                                                      \
    "units: nbody\nmodels: [cold-sphere: {n: 300, radius: 1}]\n"                                   \
    "gravity: {method: tree, theta: 0.6, softening: 0.1}\n"                                        \
    "collisions: {method: tree}\nforces: [custom: {code: \"real4 octant_force(real3 x, real3 v, "  \
    "real m, ulong id, real t) { return (real4)(-x, 0); }\"}]\n"                                   \
    "integrator: {dt: 0.01}\nrun: {until: 1}\n"

typedef struct job {
    oct_device *device;
    uint64_t hash;
    bool done;
} job;

static oct_status simulate(job *work)
{
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    double x[3 * 300];
    oct_status status = oct_scene_parse(&scene, SCENE, strlen(SCENE), "threads");
    if (status == OCT_STATUS_OK)
        status = oct_sim_create(&sim, work->device, scene, OCT_PRECISION_MIXED);
    for (int i = 0; status == OCT_STATUS_OK && i < STEPS; i++) {
        status = oct_sim_step(sim, 1);
        if (status == OCT_STATUS_OK)
            status = oct_sim_read(x, OCT_ELEMENT_DOUBLE, sim, "position", NULL);
        if (status == OCT_STATUS_OK && i == STEPS / 2)
            status = oct_sim_set(sim, "gravity.theta=0.4");
    }
    if (status == OCT_STATUS_OK)
        status = oct_sim_hash(&work->hash, sim);
    oct_sim_free(sim);
    oct_scene_free(scene);
    return status;
}

static void *run(void *context)
{
    job *work = context;
    oct_status status = simulate(work);
    if (status != OCT_STATUS_OK)
        fprintf(stderr, "%s [%s]\n", oct_last_error(), oct_last_error_place());
    work->done = status == OCT_STATUS_OK;
    return NULL;
}

static void run_jobs(job *jobs)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, &jobs[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_true(jobs[i].done);
}

/* The bits are those of a simulation that is alone. */
static uint64_t alone(void)
{
    job work = {.device = ref_device()};
    run(&work);
    assert_true(work.done);
    return work.hash;
}

static void two_simulations_on_a_shared_device(void **state)
{
    job jobs[THREADS] = {{0}};
    (void)state;
    for (int i = 0; i < THREADS; i++)
        ref_ok(oct_device_share(&jobs[i].device, ref_device()));
    run_jobs(jobs);
    uint64_t expected = alone();
    for (int i = 0; i < THREADS; i++) {
        assert_true(jobs[i].hash == expected);
        oct_device_free(jobs[i].device);
    }
}

static void two_simulations_on_a_device_opened_twice(void **state)
{
    job jobs[THREADS] = {{0}};
    uint64_t expected = alone();
    (void)state;
    for (int i = 0; i < THREADS; i++)
        ref_ok(oct_device_open(&jobs[i].device, getenv("OCTANT_TEST_DEVICE")));
    run_jobs(jobs);
    for (int i = 0; i < THREADS; i++) {
        assert_true(jobs[i].hash == expected);
        oct_device_free(jobs[i].device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_simulations_on_a_shared_device),
        cmocka_unit_test(two_simulations_on_a_device_opened_twice),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
