/* The connections of a server. When there are many, those that have not shown the token give way to
 * new ones, the oldest first: whoever opens connections and says nothing keeps nobody out. Only the
 * server's own thread uses this. */
#ifndef OCT_VIEW_CROWD_H
#define OCT_VIEW_CROWD_H

#include <microhttpd.h>

enum { OCT_CROWD_MOST = 384 };

typedef struct oct_crowd {
    struct guest *first, *last; /* strangers */
    unsigned n;                 /* all connections */
} oct_crowd;

/* For MHD_OPTION_NOTIFY_CONNECTION; the context is the crowd. */
void oct_crowd_notice(void *crowd, struct MHD_Connection *connection, void **place,
                      enum MHD_ConnectionNotificationCode code);
/* This connection has shown the token. */
void oct_crowd_welcome(oct_crowd *crowd, struct MHD_Connection *connection);

#endif
