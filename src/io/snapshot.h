/* Snapshots: HDF5 in the layout of SWIFT, which yt, pynbody and swiftsimio read with units. */
#ifndef OCT_IO_SNAPSHOT_H
#define OCT_IO_SNAPSHOT_H

#include "core/setup.h"
#include "io/seal.h"

/* The particle types that the layout has room for. */
enum { OCT_SNAPSHOT_TYPES = 7 };

/* Writes a snapshot; scene is the scene as resolved, or NULL. The file appears whole or not at
 * all, and the one before is kept as PATH.prev. */
oct_status oct_snapshot_write(const oct_bodies *bodies, const oct_file_info *info,
                              const char *scene, const char *path);
/* The same for one of many of a run: what is kept of one makes the next cheaper. *mold: NULL at
 * first; one thread at a time. */
typedef struct oct_h5_mold oct_snapshot_mold;
oct_status oct_snapshot_write_again(oct_snapshot_mold **mold, const oct_bodies *bodies,
                                    const oct_file_info *info, const char *scene, const char *path);
void oct_snapshot_forget(oct_snapshot_mold *mold);

/* A snapshot in parts: files that are snapshots of some of the bodies each, PATH.part-0 and on, and
 * the whole, PATH, which has no numbers of its own but shows those of the parts, to readers that
 * know no parts as one file. It is written last, and says what each part was then. */
typedef struct oct_snapshot_facts {
    uint64_t counts[OCT_SNAPSHOT_TYPES];
    double largest;        /* coordinate, without its sign */
    int centred, cornered; /* all bodies are in the box, about the origin or from there on */
    int spins, softenings; /* some body has them */
} oct_snapshot_facts;
typedef struct oct_snapshot_part {
    uint64_t counts[OCT_SNAPSHOT_TYPES];
    char hash[OCT_SEAL_HASH]; /* of the file */
} oct_snapshot_part;

/* What must be known of all bodies before a part is written; `path` is for messages. */
oct_status oct_snapshot_look(oct_snapshot_facts *out, const oct_bodies *bodies,
                             const oct_file_info *info, const char *path);
void oct_snapshot_join(oct_snapshot_facts *whole, const oct_snapshot_facts *part);
/* Writes part `index` of `of`, whose bodies have these facts together. */
oct_status oct_snapshot_write_part(oct_snapshot_part *out, const oct_bodies *bodies,
                                   const oct_file_info *info, const char *scene, const char *path,
                                   const oct_snapshot_facts *whole, uint32_t index, uint32_t of);
/* Writes the whole; `like` has the columns that the bodies of the parts have, and none itself. */
oct_status oct_snapshot_write_whole(const oct_bodies *like, const oct_file_info *info,
                                    const char *scene, const char *path,
                                    const oct_snapshot_facts *whole, const oct_snapshot_part *parts,
                                    uint32_t n);

/* What a file says about bodies of this setup, but for time and step. */
void oct_snapshot_describe(oct_file_info *out, const oct_setup *setup);

/* Reads a verified snapshot of ours, or one of another code in the GADGET layout. The
 * numbers are as in the file, in units that may be unknown. `out` has no bodies, but may have
 * columns of the user's, which are looked for. */
oct_status oct_snapshot_read(oct_bodies *out, oct_file_info *info, const char *path, bool ours);

#endif
