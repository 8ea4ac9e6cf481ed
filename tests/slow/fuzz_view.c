/* Requests of any kind to the viewer's server: it must neither crash nor stop answering. In the
 * input, @T and @H stand for the token and the host, so that the fuzzer gets past the door. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "view/form.h"
#include "view/server.h"
#include "view/stream.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static oct_board board;
static oct_guard guard;

/* The simulation's side: reads every question and answers it. */
static void *answer(void *context)
{
    (void)context;
    for (;;) {
        oct_ask *ask = oct_board_next(&board, 1);
        oct_form form;
        if (!ask)
            continue;
        bool read = oct_form_read(&form, ask->text) == OCT_STATUS_OK;
        double number = 0;
        uint64_t count = 0;
        if (read) {
            (void)oct_form_number(&number, &form, "limit", 0, 1e9);
            (void)oct_form_count(&count, &form, "steps", 1, 1000);
            (void)oct_form_check(&form, (const char *const[]){"limit", "steps", NULL});
        }
        oct_board_answer(&board, ask, read ? 200 : 400, strdup("{}"));
    }
    return NULL;
}

static void start(void)
{
    oct_server *server;
    oct_slot *slot;
    pthread_t thread;
    if (oct_board_start(&board) != OCT_STATUS_OK ||
        oct_guard_start(&guard, NULL) != OCT_STATUS_OK ||
        oct_server_start(&server, &board, &guard, "127.0.0.1", 0) != OCT_STATUS_OK ||
        oct_stream_begin(&slot, &board, 1000) != OCT_STATUS_OK ||
        pthread_create(&thread, NULL, answer, NULL) != 0)
        abort();
    memset(slot->data, 7, slot->bytes);
    oct_stream_publish(&board, slot, 1);
}

static int reach(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)guard.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) != 0)
        abort(); /* it does not listen any more */
    return connection;
}

/* Sends bytes and reads what comes, until it ends or nothing comes for a moment. */
static size_t talk(char *out, size_t room, const char *text, size_t length, int patience_ms)
{
    int connection = reach();
    size_t got = 0;
    ssize_t n = send(connection, text, length, MSG_NOSIGNAL);
    struct pollfd ready = {.fd = connection, .events = POLLIN};
    while (n > 0 && got < room && poll(&ready, 1, patience_ms) == 1 &&
           (n = recv(connection, out + got, room - got, 0)) > 0)
        got += (size_t)n;
    (void)close(connection);
    return got;
}

static void check_alive(void)
{
    char request[256], reply[64] = "";
    int length = snprintf(request, sizeof request,
                          "GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n"
                          "X-Octant-Token: %s\r\n\r\n",
                          guard.port, guard.token);
    size_t got = talk(reply, sizeof reply - 1, request, (size_t)length, 5000);
    if (got < 12 || strncmp(reply, "HTTP/1.1 200", 12) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static bool started;
    static unsigned runs;
    static char text[1 << 17], reply[1 << 12];
    char host[32];
    size_t length = 0;
    if (!started)
        start();
    started = true;
    snprintf(host, sizeof host, "127.0.0.1:%u", guard.port);
    for (size_t i = 0; i < size && length < sizeof text - 64; i++) {
        const char *stands = data[i] != '@' || i + 1 == size ? NULL
                             : data[i + 1] == 'T'            ? guard.token
                             : data[i + 1] == 'H'            ? host
                                                             : NULL;
        if (stands) {
            memcpy(text + length, stands, strlen(stands));
            length += strlen(stands);
            i++;
        } else {
            text[length++] = (char)data[i];
        }
    }
    if (length > 0)
        (void)talk(reply, sizeof reply, text, length, 3);
    if (runs++ % 64 == 0)
        check_alive();
    return 0;
}
