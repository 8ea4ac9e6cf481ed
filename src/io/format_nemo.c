/* Reads NEMO's snapshots: items one after the other, each with a magic number that tells the order
 * of bytes, a letter for its type, a tag, sides where it is an array, and its data; sets of items
 * are within "(" and ")". */
#include "io/format.h"

#include "core/units.h"
#include "util/bytes.h"
#include "util/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ONE = 0x0992, MANY = 0x0b92, SIDES = 4, DEPTH = 8, CARTESIAN = 0x10302 };

/* An item; of a set its tag alone. */
typedef struct item {
    char type;
    const char *tag;
    size_t size;  /* of a number */
    size_t sides; /* 0: one number */
    uint64_t side[SIDES], count;
    const unsigned char *data;
} item;

/* What bodies are made from, whose arrays have a row each. */
typedef enum part { MASS, PHASE, POSITION, VELOCITY, POTENTIAL, EPS, PARTS } part;
static const struct {
    const char *tag;
    uint64_t row; /* numbers of a body */
} parts[PARTS] = {{"Mass", 1},     {"PhaseSpace", 6}, {"Position", 3},
                  {"Velocity", 3}, {"Potential", 1},  {"Eps", 1}};

typedef struct nemo_file {
    const char *path;
    const unsigned char *data;
    uint64_t bytes, at;
    bool big;
    const char *sets[DEPTH]; /* that the next item is in */
    size_t depth, snapshots; /* with bodies */
    uint64_t n;
    double time;
    item found[PARTS];
} nemo_file;

static uint64_t magic_at(const unsigned char *at, bool big)
{
    return big ? (uint64_t)at[0] << 8 | at[1] : (uint64_t)at[1] << 8 | at[0];
}

static bool find_order(bool *big, const unsigned char *start, size_t count)
{
    for (int order = 0; order < 2 && count > 4; order++) {
        *big = order == 1;
        uint64_t magic = magic_at(start, *big);
        if ((magic == ONE || magic == MANY) && start[2] && !start[3])
            return true;
    }
    return false;
}

static size_t size_of(char type)
{
    switch (type) {
    case 'a':
    case 'b':
    case 'c':
        return 1;
    case 'h':
    case 's':
        return 2;
    case 'f':
    case 'i':
        return 4;
    case 'd':
    case 'l':
        return 8;
    default:
        return 0; /* of sets */
    }
}

static oct_status fail_cut(const nemo_file *f)
{
    return OCT_FAIL(OCT_STATUS_INPUT,
                    "'%s' is cut off or damaged: what begins at byte %" PRIu64
                    " does not end within its %" PRIu64 " bytes",
                    f->path, f->at, f->bytes);
}

/* A text that ends with a zero, from `*at` on, which is moved behind it. */
static oct_status next_text(const char **out, uint64_t *at, const nemo_file *f)
{
    const unsigned char *end = *at < f->bytes ? memchr(f->data + *at, 0, f->bytes - *at) : NULL;
    if (!end)
        return fail_cut(f);
    *out = (const char *)f->data + *at;
    *at = (uint64_t)(end - f->data) + 1;
    return OCT_STATUS_OK;
}

/* The sides of an array, up to a zero, and how many numbers that makes. */
static oct_status read_sides(item *out, uint64_t *at, const nemo_file *f)
{
    for (;;) {
        if (f->bytes - *at < 4)
            return fail_cut(f);
        uint64_t side = oct_bytes_uint(f->data + *at, 4, f->big);
        *at += 4;
        if (side == 0)
            return OCT_STATUS_OK;
        if (out->sides == SIDES || side > f->bytes || out->count > f->bytes / side)
            return fail_cut(f);
        out->side[out->sides++] = side;
        out->count *= side;
    }
}

static oct_status next_item(item *out, nemo_file *f)
{
    uint64_t at = f->at + 2;
    const char *type = "";
    if (f->bytes - f->at < 4)
        return fail_cut(f);
    uint64_t magic = magic_at(f->data + f->at, f->big);
    *out = (item){.count = 1, .tag = ""};
    OCT_TRY(next_text(&type, &at, f));
    bool set = strcmp(type, "(") == 0 || strcmp(type, ")") == 0;
    out->type = type[0];
    out->size = set ? 0 : size_of(type[0]);
    OCT_CHECK((magic == ONE || magic == MANY) && (set || (out->size > 0 && !type[1])),
              OCT_STATUS_INPUT, "'%s' is damaged: no item of NEMO's begins at byte %" PRIu64,
              f->path, f->at);
    if (type[0] != ')')
        OCT_TRY(next_text(&out->tag, &at, f));
    if (magic == MANY)
        OCT_TRY(read_sides(out, &at, f));
    if ((f->bytes - at) / (out->size ? out->size : 1) < out->count * (out->size > 0))
        return fail_cut(f);
    out->data = f->data + at;
    f->at = at + out->count * out->size;
    return OCT_STATUS_OK;
}

static bool is_within(const nemo_file *f, const char *set)
{
    return f->depth == 2 && strcmp(f->sets[0], "SnapShot") == 0 && strcmp(f->sets[1], set) == 0;
}

static double number(const item *i, uint64_t index, bool big)
{
    const unsigned char *at = i->data + index * i->size;
    return i->type == 'f' || i->type == 'd' ? oct_bytes_real(at, i->size, big)
                                            : (double)oct_bytes_uint(at, i->size, big);
}

static oct_status take_parameter(nemo_file *f, const item *i)
{
    bool real = i->type == 'f' || i->type == 'd';
    if (strcmp(i->tag, "Nobj") == 0 && i->type == 'i' && i->sides == 0)
        f->n = oct_bytes_uint(i->data, 4, f->big);
    if (strcmp(i->tag, "Time") == 0 && real && i->sides == 0)
        f->time = number(i, 0, f->big);
    return OCT_STATUS_OK;
}

/* An array of as many rows as there are bodies. */
static oct_status take_part(nemo_file *f, const item *i)
{
    bool cartesian = i->type != 'i' || number(i, 0, f->big) == CARTESIAN;
    OCT_CHECK(strcmp(i->tag, "CoordSystem") != 0 || cartesian, OCT_STATUS_INPUT,
              "'%s' has coordinates that are not Cartesian ones in space", f->path);
    for (size_t p = 0; p < PARTS; p++) {
        if (strcmp(i->tag, parts[p].tag) != 0)
            continue;
        OCT_CHECK(i->type == 'f' || i->type == 'd', OCT_STATUS_INPUT,
                  "'%s': its %s is of type '%c'; expected floats or doubles", f->path, i->tag,
                  i->type);
        OCT_CHECK(i->sides > 0 && i->side[0] == f->n && i->count == f->n * parts[p].row,
                  OCT_STATUS_INPUT,
                  "'%s': its %s has %" PRIu64 " numbers, and %" PRIu64 " bodies need %" PRIu64,
                  f->path, i->tag, i->count, f->n, f->n * parts[p].row);
        f->found[p] = *i;
    }
    return OCT_STATUS_OK;
}

static oct_status read_items(nemo_file *f)
{
    item i;
    while (f->at < f->bytes) {
        OCT_TRY(next_item(&i, f));
        if (i.type == '(') {
            OCT_CHECK(f->depth < DEPTH, OCT_STATUS_INPUT, "'%s' has sets within more than %d sets",
                      f->path, DEPTH);
            f->sets[f->depth++] = i.tag;
            f->snapshots += is_within(f, "Particles");
            OCT_CHECK(f->snapshots <= 1, OCT_STATUS_INPUT,
                      "'%s' has several snapshots; Octant reads files of one", f->path);
        } else if (i.type == ')') {
            OCT_CHECK(f->depth > 0, OCT_STATUS_INPUT, "'%s' is damaged: a set ends twice", f->path);
            f->depth--;
        } else if (is_within(f, "Parameters") && f->snapshots == 0) {
            OCT_TRY(take_parameter(f, &i));
        } else if (is_within(f, "Particles")) {
            OCT_TRY(take_part(f, &i));
        }
    }
    return f->depth == 0 ? OCT_STATUS_OK : fail_cut(f);
}

static void take_bodies(oct_bodies *out, const nemo_file *f)
{
    const item *phase = &f->found[PHASE];
    for (size_t i = 0; i < out->n; i++) {
        for (size_t d = 0; d < 3; d++) {
            out->position[3 * i + d] = phase->data ? number(phase, 6 * i + d, f->big)
                                                   : number(&f->found[POSITION], 3 * i + d, f->big);
            out->velocity[3 * i + d] = phase->data ? number(phase, 6 * i + 3 + d, f->big)
                                                   : number(&f->found[VELOCITY], 3 * i + d, f->big);
        }
        out->mass[i] = number(&f->found[MASS], i, f->big);
        out->potential[i] = f->found[POTENTIAL].data ? number(&f->found[POTENTIAL], i, f->big) : 0;
        double softening = f->found[EPS].data ? number(&f->found[EPS], i, f->big) : 0;
        out->softening[i] = softening > 0 && isfinite(softening) ? softening : 0;
        out->type[i] = OCT_TYPE_BODY;
        out->id[i] = i + 1;
    }
}

static oct_status read_bodies(oct_bodies *out, oct_file_info *info, nemo_file *f)
{
    OCT_TRY(read_items(f));
    OCT_CHECK(f->snapshots == 1 && f->n > 0, OCT_STATUS_INPUT,
              "'%s' is a file of NEMO's without a SnapShot of bodies", f->path);
    OCT_CHECK(f->found[PHASE].data || (f->found[POSITION].data && f->found[VELOCITY].data),
              OCT_STATUS_INPUT, "'%s' has neither PhaseSpace nor both Position and Velocity",
              f->path);
    OCT_CHECK(f->found[MASS].data, OCT_STATUS_INPUT, "'%s' has no Mass", f->path);
    OCT_CHECK(isfinite(f->time), OCT_STATUS_INPUT, "'%s': its time is not finite", f->path);
    info->time = f->time;
    OCT_TRY(oct_bodies_resize(out, (size_t)f->n));
    take_bodies(out, f);
    return OCT_STATUS_OK;
}

static oct_status read_nemo(oct_bodies *out, oct_file_info *info, const char *path)
{
    char *data = NULL;
    size_t bytes;
    *info = (oct_file_info){.kind = "nemo", .units = oct_units_unknown};
    OCT_TRY(oct_file_read(&data, &bytes, path, SIZE_MAX - 1));
    nemo_file f = {.path = path, .data = (const unsigned char *)data, .bytes = bytes};
    oct_status status = OCT_STATUS_OK;
    if (!find_order(&f.big, f.data, bytes))
        status = OCT_FAIL(OCT_STATUS_INPUT, "'%s' does not begin as files of NEMO's do", path);
    if (status == OCT_STATUS_OK)
        status = read_bodies(out, info, &f);
    free(data);
    if (status != OCT_STATUS_OK)
        oct_bodies_clear(out);
    return status;
}

static bool recognise(const oct_format_head *head)
{
    bool big;
    return find_order(&big, head->start, head->count);
}

const oct_format oct_format_nemo = {
    .about = {.name = "nemo", .doc = "NEMO's snapshots, with one time in a file"},
    .recognise = recognise,
    .read = read_nemo,
};
