/* Files that the build puts into the library. */
#ifndef OCT_UTIL_EMBED_H
#define OCT_UTIL_EMBED_H

#include <stddef.h>

typedef struct oct_embedded_file {
    const char *name, *text; /* the text ends with a zero byte that length does not count */
    size_t length;
} oct_embedded_file;

/* Lists that end with a file without name. */
extern const oct_embedded_file oct_kernel_files[];
extern const oct_embedded_file oct_scene_files[];
extern const oct_embedded_file oct_page_files[]; /* of the viewer */

/* The file of that name, or NULL. */
const oct_embedded_file *oct_embedded_find(const oct_embedded_file *list, const char *name);

#endif
