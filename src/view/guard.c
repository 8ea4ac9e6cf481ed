/* Compares tokens in constant time, and hosts and origins with where we listen. */
#include "view/guard.h"

#include <stdio.h>
#include <string.h>

oct_status oct_guard_start(oct_guard *out, const char *token)
{
    if (token) {
        bool fits = strlen(token) == OCT_TOKEN_TEXT - 1 &&
                    strspn(token, "0123456789abcdef") == OCT_TOKEN_TEXT - 1;
        OCT_CHECK(
            fits, OCT_STATUS_INPUT,
            "the token for the viewer (OCTANT_VIEW_TOKEN) is not as expected: %d digits from 0 to "
            "9 and a to f",
            OCT_TOKEN_TEXT - 1);
        memcpy(out->token, token, OCT_TOKEN_TEXT);
        return OCT_STATUS_OK;
    }
    return oct_identity_draw(out->token);
}

bool oct_guard_knows(const oct_guard *guard, const char *token)
{
    if (!token || strlen(token) != OCT_TOKEN_TEXT - 1)
        return false;
    unsigned different = 0;
    for (size_t i = 0; i < OCT_TOKEN_TEXT - 1; i++)
        different |= (unsigned char)token[i] ^ (unsigned char)guard->token[i];
    return different == 0;
}

static bool is_at(const char *host, const char *address, unsigned port)
{
    char expected[OCT_HOST_BYTES + 16];
    snprintf(expected, sizeof expected, "%s:%u", address, port);
    return strcmp(host, expected) == 0;
}

bool oct_guard_host(const oct_guard *guard, const char *host, const char *arrived)
{
    if (!host)
        return false;
    const char *address = guard->address[0] ? guard->address : arrived;
    return is_at(host, "127.0.0.1", guard->port) || is_at(host, "localhost", guard->port) ||
           (address && is_at(host, address, guard->port));
}

bool oct_guard_origin(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    if (!origin)
        return true;
    return host && strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
           strcmp(origin + sizeof scheme - 1, host) == 0;
}
