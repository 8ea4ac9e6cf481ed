/* A child with little time, whose sentence comes back through a pipe. */
#include "util/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child says at its end; one that crashed says nothing. */
typedef struct last_words {
    oct_status status;
    char sentence[4096];
} last_words;

/* Neither crash handlers nor core files nor output of the process it is a copy of. */
static void be_quiet(unsigned seconds)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU};
    const struct rlimit time = {seconds, seconds}, none = {0, 0};
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        signal(crashes[i], SIG_DFL);
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &none);
    int silence = open("/dev/null", O_RDWR);
    if (silence >= 0) {
        dup2(silence, STDOUT_FILENO);
        dup2(silence, STDERR_FILENO);
    }
}

/* How a child ends that lived but could not say so, with no room for its words or nobody to hear.
 */
enum { UNHEARD = 3 };

static bool receive(last_words *words, int from)
{
    char *to = (char *)words;
    size_t left = sizeof *words;
    while (left > 0) {
        ssize_t count = read(from, to, left);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        to += count;
        left -= (size_t)count;
    }
    return true;
}

oct_status oct_trial(bool *survived, oct_status (*work)(void *context), void *context,
                     unsigned seconds)
{
    last_words words = {0};
    int ends[2];
    *survived = true;
    if (pipe(ends) != 0)
        return OCT_STATUS_OK;
    pid_t child = fork();
    if (child == 0) {
        be_quiet(seconds);
        words.status = work(context);
        snprintf(words.sentence, sizeof words.sentence, "%s", oct_last_error());
        _exit(write(ends[1], &words, sizeof words) == (ssize_t)sizeof words ? 0 : UNHEARD);
    }
    close(ends[1]);
    if (child > 0) {
        int end = 0;
        bool heard = receive(&words, ends[0]);
        while (waitpid(child, &end, 0) < 0 && errno == EINTR)
            continue;
        *survived = heard || (WIFEXITED(end) && WEXITSTATUS(end) == UNHEARD);
        if (!heard)
            words.status = OCT_STATUS_OK;
    }
    close(ends[0]);
    if (*survived && words.status != OCT_STATUS_OK)
        return OCT_FAIL(words.status, "%s", words.sentence);
    return OCT_STATUS_OK;
}
