/* Signals that ask a run to end: SIGINT, SIGTERM, SIGHUP, SIGUSR1. */
#ifndef OCT_CLI_INTERRUPT_H
#define OCT_CLI_INTERRUPT_H

/* Watches for them from now on; to be called before anything starts a thread. One ends the process
 * with a sentence until they are deferred: then the number of the first appears in the variable
 * that is returned, and a second one ends the process at once. What is stopped exits with 128 and
 * that number, as shells have it. NULL when they cannot be watched. */
const volatile int *oct_interrupt_watch(void);
/* From now on there is a state to save. */
void oct_interrupt_defer(void);

#endif
