/* Sources, programs and their cache, buffers, profiles: what the device layer promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/cl.h"
#include "scene_sim.h"

static void devices_are_chosen_by_index_name_and_kind(void **state)
{
    oct_device_info *list = NULL;
    size_t n = 0;
    (void)state;
    ref_ok(oct_device_list(&list, &n));
    assert_true(n > 0);
    const char *choices[] = {"0", list[0].kind, list[0].name, NULL};
    for (int i = 0; i < 4; i++) {
        oct_device *device = NULL;
        ref_ok(oct_device_open(&device, choices[i]));
        oct_device_free(device);
    }
    oct_device_list_free(list);
}

static void unknown_devices_are_refused(void **state)
{
    oct_device *device = NULL;
    (void)state;
    assert_int_equal(oct_device_open(&device, "99"), OCT_STATUS_MISSING);
    ref_says("there is no device 99");
    assert_int_equal(oct_device_open(&device, "abacus"), OCT_STATUS_MISSING);
    ref_says("no device matches 'abacus'");
    assert_null(device);
}

/* Cores of a CPU; a device that has no parts says so. */
static void a_part_of_a_device_has_its_share(void **state)
{
    oct_device *device = NULL, *part = NULL;
    (void)state;
    ref_ok(oct_device_open(&device, getenv("OCTANT_TEST_DEVICE")));
    const oct_device_info info = *oct_device_describe(device);
    uint32_t parts = info.compute_units;
    assert_int_equal(oct_device_part(&part, device, 0, parts + 1), OCT_STATUS_INPUT);
    ref_says("cannot be divided");
    assert_int_equal(oct_device_part(&part, device, 1, 1), OCT_STATUS_INPUT);
    assert_null(part);
    if (strcmp(info.kind, "cpu") == 0 && parts >= 2 && parts <= 64) {
        ref_ok(oct_device_part(&part, device, parts - 1, parts));
        assert_int_equal(oct_device_describe(part)->compute_units, 1);
        assert_string_equal(oct_device_describe(part)->name, info.name);
    }
    oct_device_free(device);
    oct_device_free(part);
}

static void includes_are_put_in_place_once(void **state)
{
    char *text = NULL;
    const oct_include includes[] = {
        {.name = "user.clh", .label = "mine.cl", .text = "#include \"precision.clh\"\nint user;\n"},
        {0}};
    const oct_build build = {.file = "force_custom.cl", .includes = includes};
    (void)state;
    ref_ok(oct_source_assemble(&text, &build));
    const char *first = strstr(text, "typedef float real;");
    assert_non_null(first);
    assert_null(strstr(first + 1, "typedef float real;"));
    assert_non_null(strstr(text, "#line 1 \"mine.cl\""));
    assert_non_null(strstr(text, "int user;"));
    /* Where a line of the text comes from, for compilers that do not heed #line. */
    char label[64];
    unsigned line = 0, number = 1;
    for (const char *c = text; c < strstr(text, "int user;"); c++)
        number += *c == '\n';
    oct_source_locate(label, sizeof label, &line, text, number);
    assert_string_equal(label, "mine.cl");
    assert_int_equal(line, 2);
    oct_text_free(text);
}

static void a_compile_error_names_the_users_file_and_line(void **state)
{
    oct_program *program = NULL;
    const oct_include includes[] = {
        {.name = "user.clh", .label = "mine.cl", .text = "\n\nreal4 octant_force(oops x);\n"}, {0}};
    const oct_build build = {
        .file = "force_custom.cl", .precision = OCT_PRECISION_SINGLE, .includes = includes};
    (void)state;
    assert_int_equal(oct_program_create(&program, ref_device(), &build), OCT_STATUS_DEVICE);
    assert_null(program);
    ref_says("mine.cl:3");
}

/* A kernel that doubles numbers; the cache folder is this test's own. */
static const oct_include doubling[] = {
    {.name = "user.clh",
     .label = "doubling.cl",
     .text = "real4 octant_force(real3 x, real3 v, real m, ulong id, real t)\n"
             "{ return (real4)(2 * x, 3 * m); }\n"},
    {0}};

static oct_status run_doubling(float *out, oct_device *device)
{
    oct_status status;
    oct_program *program = NULL;
    oct_kernel *kernel = NULL;
    oct_buffer *acceleration = NULL, *potential = NULL, *position = NULL, *velocity = NULL,
               *id = NULL, *type = NULL, *numbers = NULL;
    const float x[4] = {1, 2, 3, 4};
    const oct_build build = {
        .file = "force_custom.cl", .precision = OCT_PRECISION_SINGLE, .includes = doubling};
    OCT_TRY_DONE(oct_program_create(&program, device, &build));
    OCT_TRY_DONE(OCT_KERNEL(
        &kernel, program, "force_custom_add", OCT_BIND_OUT("acceleration", &acceleration),
        OCT_BIND_OUT("potential", &potential), OCT_BIND_IN("position", &position),
        OCT_BIND_IN("velocity", &velocity), OCT_BIND_IN("id", &id), OCT_BIND_IN("type", &type),
        OCT_BIND_IN("listed", &numbers), OCT_BIND_IN("n_listed", &numbers), OCT_FIX_REAL("time", 0),
        OCT_FIX_UINT("n", 1), OCT_BIND_IN("numbers", &numbers)));
    OCT_TRY_DONE(oct_buffer_create(&acceleration, device, "acceleration", 16, 1));
    OCT_TRY_DONE(oct_buffer_create(&potential, device, "potential", 4, 1));
    OCT_TRY_DONE(oct_buffer_create(&position, device, "position", 16, 1));
    OCT_TRY_DONE(oct_buffer_create(&velocity, device, "velocity", 16, 1));
    OCT_TRY_DONE(oct_buffer_create(&id, device, "id", 8, 1));
    OCT_TRY_DONE(oct_buffer_create(&type, device, "type", 1, 1));
    OCT_TRY_DONE(oct_buffer_fill(acceleration, 0));
    OCT_TRY_DONE(oct_buffer_fill(type, 1));
    OCT_TRY_DONE(oct_buffer_write(position, x, 0, 1));
    uint64_t version = acceleration->version;
    OCT_TRY_DONE(oct_kernel_launch(kernel, 1, 0));
    assert_true(acceleration->version == version + 1);
    OCT_TRY_DONE(oct_buffer_read(out, acceleration, 0, 1));
    status = oct_buffer_read(out + 3, potential, 0, 1);
done:
    oct_buffer_free(acceleration);
    oct_buffer_free(potential);
    oct_buffer_free(position);
    oct_buffer_free(velocity);
    oct_buffer_free(id);
    oct_buffer_free(type);
    oct_kernel_free(kernel);
    oct_program_free(program);
    return status;
}

/* The number of cached programs, after each was overwritten with rubbish. */
static int damage_cache(const char *folder)
{
    char command[512], count[16] = "";
    snprintf(command, sizeof command,
             "cd %s/octant 2>/dev/null || { echo 0; exit; }; n=0; "
             "for f in *.bin; do printf rubbish > $f; n=$((n + 1)); done; echo $n",
             folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(count, sizeof count, pipe));
    pclose(pipe);
    return atoi(count);
}

/* Calls a test with a cache folder of its own. */
static void with_empty_cache(void (*test)(const char *folder))
{
    char folder[] = "/tmp/octant-cache-XXXXXX", command[64], *old = getenv("XDG_CACHE_HOME");
    old = old ? strdup(old) : NULL;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    test(folder);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    if (old)
        setenv("XDG_CACHE_HOME", old, 1);
    free(old);
}

static void rebuild(const char *folder)
{
    float got[4];
    /* PoCL has a cache of its own. */
    int cached = strstr(oct_device_describe(ref_device())->platform, "Portable") ? 0 : 1;
    for (int pass = 0; pass < 3; pass++) {
        oct_device *device = NULL;
        ref_ok(oct_device_open(&device, getenv("OCTANT_TEST_DEVICE")));
        memset(got, 0, sizeof got);
        ref_ok(run_doubling(got, device));
        assert_true(got[0] == 2 && got[1] == 4 && got[2] == 6 && got[3] == 12);
        /* Once more on this device: the program is there. */
        ref_ok(run_doubling(got, device));
        assert_int_equal(device->programs->n, 1);
        oct_device_free(device);
        /* Second pass from the cache, third from a damaged one. */
        if (pass == 1)
            assert_int_equal(damage_cache(folder), cached);
    }
}

static void a_damaged_cache_is_rebuilt(void **state)
{
    (void)state;
    with_empty_cache(rebuild);
}

static void remember(const char *folder)
{
    unsigned char *data;
    char command[96];
    size_t bytes;
    oct_cache_read(&data, &bytes, "a.bin");
    assert_null(data);
    oct_cache_write((const unsigned char *)"remember", 8, "a.bin");
    oct_cache_read(&data, &bytes, "a.bin");
    assert_non_null(data);
    assert_int_equal(bytes, 8);
    assert_memory_equal(data, "remember", 8);
    free(data);
    /* The last byte is changed. */
    snprintf(command, sizeof command, "cd %s/octant && truncate -s -1 a.bin && printf x >> a.bin",
             folder);
    assert_int_equal(system(command), 0);
    oct_cache_read(&data, &bytes, "a.bin");
    assert_null(data);
}

static void a_damaged_memory_is_none(void **state)
{
    (void)state;
    with_empty_cache(remember);
}

static void too_large_buffers_are_refused_by_name(void **state)
{
    oct_buffer *buffer = NULL;
    size_t most = (size_t)oct_device_describe(ref_device())->max_buffer;
    (void)state;
    assert_int_equal(oct_buffer_create(&buffer, ref_device(), "elephant", 1, most + 1),
                     OCT_STATUS_SPACE);
    ref_says("'elephant'");
    assert_null(buffer);
}

static void reads_past_the_end_are_refused(void **state)
{
    oct_buffer *buffer = NULL;
    int values[8];
    (void)state;
    ref_ok(oct_buffer_create(&buffer, ref_device(), "short", sizeof(int), 4));
    assert_int_equal(oct_buffer_read(values, buffer, 2, 3), OCT_STATUS_INTERNAL);
    ref_says("'short'");
    oct_buffer_free(buffer);
}

static void a_failed_call_is_named_with_its_kernel(void **state)
{
    oct_program *program = NULL;
    oct_kernel *kernel = NULL;
    const oct_build build = {
        .file = "force_custom.cl", .precision = OCT_PRECISION_SINGLE, .includes = doubling};
    (void)state;
    ref_ok(oct_program_create(&program, ref_device(), &build));
    assert_int_equal(oct_kernel_create(&kernel, program, "nonsense"), OCT_STATUS_DEVICE);
    ref_says("clCreateKernel failed with CL_INVALID_KERNEL_NAME");
    ref_says("'nonsense'");
    oct_program_free(program);
}

static void profiles_count_launches_by_kernel(void **state)
{
    oct_kernel_time *times = NULL;
    size_t n = 0;
    float got[4];
    char path[] = "/tmp/octant-trace-XXXXXX", text[4096] = "";
    (void)state;
    ref_ok(oct_device_profile(ref_device(), true));
    for (int i = 0; i < 3; i++)
        ref_ok(run_doubling(got, ref_device()));
    ref_ok(oct_device_times(&times, &n, ref_device()));
    assert_int_equal(n, 1);
    assert_string_equal(times[0].name, "force_custom_add");
    assert_int_equal(times[0].launches, 3);
    assert_true(times[0].ms > 0);
    oct_device_times_free(times);
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    ref_ok(oct_device_trace(ref_device(), path));
    FILE *trace = fopen(path, "r");
    assert_non_null(trace);
    assert_true(fread(text, 1, sizeof text - 1, trace) > 0);
    fclose(trace);
    unlink(path);
    assert_non_null(strstr(text, "\"traceEvents\""));
    assert_non_null(strstr(text, "\"name\":\"force_custom_add\",\"ph\":\"X\""));
    ref_ok(oct_device_profile(ref_device(), false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_chosen_by_index_name_and_kind),
        cmocka_unit_test(unknown_devices_are_refused),
        cmocka_unit_test(a_part_of_a_device_has_its_share),
        cmocka_unit_test(includes_are_put_in_place_once),
        cmocka_unit_test(a_compile_error_names_the_users_file_and_line),
        cmocka_unit_test(a_damaged_cache_is_rebuilt),
        cmocka_unit_test(a_damaged_memory_is_none),
        cmocka_unit_test(too_large_buffers_are_refused_by_name),
        cmocka_unit_test(reads_past_the_end_are_refused),
        cmocka_unit_test(a_failed_call_is_named_with_its_kernel),
        cmocka_unit_test(profiles_count_launches_by_kernel),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
