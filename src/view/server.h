/* The HTTP server: requests are checked, and answered from what is shared. */
#ifndef OCT_VIEW_SERVER_H
#define OCT_VIEW_SERVER_H

#include "view/guard.h"
#include "view/shared.h"

typedef struct oct_server oct_server;

/* Listens at the address, in numbers, and port; port 0: a free one. The guard's address and port
 * are filled in. */
oct_status oct_server_start(oct_server **out, oct_shared *shared, oct_guard *guard,
                            const char *address, unsigned port);
/* Ends what is shared too: everyone who waits is sent away. */
void oct_server_stop(oct_server *server);

#endif
