/* Inside libfault.so: what a wrapped call is, and whether it fails. */
#ifndef FAULT_PARTS_H
#define FAULT_PARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef void (*fault_function)(void);

typedef struct fault_call {
    const char *symbol, *kind;
    fault_function wrapper; /* what is called in its place */
    atomic_long seen;
    atomic_bool armed;
} fault_call;

/* One for each file of wrappers. */
extern fault_call fault_system_calls[], fault_stream_calls[], fault_cl_calls[];
extern const size_t fault_n_system_calls, fault_n_stream_calls, fault_n_cl_calls;

/* Counts the call; true where it is to fail. Does not return where it is to kill. */
bool fault_strikes(fault_call *call);
/* The same for a write; where it then `cuts`, half of it is done and the process killed. */
bool fault_strikes_write(fault_call *call);
bool fault_cuts(void);
void fault_kill(void);
/* The error number of a call that fails: the one that was asked for, or this one. */
int fault_errno(int usual);

void fault_count_object(long change);

#endif
