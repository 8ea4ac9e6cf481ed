/* Viewers, as the command line asks for them. */
#ifndef OCT_CLI_WATCH_H
#define OCT_CLI_WATCH_H

#include <stdio.h>

#include "command.h"

#define OCT_OPTION_BIND                                                                            \
    {                                                                                              \
        .name = "bind", .value = "ADDRESS",                                                        \
        .doc = "address the viewer listens at (default: 127.0.0.1, this machine alone)"            \
    }

/* The port that an option names; 0, a free one, where it names none. *bad is set after a sentence
 * on standard error. */
unsigned oct_watch_port(const oct_call *call, const char *option, bool *bad);
/* Opens a viewer where --bind says and tells `to` where it is. Warns if others can reach it. */
oct_status oct_watch_open(oct_viewer **out, const oct_call *call, oct_viewer_options options,
                          FILE *to);
/* Lets a viewer attend a run where --view is given; else *out stays NULL. */
oct_status oct_watch_run(oct_viewer **out, oct_run_options *run, const oct_call *call,
                         unsigned port);

#endif
