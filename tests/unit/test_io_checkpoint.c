/* Checkpoints come back bit for bit, and damaged ones are refused. */
#include "files.h"

#include "io/checkpoint.h"
#include "io/h5.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static void add_array(oct_state *state, const char *name, size_t element, size_t count,
                      unsigned seed)
{
    oct_state_array *array = &state->arrays[state->n_arrays++];
    snprintf(array->name, sizeof array->name, "%s", name);
    array->element = element;
    array->count = count;
    unsigned char *bytes = array->data = malloc(element * count + 1);
    for (size_t i = 0; i < element * count; i++)
        bytes[i] = (unsigned char)(seed = seed * 1103515245u + 12345u, seed >> 16);
}

/* A state of n particles that depends on its step, so that a mixture of two would be noticed. */
static oct_state sample_state(size_t n, uint64_t step)
{
    oct_state state = {.precision = OCT_PRECISION_MIXED,
                       .clock = {.tick = (int64_t)(step >> 2) + 2,
                                 .quantum = 0.1 + (double)step,
                                 .step = step,
                                 .length = 1,
                                 .start = {1, 0.3, step / 2},
                                 .time = 0.1 * (double)step},
                       .origin = {(int64_t)(step >> 2), 0.7, step / 3},
                       .forces_fresh = true,
                       .energy_start = NAN,
                       .energy_worst = 0.1 / (double)(step + 1)};
    state.scene = strdup("title: a test\nseed: 1\n");
    add_array(&state, "position", 32, n, (unsigned)step);
    add_array(&state, "velocity", 32, n, (unsigned)step + 1);
    add_array(&state, "acceleration", 32, n, (unsigned)step + 2);
    add_array(&state, "id", 8, n, (unsigned)step + 3);
    add_array(&state, "type", 1, n, (unsigned)step + 4);
    add_array(&state, "scales", 8, 2, (unsigned)step + 5);
    add_array(&state, "none", 8, 0, 0);
    return state;
}

static void assert_same_state(const oct_state *a, const oct_state *b)
{
    assert_string_equal(a->scene, b->scene);
    assert_int_equal(a->precision, b->precision);
    assert_memory_equal(&a->clock, &b->clock, sizeof a->clock);
    assert_memory_equal(&a->origin, &b->origin, sizeof a->origin);
    assert_int_equal(a->forces_fresh, b->forces_fresh);
    assert_memory_equal(&a->energy_start, &b->energy_start, sizeof a->energy_start);
    assert_memory_equal(&a->energy_worst, &b->energy_worst, sizeof a->energy_worst);
    assert_int_equal(a->n_arrays, b->n_arrays);
    for (size_t i = 0; i < a->n_arrays; i++) {
        assert_string_equal(a->arrays[i].name, b->arrays[i].name);
        assert_int_equal(a->arrays[i].element, b->arrays[i].element);
        assert_int_equal(a->arrays[i].count, b->arrays[i].count);
        assert_memory_equal(a->arrays[i].data, b->arrays[i].data,
                            a->arrays[i].element * a->arrays[i].count);
    }
}

static size_t write_sample(char path[128], size_t n, uint64_t step)
{
    char *data;
    oct_state state = sample_state(n, step);
    scratch_path(path, "c.hdf5");
    assert_int_equal(oct_checkpoint_write(&state, path), OCT_STATUS_OK);
    oct_state_clear(&state);
    size_t bytes = slurp(&data, path);
    free(data);
    return bytes;
}

static void test_state_comes_back_bit_for_bit(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 1000, 100000};
    for (size_t i = 0; i < 3; i++) {
        char path[128];
        oct_state written = sample_state(counts[i], UINT64_MAX - i), found = {0};
        write_sample(path, counts[i], UINT64_MAX - i);
        assert_int_equal(oct_checkpoint_read(&found, path), OCT_STATUS_OK);
        assert_same_state(&written, &found);
        oct_state_clear(&written);
        oct_state_clear(&found);
    }
}

/* What a checkpoint said of its time before there were ticks. */
static oct_status write_before_ticks(const oct_h5 *h5, void *context)
{
    static const uint64_t byte_order = 0x0102030405060708;
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {{"Precision", OCT_PRECISION_MIXED},
                  {"Step", 100},
                  {"ClockStep", 40},
                  {"OutputStep", *(const uint64_t *)context},
                  {"OutputSnapshots", 5},
                  {"ForcesFresh", 1},
                  {"Arrays", 0}};
    const struct {
        const char *name;
        double value;
    } reals[] = {{"Time", 4 + 60 * 0.05}, {"ClockTime", 4}, {"OutputTime", 6}, {"EnergyStart", 1}};
    assert_int_equal(oct_h5_add_group(h5, "Checkpoint"), OCT_STATUS_OK);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        assert_int_equal(oct_h5_add_numbers(h5, "Checkpoint", counts[i].name, H5T_NATIVE_UINT64,
                                            &counts[i].value, 1),
                         OCT_STATUS_OK);
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++)
        assert_int_equal(oct_h5_add_numbers(h5, "Checkpoint", reals[i].name, H5T_NATIVE_DOUBLE,
                                            &reals[i].value, 1),
                         OCT_STATUS_OK);
    assert_int_equal(oct_h5_add_data(h5, "Checkpoint/ByteOrder", H5T_NATIVE_UINT8, &byte_order,
                                     sizeof byte_order, 1),
                     OCT_STATUS_OK);
    return oct_h5_add_data(h5, "Checkpoint/Scene", H5T_NATIVE_UINT8, "seed: 1", 7, 1);
}

static void test_a_file_from_before_ticks_goes_on(void **state)
{
    (void)state;
    char path[128];
    oct_state found = {0};
    uint64_t output_step = 80;
    scratch_path(path, "old.hdf5");
    assert_int_equal(oct_h5_save(path, "checkpoint", "", write_before_ticks, &output_step),
                     OCT_STATUS_OK);
    assert_int_equal(oct_checkpoint_read(&found, path), OCT_STATUS_OK);
    assert_true(found.origin.tick == 80 * OCT_CLOCK_DT && found.origin.time == 6);
    assert_int_equal(oct_clock_set_dt(&found.clock, 0.05), OCT_STATUS_OK);
    assert_true(found.clock.time == 4 + 60 * 0.05 && found.clock.length == OCT_CLOCK_DT);
    oct_clock_advance(&found.clock, OCT_CLOCK_DT);
    assert_true(found.clock.step == 101 && found.clock.time == 4 + 61 * 0.05);
    oct_state_clear(&found);
    const uint64_t unsound[] = {101, UINT64_MAX};
    for (size_t i = 0; i < 2; i++) {
        output_step = unsound[i];
        assert_int_equal(oct_h5_save(path, "checkpoint", "", write_before_ticks, &output_step),
                         OCT_STATUS_OK);
        assert_refused(oct_checkpoint_read(&found, path), path, "counts outputs from after");
    }
}

static void test_a_clock_that_cannot_go_on_is_refused(void **state)
{
    (void)state;
    char path[128];
    oct_state written = sample_state(1, 5), found = {0};
    written.clock.quantum = NAN;
    scratch_path(path, "c.hdf5");
    assert_int_equal(oct_checkpoint_write(&written, path), OCT_STATUS_OK);
    assert_refused(oct_checkpoint_read(&found, path), path, "no clock that can go on");
    oct_state_clear(&written);
}

static void test_equal_states_give_equal_bytes(void **state)
{
    (void)state;
    char path[128], *first, *second;
    write_sample(path, 100, 5);
    size_t bytes = slurp(&first, path);
    sleep(1); /* HDF5's own time stamps count seconds */
    write_sample(path, 100, 5);
    assert_int_equal(slurp(&second, path), bytes);
    assert_memory_equal(first, second, bytes);
    free(first);
    free(second);
}

static void test_every_flipped_bit_is_noticed(void **state)
{
    (void)state;
    char path[128];
    size_t bytes = write_sample(path, 1, 5);
    oct_state found = {0};
    for (size_t i = 0; i < bytes; i++) {
        flip(path, i, i % 8);
        /* In the header it may as well be the number of bytes that has changed. */
        assert_refused(oct_checkpoint_read(&found, path), path, i < 512 ? "" : "damaged");
        flip(path, i, i % 8);
    }
    assert_null(found.scene);
    assert_int_equal(oct_checkpoint_read(&found, path), OCT_STATUS_OK);
    oct_state_clear(&found);
}

static void test_cut_files_are_noticed(void **state)
{
    (void)state;
    char path[128], *data;
    write_sample(path, 2, 5);
    size_t bytes = slurp(&data, path);
    oct_state found = {0};
    for (size_t i = 0; i < bytes; i += i < 600 ? 1 : 53) {
        spill(path, data, i);
        assert_refused(oct_checkpoint_read(&found, path), path,
                       i == 0  ? "empty"
                       : i < 7 ? "not a checkpoint"
                               : "truncated");
    }
    free(data);
}

static void test_the_one_before_is_offered(void **state)
{
    (void)state;
    char path[128], previous[128];
    oct_state found = {0};
    write_sample(path, 2, 5);
    size_t bytes = write_sample(path, 2, 6);
    scratch_path(previous, "c.hdf5.prev");
    flip(path, bytes - 1, 0);
    assert_refused(oct_checkpoint_read(&found, path), "checksum", previous);
    assert_int_equal(oct_checkpoint_read(&found, previous), OCT_STATUS_OK);
    assert_int_equal(found.clock.step, 5);
    oct_state_clear(&found);
}

static void test_other_kinds_are_refused(void **state)
{
    (void)state;
    char path[128];
    oct_state found = {0};
    oct_bodies bodies = {0};
    oct_file_info info = {.size = sizeof info, .units = {.name = "nbody", .G = 1}};
    scratch_path(path, "none.hdf5");
    assert_refused(oct_checkpoint_read(&found, path), path, "no file");
    scratch_path(path, "s.hdf5");
    sample_bodies(&bodies, 2, "1");
    assert_int_equal(oct_bodies_write(&bodies, &info, path), OCT_STATUS_OK);
    assert_refused(oct_checkpoint_read(&found, path), path, "is a snapshot");
    scratch_path(path, "s.csv");
    assert_int_equal(oct_bodies_write(&bodies, &info, path), OCT_STATUS_OK);
    assert_refused(oct_checkpoint_read(&found, path), path, "not a checkpoint");
    assert_refused(oct_checkpoint_read(&found, scratch), scratch, "folder");
    oct_bodies_clear(&bodies);
}

static void test_bodies_of_a_state(void **state)
{
    (void)state;
    oct_bodies bodies = {0};
    for (int single = 0; single < 2; single++) {
        oct_state s = {.precision = single ? OCT_PRECISION_SINGLE : OCT_PRECISION_DOUBLE};
        static const char *const names[] = {"position", "velocity", "acceleration"};
        for (size_t a = 0; a < 3; a++) {
            add_array(&s, names[a], single ? 16 : 32, 3, 0);
            for (size_t i = 0; i < 12; i++) {
                double value = (double)(100 * a + i) + 0.5;
                if (single)
                    ((float *)s.arrays[a].data)[i] = (float)value;
                else
                    ((double *)s.arrays[a].data)[i] = value;
            }
        }
        add_array(&s, "id", 8, 3, 0);
        memcpy(s.arrays[3].data, (uint64_t[]){7, 8, 9}, 24);
        add_array(&s, "type", 1, 3, 0);
        memcpy(s.arrays[4].data, (uint8_t[]){4, OCT_TYPE_REMOVED, 1}, 3);
        assert_int_equal(oct_state_bodies(&bodies, &s), OCT_STATUS_OK);
        assert_int_equal(bodies.n, 2);
        assert_true(bodies.position[0] == 0.5 && bodies.position[5] == 10.5);
        assert_true(bodies.mass[0] == 3.5 && bodies.mass[1] == 11.5);
        assert_true(bodies.velocity[3] == 108.5 && bodies.radius[1] == 111.5);
        assert_true(bodies.acceleration[1] == 201.5 && bodies.potential[1] == 211.5);
        assert_int_equal(bodies.id[1], 9);
        assert_int_equal(bodies.type[0], 4);
        s.arrays[4].count = 2;
        assert_refused(oct_state_bodies(&bodies, &s), "type", "2 x 1");
        oct_state_clear(&s);
    }
    oct_bodies_clear(&bodies);
}

/* Writes one checkpoint after the other until it is killed. */
static void write_forever(const char *path)
{
    for (uint64_t step = 1;; step++) {
        oct_state s = sample_state(2000, step);
        if (oct_checkpoint_write(&s, path) != OCT_STATUS_OK)
            _exit(1);
        oct_state_clear(&s);
    }
}

static void test_a_kill_leaves_a_whole_checkpoint(void **state)
{
    (void)state;
    char path[128], previous[128];
    unsigned seed = 1;
    write_sample(path, 2000, 0);
    scratch_path(previous, "c.hdf5.prev");
    for (int i = 0; i < 50; i++) {
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            write_forever(path);
        seed = seed * 1103515245u + 12345u;
        nanosleep(&(struct timespec){0, (long)(seed >> 8) % 40000000}, NULL);
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        oct_state found = {0};
        if (oct_checkpoint_read(&found, path) != OCT_STATUS_OK)
            assert_int_equal(oct_checkpoint_read(&found, previous), OCT_STATUS_OK);
        oct_state expected = sample_state(2000, found.clock.step);
        assert_same_state(&expected, &found);
        oct_state_clear(&expected);
        oct_state_clear(&found);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_state_comes_back_bit_for_bit),
        CASE(test_a_file_from_before_ticks_goes_on),
        CASE(test_a_clock_that_cannot_go_on_is_refused),
        CASE(test_equal_states_give_equal_bytes),
        CASE(test_every_flipped_bit_is_noticed),
        CASE(test_cut_files_are_noticed),
        CASE(test_the_one_before_is_offered),
        CASE(test_other_kinds_are_refused),
        CASE(test_bodies_of_a_state),
        CASE(test_a_kill_leaves_a_whole_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
