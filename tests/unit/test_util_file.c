/* Files that are replaced as a whole. */
#include "files.h"

#include "util/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

static void test_write_and_read(void **state)
{
    (void)state;
    char path[128], *text;
    size_t bytes;
    scratch_path(path, "a.txt");
    assert_int_equal(oct_file_write(path, "x\0y", 3, false), OCT_STATUS_OK);
    assert_int_equal(oct_file_read(&text, &bytes, path, 100), OCT_STATUS_OK);
    assert_int_equal(bytes, 3);
    assert_memory_equal(text, "x\0y", 4);
    free(text);
    assert_int_equal(scratch_count(), 1);
}

static void test_previous_is_kept(void **state)
{
    (void)state;
    char path[128], previous[128], *text;
    scratch_path(path, "a.txt");
    scratch_path(previous, "a.txt.prev");
    for (const char *content = "123"; *content; content++)
        assert_int_equal(oct_file_write(path, content, 1, true), OCT_STATUS_OK);
    slurp(&text, path);
    assert_string_equal(text, "3");
    free(text);
    slurp(&text, previous);
    assert_string_equal(text, "2");
    free(text);
    assert_int_equal(scratch_count(), 2);
}

static void test_previous_is_not_kept_unasked(void **state)
{
    (void)state;
    char path[128];
    scratch_path(path, "a.txt");
    assert_int_equal(oct_file_write(path, "1", 1, false), OCT_STATUS_OK);
    assert_int_equal(oct_file_write(path, "2", 1, false), OCT_STATUS_OK);
    assert_int_equal(scratch_count(), 1);
}

static void test_abandoned_draft_changes_nothing(void **state)
{
    (void)state;
    char path[128], *text;
    oct_file_draft draft = {0};
    scratch_path(path, "a.txt");
    assert_int_equal(oct_file_write(path, "old", 3, false), OCT_STATUS_OK);
    assert_int_equal(oct_file_begin(&draft, path), OCT_STATUS_OK);
    spill(draft.temporary, "new", 3);
    assert_int_equal(scratch_count(), 2);
    oct_file_abandon(&draft);
    oct_file_abandon(&draft);
    assert_int_equal(scratch_count(), 1);
    slurp(&text, path);
    assert_string_equal(text, "old");
    free(text);
}

/* What a crash left behind neither blocks the next one nor is followed if it is a link. */
static void test_leftover_temporary_is_replaced(void **state)
{
    (void)state;
    char path[128], victim[128], temporary[128], *text;
    scratch_path(path, "a.txt");
    scratch_path(victim, "victim");
    scratch_path(temporary, "a.txt.tmp");
    spill(victim, "mine", 4);
    assert_int_equal(symlink("victim", temporary), 0);
    assert_int_equal(oct_file_write(path, "new", 3, false), OCT_STATUS_OK);
    slurp(&text, victim);
    assert_string_equal(text, "mine");
    free(text);
    assert_int_equal(scratch_count(), 2);
}

static void test_disk_full_leaves_the_old_one(void **state)
{
    (void)state;
    char path[128], *text, data[65536] = {0};
    struct rlimit before, small = {4096, RLIM_INFINITY};
    scratch_path(path, "a.txt");
    assert_int_equal(oct_file_write(path, "old", 3, true), OCT_STATUS_OK);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    oct_status status = oct_file_write(path, data, sizeof data, true);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, OCT_STATUS_IO);
    assert_non_null(strstr(oct_last_error(), path));
    slurp(&text, path);
    assert_string_equal(text, "old");
    free(text);
    assert_int_equal(scratch_count(), 1);
}

static void test_what_cannot_be_read_is_refused(void **state)
{
    (void)state;
    char path[128], *text;
    FILE *file;
    uint64_t bytes;
    scratch_path(path, "none");
    assert_int_equal(oct_file_read(&text, NULL, path, 9), OCT_STATUS_MISSING);
    assert_refused(oct_file_open(&file, &bytes, scratch), scratch, "folder");
    scratch_path(path, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(oct_file_open(&file, &bytes, path), path, "regular");
    scratch_path(path, "long");
    spill(path, "0123456789", 10);
    assert_refused(oct_file_read(&text, NULL, path, 9), path, "larger");
    chmod(path, 0);
    if (geteuid() != 0) /* the superuser reads everything */
        assert_refused(oct_file_open(&file, &bytes, path), path, "denied");
}

static void test_what_cannot_be_written_is_refused(void **state)
{
    (void)state;
    char path[128];
    scratch_path(path, "no/such/folder");
    assert_refused(oct_file_write(path, "x", 1, true), path, "No such");
    assert_refused(oct_file_write(scratch, "x", 1, true), scratch, "not a file");
    assert_int_equal(scratch_count(), 0);
}

static void test_endings(void **state)
{
    (void)state;
    assert_true(oct_file_ends("a.csv", ".csv"));
    assert_false(oct_file_ends("a.csv.gz", ".csv"));
    assert_false(oct_file_ends("csv", ".csv"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_write_and_read),
        CASE(test_previous_is_kept),
        CASE(test_previous_is_not_kept_unasked),
        CASE(test_abandoned_draft_changes_nothing),
        CASE(test_leftover_temporary_is_replaced),
        CASE(test_disk_full_leaves_the_old_one),
        CASE(test_what_cannot_be_read_is_refused),
        CASE(test_what_cannot_be_written_is_refused),
        CASE(test_endings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
