/* Starts the other code in a process of its own and reads its time from what it prints. */
#include "peer.h"

#include <stdio.h>

oct_status oct_peer_run(oct_peer_time *out, const char *peer, const char *bodies,
                        const char *arguments, oct_peer_way way)
{
    char command[1024];
    int length =
        snprintf(command, sizeof command,
                 "PATH=\"$PATH:tools\"; exec \"${OCTANT_PYTHON:-python3}\" "
                 "\"$(command -v peer-%s || echo peer-%s)\" '%s' %s --threads %u%s",
                 peer, peer, bodies, arguments, way.threads, way.morton ? " --morton" : "");
    if (length < 0 || (size_t)length >= sizeof command)
        return OCT_STATUS_INTERNAL;
    fflush(stdout);
    FILE *answer = popen(command, "r");
    if (!answer)
        return OCT_STATUS_IO;
    int read = fscanf(answer, "{\"version\": \"%31[^\"]\", \"threads\": %u, \"ms_step\": %lf",
                      out->version, &out->threads, &out->ms_step);
    while (fgetc(answer) != EOF)
        ; /* it may still be writing */
    return pclose(answer) == 0 && read == 3 ? OCT_STATUS_OK : OCT_STATUS_MISSING;
}
