#include "command.h"

#include <stdio.h>
#include <string.h>

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
        oct_program_help();
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        printf("octant %s\n", oct_version());
        return 0;
    }
    if (word[0] == '-')
        return oct_report_usage("a command comes first: octant COMMAND %s", word);
    const oct_command *command = oct_command_find(word);
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
