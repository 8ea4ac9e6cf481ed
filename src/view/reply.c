/* Makes responses with their type and their headers. */
#include "view/reply.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

enum MHD_Result oct_reply_response(struct MHD_Connection *connection, unsigned code,
                                   const char *type, struct MHD_Response *response)
{
    static const char *const headers[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
         "media-src 'self' blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
         "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"Cache-Control", "no-store"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Referrer-Policy", "no-referrer"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"}};
    if (!response)
        return MHD_NO;
    bool ready = MHD_add_response_header(response, "Content-Type", type) == MHD_YES;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        ready = ready && MHD_add_response_header(response, headers[i][0], headers[i][1]) == MHD_YES;
    enum MHD_Result sent = ready ? MHD_queue_response(connection, code, response) : MHD_NO;
    MHD_destroy_response(response);
    return sent;
}

static const char json[] = "application/json; charset=utf-8";

enum MHD_Result oct_reply_json(struct MHD_Connection *connection, unsigned code, const char *text)
{
    return oct_reply_response(connection, code, json,
                              MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text,
                                                              MHD_RESPMEM_MUST_COPY));
}

enum MHD_Result oct_reply_refusal(struct MHD_Connection *connection, unsigned code,
                                  const char *sentence)
{
    oct_text text = {0};
    oct_text_add(&text, "{\"error\": ");
    oct_text_add_json(&text, sentence);
    oct_text_add(&text, "}\n");
    enum MHD_Result sent = text.failed ? MHD_NO : oct_reply_json(connection, code, text.data);
    oct_text_clear(&text);
    return sent;
}

enum MHD_Result oct_reply_method(struct MHD_Connection *connection, const char *allowed)
{
    char text[64];
    int length = snprintf(text, sizeof text, "{\"error\": \"this takes %s\"}\n", allowed);
    struct MHD_Response *response =
        MHD_create_response_from_buffer((size_t)length, text, MHD_RESPMEM_MUST_COPY);
    if (response && MHD_add_response_header(response, "Allow", allowed) != MHD_YES) {
        MHD_destroy_response(response);
        response = NULL;
    }
    return oct_reply_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED, json, response);
}

static const char *type_of(const char *name)
{
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".svg", "image/svg+xml"},
                                           {".png", "image/png"}};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof types[0]; i++)
        if (strcmp(dot, types[i][0]) == 0)
            return types[i][1];
    return "application/octet-stream";
}

enum MHD_Result oct_reply_page(struct MHD_Connection *connection, const oct_embedded_file *file)
{
    return oct_reply_response(connection, MHD_HTTP_OK, type_of(file->name),
                              MHD_create_response_from_buffer(file->length,
                                                              (void *)(uintptr_t)file->text,
                                                              MHD_RESPMEM_PERSISTENT));
}
