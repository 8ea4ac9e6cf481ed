/* Signals that ask a run to end: SIGINT, SIGTERM, SIGUSR1. */
#ifndef OCT_CLI_INTERRUPT_H
#define OCT_CLI_INTERRUPT_H

/* Watches for them from now on; to be called before anything starts a thread. The number of the
 * first one appears in the variable that is returned; a second one ends the process at once.
 * NULL when they cannot be watched. */
const volatile int *oct_interrupt_watch(void);

#endif
