/* Counts of what ranks send, for those who ask. */
#include "cluster/traffic.h"

#include <stdlib.h>

#include "cluster/comm.h"

static const char *const names[OCT_TRAFFIC_KINDS] = {"sums",    "cuts", "bodies", "boxes", "trees",
                                                     "sources", "lent", "pairs",  "files"};

oct_traffic_kind oct_comm_about(oct_comm *comm, oct_traffic_kind kind)
{
    oct_traffic_kind before = comm->traffic.kind;
    comm->traffic.kind = kind;
    return before;
}

const char *oct_traffic_name(oct_traffic_kind kind)
{
    return names[kind];
}

oct_traffic_count oct_traffic_total(const oct_traffic_log *log)
{
    oct_traffic_count total = {0};
    for (size_t k = 0; k < OCT_TRAFFIC_KINDS; k++) {
        total.messages += log->sent[k].messages;
        total.bytes += log->sent[k].bytes;
        total.waited_s += log->sent[k].waited_s;
    }
    return total;
}

oct_status oct_comm_traffic(oct_traffic **out, size_t *n, oct_comm *comm)
{
    enum { KINDS = OCT_TRAFFIC_KINDS };
    oct_traffic_log before = comm->traffic;
    oct_traffic_count *all = NULL;
    oct_status status;
    *out = NULL;
    *n = KINDS;
    OCT_TRY_DONE(oct_alloc(out, (size_t)comm->size * KINDS, sizeof **out, "counts of messages"));
    OCT_TRY_DONE(oct_alloc(&all, (size_t)comm->size * KINDS, sizeof *all, "counts of messages"));
    status = oct_comm_gather(comm, all, before.sent, sizeof before.sent);
    comm->traffic = before;
    for (size_t i = 0; status == OCT_STATUS_OK && i < (size_t)comm->size * KINDS; i++)
        (*out)[i] = (oct_traffic){names[i % KINDS], all[i].messages, all[i].bytes, all[i].waited_s};
done:
    free(all);
    if (status != OCT_STATUS_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}

void oct_comm_traffic_free(oct_traffic *rows)
{
    free(rows);
}
