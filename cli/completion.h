/* Completions for shells, made from the tables of the commands and of the scene's keys. */
#ifndef OCT_CLI_COMPLETION_H
#define OCT_CLI_COMPLETION_H

#include "command.h"

/* Prints those for bash, zsh or fish; the exit status. */
int oct_completion_print(const char *shell);

/* What stands in a place of the command line. */
typedef enum oct_place {
    OCT_PLACE_ANYTHING, /* nothing to choose from */
    OCT_PLACE_WORDS,
    OCT_PLACE_FILES,
    OCT_PLACE_FOLDERS,
    OCT_PLACE_SCENES,
    OCT_PLACE_KEYS, /* KEY=VALUE */
    OCT_PLACE_NAMES,
    OCT_PLACE_COMMANDS
} oct_place;

oct_place oct_option_place(const oct_option *option);
oct_place oct_command_place(const oct_command *command);

/* Words, between blanks: those of an option or of a command's arguments, and lists for all. */
void oct_print_option_words(const oct_option *option);
void oct_print_topics(const oct_command *command);
void oct_print_scenes(void);
void oct_print_commands(void);
/* "names" or "keys" of the reference. */
oct_status oct_print_list(const char *format);

/* The scripts. */
oct_status oct_completion_bash(void);
oct_status oct_completion_zsh(void);
oct_status oct_completion_fish(void);

#endif
