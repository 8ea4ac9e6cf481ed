/* Manual pages in roff, made from the tables of the commands. */
#ifndef OCT_CLI_MANUAL_H
#define OCT_CLI_MANUAL_H

#include "command.h"

/* octant(1), and octant-COMMAND(1). */
void oct_manual_program(void);
void oct_manual_command(const oct_command *command);

#endif
