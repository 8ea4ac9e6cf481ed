/* The viewer's server without a simulation: how much it takes, and what the last ones are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "view/server.h"
#include "view/stream.h"

typedef struct place {
    oct_shared shared;
    oct_guard guard;
    oct_server *server;
} place;

static int open_server(void **state)
{
    place *here = calloc(1, sizeof *here);
    assert_non_null(here);
    assert_int_equal(oct_shared_start(&here->shared), OCT_STATUS_OK);
    assert_int_equal(oct_guard_start(&here->guard, NULL), OCT_STATUS_OK);
    assert_int_equal(oct_server_start(&here->server, &here->shared, &here->guard, "127.0.0.1", 0),
                     OCT_STATUS_OK);
    *state = here;
    return 0;
}

static int close_server(void **state)
{
    place *here = *state;
    oct_server_stop(here->server);
    oct_shared_clear(&here->shared);
    free(here);
    return 0;
}

/* Sends a request with the token. */
static int call(const place *here, const char *line)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)here->guard.port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char request[512];
    int handle = socket(AF_INET, SOCK_STREAM, 0);
    int length = snprintf(request, sizeof request,
                          "%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nX-Octant-Token: %s\r\n"
                          "Content-Length: 0\r\n\r\n",
                          line, here->guard.port, here->guard.token);
    assert_int_equal(connect(handle, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(send(handle, request, (size_t)length, 0), length);
    return handle;
}

/* The status of the reply; 0 where none comes within so many milliseconds. */
static int reply(int handle, int patience_ms)
{
    char text[16] = "";
    struct pollfd ready = {.fd = handle, .events = POLLIN};
    if (poll(&ready, 1, patience_ms) != 1 || recv(handle, text, sizeof text - 1, 0) < 12)
        return 0;
    return atoi(text + 9);
}

static unsigned waiting(place *here, const unsigned *count)
{
    (void)pthread_mutex_lock(&here->shared.lock);
    unsigned now = *count;
    (void)pthread_mutex_unlock(&here->shared.lock);
    return now;
}

/* Calls until there are as many as there may be, one after the other. */
static void fill(place *here, int *handles, unsigned most, const char *line, const unsigned *count)
{
    for (unsigned i = 0; i < most; i++) {
        handles[i] = call(here, line);
        for (int k = 0; k < 5000 && waiting(here, count) <= i; k++)
            (void)poll(NULL, 0, 1);
        assert_int_equal(waiting(here, count), i + 1);
    }
}

static void questions_that_wait_are_bounded(void **state)
{
    place *here = *state;
    int handles[OCT_SHARED_ASKS];
    fill(here, handles, OCT_SHARED_ASKS, "POST /api/pause", &here->shared.n_asks);
    int more = call(here, "POST /api/pause");
    assert_int_equal(reply(more, 5000), 503);
    (void)close(more);
    /* What needs no simulation is answered meanwhile. */
    int other = call(here, "GET /api/state");
    assert_int_equal(reply(other, 5000), 200);
    (void)close(other);
    /* Nobody is forgotten: half of them are answered, the others hear the end. */
    for (int i = 0; i < OCT_SHARED_ASKS / 2; i++) {
        oct_ask *ask = oct_shared_next(&here->shared, 1);
        assert_non_null(ask);
        assert_string_equal(ask->verb, "pause");
        char *text = strdup("{}");
        assert_non_null(text);
        oct_shared_answer(&here->shared, ask, 200, text);
        assert_int_equal(reply(handles[i], 5000), 200);
    }
    oct_server_stop(here->server);
    here->server = NULL;
    for (int i = 0; i < OCT_SHARED_ASKS; i++) {
        if (i >= OCT_SHARED_ASKS / 2)
            assert_int_equal(reply(handles[i], 5000), 503);
        (void)close(handles[i]);
    }
}

static void streams_are_bounded(void **state)
{
    place *here = *state;
    static int handles[OCT_SHARED_STREAMS];
    fill(here, handles, OCT_SHARED_STREAMS, "GET /frames", &here->shared.n_streams);
    int more = call(here, "GET /frames");
    assert_int_equal(reply(more, 5000), 503);
    (void)close(more);
    (void)close(handles[0]);
    /* A frame wakes them all up; the one that has gone makes room for another. */
    oct_slot *slot;
    assert_int_equal(oct_stream_begin(&slot, &here->shared, 64), OCT_STATUS_OK);
    memset(slot->data, 7, slot->bytes);
    oct_stream_publish(&here->shared, slot, 1);
    for (int i = 1; i < OCT_SHARED_STREAMS; i++)
        assert_int_equal(reply(handles[i], 5000), 200);
    for (int k = 0; k < 5000 && waiting(here, &here->shared.n_streams) == OCT_SHARED_STREAMS; k++)
        (void)poll(NULL, 0, 1);
    int again = call(here, "GET /frames");
    assert_int_equal(reply(again, 5000), 200);
    (void)close(again);
    for (int i = 1; i < OCT_SHARED_STREAMS; i++)
        (void)close(handles[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(questions_that_wait_are_bounded, open_server, close_server),
        cmocka_unit_test_setup_teardown(streams_are_bounded, open_server, close_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
