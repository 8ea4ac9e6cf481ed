/* The command line is read by a command's table; help and messages come from the same one. */
#include "command.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MAX = 64, COMMANDS_MAX = 64 };

const oct_option oct_option_help = {.name = "help", .doc = "show this and end"};

void oct_print_sentence(const char *kind, const char *sentence)
{
    enum { LINE = 4096 };
    fflush(stdout);
    fprintf(stderr, "octant: %s", kind);
    for (bool more = true; more;) {
        char line[LINE];
        size_t length = strcspn(sentence, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(length < LINE ? length : LINE - 1), sentence);
        fprintf(stderr, "%s\n", OCT_SHOW(line));
        more = sentence[length] != '\0';
        sentence += length + more;
    }
}

int oct_report_failure(oct_status status)
{
    oct_print_sentence("", oct_last_error());
    return status > 0 ? 2 : 1;
}

int oct_report_usage(const char *format, ...)
{
    char sentence[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    oct_print_sentence("", sentence);
    return 2;
}

/* The option of that name, which ends at name + length. */
static const oct_option *find_option(const oct_command *command, const char *name, size_t length)
{
    for (const oct_option *option = command->options; option && option->name; option++)
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
            return option;
    bool help =
        length == strlen(oct_option_help.name) && strncmp(oct_option_help.name, name, length) == 0;
    return help ? &oct_option_help : NULL;
}

static void report_unknown(const oct_command *command, const char *name, size_t length)
{
    char shown[64];
    snprintf(shown, sizeof shown, "%.*s", (int)(length < 63 ? length : 63), name);
    const char *names[OPTIONS_MAX];
    size_t n = 0;
    names[n++] = oct_option_help.name;
    for (const oct_option *option = command->options; option && option->name; option++)
        if (n < OPTIONS_MAX)
            names[n++] = option->name;
    const char *nearest = oct_text_nearest(shown, names, n);
    if (nearest)
        oct_report_usage("`%s` has no option --%s; did you mean --%s?", command->name, shown,
                         nearest);
    else
        oct_report_usage("`%s` has no option --%s; `octant %s --help` lists them", command->name,
                         shown, command->name);
}

static bool is_number(const char *word)
{
    return *word && word[strspn(word, "0123456789")] == '\0';
}

/* Takes one option, and the word after it where that is its value; *i is moved past both. */
static bool parse_option(oct_call *call, int n, char **words, int *i)
{
    const oct_command *command = call->command;
    const char *name = words[*i] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const oct_option *option = find_option(command, name, length);
    ++*i;
    if (!option) {
        report_unknown(command, name, length);
        return false;
    }
    const char *value = equals ? equals + 1 : "";
    if (equals && !option->value) {
        oct_report_usage("--%s takes no value", option->name);
        return false;
    }
    if (!equals && option->value && !option->value_optional) {
        if (*i == n) {
            oct_report_usage("--%s needs a value: --%s %s", option->name, option->name,
                             option->value);
            return false;
        }
        value = words[(*i)++];
    }
    if (!equals && option->value_number && *i < n && is_number(words[*i]))
        value = words[(*i)++];
    if (option == &oct_option_help)
        call->help = true;
    for (int k = 0; k < call->n_given; k++) {
        if (call->given[k] == option && !option->repeated && option->value) {
            oct_report_usage("--%s is given twice", option->name);
            return false;
        }
    }
    call->given[call->n_given] = option;
    call->values[call->n_given++] = value;
    return true;
}

bool oct_call_parse(oct_call *out, const oct_command *command, int n, char **words)
{
    *out = (oct_call){.command = command};
    size_t room = (size_t)n + 1;
    out->arguments = calloc(room, sizeof *out->arguments);
    out->given = calloc(room, sizeof *out->given);
    out->values = calloc(room, sizeof *out->values);
    if (!out->arguments || !out->given || !out->values) {
        oct_report_usage("no memory for the command line");
        return false;
    }
    bool options = true;
    for (int i = 0; i < n;) {
        const char *word = words[i];
        if (options && strcmp(word, "--") == 0) {
            options = false;
            i++;
        } else if (options && strcmp(word, "-h") == 0) {
            out->help = true;
            i++;
        } else if (options && strncmp(word, "--", 2) == 0) {
            if (!parse_option(out, n, words, &i))
                return false;
        } else if (options && word[0] == '-' && word[1] != '\0') {
            oct_report_usage("options begin with two dashes: `%s` is none", word);
            return false;
        } else {
            out->arguments[out->n_arguments++] = words[i++];
        }
    }
    if (out->help)
        return true;
    if (out->n_arguments < command->min_arguments) {
        oct_report_usage("`%s` needs %s: try `%s`", command->name, command->arguments,
                         command->example);
        return false;
    }
    if (command->max_arguments >= 0 && out->n_arguments > command->max_arguments) {
        oct_report_usage("`%s` has no use for `%s`; `octant %s --help` shows what it takes",
                         command->name, out->arguments[command->max_arguments], command->name);
        return false;
    }
    return true;
}

void oct_call_clear(oct_call *call)
{
    free(call->arguments);
    free(call->given);
    free(call->values);
    *call = (oct_call){0};
}

const oct_command *oct_command_find(const char *name)
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

void oct_program_help(void)
{
    printf("octant: N-body simulation on any OpenCL device\n\n"
           "usage: octant COMMAND [options] ARGUMENTS\n\ncommands:\n");
    for (const oct_command *const *command = oct_commands; *command; command++)
        printf("  %-10s  %s\n", (*command)->name, (*command)->doc);
    printf("\noptions:\n"
           "  --help      show this and end; `octant help COMMAND` is about the command\n"
           "  --version   show the version and end\n"
           "\nexample: octant run plummer\n");
}

void oct_option_usage(char out[64], const oct_option *option)
{
    if (!option->value)
        snprintf(out, 64, "--%s", option->name);
    else if (option->value_optional)
        snprintf(out, 64, "--%s[=%s]", option->name, option->value);
    else
        snprintf(out, 64, "--%s %s", option->name, option->value);
}

static void print_option(const oct_option *option)
{
    char usage[64];
    oct_option_usage(usage, option);
    printf("  %-20s  %s%s\n", usage, option->doc, option->repeated ? " (repeatable)" : "");
}

void oct_command_help(const oct_command *command)
{
    bool options = command->options && command->options->name;
    const char *name, *doc;
    printf("octant %s: %s\n\n", command->name, command->doc);
    printf("usage: octant %s%s%s%s\n\n", command->name, options ? " [options]" : "",
           command->arguments && *command->arguments ? " " : "",
           command->arguments ? command->arguments : "");
    printf("options:\n");
    for (const oct_option *option = command->options; option && option->name; option++)
        print_option(option);
    print_option(&oct_option_help);
    for (size_t i = 0; command->topic && command->topic(i, &name, &doc); i++)
        printf("%s%s%s  %-20s  %s\n", i ? "" : "\n", i ? "" : command->topics, i ? "" : ":\n", name,
               doc);
    printf("\nexample: %s\n", command->example);
}

const char *oct_call_option_at(const oct_call *call, const char *name, int index)
{
    for (int i = 0; i < call->n_given; i++)
        if (strcmp(call->given[i]->name, name) == 0 && index-- == 0)
            return call->values[i];
    return NULL;
}

const char *oct_call_option(const oct_call *call, const char *name)
{
    return oct_call_option_at(call, name, 0);
}

double oct_call_number(const oct_call *call, const char *name, double fallback, bool *bad)
{
    const char *text = oct_call_option(call, name);
    if (!text)
        return fallback;
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) {
        oct_report_usage("--%s needs a number, not `%s`", name, text);
        *bad = true;
        return fallback;
    }
    return value;
}

uint64_t oct_call_count(const oct_call *call, const char *name, uint64_t fallback, bool *bad)
{
    const char *text = oct_call_option(call, name);
    if (!text)
        return fallback;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    /* strtoull takes "-1" for a very large number. */
    if (text[0] < '0' || text[0] > '9' || *end || errno || value == 0) {
        oct_report_usage("--%s needs a whole number above 0, not `%s`", name, text);
        *bad = true;
        return fallback;
    }
    return value;
}

oct_precision oct_call_precision(const oct_call *call, bool *bad)
{
    return oct_call_precision_of(call, "precision", OCT_PRECISION_AUTO, bad);
}

oct_precision oct_call_precision_of(const oct_call *call, const char *name, oct_precision fallback,
                                    bool *bad)
{
    static const oct_precision all[] = {OCT_PRECISION_AUTO, OCT_PRECISION_SINGLE,
                                        OCT_PRECISION_MIXED, OCT_PRECISION_DOUBLE};
    enum { N = sizeof all / sizeof all[0] };
    const char *text = oct_call_option(call, name);
    if (!text)
        return fallback;
    const char *names[N];
    for (size_t i = 0; i < N; i++) {
        names[i] = oct_precision_name(all[i]);
        if (strcmp(text, names[i]) == 0)
            return all[i];
    }
    const char *nearest = oct_text_nearest(text, names, N);
    oct_report_usage("--%s is single, mixed, double or auto, not `%s`%s%s%s", name, text,
                     nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    *bad = true;
    return fallback;
}

bool oct_call_time(double *out, const oct_call *call, const char *name, const oct_sim *sim)
{
    const char *text = oct_call_option(call, name);
    *out = 0;
    if (!text)
        return true;
    if (oct_sim_parse_time(out, sim, text) != OCT_STATUS_OK) {
        oct_report_usage("--%s: %s", name, oct_last_error());
        return false;
    }
    if (!(*out > 0 && isfinite(*out))) {
        oct_report_usage("--%s needs a time above 0, not `%s`", name, text);
        return false;
    }
    return true;
}

oct_status oct_call_set(oct_scene *scene, const oct_call *call, const char *name)
{
    const char *assignment;
    oct_status status = OCT_STATUS_OK;
    for (int i = 0; status == OCT_STATUS_OK && (assignment = oct_call_option_at(call, name, i));
         i++)
        status = oct_scene_set(scene, assignment);
    return status;
}

oct_status oct_call_until(oct_scene *scene, const oct_call *call)
{
    const char *until = oct_call_option(call, "until");
    char assignment[256];
    if (!until)
        return OCT_STATUS_OK;
    snprintf(assignment, sizeof assignment, "run.until=%s", until);
    return oct_scene_set(scene, assignment);
}

oct_status oct_call_scene(oct_scene **out, const oct_call *call)
{
    oct_scene *scene = NULL;
    oct_status status = oct_scene_load(&scene, call->arguments[0]);
    if (status == OCT_STATUS_OK)
        status = oct_call_set(scene, call, "set");
    if (status == OCT_STATUS_OK)
        *out = scene;
    else
        oct_scene_free(scene);
    return status;
}

static bool json_lost;

bool oct_json_whole(void)
{
    return !json_lost;
}

void oct_json_text(const char *text)
{
    char *quoted;
    oct_status status = oct_text_json(&quoted, text);
    if (status != OCT_STATUS_OK) {
        if (!json_lost)
            oct_report_failure(status);
        json_lost = true;
        printf("null");
        return;
    }
    printf("%s", quoted);
    oct_text_free(quoted);
}

void oct_json_number(double value)
{
    if (isfinite(value))
        printf("%.17g", value);
    else
        printf("null");
}

void oct_format_bytes(char out[32], double bytes)
{
    static const char *const names[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t i = 0;
    while (bytes >= 1024 && i + 1 < sizeof names / sizeof names[0]) {
        bytes /= 1024;
        i++;
    }
    snprintf(out, 32, i ? "%.1f %s" : "%.0f %s", bytes, names[i]);
}
