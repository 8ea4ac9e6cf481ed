/* Who may talk to the viewer: the secret token, and the host that a request was meant for. */
#ifndef OCT_VIEW_GUARD_H
#define OCT_VIEW_GUARD_H

#include "util/identity.h"

enum { OCT_TOKEN_TEXT = OCT_IDENTITY_TEXT, OCT_HOST_BYTES = 80 };

typedef struct oct_guard {
    char token[OCT_TOKEN_TEXT];   /* 128 bits in hexadecimal */
    char address[OCT_HOST_BYTES]; /* as it stands in a URL: 127.0.0.1, [::1]; "" for any */
    char home[OCT_HOST_BYTES]; /* where this machine reaches it: the address, or for any its own */
    unsigned port;
} oct_guard;

/* Takes the token that is given, or for NULL draws one from the system's random source. */
oct_status oct_guard_start(oct_guard *out, const char *token);

/* Whether a request shows the token; how long that takes says nothing about it. NULL: none. */
bool oct_guard_knows(const oct_guard *guard, const char *token);
/* Whether the Host of a request is this server. `arrived` is the address that its connection came
 * in at, which counts where the server listens at any. Both may be NULL. */
bool oct_guard_host(const oct_guard *guard, const char *host, const char *arrived);
/* Whether the Origin of a request is the page that this Host serves; NULL, none, is. */
bool oct_guard_origin(const char *origin, const char *host);

#endif
