/* The kinds of files that bodies are in. A kind is one file, src/io/format_<name>.c, that defines
 * oct_format_<name>; the build finds it. */
#ifndef OCT_IO_FORMAT_H
#define OCT_IO_FORMAT_H

#include "octant/octant.h"

enum { OCT_FORMAT_HEAD = 512 };

/* What a kind is recognised by. */
typedef struct oct_format_head {
    char sealed[16]; /* as oct_seal_check says */
    size_t count;    /* of bytes below; the rest is zero */
    unsigned char start[OCT_FORMAT_HEAD];
} oct_format_head;

typedef struct oct_format {
    oct_file_kind about;
    bool text; /* what no other kind recognises */
    bool (*recognise)(const oct_format_head *head);
    /* Numbers as in the file, in units that may be unknown. `out` has no bodies, but may have
     * columns of the user's, which are looked for. */
    oct_status (*read)(oct_bodies *out, oct_file_info *info, const char *path);
    /* The file appears whole or not at all, and the one before is kept as PATH.prev. */
    oct_status (*write)(const oct_bodies *bodies, const oct_file_info *info, const char *path);
} oct_format;

extern const oct_format *const oct_formats[]; /* ends with NULL */

/* The kind of a file that is there, which is verified where it has a seal. */
oct_status oct_format_of(const oct_format **out, const char *path);
/* The kind in which a file is to be written: by its name, or where that is NULL by the path's
 * ending. */
oct_status oct_format_for(const oct_format **out, const char *name, const char *path);

#endif
