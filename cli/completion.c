/* What the completions of all shells share: the words that may follow. */
#include "completion.h"

#include <stdio.h>
#include <string.h>

oct_place oct_option_place(const oct_option *option)
{
    static const struct {
        const char *value;
        oct_place place;
    } values[] = {{"FILE", OCT_PLACE_FILES},
                  {"PATH", OCT_PLACE_FILES},
                  {"DIR", OCT_PLACE_FOLDERS},
                  {"SCENE", OCT_PLACE_SCENES},
                  {"KEY=", OCT_PLACE_KEYS}};
    if (option->words || strcmp(option->name, "map") == 0 || strcmp(option->name, "units") == 0)
        return OCT_PLACE_WORDS;
    for (size_t i = 0; option->value && i < sizeof values / sizeof values[0]; i++)
        if (strncmp(option->value, values[i].value, strlen(values[i].value)) == 0)
            return values[i].place;
    return OCT_PLACE_ANYTHING;
}

oct_place oct_command_place(const oct_command *command)
{
    static const oct_place places[] = {[OCT_TAKES_FILES] = OCT_PLACE_FILES,
                                       [OCT_TAKES_SCENES] = OCT_PLACE_SCENES,
                                       [OCT_TAKES_NAMES] = OCT_PLACE_NAMES,
                                       [OCT_TAKES_TOPICS] = OCT_PLACE_WORDS,
                                       [OCT_TAKES_COMMANDS] = OCT_PLACE_COMMANDS};
    return command->max_arguments == 0 ? OCT_PLACE_ANYTHING : places[command->takes];
}

void oct_print_option_words(const oct_option *option)
{
    const char *word;
    if (option->words) {
        printf("%s", option->words);
    } else if (strcmp(option->name, "map") == 0) {
        for (size_t i = 0; (word = oct_render_map(i)); i++)
            printf("%s%s", i ? " " : "", word);
    } else {
        for (const char *const *name = oct_units_names(); *name; name++)
            printf("%s%s", name == oct_units_names() ? "" : " ", *name);
    }
}

void oct_print_topics(const oct_command *command)
{
    const char *name, *doc;
    for (size_t i = 0; command->topic && command->topic(i, &name, &doc); i++)
        printf("%s%s", i ? " " : "", name);
}

void oct_print_scenes(void)
{
    const char *name, *text;
    for (size_t i = 0; oct_scene_builtin(i, &name, &text); i++)
        printf("%s%s", i ? " " : "", name);
}

void oct_print_commands(void)
{
    for (const oct_command *const *command = oct_commands; *command; command++)
        printf("%s%s", command == oct_commands ? "" : " ", (*command)->name);
}

oct_status oct_print_list(const char *format)
{
    char *lines = NULL;
    oct_status status = oct_reference(&lines, format);
    if (status != OCT_STATUS_OK)
        return status;
    for (const char *c = lines; *c; c++)
        if (*c != '\n')
            putchar(*c);
        else if (c[1])
            putchar(' ');
    oct_text_free(lines);
    return OCT_STATUS_OK;
}

int oct_completion_print(const char *shell)
{
    static const char *const names[] = {"bash", "zsh", "fish"};
    static oct_status (*const scripts[])(void) = {oct_completion_bash, oct_completion_zsh,
                                                  oct_completion_fish};
    enum { SHELLS = sizeof names / sizeof names[0] };
    for (size_t i = 0; i < SHELLS; i++) {
        if (strcmp(shell, names[i]) != 0)
            continue;
        oct_status status = scripts[i]();
        return status == OCT_STATUS_OK ? 0 : oct_report_failure(status);
    }
    const char *nearest = oct_text_nearest(shell, names, SHELLS);
    return oct_report_usage("there are completions for bash, zsh and fish, not for `%s`%s%s%s",
                            shell, nearest ? "; did you mean " : "", nearest ? nearest : "",
                            nearest ? "?" : "");
}
