/* A second process at the first use of a device: PoCL compiles for one thread of a process at a
 * time, and a second process keeps a second core busy. What it compiles and tests is found in the
 * caches; that it fails, or cannot be had, costs no more than time. */
#ifndef OCT_CLI_ASSISTANT_H
#define OCT_CLI_ASSISTANT_H

#include <sys/types.h>

#include "octant/octant.h"

/* Start from {0}. */
typedef struct oct_assistant {
    pid_t process; /* 0: there is none */
    int lifeline;  /* it reads the scene from here, and ends when this process does */
} oct_assistant;

/* Starts this program once more, where there is a core for it, to help with a first use. */
void oct_assistant_start(oct_assistant *out, const oct_device *device, const char *scene,
                         oct_precision precision);
/* Ends it, whatever it is at. */
void oct_assistant_end(oct_assistant *assistant);

/* In the second process: the scene, to be given back by free; NULL where nobody hands one over.
 * From then on the process ends with the one that it helps. */
char *oct_assistant_listen(void);

#endif
