/* Opens a viewer beside a run and says where it is. */
#include "watch.h"

#include <stdlib.h>
#include <string.h>

unsigned oct_watch_port(const oct_call *call, const char *option, bool *bad)
{
    const char *text = oct_call_option(call, option);
    unsigned port = 0;
    if (!text || !*text)
        return 0;
    bool digits = strlen(text) <= 5 && text[strspn(text, "0123456789")] == '\0';
    if (!digits || sscanf(text, "%u", &port) != 1 || port > 65535) {
        oct_report_usage("--%s needs a port from 0 to 65535, not `%s`", option, text);
        *bad = true;
    }
    return port;
}

oct_status oct_watch_open(oct_viewer **out, const oct_call *call, oct_viewer_options options,
                          FILE *to)
{
    options.address = oct_call_option(call, "bind");
    /* Not an option: the commands that run can be seen by every user of a machine. */
    options.token = getenv("OCTANT_VIEW_TOKEN");
    oct_status status = oct_viewer_open(out, &options);
    if (status != OCT_STATUS_OK)
        return status;
    const char *address = options.address;
    if (address && strncmp(address, "127.", 4) != 0 && strcmp(address, "::1") != 0)
        fprintf(stderr,
                "octant: warning: whoever reaches %s and has the token steers this "
                "simulation, and nothing is encrypted\n",
                address);
    fprintf(to, "%s\n", oct_viewer_url(*out));
    fflush(to);
    return OCT_STATUS_OK;
}

oct_status oct_watch_run(oct_viewer **out, oct_run_options *run, const oct_call *call,
                         unsigned port)
{
    if (!oct_call_option(call, "view"))
        return OCT_STATUS_OK;
    const oct_viewer_options options = {.size = sizeof options,
                                        .port = port,
                                        .out = run->out,
                                        .name = call->n_arguments ? call->arguments[0] : NULL,
                                        .stop = run->stop};
    oct_status status = oct_watch_open(out, call, options, stderr);
    run->attend = oct_viewer_attend;
    run->attendant = *out;
    return status;
}
