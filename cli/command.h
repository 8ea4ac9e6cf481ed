/* The commands of the binary. A command is one file, cli/cmd_<name>.c, that defines
 * oct_cmd_<name>; the build finds it. Its --help, its manual page and the completions of shells
 * are made from that table. Commands use the public header alone. */
#ifndef OCT_CLI_COMMAND_H
#define OCT_CLI_COMMAND_H

#include "octant/octant.h"

typedef struct oct_option {
    const char *name;  /* without the dashes */
    const char *value; /* what its value stands for; NULL for a switch */
    const char *doc;
    const char *words;   /* values to choose from, between blanks; NULL: those that `value` means */
    bool repeated;       /* may be given several times */
    bool value_optional; /* --resume or --resume=FILE */
    bool value_number;   /* an optional value may follow as a word, if it is a number */
} oct_option;

#define OCT_PRECISIONS "single mixed double auto"

/* Options that several commands have in common. */
#define OCT_OPTION_JSON                                                                            \
    {                                                                                              \
        .name = "json", .doc = "print JSON for other programs to read"                             \
    }
#define OCT_OPTION_SET                                                                             \
    {                                                                                              \
        .name = "set", .value = "KEY=VALUE", .repeated = true,                                     \
        .doc = "change a value of the scene, as in gravity.softening=0.01"                         \
    }
#define OCT_OPTION_DEVICE                                                                          \
    {                                                                                              \
        .name = "device", .value = "DEVICE", .words = "cpu gpu",                                   \
        .doc = "an index or part of a name from `octant devices`, cpu or gpu"                      \
    }
#define OCT_OPTION_PRECISION                                                                       \
    {                                                                                              \
        .name = "precision", .value = "P", .words = OCT_PRECISIONS,                                \
        .doc = "single, mixed, double or auto (mixed where the device has fp64)"                   \
    }

struct oct_call;

/* What the arguments of a command are, for completions. */
typedef enum oct_takes {
    OCT_TAKES_FILES,
    OCT_TAKES_SCENES, /* built-in ones, or files */
    OCT_TAKES_NAMES,  /* of oct_reference, or of scenes */
    OCT_TAKES_TOPICS,
    OCT_TAKES_COMMANDS
} oct_takes;

typedef struct oct_command {
    const char *name, *arguments, *doc, *example;
    const oct_option *options;        /* ends with an option without name; may be NULL */
    int min_arguments, max_arguments; /* max -1: any number */
    oct_takes takes;
    bool
        leaves_files; /* without an --out, too; unless --json is given, it prints about them only */
    /* What arguments there are to choose from, under a heading, by index; false past the last. */
    const char *topics;
    bool (*topic)(size_t index, const char **name, const char **doc); /* may be NULL */
    int (*run)(const struct oct_call *call); /* the exit status: 0, 1, 2 or 128 + a signal */
} oct_command;

/* A parsed command line. */
typedef struct oct_call {
    const oct_command *command;
    int n_arguments;
    const char **arguments;
    int n_given;
    const oct_option **given; /* options in the order they came */
    const char **values;
    bool help; /* --help was among them */
} oct_call;

extern const oct_command *const oct_commands[];

/* Parses what follows the command's name. False after a sentence on standard error; what was
 * taken is given back by oct_call_clear either way. */
bool oct_call_parse(oct_call *out, const oct_command *command, int n, char **words);
void oct_call_clear(oct_call *call);

extern const oct_option oct_option_help; /* --help, which every command has */

/* The command of that name; NULL after a sentence on standard error. */
const oct_command *oct_command_find(const char *name);
/* Prints how a command is used, or the program. */
void oct_command_help(const oct_command *command);
void oct_program_help(void);
/* An option as usage shows it: "--resume[=FILE]". */
void oct_option_usage(char out[64], const oct_option *option);

/* The value of an option ("" for a switch or an optional value left out), NULL if not given. */
const char *oct_call_option(const oct_call *call, const char *name);
/* The values of an option that is given several times, in turn; NULL past the last. */
const char *oct_call_option_at(const oct_call *call, const char *name, int index);
/* Options as numbers; *bad is set, after a sentence on standard error, when they are none. */
double oct_call_number(const oct_call *call, const char *name, double fallback, bool *bad);
uint64_t oct_call_count(const oct_call *call, const char *name, uint64_t fallback, bool *bad);
oct_precision oct_call_precision(const oct_call *call, bool *bad);
oct_precision oct_call_precision_of(const oct_call *call, const char *name, oct_precision fallback,
                                    bool *bad);
/* An option that is a time of the scene, above 0; 0 where it is not given. False after a sentence
 * on standard error. */
bool oct_call_time(double *out, const oct_call *call, const char *name, const oct_sim *sim);
/* Applies every KEY=VALUE of an option to the scene. */
oct_status oct_call_set(oct_scene *scene, const oct_call *call, const char *name);
/* Makes --until the end of the scene, where it is given. */
oct_status oct_call_until(oct_scene *scene, const oct_call *call);
/* The scene that the first argument names, with every --set applied. */
oct_status oct_call_scene(oct_scene **out, const oct_call *call);

/* "octant: sentence" on standard error; returns the exit status that fits. */
int oct_report_failure(oct_status status);
int oct_report_usage(const char *format, ...);

/* Text of any origin, such as a path or a title, as it can be shown on a terminal; lives as long as
 * the block it is used in. */
typedef struct oct_shown {
    char text[4200];
} oct_shown;
#define OCT_SHOW(foreign) oct_text_printable((oct_shown){{0}}.text, sizeof(oct_shown), (foreign))
/* A sentence, which may have lines, after "octant: " on standard error. */
void oct_print_sentence(const char *kind, const char *sentence);

/* The parts of JSON: a string with its quotes, and a number (null where it is none). */
void oct_json_text(const char *text);
/* False once memory for a text has run out, which has been told: null was printed in its place. */
bool oct_json_whole(void);
void oct_json_number(double value);
/* A size in bytes for people: "1.5 GiB". */
void oct_format_bytes(char out[32], double bytes);

#endif
