/* The connections of a server. When there are many, those that have not shown the token give way to
 * new ones, the oldest first: whoever opens connections and says nothing keeps nobody out. Only the
 * server's own thread uses this. */
#ifndef OCT_VIEW_CONNECTIONS_H
#define OCT_VIEW_CONNECTIONS_H

#include <microhttpd.h>

enum { OCT_CONNECTIONS_MOST = 384 };

typedef struct oct_connections {
    struct guest *first, *last; /* strangers */
    unsigned n;                 /* all connections */
} oct_connections;

/* For MHD_OPTION_NOTIFY_CONNECTION; the context is an oct_connections. */
void oct_connections_notice(void *connections, struct MHD_Connection *connection, void **place,
                            enum MHD_ConnectionNotificationCode code);
/* This connection has shown the token. */
void oct_connections_welcome(oct_connections *connections, struct MHD_Connection *connection);

#endif
