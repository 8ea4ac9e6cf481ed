/* A list of the connections that have not shown the token, the oldest first. */
#include "view/crowd.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

/* A connection. */
typedef struct guest {
    struct MHD_Connection *connection;
    struct guest *before, *after; /* among the strangers */
    bool stranger;
} guest;

static void join(oct_crowd *crowd, guest *one)
{
    one->stranger = true;
    one->before = crowd->last;
    if (crowd->last)
        crowd->last->after = one;
    else
        crowd->first = one;
    crowd->last = one;
}

static void leave(oct_crowd *crowd, guest *one)
{
    if (!one->stranger)
        return;
    one->stranger = false;
    if (one->before)
        one->before->after = one->after;
    else
        crowd->first = one->after;
    if (one->after)
        one->after->before = one->before;
    else
        crowd->last = one->before;
}

/* Ends the oldest stranger's connection; the server notices by itself. */
static void make_room(oct_crowd *crowd)
{
    guest *oldest = crowd->first;
    if (!oldest)
        return;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(oldest->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    leave(crowd, oldest);
    if (info)
        (void)shutdown(info->connect_fd, SHUT_RDWR);
}

void oct_crowd_notice(void *context, struct MHD_Connection *connection, void **place,
                      enum MHD_ConnectionNotificationCode code)
{
    oct_crowd *crowd = context;
    guest *one = *place;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        crowd->n++;
        *place = one = calloc(1, sizeof *one);
        if (one) {
            one->connection = connection;
            join(crowd, one);
        }
        if (crowd->n > OCT_CROWD_MOST)
            make_room(crowd);
    } else {
        crowd->n--;
        if (one)
            leave(crowd, one);
        free(one);
        *place = NULL;
    }
}

void oct_crowd_welcome(oct_crowd *crowd, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (info && info->socket_context)
        leave(crowd, info->socket_context);
}
