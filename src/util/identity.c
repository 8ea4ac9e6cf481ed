/* For getentropy, which POSIX has had since 2024. */
#define _DEFAULT_SOURCE
#include "util/identity.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

oct_status oct_identity_draw(char out[OCT_IDENTITY_TEXT])
{
    unsigned char random[OCT_IDENTITY_DIGITS / 2];
    OCT_CHECK(getentropy(random, sizeof random) == 0, OCT_STATUS_IO,
              "the system gives no random numbers: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(out + 2 * i, 3, "%02x", random[i]);
    return OCT_STATUS_OK;
}

bool oct_identity_read(char out[OCT_IDENTITY_TEXT], const char *text)
{
    bool found = strspn(text, "0123456789abcdef") == OCT_IDENTITY_DIGITS;
    snprintf(out, OCT_IDENTITY_TEXT, "%s", found ? text : "");
    return found;
}
