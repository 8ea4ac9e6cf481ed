/* Requests of any kind to the viewer's server: it must neither crash nor stop answering, and tell
 * nothing to those who do not have the token. In the input
 *   @T  the token        @P  what comes next is sent a moment later
 *   @H  the host         @N  the connection ends here, and another begins
 *   @L  4,096 letters    @@  an @
 * so that the fuzzer gets past the door, and a few bytes make a large or a slow request. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/sim.h"
#include "io/scene.h"
#include "view/stream.h"
#include "view/viewer.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* A fuzzer is in a hurry; who looks at each input once is sure to hear the reply. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { MOMENT_MS = 3 };
#else
enum { MOMENT_MS = 50 };
#endif
enum { LETTERS = 4096, FRAME_BYTES = 1000 };

/* What only those with the token get to see, in the state and in every frame. */
static const char secret[] = "open sesame";

static oct_viewer viewer;
static oct_guard guard;
static oct_server *server;
static atomic_uint asked;

/* The simulation's side ----------------------------------------------------------------------- */

/* What a change on the way or another scene does before it needs a device. */
static oct_status change(const oct_form *form)
{
    const char *name = oct_form_get(form, "name");
    oct_scene *scene = NULL;
    oct_setup *setup = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_scene_load(&scene, name && strcmp(name, "two-body") == 0 ? name : "plummer"));
    for (size_t i = 0; i < form->n; i++) {
        char line[1024];
        snprintf(line, sizeof line, "%s=%s", form->rows[i].key, form->rows[i].value);
        if (form->rows[i].value != name)
            OCT_TRY_DONE(oct_scene_set(scene, line));
    }
    status = oct_scene_setup(&setup, scene);
done:
    oct_setup_free(setup);
    oct_scene_free(scene);
    return status;
}

static oct_status find(const oct_form *form)
{
    uint64_t id, slot;
    OCT_TRY(oct_form_check(form, (const char *const[]){"id", "slot", NULL}));
    OCT_TRY(oct_form_count(&id, form, "id", 0, UINT64_MAX));
    return oct_form_count(&slot, form, "slot", 0, UINT64_MAX);
}

/* Commands that need no device are done as the viewer does them. */
static oct_status obey(const oct_ask *ask, oct_text *reply)
{
    static oct_sim sim; /* of one domain, is all that these ask */
    static const char *const plain[] = {"pause", "resume", "step", "speed", "frame", "quit", NULL};
    oct_form form;
    OCT_TRY(oct_form_read(&form, ask->text));
    for (size_t i = 0; plain[i]; i++)
        if (strcmp(plain[i], ask->verb) == 0)
            return oct_verb_find(ask->verb)->act(&viewer, &sim, &form, reply);
    return strcmp(ask->verb, "body") == 0 ? find(&form) : change(&form);
}

static void *answer(void *context)
{
    (void)context;
    for (;;) {
        oct_ask *ask = oct_shared_next(&viewer.shared, 1);
        oct_text reply = {0};
        char *text = NULL;
        if (!ask)
            continue;
        atomic_fetch_add(&asked, 1);
        bool done = obey(ask, &reply) == OCT_STATUS_OK;
        oct_text_clear(&reply);
        oct_text_add(&reply, "{\"said\": ");
        oct_text_add_json(&reply, done ? secret : oct_last_error());
        oct_text_add(&reply, "}");
        (void)oct_text_take(&text, &reply);
        oct_shared_answer(&viewer.shared, ask, done ? 200 : 400, text);
    }
    return NULL;
}

static void start(void)
{
    oct_slot *slot;
    pthread_t thread;
    oct_text state = {0};
    oct_text_add(&state, "{\"state\": \"%s\"}", secret);
    if (oct_shared_start(&viewer.shared) != OCT_STATUS_OK ||
        oct_text_take(&viewer.shared.state, &state) != OCT_STATUS_OK ||
        oct_guard_start(&guard, NULL) != OCT_STATUS_OK ||
        oct_server_start(&server, &viewer.shared, &guard, "127.0.0.1", 0) != OCT_STATUS_OK ||
        oct_stream_begin(&slot, &viewer.shared, FRAME_BYTES) != OCT_STATUS_OK ||
        pthread_create(&thread, NULL, answer, NULL) != 0)
        abort();
    viewer.mode = OCT_VIEW_SCENE;
    memset(slot->data, ' ', slot->bytes);
    memcpy(slot->data, secret, sizeof secret);
    oct_stream_publish(&viewer.shared, slot, 1);
}

/* The client's -------------------------------------------------------------------------------- */

/* A connection, and what came back on it. */
typedef struct caller {
    int handle;
    char reply[1 << 16];
    size_t got;
} caller;

static void begin_call(caller *one)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)guard.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    one->got = 0;
    one->handle = socket(AF_INET, SOCK_STREAM, 0);
    if (one->handle < 0 || connect(one->handle, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("it does not listen any more");
        abort();
    }
}

/* Reads what comes, until it ends or nothing comes for a while. */
static void listen_to(caller *one, int patience_ms)
{
    struct pollfd ready = {.fd = one->handle, .events = POLLIN};
    ssize_t n = 1;
    while (n > 0 && one->got < sizeof one->reply && poll(&ready, 1, patience_ms) == 1) {
        n = recv(one->handle, one->reply + one->got, sizeof one->reply - one->got, 0);
        one->got += n > 0 ? (size_t)n : 0;
    }
}

static void say(caller *one, const char *text, size_t length)
{
    /* A server that has heard enough may be gone. */
    (void)send(one->handle, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static bool holds(const caller *one, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= one->got; i++)
        if (memcmp(one->reply + i, text, length) == 0)
            return true;
    return false;
}

/* Every reply is one of HTTP, and without the token there is nothing of the simulation in it. */
static void end_call(caller *one, bool token)
{
    listen_to(one, MOMENT_MS);
    (void)close(one->handle);
    if (one->got > 0 && (one->got < 9 || memcmp(one->reply, "HTTP/1.", 7) != 0)) {
        fprintf(stderr, "a reply is not one of HTTP\n");
        abort();
    }
    if (!token && (holds(one, secret) || holds(one, guard.token))) {
        fprintf(stderr, "this was told without the token:\n%.*s\n", (int)one->got, one->reply);
        abort();
    }
}

static void check_alive(caller *one)
{
    char request[256];
    int length = snprintf(request, sizeof request,
                          "GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n"
                          "X-Octant-Token: %s\r\n\r\n",
                          guard.port, guard.token);
    begin_call(one);
    say(one, request, (size_t)length);
    listen_to(one, 5000);
    if (!holds(one, "HTTP/1.1 200") || !holds(one, secret)) {
        fprintf(stderr, "it does not answer any more\n");
        abort();
    }
    end_call(one, true);
}

/* Waits until nobody is served any more; the questions of this moment are those of the next. */
static unsigned settle(void)
{
    unsigned waiting = 1;
    for (int i = 0; i < 5000 && waiting; i++) {
        (void)pthread_mutex_lock(&viewer.shared.lock);
        waiting = viewer.shared.n_replies;
        (void)pthread_mutex_unlock(&viewer.shared.lock);
        if (waiting)
            (void)poll(NULL, 0, 1);
    }
    return atomic_load(&asked);
}

/* What an escape of the input stands for: bytes in out; else 0. */
static size_t unfold(char *out, char escape)
{
    char host[32];
    snprintf(host, sizeof host, "127.0.0.1:%u", guard.port);
    const char *text = escape == 'T' ? guard.token : escape == 'H' ? host : "@";
    if (escape == 'L') {
        memset(out, 'x', LETTERS);
        return LETTERS;
    }
    if (escape != 'T' && escape != 'H' && escape != '@')
        return 0;
    memcpy(out, text, strlen(text));
    return strlen(text);
}

static void play(caller *one, const char *data, size_t size, bool token)
{
    static char text[1 << 18];
    size_t length = 0;
    begin_call(one);
    for (size_t i = 0; i < size && length < sizeof text - LETTERS; i++) {
        char escape = data[i] == '@' && i + 1 < size ? data[i + 1] : '\0';
        size_t unfolded = escape ? unfold(text + length, escape) : 0;
        if (escape == 'P' || escape == 'N') {
            say(one, text, length);
            length = 0;
            if (escape == 'P') {
                listen_to(one, MOMENT_MS);
            } else {
                end_call(one, token);
                begin_call(one);
            }
        } else if (unfolded == 0) {
            text[length++] = data[i];
            continue;
        }
        length += unfolded;
        i++;
    }
    say(one, text, length);
    end_call(one, token);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static bool started;
    static unsigned runs;
    static caller one;
    bool token = false;
    if (!started)
        start();
    started = true;
    for (size_t i = 0; i + 1 < size; i++)
        token = token || (data[i] == '@' && data[i + 1] == 'T');
    unsigned before = token ? 0 : settle();
    play(&one, (const char *)data, size, token);
    if (!token && settle() != before) {
        fprintf(stderr, "the simulation was asked without the token\n");
        abort();
    }
    if (runs++ % 64 == 0)
        check_alive(&one);
    return 0;
}
