/* Replies to HTTP requests, with the headers that every reply has. */
#ifndef OCT_VIEW_REPLY_H
#define OCT_VIEW_REPLY_H

#include <stdbool.h>

#include <microhttpd.h>

#include "util/embed.h"

/* Sends a response and gives it back; NULL, one that could not be made, ends the connection. */
enum MHD_Result oct_reply_response(struct MHD_Connection *connection, unsigned code,
                                   const char *type, struct MHD_Response *response);
/* Sends JSON text. */
enum MHD_Result oct_reply_json(struct MHD_Connection *connection, unsigned code, const char *text);
/* {"error": sentence} */
enum MHD_Result oct_reply_refusal(struct MHD_Connection *connection, unsigned code,
                                  const char *sentence);
/* Refuses the method and says which are allowed. */
enum MHD_Result oct_reply_method(struct MHD_Connection *connection, const char *allowed);
enum MHD_Result oct_reply_page(struct MHD_Connection *connection, const oct_embedded_file *file);

#endif
