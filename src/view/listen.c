/* Resolves an address, binds a socket to it, and says where it is. */
#include "view/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static oct_status resolve(struct addrinfo **out, const char *address, unsigned port)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                   .ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM};
    char service[16];
    snprintf(service, sizeof service, "%u", port);
    OCT_CHECK(getaddrinfo(address, service, &hints, out) == 0, OCT_STATUS_INPUT,
              "'%.60s' is no address to listen at: expected one in numbers, such as 127.0.0.1",
              address);
    return OCT_STATUS_OK;
}

static bool open_at(int listener, const struct addrinfo *address)
{
    const int on = 1;
    /* A viewer that is started again must not wait for the last one's connections to be
     * forgotten. */
    return listener >= 0 &&
           setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, (socklen_t)sizeof on) == 0 &&
           (address->ai_family != AF_INET6 ||
            setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &on, (socklen_t)sizeof on) == 0) &&
           bind(listener, address->ai_addr, address->ai_addrlen) == 0 &&
           listen(listener, SOMAXCONN) == 0;
}

bool oct_listen_place(char host[OCT_HOST_BYTES], unsigned *port, int handle)
{
    struct sockaddr_storage place;
    socklen_t bytes = (socklen_t)sizeof place;
    char name[OCT_HOST_BYTES - 4], service[8];
    if (getsockname(handle, (struct sockaddr *)&place, &bytes) != 0 ||
        getnameinfo((struct sockaddr *)&place, bytes, name, (socklen_t)sizeof name, service,
                    (socklen_t)sizeof service, NI_NUMERICHOST | NI_NUMERICSERV) != 0 ||
        sscanf(service, "%u", port) != 1)
        return false;
    snprintf(host, OCT_HOST_BYTES, place.ss_family == AF_INET6 ? "[%.70s]" : "%.70s", name);
    return true;
}

/* What the guard compares with. Nobody can go to "any address": this machine has its own one of
 * the same kind, since a listener of one kind refuses the other. */
static bool describe(oct_guard *guard, int listener)
{
    if (!oct_listen_place(guard->address, &guard->port, listener))
        return false;
    bool any = strcmp(guard->address, "0.0.0.0") == 0,
         any_six = strcmp(guard->address, "[::]") == 0;
    if (any || any_six)
        guard->address[0] = '\0';
    snprintf(guard->home, sizeof guard->home, "%s",
             any       ? "127.0.0.1"
             : any_six ? "[::1]"
                       : guard->address);
    return true;
}

oct_status oct_listen(int *out, oct_guard *guard, const char *address, unsigned port)
{
    struct addrinfo *found;
    OCT_TRY(resolve(&found, address, port));
    errno = 0;
    /* Not blocking: a connection that is gone before it is accepted must not hold up the others. */
    int listener = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool open = open_at(listener, found) && describe(guard, listener);
    int reason = errno;
    freeaddrinfo(found);
    if (!open && listener >= 0)
        (void)close(listener);
    OCT_CHECK(open, OCT_STATUS_INPUT, "cannot listen at port %u of %.60s: %s", port, address,
              strerror(reason));
    *out = listener;
    return OCT_STATUS_OK;
}
