/* Completions for zsh. */
#include <stdio.h>
#include <string.h>

#include "completion.h"

/* Text within single quotes, in which the named characters mean something. */
static void quoted(const char *text, const char *special)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\'')
            printf("'\\''");
        else
            printf("%s%c", strchr(special, *c) ? "\\" : "", *c);
    }
}

/* The action of _arguments for a place; words are printed by the caller. */
static const char *const actions[] = {
    [OCT_PLACE_ANYTHING] = "",
    [OCT_PLACE_WORDS] = "",
    [OCT_PLACE_FILES] = "_files",
    [OCT_PLACE_FOLDERS] = "_files -/",
    [OCT_PLACE_SCENES] = "_octant_scenes",
    [OCT_PLACE_KEYS] = "_octant_keys",
    [OCT_PLACE_NAMES] = "_octant_names",
    [OCT_PLACE_COMMANDS] = "_octant_commands",
};

static void print_option(const oct_option *option)
{
    oct_place place = oct_option_place(option);
    printf(" \\\n            '%s--%s%s[", option->repeated ? "*" : "", option->name,
           !option->value           ? ""
           : option->value_optional ? "=-"
                                    : "=");
    quoted(option->doc, "[]:\\");
    printf("]");
    if (option->value) {
        printf("%s", option->value_optional ? "::" : ":");
        quoted(option->value, ":\\");
        printf(":%s", actions[place]);
        if (place == OCT_PLACE_WORDS) {
            printf("(");
            oct_print_option_words(option);
            printf(")");
        }
    }
    printf("'");
}

static void print_command(const oct_command *command)
{
    oct_place place = oct_command_place(command);
    printf("    %s)\n        _arguments", command->name);
    for (const oct_option *option = command->options; option && option->name; option++)
        print_option(option);
    print_option(&oct_option_help);
    if (place != OCT_PLACE_ANYTHING) {
        printf(" \\\n            '*:");
        quoted(command->arguments, ":\\");
        printf(":%s", actions[place]);
        if (place == OCT_PLACE_WORDS) {
            printf("(");
            oct_print_topics(command);
            printf(")");
        }
        printf("'");
    }
    printf("\n        ;;\n");
}

oct_status oct_completion_zsh(void)
{
    printf("#compdef octant\n"
           "# Completions of octant %s for zsh, from octant help --completion zsh\n"
           "_octant_scenes() {\n    compadd -- ",
           oct_version());
    oct_print_scenes();
    printf("\n    _files\n}\n_octant_names() {\n    compadd -- modules scenes ");
    oct_print_scenes();
    printf(" ");
    oct_status status = oct_print_list("names");
    printf("\n}\n_octant_keys() {\n    compadd -S = -- ");
    if (status == OCT_STATUS_OK)
        status = oct_print_list("keys");
    printf("\n}\n_octant_commands() {\n    local -a commands=(");
    for (const oct_command *const *command = oct_commands; *command; command++) {
        printf("\n        '%s:", (*command)->name);
        quoted((*command)->doc, ":\\");
        printf("'");
    }
    printf("\n    )\n    _describe -t commands command commands\n}\n"
           "_octant() {\n"
           "    if (( CURRENT == 2 )); then\n"
           "        _octant_commands\n"
           "        compadd -- --help --version\n"
           "        return\n"
           "    fi\n"
           "    local command=$words[2]\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $command in\n");
    for (const oct_command *const *command = oct_commands; *command; command++)
        print_command(*command);
    printf("    esac\n}\n_octant \"$@\"\n");
    return status;
}
