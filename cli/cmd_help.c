/* octant help: help, manual pages and completions, all from the tables of commands. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "completion.h"
#include "manual.h"

static const oct_option options[] = {
    {.name = "man", .doc = "print the manual page: of the program, a COMMAND, or of `scene`"},
    {.name = "completion",
     .value = "SHELL",
     .words = "bash zsh fish",
     .doc = "print the completions for bash, zsh or fish"},
    {0}};

static int print_manual(const char *name)
{
    char *text = NULL;
    if (!name) {
        oct_manual_program();
        return 0;
    }
    if (strcmp(name, "scene") == 0) {
        oct_status status = oct_reference(&text, "man");
        if (status != OCT_STATUS_OK)
            return oct_report_failure(status);
        printf("%s", text);
        oct_text_free(text);
        return 0;
    }
    const oct_command *command = oct_command_find(name);
    if (command)
        oct_manual_command(command);
    return command ? 0 : 2;
}

static bool is_command(const char *name)
{
    for (const oct_command *const *command = oct_commands; *command; command++)
        if (strcmp((*command)->name, name) == 0)
            return true;
    return false;
}

static int run(const oct_call *call)
{
    const char *name = call->n_arguments ? call->arguments[0] : NULL;
    const char *shell = oct_call_option(call, "completion");
    char *text = NULL;
    if (shell)
        return oct_completion_print(shell);
    if (oct_call_option(call, "man"))
        return print_manual(name);
    if (!name) {
        oct_program_help();
        return 0;
    }
    /* What is no command may be something in a scene. */
    if (!is_command(name) && oct_reference_of(&text, "text", name) == OCT_STATUS_OK) {
        printf("%s", text);
        oct_text_free(text);
        return 0;
    }
    const oct_command *command = oct_command_find(name);
    if (command)
        oct_command_help(command);
    return command ? 0 : 2;
}

const oct_command oct_cmd_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .doc = "show how a command is used; print manual pages and completions for shells",
    .example = "octant help run",
    .options = options,
    .max_arguments = 1,
    .takes = OCT_TAKES_COMMANDS,
    .run = run,
};
