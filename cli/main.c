/* Finds the command, runs it, and ends with its status once all that was printed is written. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A descriptor that is closed would be given to the next file that is opened, and what is meant for
 * a person would be written into it. What is opened here instead can be read from, to its end at
 * once, and not be written to. False where it cannot be had. */
static bool open_standard_files(bool *unread)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) >= 0 || errno != EBADF)
            continue;
        if (open("/dev/null", O_RDONLY) != file)
            return false;
        *unread = *unread || file == STDOUT_FILENO;
    }
    return true;
}

/* Whether the reader of standard output has gone, as that of `octant run ... | head -1` does. */
static bool reader_has_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

/* Whether what the command was called for is in files, and what it prints is by the way. */
static bool leaves_files(const oct_call *call)
{
    const char *out = oct_call_option(call, "out");
    bool files = out ? strcmp(out, "none") != 0 : call->command->leaves_files;
    return files && !oct_call_option(call, "json");
}

/* The exit status, once all has been printed. */
static int finish(int result, const oct_call *call, bool unread)
{
    bool printed = fflush(stdout) == 0 && !ferror(stdout);
    if (result == 0 && !oct_json_whole())
        return 1;
    if (printed || result != 0)
        return result;
    if (call && leaves_files(call) && (unread || reader_has_gone()))
        return 0;
    fprintf(stderr, "octant: cannot write to standard output\n");
    return 1;
}

static int run_command(const oct_command *command, int n, char **words, bool unread)
{
    oct_call call;
    int result = 2;
    if (oct_call_parse(&call, command, n, words)) {
        if (call.help) {
            oct_command_help(command);
            result = 0;
        } else {
            result = command->run(&call);
        }
        result = finish(result, call.help ? NULL : &call, unread);
    }
    oct_call_clear(&call);
    return result;
}

/* The version, and what this build has of that which it may lack. */
static void print_version(void)
{
    printf("octant %s\n", oct_version());
    for (int with = 1; with >= 0; with--) {
        bool first = true;
        for (size_t i = 0; oct_feature_name(i); i++)
            if (oct_feature_present(oct_feature_name(i)) == with) {
                printf("%s%s", !first ? ", " : with ? "with " : "without ", oct_feature_name(i));
                first = false;
            }
        printf("%s", first ? "" : "\n");
    }
}

static int dispatch(int argc, char **argv, bool unread)
{
    if (argc < 2)
        return oct_report_usage("a command is missing; `octant --help` lists them");
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        oct_program_help();
        return finish(0, NULL, unread);
    }
    if (strcmp(word, "--version") == 0) {
        print_version();
        return finish(0, NULL, unread);
    }
    if (word[0] == '-')
        return oct_report_usage("a command comes first: octant COMMAND %s", word);
    const oct_command *command = oct_command_find(word);
    return command ? run_command(command, argc - 2, argv + 2, unread) : 2;
}

int main(int argc, char **argv)
{
    bool unread = false; /* standard output was closed from the start */
    if (!open_standard_files(&unread))
        return 1;
    /* A write into a pipe that nobody reads is an error like any other: a run goes on without. */
    (void)signal(SIGPIPE, SIG_IGN);
    return dispatch(argc, argv, unread);
}
