/* A list of the connections that have not shown the token, the oldest first. */
#include "view/connections.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

/* A connection. */
typedef struct guest {
    struct MHD_Connection *connection;
    struct guest *before, *after; /* among the strangers */
    bool stranger;
} guest;

static void join(oct_connections *connections, guest *one)
{
    one->stranger = true;
    one->before = connections->last;
    if (connections->last)
        connections->last->after = one;
    else
        connections->first = one;
    connections->last = one;
}

static void leave(oct_connections *connections, guest *one)
{
    if (!one->stranger)
        return;
    one->stranger = false;
    if (one->before)
        one->before->after = one->after;
    else
        connections->first = one->after;
    if (one->after)
        one->after->before = one->before;
    else
        connections->last = one->before;
}

/* Ends the oldest stranger's connection; the server notices by itself. */
static void make_room(oct_connections *connections)
{
    guest *oldest = connections->first;
    if (!oldest)
        return;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(oldest->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    leave(connections, oldest);
    if (info)
        (void)shutdown(info->connect_fd, SHUT_RDWR);
}

void oct_connections_notice(void *context, struct MHD_Connection *connection, void **place,
                            enum MHD_ConnectionNotificationCode code)
{
    oct_connections *connections = context;
    guest *one = *place;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        connections->n++;
        *place = one = calloc(1, sizeof *one);
        if (one) {
            one->connection = connection;
            join(connections, one);
        }
        if (connections->n > OCT_CONNECTIONS_MOST)
            make_room(connections);
    } else {
        connections->n--;
        if (one)
            leave(connections, one);
        free(one);
        *place = NULL;
    }
}

void oct_connections_welcome(oct_connections *connections, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (info && info->socket_context)
        leave(connections, info->socket_context);
}
