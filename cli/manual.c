/* Prints the pages line by line, with what roff would take for commands escaped. */
#include "manual.h"

#include <ctype.h>
#include <stdio.h>

/* What roff would take for its own is escaped; a minus is one that can be copied. */
static void roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        printf("\\&");
    for (const char *c = text; *c; c++) {
        if (*c == '\\')
            printf("\\e");
        else if (*c == '-')
            printf("\\-");
        else
            putchar(*c);
    }
}

/* .B or another macro with one argument, on a line of its own. */
static void line(const char *macro, const char *text)
{
    printf("%s ", macro);
    roff(text);
    printf("\n");
}

static void text_line(const char *text)
{
    roff(text);
    printf("\n");
}

/* An entry of a list: what it is called, and what it does. */
static void entry(const char *name, const char *doc, const char *more)
{
    printf(".TP\n");
    line(".B", name);
    roff(doc);
    printf("%s\n", more);
}

static void title(const char *name, const char *doc)
{
    printf(".TH ");
    for (const char *c = name; *c; c++)
        printf("%s%c", *c == '-' ? "\\" : "", toupper((unsigned char)*c));
    printf(" 1 \"\" \"Octant %s\" \"Octant Manual\"\n.SH NAME\n", oct_version());
    roff(name);
    printf(" \\- ");
    text_line(doc);
    printf(".SH SYNOPSIS\n");
}

static void example(const char *command)
{
    printf(".SH EXAMPLES\n.nf\n");
    text_line(command);
    printf(".fi\n");
}

static void exit_status(void)
{
    printf(".SH EXIT STATUS\n");
    entry("0", "it is done", "");
    entry("1", "it failed", "");
    entry("2", "a wrong word on the command line, or bad input: nothing was written", "");
    entry("128 + N", "it was stopped by signal N, as 130 by Ctrl-C", "");
}

void oct_manual_program(void)
{
    const char *name, *text;
    title("octant", "N-body simulation on any OpenCL device");
    printf(".B octant\n.I COMMAND\n[options]\n.I ARGUMENTS\n.SH DESCRIPTION\n"
           "Simulates planetary rings, star clusters, galaxies and solar systems from a scene\n"
           "file, whole steps on the device. The file is described in\n"
           ".BR octant\\-scene (5).\n.SH COMMANDS\nEach has a page of its own.\n");
    for (const oct_command *const *command = oct_commands; *command; command++) {
        printf(".TP\n.BR octant\\-");
        roff((*command)->name);
        printf(" (1)\n");
        text_line((*command)->doc);
    }
    printf(".SH OPTIONS\n");
    entry("--help", "show the commands and end; after a command, its options", "");
    entry("--version", "show the version and end", "");
    printf(".SH SCENES\nThese are built in;\n.B octant list \\-\\-show\n.I NAME\nprints one.\n");
    for (size_t i = 0; oct_scene_builtin(i, &name, &text); i++)
        printf("%s", i ? ".br\n" : ".PP\n"), text_line(name);
    exit_status();
    printf(".SH ENVIRONMENT\n");
    entry("OCTANT_VIEW_TOKEN", "the token of a viewer's address, 32 hexadecimal digits", "");
    entry("XDG_CACHE_HOME", "where compiled kernels are kept, in a folder octant", "");
    example("octant run plummer");
    printf(".SH SEE ALSO\n.BR octant\\-scene (5)\n");
}

void oct_manual_command(const oct_command *command)
{
    char name[64];
    const char *topic, *doc;
    bool options = command->options && command->options->name;
    snprintf(name, sizeof name, "octant-%s", command->name);
    title(name, command->doc);
    printf(".B octant ");
    text_line(command->name);
    if (options)
        printf("[options]\n");
    if (command->arguments && *command->arguments)
        line(".I", command->arguments);
    printf(".SH OPTIONS\n");
    for (const oct_option *option = command->options; option && option->name; option++) {
        char usage[64];
        oct_option_usage(usage, option);
        entry(usage, option->doc, option->repeated ? " (repeatable)" : "");
    }
    entry("--help", oct_option_help.doc, "");
    for (size_t i = 0; command->topic && command->topic(i, &topic, &doc); i++) {
        if (i == 0)
            line(".SH", command->topics);
        entry(topic, doc, "");
    }
    exit_status();
    example(command->example);
    printf(".SH SEE ALSO\n.BR octant (1),\n.BR octant\\-scene (5)\n");
}
