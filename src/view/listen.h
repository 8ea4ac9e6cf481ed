/* The socket that the viewer listens at. */
#ifndef OCT_VIEW_LISTEN_H
#define OCT_VIEW_LISTEN_H

#include "view/guard.h"

/* Listens at an address in numbers and tells the guard where that is. Port 0: a free one. */
oct_status oct_listen(int *out, oct_guard *guard, const char *address, unsigned port);
/* This end of a socket: the host as it stands in a URL, and the port. False: unknown. */
bool oct_listen_place(char host[OCT_HOST_BYTES], unsigned *port, int handle);

#endif
