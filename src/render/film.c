/* Films: frames go through a pipe to ffmpeg, which is started, watched and ended here. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "render/render.h"
#include "util/file.h"

/* The encoder finds the film at a descriptor, not by a name: one that outlives this process does
 * not touch the film of the next, whatever that is called. */
enum { DEFAULT_FPS = 25, MAX_FPS = 240, FILM_FILENO = 3 };
#define FILM_URL "file:/dev/fd/3"

extern char **environ;

struct oct_film {
    int width, height;
    size_t frames;
    unsigned char *rgb; /* a frame, three bytes a pixel */
    oct_file_draft draft;
    pid_t encoder; /* 0 when it has ended */
    int feed;      /* where frames go in; -1 when it is closed */
    FILE *words;   /* what the encoder says */
};

/* No shell takes part: the name is looked up in PATH. The encoder gets a process group of its own,
 * so that the keys that stop this program do not stop it in the middle of a film. Returns 0 or the
 * error's number. */
static int spawn(pid_t *child, char *const arguments[], int input, int output, int film)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawnattr_init(&attributes);
    if (code != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return code;
    }
    code = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (code == 0)
        code = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (code == 0)
        code = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (code == 0)
        code = posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    if (code == 0)
        code = posix_spawn_file_actions_adddup2(&actions, film, FILM_FILENO);
    if (code == 0)
        code = posix_spawnp(child, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static oct_status start_encoder(oct_film *film, int input, int fps)
{
    char size[32], rate[16];
    snprintf(size, sizeof size, "%dx%d", film->width, film->height);
    snprintf(rate, sizeof rate, "%d", fps);
    /* Players guess the colour matrix of a film that does not name it, by its size. */
    char *const arguments[] = {"ffmpeg",      "-loglevel",   "error",
                               "-f",          "rawvideo",    "-pixel_format",
                               "rgb24",       "-video_size", size,
                               "-framerate",  rate,          "-i",
                               "pipe:0",      "-vf",         "scale=out_color_matrix=bt709",
                               "-colorspace", "bt709",       "-color_primaries",
                               "bt709",       "-color_trc",  "bt709",
                               "-c:v",        "libx264",     "-crf",
                               "18",          "-pix_fmt",    "yuv420p",
                               "-movflags",   "+faststart",  "-bitexact",
                               "-f",          "mp4",         "-y",
                               FILM_URL,      NULL};
    int draft = open(film->draft.temporary, O_RDWR | O_CLOEXEC);
    OCT_CHECK(draft >= 0, OCT_STATUS_IO, "cannot write '%s': %s", film->draft.path,
              strerror(errno));
    int code = spawn(&film->encoder, arguments, input, fileno(film->words), draft);
    close(draft);
    if (code != 0)
        film->encoder = 0;
    OCT_CHECK(code != ENOENT, OCT_STATUS_MISSING,
              "films are made by ffmpeg, which is not in PATH: install the package ffmpeg");
    OCT_CHECK(code == 0, OCT_STATUS_IO, "ffmpeg cannot be started: %s", strerror(code));
    return OCT_STATUS_OK;
}

/* The encoder reads from a socket: unlike a pipe it can be written to without SIGPIPE, and shut
 * even while a copy of this process holds it too. */
static oct_status connect_encoder(oct_film *film, int fps)
{
    int ends[2];
    OCT_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, OCT_STATUS_IO,
              "no connection to ffmpeg can be made: %s", strerror(errno));
    film->feed = ends[0];
    oct_status status = OCT_STATUS_OK;
    OCT_CHECK_DONE(fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
                       fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0,
                   OCT_STATUS_IO, "no connection to ffmpeg can be made: %s", strerror(errno));
    OCT_TRY_DONE(start_encoder(film, ends[1], fps));
done:
    close(ends[1]);
    return status;
}

oct_status oct_film_open(oct_film **out, const char *path, int width, int height, int fps)
{
    oct_status status;
    oct_film *film = NULL;
    *out = NULL;
    if (fps == 0)
        fps = DEFAULT_FPS;
    OCT_TRY(oct_render_size(&width, &height));
    OCT_CHECK(width % 2 == 0 && height % 2 == 0, OCT_STATUS_INPUT,
              "the sides of a film are even numbers of pixels, not %d x %d", width, height);
    OCT_CHECK(fps >= 1 && fps <= MAX_FPS, OCT_STATUS_INPUT,
              "a film has 1 to %d frames a second, not %d", MAX_FPS, fps);
    OCT_CHECK(oct_file_ends(path, ".mp4"), OCT_STATUS_INPUT,
              "a film is an MP4 file: '%s' does not end in .mp4", path);
    OCT_TRY(oct_alloc(&film, 1, sizeof *film, "a film"));
    film->width = width;
    film->height = height;
    film->feed = -1;
    OCT_TRY_DONE(oct_alloc(&film->rgb, (size_t)width * (size_t)height, 3, "a frame of a film"));
    film->words = tmpfile();
    OCT_CHECK_DONE(film->words, OCT_STATUS_IO, "no temporary file can be made: %s",
                   strerror(errno));
    OCT_TRY_DONE(oct_file_begin(&film->draft, path));
    OCT_TRY_DONE(connect_encoder(film, fps));
    *out = film;
    film = NULL;
done:
    oct_film_free(film);
    return status;
}

/* The last line that the encoder has written. */
static void last_line(char *out, size_t bytes, FILE *words)
{
    size_t length = 0;
    rewind(words);
    bool ended = false;
    for (int c; (c = getc(words)) != EOF;) {
        if (c == '\n' || c == '\r') {
            ended = true;
            continue;
        }
        if (ended)
            length = 0;
        ended = false;
        if (length + 1 < bytes)
            out[length++] = (char)(c < ' ' ? ' ' : c);
    }
    out[length] = '\0';
}

/* Waits for the encoder to end; true when it is content with its work. */
static bool reap(oct_film *film)
{
    int code = -1;
    pid_t ended;
    do
        ended = waitpid(film->encoder, &code, 0);
    while (ended < 0 && errno == EINTR);
    film->encoder = 0;
    return ended > 0 && WIFEXITED(code) && WEXITSTATUS(code) == 0;
}

static void close_feed(oct_film *film)
{
    if (film->feed < 0)
        return;
    shutdown(film->feed, SHUT_RDWR);
    close(film->feed);
    film->feed = -1;
}

static oct_status encoder_failed(oct_film *film)
{
    char line[512];
    last_line(line, sizeof line, film->words);
    return OCT_FAIL(OCT_STATUS_IO,
                    "ffmpeg could not make '%s', which takes libx264 and room on the disk; "
                    "it said: %s",
                    film->draft.path, line[0] ? line : "nothing");
}

static oct_status send_frame(oct_film *film)
{
    const unsigned char *from = film->rgb;
    size_t left = 3 * (size_t)film->width * (size_t)film->height;
    while (left > 0) {
        ssize_t sent = send(film->feed, from, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0) {
            close_feed(film);
            /* One that only closed its input would go on for ever. */
            kill(film->encoder, SIGTERM);
            reap(film);
            return encoder_failed(film);
        }
        from += sent;
        left -= (size_t)sent;
    }
    film->frames++;
    return OCT_STATUS_OK;
}

oct_status oct_film_add(oct_film *film, const oct_bodies *bodies, const oct_file_info *info,
                        const oct_render_options *options)
{
    oct_render_options own;
    oct_file_info about;
    oct_canvas canvas;
    OCT_TRY(oct_render_take(&own, &about, options, &info));
    OCT_CHECK(film->feed >= 0, OCT_STATUS_IO, "the film has ended already");
    own.width = film->width;
    own.height = film->height;
    oct_status status = oct_render_draw(&canvas, bodies, info, &own);
    for (int y = 0; status == OCT_STATUS_OK && y < film->height; y++)
        oct_canvas_row(film->rgb + 3 * (size_t)y * (size_t)film->width, &canvas, y);
    oct_canvas_clear(&canvas);
    return status == OCT_STATUS_OK ? send_frame(film) : status;
}

oct_status oct_film_finish(oct_film *film)
{
    OCT_CHECK(film->feed >= 0, OCT_STATUS_IO, "the film has ended already");
    OCT_CHECK(film->frames > 0, OCT_STATUS_INPUT, "the film '%s' has no frames", film->draft.path);
    close_feed(film);
    if (!reap(film))
        return encoder_failed(film);
    return oct_file_commit(&film->draft, false);
}

void oct_film_free(oct_film *film)
{
    if (!film)
        return;
    if (film->encoder > 0) {
        kill(film->encoder, SIGKILL);
        reap(film);
    }
    close_feed(film);
    if (film->words)
        fclose(film->words);
    oct_file_abandon(&film->draft);
    free(film->rgb);
    free(film);
}
