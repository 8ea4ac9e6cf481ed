#include "command.h"

#include <stdio.h>
#include <string.h>

enum { COMMANDS_MAX = 64 };

static void print_help(void)
{
    printf("octant: N-body simulation on any OpenCL device\n\n"
           "usage: octant COMMAND [options] ARGUMENTS\n\ncommands:\n");
    for (const oct_command *const *command = oct_commands; *command; command++)
        printf("  %-10s  %s\n", (*command)->name, (*command)->doc);
    printf("\noptions:\n"
           "  --help      show this and end; `octant COMMAND --help` is about the command\n"
           "  --version   show the version and end\n"
           "\nexample: octant run plummer\n");
}

static const oct_command *find_command(const char *name)
{
    const char *names[COMMANDS_MAX];
    size_t n = 0;
    for (const oct_command *const *command = oct_commands; *command; command++) {
        if (strcmp((*command)->name, name) == 0)
            return *command;
        if (n < COMMANDS_MAX)
            names[n++] = (*command)->name;
    }
    const char *nearest = oct_text_nearest(name, names, n);
    if (nearest)
        oct_report_usage("there is no command `%s`; did you mean `%s`?", name, nearest);
    else
        oct_report_usage("there is no command `%s`; `octant --help` lists them", name);
    return NULL;
}

static int run_command(const oct_command *command, int n, char **words)
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
    }
    oct_call_clear(&call);
    return result;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return oct_report_usage("a command is missing; `octant --help` lists them");
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_help();
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        printf("octant %s\n", oct_version());
        return 0;
    }
    if (word[0] == '-')
        return oct_report_usage("a command comes first: octant COMMAND %s", word);
    const oct_command *command = find_command(word);
    return command ? run_command(command, argc - 2, argv + 2) : 2;
}

int main(int argc, char **argv)
{
    int result = dispatch(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && result == 0) {
        fprintf(stderr, "octant: cannot write to standard output\n");
        result = 1;
    }
    return result;
}
