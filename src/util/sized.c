/* Structs of callers that may be older or newer than the library. */
#include "util/sized.h"

#include <string.h>

/* No version will have more beyond what this one knows: a size above is none. */
enum { MOST_GROWTH = 4096 };

oct_status oct_sized_check(size_t bytes, size_t least, const void *given, const char *type)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    OCT_CHECK(size >= least && size <= bytes + MOST_GROWTH, OCT_STATUS_INPUT,
              "the size of this %s is said to be %zu bytes, and it has %zu: begin it with {.size = "
              "sizeof(%s)}",
              type, size, bytes, type);
    return OCT_STATUS_OK;
}

oct_status oct_sized_take(void *own, size_t bytes, size_t least, const void *given,
                          const char *type)
{
    size_t size;
    OCT_TRY(oct_sized_check(bytes, least, given, type));
    memcpy(&size, given, sizeof size);
    for (size_t i = bytes; i < size; i++)
        OCT_CHECK(((const char *)given)[i] == 0, OCT_STATUS_INPUT,
                  "this %s asks for what Octant %s does not know: byte %zu of it is set, and %zu "
                  "bytes are known",
                  type, oct_version(), i, bytes);
    memset(own, 0, bytes);
    memcpy(own, given, size < bytes ? size : bytes);
    memcpy(own, &bytes, sizeof bytes);
    return OCT_STATUS_OK;
}

void oct_sized_give(void *out, const void *own, size_t bytes)
{
    size_t size;
    memcpy(&size, out, sizeof size);
    memset(out, 0, size);
    memcpy(out, own, size < bytes ? size : bytes);
    memcpy(out, &size, sizeof size);
}
