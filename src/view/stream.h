/* Frames from the simulation to whoever streams them. The simulation never waits for a client: a
 * client takes the newest frame when it has sent the one before, and the frame that the slowest
 * ones hold is taken from them when memory for a new one is needed. */
#ifndef OCT_VIEW_STREAM_H
#define OCT_VIEW_STREAM_H

#include <sys/types.h>

#include "view/shared.h"

/* For the server: a new client; false when there are too many. Then oct_stream_read as the reader
 * of its response, with the stream, and in the end oct_stream_close, which frees it. */
bool oct_stream_open(oct_stream **out, oct_shared *shared, struct MHD_Connection *connection,
                     bool once);
ssize_t oct_stream_read(void *stream, uint64_t position, char *out, size_t most);
void oct_stream_close(void *stream);

/* For the simulation: whether someone waits for a frame; *none: there is not one yet. */
bool oct_stream_wanted(oct_shared *shared, bool *none);
/* Memory for a frame of so many bytes; it is sent when it is published. */
oct_status oct_stream_begin(oct_slot **out, oct_shared *shared, size_t bytes);
void oct_stream_publish(oct_shared *shared, oct_slot *slot, uint64_t sequence);
/* There is no frame to be had: programs, which read each once, are sent away; a page waits. */
void oct_stream_give_up(oct_shared *shared);
/* Sends the newest frame again to those who like that. */
void oct_stream_repeat(oct_shared *shared);

#endif
