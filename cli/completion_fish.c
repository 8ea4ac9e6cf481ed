/* Completions for fish. */
#include <stdio.h>

#include "completion.h"

/* Text within single quotes. */
static void quoted(const char *text)
{
    for (const char *c = text; *c; c++)
        printf("%s%c", *c == '\'' || *c == '\\' ? "\\" : "", *c);
}

/* Completes with what a place holds; words are printed by the caller. */
static const char *const actions[] = {
    [OCT_PLACE_ANYTHING] = " -x",
    [OCT_PLACE_WORDS] = " -x",
    [OCT_PLACE_FILES] = " -r -F",
    [OCT_PLACE_FOLDERS] = " -x -a '(__fish_complete_directories)'",
    [OCT_PLACE_SCENES] = " -r -F -a '(__octant_scenes)'",
    [OCT_PLACE_KEYS] = " -x -a '(__octant_keys)='",
    [OCT_PLACE_NAMES] = " -x -a '(__octant_names)'",
    [OCT_PLACE_COMMANDS] = " -x -a '(__octant_commands)'",
};

static void print_option(const oct_option *option, const char *command)
{
    oct_place place = oct_option_place(option);
    printf("complete -c octant -n '__octant_is %s' -l %s -d '", command, option->name);
    quoted(option->doc);
    printf("'");
    if (option->value && !option->value_optional)
        printf("%s", actions[place]);
    if (option->value && place == OCT_PLACE_WORDS) {
        printf(" -a '");
        oct_print_option_words(option);
        printf("'");
    }
    printf("\n");
}

static void print_command(const oct_command *command)
{
    oct_place place = oct_command_place(command);
    printf("complete -c octant -n __octant_alone -a %s -d '", command->name);
    quoted(command->doc);
    printf("'\n");
    for (const oct_option *option = command->options; option && option->name; option++)
        print_option(option, command->name);
    print_option(&oct_option_help, command->name);
    if (place == OCT_PLACE_ANYTHING)
        return;
    printf("complete -c octant -n '__octant_is %s'%s", command->name, actions[place]);
    if (place == OCT_PLACE_WORDS) {
        printf(" -a '");
        oct_print_topics(command);
        printf("'");
    }
    printf("\n");
}

oct_status oct_completion_fish(void)
{
    printf("# Completions of octant %s for fish, from octant help --completion fish\n"
           "function __octant_alone\n"
           "    test (count (commandline -opc)) -eq 1\n"
           "end\n"
           "function __octant_is\n"
           "    set -l words (commandline -opc)\n"
           "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
           "end\n"
           "function __octant_commands\n    string split ' ' '",
           oct_version());
    oct_print_commands();
    printf("'\nend\nfunction __octant_scenes\n    string split ' ' '");
    oct_print_scenes();
    printf("'\nend\nfunction __octant_names\n    string split ' ' 'modules scenes ");
    oct_print_scenes();
    printf(" ");
    oct_status status = oct_print_list("names");
    printf("'\nend\nfunction __octant_keys\n    string split ' ' '");
    if (status == OCT_STATUS_OK)
        status = oct_print_list("keys");
    printf("'\nend\ncomplete -c octant -f\n"
           "complete -c octant -n __octant_alone -l help -d 'show the commands and end'\n"
           "complete -c octant -n __octant_alone -l version -d 'show the version and end'\n");
    for (const oct_command *const *command = oct_commands; *command; command++)
        print_command(*command);
    return status;
}
