/* Completions for bash. */
#include <stdio.h>

#include "completion.h"

/* Sets what there is to choose from in a place, as the script has it. */
static const char *const kinds[] = {
    [OCT_PLACE_ANYTHING] = "kind=none", [OCT_PLACE_WORDS] = "kind=words",
    [OCT_PLACE_FILES] = "kind=files",   [OCT_PLACE_FOLDERS] = "kind=folders",
    [OCT_PLACE_SCENES] = "kind=scenes", [OCT_PLACE_KEYS] = "kind=keys",
    [OCT_PLACE_NAMES] = "kind=names",   [OCT_PLACE_COMMANDS] = "kind=commands",
};

/* The word is what was typed since the last blank: bash itself would split it at '='. */
static const char head[] =
    "    local line=${COMP_LINE:0:COMP_POINT} kind='' words='' options='' option=''\n"
    "    local value=${line##*[[:space:]]}\n"
    "    local -a before\n"
    "    read -ra before <<<\"${line%\"$value\"}\"\n"
    "    case $value in\n"
    "    --*=*) option=${value%%=*} value=${value#*=} ;;\n"
    "    *) [[ ${#before[@]} -gt 2 ]] && option=${before[${#before[@]} - 1]} ;;\n"
    "    esac\n"
    "    case ${before[1]-} in\n";

/* Only what is behind '=' is replaced where bash splits words there. */
static const char tail[] =
    "    esac\n"
    "    if [[ $value == -* && $kind != none ]]; then\n"
    "        kind=words words=$options\n"
    "    fi\n"
    "    COMPREPLY=()\n"
    "    case $kind in\n"
    "    words) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$value\") ;;\n"
    "    commands) mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$value\") ;;\n"
    "    names) mapfile -t COMPREPLY < <(compgen -W \"modules scenes $scenes $names\" -- "
    "\"$value\") ;;\n"
    "    scenes)\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$scenes\" -- \"$value\"; compgen -f -- "
    "\"$value\")\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        ;;\n"
    "    files)\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$value\")\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        ;;\n"
    "    folders)\n"
    "        mapfile -t COMPREPLY < <(compgen -d -- \"$value\")\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        ;;\n"
    "    keys)\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$keys\" -S = -- \"$value\")\n"
    "        compopt -o nospace 2>/dev/null\n"
    "        ;;\n"
    "    esac\n"
    "    if [[ ${line##*[[:space:]]} == --*=* && $COMP_WORDBREAKS != *=* ]]; then\n"
    "        COMPREPLY=(\"${COMPREPLY[@]/#/$option=}\")\n"
    "    fi\n"
    "}\n"
    "complete -F _octant octant\n";

/* What to choose from after an option that has a value, in a case of its own. */
static void print_option(const oct_option *option)
{
    oct_place place = oct_option_place(option);
    printf("        --%s) %s", option->name, kinds[place]);
    if (place == OCT_PLACE_WORDS) {
        printf(" words='");
        oct_print_option_words(option);
        printf("'");
    }
    printf(" ;;\n");
}

static void print_command(const oct_command *command)
{
    oct_place place = oct_command_place(command);
    printf("    %s)\n        options='", command->name);
    for (const oct_option *option = command->options; option && option->name; option++)
        printf("--%s ", option->name);
    printf("--help'\n        case $option in\n");
    for (const oct_option *option = command->options; option && option->name; option++)
        if (option->value && !option->value_optional)
            print_option(option);
    printf("        *) %s", place == OCT_PLACE_ANYTHING ? "kind=options" : kinds[place]);
    if (place == OCT_PLACE_WORDS) {
        printf(" words='");
        oct_print_topics(command);
        printf("'");
    }
    printf(" ;;\n        esac\n        ;;\n");
}

oct_status oct_completion_bash(void)
{
    printf("# Completions of octant %s for bash, from octant help --completion bash\n"
           "_octant()\n{\n    local commands='",
           oct_version());
    oct_print_commands();
    printf("'\n    local scenes='");
    oct_print_scenes();
    printf("'\n    local names='");
    oct_status status = oct_print_list("names");
    printf("'\n    local keys='");
    if (status == OCT_STATUS_OK)
        status = oct_print_list("keys");
    printf("'\n%s    '') kind=commands options='--help --version' ;;\n", head);
    for (const oct_command *const *command = oct_commands; *command; command++)
        print_command(*command);
    printf("%s", tail);
    return status;
}
