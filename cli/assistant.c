/* A child whose standard input is its lifeline: whatever ends this process closes that. */
#include "assistant.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* More than a pipe takes at once is not handed over. */
enum { MOST_BYTES = 65536 };

/* The device's place in the list, as --device takes it; the driver is part of what it is. */
static bool find_index(char out[16], const oct_device *device)
{
    const oct_device_info *info = oct_device_describe(device);
    oct_device_info *list;
    size_t n, i = 0;
    if (oct_device_list(&list, &n) != OCT_STATUS_OK)
        return false;
    while (i < n && (strcmp(list[i].name, info->name) != 0 ||
                     strcmp(list[i].platform, info->platform) != 0 ||
                     strcmp(list[i].driver, info->driver) != 0))
        i++;
    oct_device_list_free(list);
    snprintf(out, 16, "%zu", i);
    return i < n;
}

/* With the pipe as its input, no output, and signals as in a new process: this one may wait for
 * them in a thread of its own. */
static bool spawn(pid_t *out, char *const words[], int input)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    if (posix_spawn_file_actions_init(&files) != 0)
        return false;
    if (posix_spawnattr_init(&how) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return false;
    }
    bool good =
        posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO) == 0 &&
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawnattr_setsigmask(&how, &none) == 0 &&
        posix_spawnattr_setsigdefault(&how, &usual) == 0 &&
        posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0 &&
        posix_spawn(out, "/proc/self/exe", &files, &how, words, environ) == 0;
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return good;
}

/* The text and the NUL behind it, in one go or not at all: nobody waits for the reader. */
static bool hand_over(int to, const char *scene)
{
    size_t bytes = strlen(scene) + 1;
    return bytes <= MOST_BYTES && fcntl(to, F_SETFL, O_NONBLOCK) == 0 &&
           write(to, scene, bytes) == (ssize_t)bytes;
}

void oct_assistant_start(oct_assistant *out, const oct_device *device, const char *scene,
                         oct_precision precision)
{
    char index[16], how[16];
    char program[] = "octant", command[] = "prepare", assist[] = "--assist", on[] = "--device",
         in[] = "--precision";
    char *const words[] = {program, command, assist, on, index, in, how, NULL};
    int ends[2];
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || oct_device_describe(device)->compute_units < 2 ||
        !find_index(index, device) || pipe(ends) != 0)
        return;
    snprintf(how, sizeof how, "%s", oct_precision_name(precision));
    /* A compiler that the driver starts meanwhile must not keep the lifeline open. */
    bool good = fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
                fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 && hand_over(ends[1], scene) &&
                spawn(&out->process, words, ends[0]);
    close(ends[0]);
    out->lifeline = ends[1];
    if (!good) {
        out->process = 0;
        close(ends[1]);
    }
}

void oct_assistant_end(oct_assistant *assistant)
{
    if (assistant->process == 0)
        return;
    close(assistant->lifeline);
    /* Nothing is waited for: what it could have tested is tested. */
    (void)kill(assistant->process, SIGKILL);
    while (waitpid(assistant->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    *assistant = (oct_assistant){0};
}

/* Reads what comes; 0 at the end. */
static size_t receive(char *to, size_t bytes)
{
    ssize_t count;
    do
        count = read(STDIN_FILENO, to, bytes);
    while (count < 0 && errno == EINTR);
    return count > 0 ? (size_t)count : 0;
}

static void *watch_lifeline(void *context)
{
    char ignored[64];
    (void)context;
    while (receive(ignored, sizeof ignored) > 0)
        continue;
    _exit(0);
}

char *oct_assistant_listen(void)
{
    pthread_t thread;
    size_t used = 0, more = 1;
    char *text = calloc(MOST_BYTES + 1, 1);
    while (text && more > 0 && used < MOST_BYTES && memchr(text, '\0', used) == NULL) {
        more = receive(text + used, MOST_BYTES - used);
        used += more;
    }
    if (text && memchr(text, '\0', used) &&
        pthread_create(&thread, NULL, watch_lifeline, NULL) == 0)
        return text;
    free(text);
    return NULL;
}
