/* Reads GADGET's binary files: records between two equal counts of bytes, in either order of bytes.
 * In its format 1 the blocks come in a fixed order, in format 2 a record of 8 bytes with a label is
 * before each. Numbers are floats or doubles, ids of 4 or 8 bytes: the sizes of blocks tell. */
#include "io/format.h"

#include "core/units.h"
#include "io/gadget.h"
#include "util/bytes.h"
#include "util/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = 6, HEADER = 256, LABEL = 8, MARK = 4 };

/* The blocks that are read, in the order that they have in format 1. */
typedef enum block_name { HEAD, POS, VEL, ID, MASS, POT, BLOCKS } block_name;
static const char *const labels[BLOCKS] = {"HEAD", "POS ", "VEL ", "ID  ", "MASS", "POT "};

typedef struct block {
    const unsigned char *data;
    uint32_t bytes; /* 0: there is none */
    size_t size;    /* of a number */
} block;

typedef struct gadget_file {
    const char *path;
    const unsigned char *data;
    uint64_t bytes, at;
    bool big, labelled;
    block blocks[BLOCKS];
    uint64_t counts[TYPES], n,
        n_masses;         /* of bodies: by type, together, with a mass of their own */
    double masses[TYPES]; /* of all bodies of a type; 0: each has its own */
} gadget_file;

/* The order of bytes and the format; false where a file is none of GADGET's. */
static bool find_order(bool *big, bool *labelled, const unsigned char *start, size_t count)
{
    if (count < MARK + HEADER + MARK)
        return false;
    for (int order = 0; order < 2; order++) {
        *big = order == 1;
        *labelled = oct_bytes_uint(start, MARK, *big) == LABEL;
        if (*labelled ? memcmp(start + MARK, labels[HEAD], 4) == 0 &&
                            oct_bytes_uint(start + MARK + LABEL, MARK, *big) == LABEL
                      : oct_bytes_uint(start, MARK, *big) == HEADER &&
                            oct_bytes_uint(start + MARK + HEADER, MARK, *big) == HEADER)
            return true;
    }
    return false;
}

/* The next record, whose two marks must be the same and in the file. */
static oct_status next_record(block *out, gadget_file *f)
{
    uint64_t left = f->bytes - f->at;
    OCT_CHECK(left > MARK, OCT_STATUS_INPUT, "'%s' is truncated: it ends within a mark of a block",
              f->path);
    uint32_t length = (uint32_t)oct_bytes_uint(f->data + f->at, MARK, f->big);
    OCT_CHECK(left >= 2 * MARK && left - 2 * MARK >= length, OCT_STATUS_INPUT,
              "'%s' is truncated: a block of %" PRIu32 " bytes begins at byte %" PRIu64
              ", and the file has %" PRIu64,
              f->path, length, f->at, f->bytes);
    uint32_t end = (uint32_t)oct_bytes_uint(f->data + f->at + MARK + length, MARK, f->big);
    OCT_CHECK(length == end, OCT_STATUS_INPUT,
              "'%s' is damaged: the block at byte %" PRIu64 " is said to have %" PRIu32
              " bytes where it begins and %" PRIu32 " where it ends",
              f->path, f->at, length, end);
    *out = (block){.data = f->data + f->at + MARK, .bytes = length};
    f->at += length + (uint64_t)(2 * MARK);
    return OCT_STATUS_OK;
}

static oct_status take_block(gadget_file *f, size_t b, block found)
{
    OCT_CHECK(!f->blocks[b].data, OCT_STATUS_INPUT, "'%s' has two blocks %.4s", f->path, labels[b]);
    f->blocks[b] = found;
    return OCT_STATUS_OK;
}

static oct_status read_header(gadget_file *f, oct_file_info *info)
{
    const unsigned char *h = f->blocks[HEAD].data;
    OCT_CHECK(h && f->blocks[HEAD].bytes == HEADER, OCT_STATUS_INPUT,
              "'%s' has no header of %d bytes", f->path, HEADER);
    for (size_t t = 0; t < TYPES; t++) {
        f->counts[t] = oct_bytes_uint(h + 4 * t, 4, f->big);
        f->masses[t] = oct_bytes_real(h + 24 + 8 * t, 8, f->big);
        OCT_CHECK(isfinite(f->masses[t]) && f->masses[t] >= 0, OCT_STATUS_INPUT,
                  "'%s': the mass of type %zu in its header is %g", f->path, t, f->masses[t]);
        f->n += f->counts[t];
        f->n_masses += f->masses[t] > 0 ? 0 : f->counts[t];
    }
    OCT_CHECK(f->n > 0, OCT_STATUS_INPUT, "'%s' holds no bodies", f->path);
    uint64_t files = oct_bytes_uint(h + 124, 4, f->big);
    OCT_CHECK(files <= 1, OCT_STATUS_INPUT,
              "'%s' is one of %" PRIu64 " files of a snapshot; Octant reads snapshots in one file",
              f->path, files);
    info->time = oct_bytes_real(h + 72, 8, f->big);
    double redshift = oct_bytes_real(h + 80, 8, f->big), side = oct_bytes_real(h + 128, 8, f->big);
    OCT_CHECK(isfinite(info->time) && isfinite(redshift), OCT_STATUS_INPUT,
              "'%s': the time in its header is not finite", f->path);
    for (size_t d = 0; d < 3; d++)
        info->box[d] = isfinite(side) && side > 0 ? side : 0;
    return oct_gadget_check_time(info->time, redshift, f->path);
}

/* Format 1: the blocks by their order; that of masses is there where a body has one of its own. */
static oct_status list_ordered(gadget_file *f, oct_file_info *info)
{
    for (size_t b = HEAD; f->at < f->bytes; b++) {
        block found;
        if (b == MASS && f->n_masses == 0)
            b++;
        OCT_TRY(next_record(&found, f));
        /* What follows the masses has no fixed order, but whole blocks. */
        if (b <= MASS)
            OCT_TRY(take_block(f, b, found));
        if (b == HEAD)
            OCT_TRY(read_header(f, info));
    }
    return OCT_STATUS_OK;
}

/* Format 2: the blocks by their labels. */
static oct_status list_labelled(gadget_file *f, oct_file_info *info)
{
    while (f->at < f->bytes) {
        block label, found;
        OCT_TRY(next_record(&label, f));
        OCT_CHECK(label.bytes == LABEL, OCT_STATUS_INPUT,
                  "'%s' is damaged: there is a block of %" PRIu32
                  " bytes where a label of %d is expected",
                  f->path, label.bytes, LABEL);
        OCT_TRY(next_record(&found, f));
        for (size_t b = 0; b < BLOCKS; b++)
            if (memcmp(label.data, labels[b], 4) == 0)
                OCT_TRY(take_block(f, b, found));
    }
    return read_header(f, info);
}

/* Finds out the size of a block's numbers, of which there are `count`. */
static oct_status size_block(gadget_file *f, block_name b, uint64_t count, bool needed)
{
    block *k = &f->blocks[b];
    OCT_CHECK(k->data || !needed || count == 0, OCT_STATUS_INPUT, "'%s' has no block %.4s", f->path,
              labels[b]);
    if (!k->data || count == 0)
        return OCT_STATUS_OK;
    k->size = k->bytes == 4 * count ? 4 : 8;
    OCT_CHECK(k->bytes == k->size * count, OCT_STATUS_INPUT,
              "'%s': its block %.4s has %" PRIu32 " bytes, not 4 or 8 for each of %" PRIu64
              " numbers",
              f->path, labels[b], k->bytes, count);
    return OCT_STATUS_OK;
}

static double real_at(const gadget_file *f, block_name b, uint64_t index)
{
    const block *k = &f->blocks[b];
    return oct_bytes_real(k->data + index * k->size, k->size, f->big);
}

static void take_bodies(oct_bodies *out, const gadget_file *f)
{
    size_t i = 0, own = 0;
    for (size_t t = 0; t < TYPES; t++)
        for (uint64_t c = 0; c < f->counts[t]; c++, i++) {
            for (size_t d = 0; d < 3; d++) {
                out->position[3 * i + d] = real_at(f, POS, 3 * i + d);
                out->velocity[3 * i + d] = real_at(f, VEL, 3 * i + d);
            }
            const block *id = &f->blocks[ID];
            out->id[i] =
                id->size ? oct_bytes_uint(id->data + i * id->size, id->size, f->big) : i + 1;
            out->mass[i] = f->masses[t] > 0 ? f->masses[t] : real_at(f, MASS, own++);
            out->potential[i] = f->blocks[POT].size ? real_at(f, POT, i) : 0;
            out->type[i] = oct_gadget_type(t);
        }
}

/* The header's counts are believed once the blocks have their sizes. */
static oct_status read_blocks(oct_bodies *out, oct_file_info *info, gadget_file *f)
{
    OCT_CHECK(find_order(&f->big, &f->labelled, f->data, f->bytes), OCT_STATUS_INPUT,
              "'%s' is no file of GADGET's: its header has other marks", f->path);
    OCT_TRY(f->labelled ? list_labelled(f, info) : list_ordered(f, info));
    OCT_TRY(size_block(f, POS, 3 * f->n, true));
    OCT_TRY(size_block(f, VEL, 3 * f->n, true));
    OCT_TRY(size_block(f, ID, f->n, false));
    OCT_TRY(size_block(f, MASS, f->n_masses, true));
    OCT_TRY(size_block(f, POT, f->n, false));
    OCT_TRY(oct_bodies_resize(out, (size_t)f->n));
    take_bodies(out, f);
    return OCT_STATUS_OK;
}

static oct_status read_gadget(oct_bodies *out, oct_file_info *info, const char *path)
{
    char *data = NULL;
    size_t bytes;
    *info = (oct_file_info){.kind = "gadget-binary", .units = oct_units_unknown};
    OCT_TRY(oct_file_read(&data, &bytes, path, SIZE_MAX - 1));
    gadget_file f = {.path = path, .data = (const unsigned char *)data, .bytes = bytes};
    oct_status status = read_blocks(out, info, &f);
    free(data);
    if (status != OCT_STATUS_OK)
        oct_bodies_clear(out);
    return status;
}

static bool recognise(const oct_format_head *head)
{
    bool big, labelled;
    return find_order(&big, &labelled, head->start, head->count);
}

const oct_format oct_format_gadget_binary = {
    .about = {.name = "gadget-binary", .doc = "GADGET's binary files, formats 1 and 2"},
    .recognise = recognise,
    .read = read_gadget,
};
