/* Films, and encoders that fail or are missing. */
#include "files.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static char *real_path; /* PATH as it was */

/* Bodies that are a little further to the right in each frame. */
static oct_status add_frame(oct_film *film, int index)
{
    oct_bodies bodies = {0};
    sample_bodies(&bodies, 60, "1");
    for (size_t i = 0; i < 3 * bodies.n; i += 3)
        bodies.position[i] += 0.01 * index;
    const oct_render_options options = {
        .size = sizeof options, .mode = "particles", .extent = 2, .centred = true};
    oct_status status = oct_film_add(film, &bodies, NULL, &options);
    oct_bodies_clear(&bodies);
    return status;
}

/* What ffprobe says of the film, as key=value lines. */
static void probe(char *out, size_t bytes, const char *path)
{
    char command[512];
    snprintf(command, sizeof command,
             "ffprobe -v error -count_frames -show_entries stream=codec_name,width,height,pix_fmt,"
             "r_frame_rate,nb_read_frames,color_space -of default=noprint_wrappers=1 %s",
             path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    out[fread(out, 1, bytes - 1, pipe)] = '\0';
    assert_int_equal(pclose(pipe), 0);
}

/* No child is left, ended or not. */
static void assert_no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* Puts a script in the place of ffmpeg, and nothing else into PATH. */
static void fake_encoder(const char *script)
{
    char path[128], here[512], folder[1024], text[512];
    scratch_path(path, "ffmpeg");
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    spill(path, text, strlen(text));
    assert_int_equal(chmod(path, 0755), 0);
    assert_non_null(getcwd(here, sizeof here));
    snprintf(folder, sizeof folder, "%s/%s", here, scratch);
    assert_int_equal(setenv("PATH", folder, 1), 0);
}

static int restore(void **state)
{
    (void)state;
    char path[128];
    scratch_path(path, "ffmpeg");
    unlink(path);
    return setenv("PATH", real_path, 1);
}

static void frames_become_a_film(void **state)
{
    (void)state;
    if (system("ffmpeg -version >/dev/null 2>&1 && ffprobe -version >/dev/null 2>&1") != 0)
        skip();
    char path[128], seen[512];
    oct_film *film;
    size_t before = scratch_count();
    scratch_path(path, "film.mp4");
    assert_int_equal(oct_film_open(&film, path, 320, 240, 10), OCT_STATUS_OK);
    for (int i = 0; i < 7; i++)
        assert_int_equal(add_frame(film, i), OCT_STATUS_OK);
    assert_int_not_equal(access(path, F_OK), 0); /* not before it is whole */
    if (oct_film_finish(film) != OCT_STATUS_OK)
        fail_msg("%s", oct_last_error());
    assert_int_equal(add_frame(film, 7), OCT_STATUS_IO);
    oct_film_free(film);
    assert_no_child();
    assert_int_equal(scratch_count(), before + 1);
    probe(seen, sizeof seen, path);
    const char *const lines[] = {"codec_name=h264",  "width=320",         "height=240",
                                 "pix_fmt=yuv420p",  "r_frame_rate=10/1", "nb_read_frames=7",
                                 "color_space=bt709"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!strstr(seen, lines[i]))
            fail_msg("%s is not in:\n%s", lines[i], seen);
    /* The index is in front, so that a film can be played while it is loaded. */
    char *bytes;
    size_t length = slurp(&bytes, path), index = 0, data = 0;
    for (size_t i = 0; i + 4 < length; i++) {
        index = !index && memcmp(bytes + i, "moov", 4) == 0 ? i : index;
        data = !data && memcmp(bytes + i, "mdat", 4) == 0 ? i : data;
    }
    assert_true(index > 0 && index < data);
    free(bytes);
    unlink(path);
}

static void frames_reach_the_encoder_as_drawn(void **state)
{
    (void)state;
    /* A stand-in that keeps what it is fed. */
    char path[128], *bytes;
    scratch_path(path, "film.mp4");
    fake_encoder("for last; do :; done; exec /bin/cat >\"${last#file:}\"");
    oct_film *film;
    assert_int_equal(oct_film_open(&film, path, 0, 0, 0), OCT_STATUS_OK);
    assert_int_equal(add_frame(film, 0), OCT_STATUS_OK);
    assert_int_equal(add_frame(film, 30), OCT_STATUS_OK);
    assert_int_equal(oct_film_finish(film), OCT_STATUS_OK);
    oct_film_free(film);
    enum { FRAME = 1200 * 1000 * 3 };
    assert_int_equal(slurp(&bytes, path), 2 * FRAME);
    /* The ground of the picture, 0x0c0f15, in its first corner; the second frame is another. */
    assert_memory_equal(bytes, "\x0c\x0f\x15", 3);
    assert_memory_equal(bytes + FRAME, "\x0c\x0f\x15", 3);
    assert_memory_not_equal(bytes, bytes + FRAME, FRAME);
    free(bytes);
    unlink(path);
}

static void what_cannot_be_a_film_is_refused(void **state)
{
    (void)state;
    static const struct {
        int width, height, fps;
        const char *name, *word, *other;
    } cases[] = {{321, 240, 0, "a.mp4", "even", "321 x 240"},
                 {320, 241, 0, "a.mp4", "even", "320 x 241"},
                 {10, 10, 0, "a.mp4", "pixels", "10 x 10"},
                 {320, 240, -1, "a.mp4", "frames a second", "-1"},
                 {320, 240, 241, "a.mp4", "frames a second", "241"},
                 {320, 240, 0, "a.avi", ".mp4", "a.avi"},
                 {320, 240, 0, "no/a.mp4", "no/a.mp4", "write"}};
    size_t before = scratch_count();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[128];
        oct_film *film;
        scratch_path(path, cases[i].name);
        assert_refused(oct_film_open(&film, path, cases[i].width, cases[i].height, cases[i].fps),
                       cases[i].word, cases[i].other);
        assert_null(film);
    }
    assert_int_equal(scratch_count(), before);
}

static void a_missing_encoder_is_named_with_the_remedy(void **state)
{
    (void)state;
    char path[128];
    oct_film *film;
    scratch_path(path, "film.mp4");
    size_t before = scratch_count();
    assert_int_equal(setenv("PATH", "/no/such/folder", 1), 0);
    assert_refused(oct_film_open(&film, path, 0, 0, 0), "not in PATH", "install");
    assert_null(film);
    assert_int_equal(scratch_count(), before);
}

/* Feeds an encoder until it fails or the film is finished; the sentence is oct_last_error(). */
static void assert_fails(const char *script, const char *word)
{
    char path[128];
    oct_film *film;
    oct_status status;
    scratch_path(path, "film.mp4");
    spill(path, "old", 3);
    fake_encoder(script);
    size_t before = scratch_count();
    assert_int_equal(oct_film_open(&film, path, 320, 240, 0), OCT_STATUS_OK);
    status = OCT_STATUS_OK;
    for (int i = 0; i < 3 && status == OCT_STATUS_OK; i++)
        status = add_frame(film, i);
    if (status == OCT_STATUS_OK)
        status = oct_film_finish(film);
    assert_int_equal(status, OCT_STATUS_IO);
    const char *sentence = oct_last_error();
    if (!strstr(sentence, word) || !strstr(sentence, "film.mp4") || strchr(sentence, '\n'))
        fail_msg("\"%s\" should name \"%s\"", sentence, word);
    assert_int_equal(add_frame(film, 9), OCT_STATUS_IO);
    assert_int_equal(oct_film_finish(film), OCT_STATUS_IO);
    oct_film_free(film);
    assert_no_child();
    /* The film before is still there, and nothing else. */
    char *bytes;
    assert_int_equal(scratch_count(), before);
    assert_int_equal(slurp(&bytes, path), 3);
    free(bytes);
    unlink(path);
}

static void an_encoder_that_fails_is_quoted(void **state)
{
    (void)state;
    assert_fails("echo first >&2; echo 'it is full' >&2; exit 1", "said: it is full");
    assert_fails("/bin/cat >/dev/null; printf 'at the\\tend\\n\\n' >&2; exit 1",
                 "said: at the end");
    assert_fails("/bin/cat >/dev/null; exit 3", "said: nothing");
    assert_fails("kill -9 $$", "said: nothing");
}

static void an_encoder_that_stops_reading_is_ended(void **state)
{
    (void)state;
    assert_fails("exec 0<&-; exec /bin/sleep 100", "said: nothing");
    assert_fails("exit 0", "said: nothing");
}

static void a_film_that_is_given_up_leaves_nothing(void **state)
{
    (void)state;
    char path[128];
    oct_film *film;
    scratch_path(path, "film.mp4");
    fake_encoder("/bin/cat >/dev/null; exec /bin/sleep 100");
    size_t before = scratch_count();
    assert_int_equal(oct_film_open(&film, path, 320, 240, 0), OCT_STATUS_OK);
    assert_refused(oct_film_finish(film), "no frames", "film.mp4");
    assert_int_equal(add_frame(film, 0), OCT_STATUS_OK);
    oct_film_free(film);
    oct_film_free(NULL);
    assert_no_child();
    assert_int_equal(scratch_count(), before);
}

static void bad_options_leave_the_film_usable(void **state)
{
    (void)state;
    char path[128];
    oct_film *film;
    oct_bodies none = {0};
    scratch_path(path, "film.mp4");
    fake_encoder("/bin/cat >/dev/null");
    assert_int_equal(oct_film_open(&film, path, 320, 240, 0), OCT_STATUS_OK);
    assert_refused(
        oct_film_add(film, &none, NULL,
                     &(oct_render_options){.size = sizeof(oct_render_options), .mode = "sound"}),
        "density, components, particles or spheres", "sound");
    assert_int_equal(add_frame(film, 0), OCT_STATUS_OK);
    assert_int_equal(oct_film_finish(film), OCT_STATUS_OK);
    oct_film_free(film);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    real_path = strdup(getenv("PATH") ? getenv("PATH") : "");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_become_a_film),
        cmocka_unit_test_teardown(frames_reach_the_encoder_as_drawn, restore),
        cmocka_unit_test(what_cannot_be_a_film_is_refused),
        cmocka_unit_test_teardown(a_missing_encoder_is_named_with_the_remedy, restore),
        cmocka_unit_test_teardown(an_encoder_that_fails_is_quoted, restore),
        cmocka_unit_test_teardown(an_encoder_that_stops_reading_is_ended, restore),
        cmocka_unit_test_teardown(a_film_that_is_given_up_leaves_nothing, restore),
        cmocka_unit_test_teardown(bad_options_leave_the_film_usable, restore),
    };
    int failed = cmocka_run_group_tests(tests, scratch_make, scratch_remove);
    free(real_path);
    return failed;
}
