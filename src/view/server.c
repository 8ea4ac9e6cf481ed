/* Routes a request to what answers it, after its token and its origin were looked at. */
#include "view/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <microhttpd.h>

#include "util/embed.h"
#include "view/connections.h"
#include "view/listen.h"
#include "view/reply.h"
#include "view/scenes.h"
#include "view/stream.h"
#include "view/verb.h"

enum {
    MOST_CONNECTIONS = 512,
    MOST_OF_ONE = 448, /* connections from one address; more than OCT_CONNECTIONS_MOST */
    BODY_BYTES = 16 << 10,
    POOL_BYTES = 64 << 10, /* of a connection: bounds the request's head */
    TIMEOUT_S = 10,
    STREAM_TIMEOUT_S = 30
};

struct oct_server {
    oct_shared *shared;
    const oct_guard *guard;
    struct MHD_Daemon *daemon;
    oct_connections connections;
};

typedef enum MHD_Result result;

/* A request in progress. */
typedef struct visit {
    char *body;
    size_t length, expected;
    bool asked;
    oct_ask ask;
} visit;

/* Questions answered from what is shared ----------------------------------------------------- */

static const char *query(struct MHD_Connection *connection, const char *key)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, key);
}

static uint64_t query_count(struct MHD_Connection *connection, const char *key)
{
    const char *text = query(connection, key);
    return text && *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : 0;
}

static result send_posted(struct MHD_Connection *connection, oct_shared *shared, char *const *place)
{
    char *copy = NULL;
    (void)pthread_mutex_lock(&shared->lock);
    oct_status status = oct_text_copy(&copy, *place ? *place : "{}");
    (void)pthread_mutex_unlock(&shared->lock);
    result sent =
        status == OCT_STATUS_OK
            ? oct_reply_json(connection, MHD_HTTP_OK, copy)
            : oct_reply_refusal(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, oct_last_error());
    free(copy);
    return sent;
}

static result send_series(struct MHD_Connection *connection, oct_shared *shared)
{
    oct_series copy = {0};
    oct_text text = {0};
    size_t first = 0;
    (void)pthread_mutex_lock(&shared->lock);
    oct_status status =
        oct_series_copy(&copy, &first, &shared->series, query_count(connection, "epoch"),
                        query_count(connection, "from"));
    (void)pthread_mutex_unlock(&shared->lock);
    if (status != OCT_STATUS_OK)
        return oct_reply_refusal(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, oct_last_error());
    oct_series_write(&text, &copy, first);
    oct_series_clear(&copy);
    result sent = text.failed
                      ? oct_reply_refusal(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory")
                      : oct_reply_json(connection, MHD_HTTP_OK, text.data);
    oct_text_clear(&text);
    return sent;
}

/* There is no more room, or nothing more to come. */
static result send_away(struct MHD_Connection *connection, oct_shared *shared, const char *full)
{
    (void)pthread_mutex_lock(&shared->lock);
    bool ending = shared->ending;
    (void)pthread_mutex_unlock(&shared->lock);
    return oct_reply_refusal(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                             ending ? "the viewer is ending" : full);
}

static result send_frames(struct MHD_Connection *connection, oct_shared *shared)
{
    const char *once = query(connection, "once");
    oct_stream *stream;
    if (!oct_stream_open(&stream, shared, connection, once && strcmp(once, "1") == 0))
        return send_away(connection, shared, "there are too many streams");
    (void)MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
                                    (unsigned)STREAM_TIMEOUT_S);
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, POOL_BYTES, oct_stream_read, stream, oct_stream_close);
    if (!response)
        oct_stream_close(stream);
    return oct_reply_response(connection, MHD_HTTP_OK, "application/octet-stream", response);
}

/* Questions that the simulation answers ------------------------------------------------------ */

static enum MHD_Result add_query(void *context, enum MHD_ValueKind kind, const char *key,
                                 const char *value)
{
    (void)kind;
    oct_text_add(context, "%s=%s\n", key, value ? value : "");
    return MHD_YES;
}

static result ask(struct MHD_Connection *connection, oct_shared *shared, visit *request,
                  const oct_verb *verb)
{
    if (verb->get) {
        oct_text text = {0};
        (void)MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_query, &text);
        free(request->body);
        request->body = NULL;
        if (oct_text_take(&request->body, &text) != OCT_STATUS_OK)
            return oct_reply_refusal(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, oct_last_error());
    }
    request->ask = (oct_ask){.verb = verb->name, .text = request->body, .connection = connection};
    request->asked = oct_shared_ask(shared, &request->ask);
    return request->asked
               ? MHD_YES
               : send_away(connection, shared, "too many requests wait for the simulation");
}

static result send_answer(struct MHD_Connection *connection, const oct_ask *answered)
{
    if (answered->reply)
        return oct_reply_json(connection, answered->code, answered->reply);
    /* Those who never were answered hear the end; others miss the words for want of memory. */
    unsigned code = answered->code ? answered->code : MHD_HTTP_SERVICE_UNAVAILABLE;
    if (code == MHD_HTTP_OK)
        return oct_reply_refusal(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
                                 "it is done, but there is no memory for the reply");
    return oct_reply_refusal(connection, code,
                             code == MHD_HTTP_SERVICE_UNAVAILABLE
                                 ? "the viewer is ending"
                                 : "it was refused, and there is no memory for the reason");
}

/* Checks -------------------------------------------------------------------------------------- */

/* The address at which a connection came in. */
static bool arrival(char out[OCT_HOST_BYTES], struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    unsigned port;
    return info && oct_listen_place(out, &port, info->connect_fd);
}

typedef struct header_count {
    const char *name;
    unsigned n;
} header_count;

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *key,
                                    const char *value)
{
    header_count *count = context;
    (void)kind;
    (void)value;
    count->n += strcasecmp(key, count->name) == 0;
    return MHD_YES;
}

/* The value of a header that may be there once; *twice is set when there are more. */
static const char *header(struct MHD_Connection *connection, const char *name, bool *twice)
{
    header_count count = {.name = name};
    (void)MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &count);
    *twice = *twice || count.n > 1;
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* What is wrong with a request before it is known what it wants, or NULL. */
static const char *find_fault(const oct_server *server, struct MHD_Connection *connection)
{
    char arrived[OCT_HOST_BYTES];
    bool twice = false, known = arrival(arrived, connection);
    const char *host = header(connection, MHD_HTTP_HEADER_HOST, &twice);
    const char *origin = header(connection, "Origin", &twice);
    if (twice || !oct_guard_host(server->guard, host, known ? arrived : NULL))
        return "this request was meant for another host";
    if (!oct_guard_origin(origin, host))
        return "this request comes from another page";
    return NULL;
}

static bool shows_token(const oct_server *server, struct MHD_Connection *connection)
{
    bool twice = false;
    const char *token = header(connection, "X-Octant-Token", &twice);
    return !twice && oct_guard_knows(server->guard, token);
}

/* The length of a request's body; false after a refusal. */
static bool measure_body(size_t *out, unsigned *code, struct MHD_Connection *connection)
{
    bool twice = false;
    const char *length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH, &twice);
    const char *coding = header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING, &twice);
    *out = 0;
    *code = MHD_HTTP_LENGTH_REQUIRED;
    if (coding || twice)
        return false;
    *code = MHD_HTTP_CONTENT_TOO_LARGE;
    if (length)
        *out = strlen(length) < 9 ? (size_t)strtoul(length, NULL, 10) : SIZE_MAX;
    return *out <= BODY_BYTES;
}

/* Routes -------------------------------------------------------------------------------------- */

/* What a path under /api/ or /frames gives without the simulation; false where it is none. */
static bool send_shared(result *sent, oct_server *server, struct MHD_Connection *connection,
                        const char *url)
{
    oct_shared *shared = server->shared;
    if (strcmp(url, "/api/state") == 0)
        *sent = send_posted(connection, shared, &shared->state);
    else if (strcmp(url, "/api/scene") == 0)
        *sent = send_posted(connection, shared, &shared->scene);
    else if (strcmp(url, "/api/scenes") == 0)
        *sent = send_posted(connection, shared, &shared->scenes);
    else if (strcmp(url, "/api/profiles") == 0)
        *sent = send_posted(connection, shared, &shared->profiles);
    else if (strcmp(url, "/api/series") == 0)
        *sent = send_series(connection, shared);
    else if (strcmp(url, "/frames") == 0)
        *sent = send_frames(connection, shared);
    else
        return false;
    return true;
}

static const oct_verb *verb_of(const char *url)
{
    static const char prefix[] = "/api/";
    return strncmp(url, prefix, sizeof prefix - 1) == 0 ? oct_verb_find(url + sizeof prefix - 1)
                                                        : NULL;
}

static bool is_private(const char *url)
{
    return strncmp(url, "/api", 4) == 0 || strncmp(url, "/frames", 7) == 0;
}

/* Everything that a request's head tells. MHD_YES with nothing queued: its body is awaited. */
static result begin(oct_server *server, struct MHD_Connection *connection, visit *request,
                    const char *url, const char *method)
{
    const char *fault = find_fault(server, connection);
    unsigned code;
    if (fault)
        return oct_reply_refusal(connection, MHD_HTTP_FORBIDDEN, fault);
    bool get = strcmp(method, MHD_HTTP_METHOD_GET) == 0;
    bool post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    if (is_private(url)) {
        if (!shows_token(server, connection))
            return oct_reply_refusal(connection, MHD_HTTP_FORBIDDEN,
                                     "this needs the viewer's token");
        oct_connections_welcome(&server->connections, connection);
    }
    if (!get && !post)
        return oct_reply_method(connection, "GET, POST");
    if (!measure_body(&request->expected, &code, connection))
        return oct_reply_refusal(connection, code,
                                 "the request is too long, or does not say how long it is");
    if (get && request->expected)
        return oct_reply_refusal(connection, MHD_HTTP_BAD_REQUEST, "a GET has no body");
    request->body = calloc(request->expected + 1, 1);
    return request->body ? MHD_YES : MHD_NO;
}

static result finish(oct_server *server, struct MHD_Connection *connection, visit *request,
                     const char *url, const char *method)
{
    bool get = strcmp(method, MHD_HTTP_METHOD_GET) == 0;
    const oct_verb *verb = verb_of(url);
    result sent;
    /* A path may be both: GET /api/scene shows the scene, POST chooses another. */
    if (get && send_shared(&sent, server, connection, url))
        return sent;
    if (verb && verb->get == get) {
        if (memchr(request->body, '\0', request->length))
            return oct_reply_refusal(connection, MHD_HTTP_BAD_REQUEST,
                                     "the request holds a zero byte");
        return ask(connection, server->shared, request, verb);
    }
    if (verb)
        return oct_reply_method(connection, verb->get ? "GET" : "POST");
    const oct_embedded_file *file =
        url[0] == '/' ? oct_embedded_find(oct_page_files, url[1] ? url + 1 : "index.html") : NULL;
    if (file && get)
        return oct_reply_page(connection, file);
    return file ? oct_reply_method(connection, "GET")
                : oct_reply_refusal(connection, MHD_HTTP_NOT_FOUND, "there is nothing here");
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_bytes, void **request_place)
{
    oct_server *server = context;
    visit *request = *request_place;
    (void)version;
    if (!request) {
        *request_place = request = calloc(1, sizeof *request);
        return request ? begin(server, connection, request, url, method) : MHD_NO;
    }
    if (request->asked)
        return request->ask.done ? send_answer(connection, &request->ask) : MHD_YES;
    if (*upload_bytes == 0)
        return finish(server, connection, request, url, method);
    if (*upload_bytes > request->expected - request->length)
        return MHD_NO;
    memcpy(request->body + request->length, upload, *upload_bytes);
    request->length += *upload_bytes;
    *upload_bytes = 0;
    return MHD_YES;
}

static void completed(void *context, struct MHD_Connection *connection, void **request_place,
                      enum MHD_RequestTerminationCode reason)
{
    visit *request = *request_place;
    (void)connection;
    (void)reason;
    if (!request)
        return;
    if (request->asked)
        oct_shared_sent(((oct_server *)context)->shared);
    free(request->ask.reply);
    free(request->body);
    free(request);
}

/* The daemon ---------------------------------------------------------------------------------- */

/* Paths and queries are taken as they come: nothing that is served needs escapes. */
static size_t unescape(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    return strlen(text);
}

static oct_status serve(oct_server *server, int listener)
{
    server->daemon = MHD_start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, server,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)MOST_OF_ONE, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)POOL_BYTES,
        MHD_OPTION_NOTIFY_COMPLETED, completed, server, MHD_OPTION_NOTIFY_CONNECTION,
        oct_connections_notice, &server->connections, MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL,
        MHD_OPTION_END);
    OCT_CHECK(server->daemon, OCT_STATUS_INTERNAL, "the viewer's server does not start");
    return OCT_STATUS_OK;
}

oct_status oct_server_start(oct_server **out, oct_shared *shared, oct_guard *guard,
                            const char *address, unsigned port)
{
    oct_server *server;
    int listener;
    *out = NULL;
    OCT_TRY(oct_alloc(&server, 1, sizeof *server, "server"));
    server->shared = shared;
    server->guard = guard;
    oct_status status = oct_scenes_write(&shared->scenes, NULL);
    /* The guard knows where it stands before the first request can come. */
    if (status == OCT_STATUS_OK)
        status = oct_listen(&listener, guard, address, port);
    if (status == OCT_STATUS_OK)
        status = serve(server, listener);
    if (status == OCT_STATUS_OK)
        *out = server;
    else
        free(server);
    return status;
}

void oct_server_stop(oct_server *server)
{
    if (!server)
        return;
    oct_shared_end(server->shared);
    MHD_stop_daemon(server->daemon);
    free(server);
}
