/* A thread of its own takes the signals, so that nothing is interrupted in the middle of a call. */
#include "interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "octant/octant.h"

static atomic_int first_signal;
static atomic_bool deferred;

/* Signals are waited for in a thread instead of handled: OpenCL drivers that bring LLVM along
 * install handlers of their own when they compile, and those swallow SIGUSR1. */
static void *watch(void *context)
{
    const sigset_t *signals = context;
    int number;
    while (sigwait(signals, &number) == 0) {
        if (!deferred) {
            /* mpirun sends one where another rank has failed, which has said so. */
            if (!oct_comm_launched())
                fputs("octant: stopped by a signal before the run began; nothing was written\n",
                      stderr);
            _exit(128 + number);
        }
        if (first_signal)
            _exit(128 + number);
        first_signal = number;
    }
    return NULL;
}

void oct_interrupt_defer(void)
{
    deferred = true;
}

const volatile int *oct_interrupt_watch(void)
{
    static sigset_t signals;
    pthread_t thread;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGUSR1);
    /* nohup ignores it for its program, and a signal that is waited for is not ignored any more. */
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
        sigaddset(&signals, SIGHUP);
    /* Threads that are started later inherit the mask, so that none of them is interrupted. */
    if (pthread_sigmask(SIG_BLOCK, &signals, NULL) != 0 ||
        pthread_create(&thread, NULL, watch, &signals) != 0 || pthread_detach(thread) != 0)
        return NULL;
    return (const volatile int *)&first_signal;
}
