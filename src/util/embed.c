/* Embedded files are found by name. */
#include "util/embed.h"

#include <string.h>

const oct_embedded_file *oct_embedded_find(const oct_embedded_file *list, const char *name)
{
    for (; list->name; list++)
        if (strcmp(list->name, name) == 0)
            return list;
    return NULL;
}
