/* The self-tests pass here, and a wrong result does not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/scene.h"
#include "scene_sim.h"
#include "selftest/oracle_sheet.h"
#include "selftest/selftest_plan.h"
#include "selftest/selftest_record.h"

typedef struct tally {
    int cases, known, failed;
} tally;

/* Intel's runtime for CPUs is known to compute one kernel wrongly, which it is not given by itself:
 * docs/building.md. */
static bool is_known(const char *name)
{
    return strncmp(name, "wh, tiles", strlen("wh, tiles")) == 0 && ref_is_other_cpu();
}

static void count_case(void *context, const char *name, bool passed, double error, double tolerance)
{
    tally *count = context;
    count->cases++;
    if (passed)
        return;
    print_message("%s: error %.3g, tolerance %.3g\n", name, error, tolerance);
    *(is_known(name) ? &count->known : &count->failed) += 1;
}

static void every_kernel_agrees_with_its_oracle(void **state)
{
    tally count = {0};
    (void)state;
    oct_status status = oct_selftest(ref_device(), count_case, &count);
    assert_true(count.cases > 10);
    assert_int_equal(count.failed, 0);
    assert_true(status == (count.known > 0 ? OCT_STATUS_DEVICE : OCT_STATUS_OK));
}

static void a_wrong_result_is_no_pass(void **state)
{
    const double errors[] = {2e-6, NAN, INFINITY};
    (void)state;
    for (int i = 0; i < 3; i++) {
        oct_selftest_run test = {0};
        oct_selftest_check(&test, "good", 1e-6, 1e-6);
        assert_false(test.failed);
        oct_selftest_check(&test, "bad", errors[i], 1e-6);
        assert_true(test.failed);
    }
}

/* What a first use has tested, a line each. */
typedef struct log_book {
    char names[4096];
    size_t n, all, notes;
} log_book;

static void note(void *context, const char *sentence)
{
    log_book *book = context;
    book->notes += strstr(sentence, "first use") != NULL;
}

/* Threads may end parts faster than they are told: then the last one stands for all. */
static void write_down(void *context, size_t done, size_t all, const char *name)
{
    log_book *book = context;
    size_t used = strlen(book->names);
    assert_true(done > book->n && done <= all);
    book->n = done;
    book->all = all;
    snprintf(book->names + used, sizeof book->names - used, "%s\n", name);
}

static log_book trust_as(const char *text, bool assists)
{
    log_book book = {.n = 0};
    oct_scene *scene = NULL;
    const oct_trust_watch watch = {.size = sizeof watch,
                                   .log = note,
                                   .progress = write_down,
                                   .context = &book,
                                   .assists = assists};
    ref_ok(oct_scene_parse(&scene, text, strlen(text), "test"));
    ref_ok(oct_scene_trust(ref_device(), scene, OCT_PRECISION_SINGLE, &watch));
    oct_scene_free(scene);
    return book;
}

static log_book trust(const char *text)
{
    log_book book = trust_as(text, false);
    assert_int_equal(book.n, book.all);
    return book;
}

/* The lines of the file of what has passed, which is the only one of its kind. */
static void read_passed(char *out, size_t bytes, const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "cat %s/octant/*.passed", folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    out[fread(out, 1, bytes - 1, pipe)] = '\0';
    pclose(pipe);
}

#define CLUSTER(gravity)                                                                           \
    "units: nbody\nmodels: [plummer: {n: 300}]\ngravity: " gravity "\n"                            \
    "integrator: {dt: 0.01}\nrun: {until: 1}\n"

#define SYSTEM(steps)                                                                              \
    "units: nbody\nmodels: [plummer: {n: 100}]\ngravity: {method: direct, softening: 0.1}\n"       \
    "integrator: {" steps "}\nrun: {until: 1}\n"

static void a_scene_is_tested_for_what_it_uses(void **state)
{
    char folder[] = "/tmp/octant-passed-XXXXXX", command[128], passed[4096];
    char *old = getenv("XDG_CACHE_HOME");
    const char direct[] = CLUSTER("{method: direct, softening: 0.1}");
    (void)state;
    old = old ? strdup(old) : NULL;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    log_book book = trust(direct);
    assert_int_equal(book.all, 3);
    assert_int_equal(book.notes, 1);
    read_passed(passed, sizeof passed, folder);
    assert_non_null(strstr(passed, "direct single, softened\n"));
    assert_non_null(strstr(passed, "conserved sums single\n"));
    assert_non_null(strstr(passed, "leapfrog single\n"));
    /* Once is enough. */
    book = trust(direct);
    assert_true(book.n == 0 && book.notes == 0);
    /* Of the next scene only what is new: here in another order and without softening. */
    book = trust(CLUSTER("{method: tree, order: monopole}"));
    assert_int_equal(book.all, 2);
    read_passed(passed, sizeof passed, folder);
    assert_non_null(strstr(passed, "tree single, monopole, theta 0.5\n"));
    assert_non_null(strstr(passed, "sort and scan single\n"));
    /* What no variant has exactly is tested by the nearest. */
    book = trust(CLUSTER("{method: tree, criterion: geometric, softening: 0.1}"));
    read_passed(passed, sizeof passed, folder);
    assert_int_equal(book.all, 3);
    assert_non_null(strstr(passed, "tree single, quadrupole, theta 0.5, softened\n"));
    assert_non_null(strstr(passed, "tree single, quadrupole, theta 0.5, softened, relative\n"));
    assert_null(strstr(passed, "collisions"));
    assert_null(strstr(passed, "systems"));
    /* Few bodies take many steps at once, and none one by one. */
    book = trust(SYSTEM("dt: 0.01"));
    assert_string_equal(book.names, "leapfrog, many at once single\n");
    book = trust(SYSTEM("dt: 0.01, bursts: false"));
    assert_int_equal(book.n, 0);
    /* A test whose pass is lost is done again, alone. */
    snprintf(command, sizeof command, "sed -i '/leapfrog single/d' %s/octant/*.passed", folder);
    assert_int_equal(system(command), 0);
    book = trust(direct);
    assert_string_equal(book.names, "leapfrog single\n");
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    if (old)
        setenv("XDG_CACHE_HOME", old, 1);
    free(old);
}

/* Another process, which has a test; it passes it a while after *go is closed. */
static pid_t begin_elsewhere(int *go, const char *part)
{
    const struct timespec pause = {.tv_sec = 1};
    int ready[2], ends[2];
    char byte;
    oct_selftest_record record;
    assert_true(pipe(ready) == 0 && pipe(ends) == 0);
    ref_ok(oct_selftest_record_read(&record, ref_device()));
    pid_t other = fork();
    if (other == 0) {
        oct_selftest_record_open(&record);
        bool locked = oct_selftest_record_lock(&record, part);
        close(ready[1]);
        close(ends[1]);
        ssize_t count = read(ends[0], &byte, 1);
        nanosleep(&pause, NULL);
        oct_selftest_record_add(&record, part);
        _exit(!locked || count != 0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 0);
    close(ready[0]);
    close(ends[0]);
    *go = ends[1];
    oct_selftest_record_clear(&record);
    return other;
}

/* A driver that compiles for one thread at a time is tested by processes together. */
static void processes_share_what_is_due(void **state)
{
    char folder[] = "/tmp/octant-passed-XXXXXX", command[128], passed[4096];
    char *old = getenv("XDG_CACHE_HOME");
    const char direct[] = CLUSTER("{method: direct, softening: 0.1}");
    const char here[] = "direct single, softened\n", there[] = "leapfrog single\n";
    int ended, go;
    (void)state;
    if (oct_device_compiles_together(ref_device()))
        skip();
    old = old ? strdup(old) : NULL;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    pid_t other = begin_elsewhere(&go, "leapfrog single");
    log_book book = trust_as(direct, true);
    /* One that assists takes what is left, from the end of the list, and waits for nothing. */
    assert_string_equal(book.names, "direct single, softened\nconserved sums single\n");
    assert_int_equal(book.all, 3);
    /* The one that needs it all does. */
    close(go);
    book = trust(direct);
    assert_int_equal(waitpid(other, &ended, 0), other);
    assert_int_equal(ended, 0);
    assert_int_equal(book.all, 1);
    read_passed(passed, sizeof passed, folder);
    assert_non_null(strstr(passed, here));
    const char *once = strstr(passed, there);
    assert_non_null(once);
    assert_null(strstr(once + 1, there));
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    if (old)
        setenv("XDG_CACHE_HOME", old, 1);
    free(old);
}

/* Every gravity that a test borrows from the scene is exact enough for it. */
static void a_borrowed_gravity_will_do(void **state)
{
    static const char *const scenes[] = {
        CLUSTER("{method: tree}"), CLUSTER("{method: tree, order: monopole, softening: 1}"),
        CLUSTER("{method: direct}"), CLUSTER("{method: none}"), CLUSTER("{method: auto}")};
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
            oct_scene *scene = NULL;
            oct_setup *setup = NULL;
            ref_ok(oct_scene_parse(&scene, scenes[i], strlen(scenes[i]), "test"));
            ref_ok(oct_scene_setup(&setup, scene));
            oct_selftest_run test = {
                .device = ref_device(), .only = (oct_precision)p, .used = true, .setup = setup};
            tally count = {0};
            test.report = count_case;
            test.context = &count;
            ref_ok(oct_selftest_run_all(&test));
            assert_true(count.cases > 1);
            oct_setup_free(setup);
            oct_scene_free(scene);
        }
}

/* A device that computes no number at all must not pass. */
static void no_number_is_no_pass(void **state)
{
    const oct_oracle_sheet sheet = {.size = {3, 4, 0}, .omega = 1};
    oct_bodies got = {0}, expected = {0};
    (void)state;
    ref_ok(oct_bodies_resize(&got, 2));
    ref_ok(oct_bodies_resize(&expected, 2));
    assert_true(oct_oracle_sheet_error(&got, &expected, &sheet, 0) == 0);
    got.velocity[2] = NAN;
    assert_true(isinf(oct_oracle_sheet_error(&got, &expected, &sheet, 0)));
    oct_bodies_clear(&got);
    oct_bodies_clear(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_agrees_with_its_oracle),
        cmocka_unit_test(a_wrong_result_is_no_pass),
        cmocka_unit_test(no_number_is_no_pass),
        cmocka_unit_test(a_scene_is_tested_for_what_it_uses),
        cmocka_unit_test(processes_share_what_is_due),
        cmocka_unit_test(a_borrowed_gravity_will_do),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
