/* Reads Tipsy files of either order of bytes, with positions and velocities as floats or doubles:
 * which it is, the header and the size of the file tell. Writes floats. */
#include "io/tipsy.h"

#include "core/column.h"
#include "core/units.h"
#include "util/bytes.h"
#include "util/file.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The header with and without the four bytes that C pads its struct with. */
enum { HEADER = 32, BARE_HEADER = 28, SECTIONS = 3, NUMBER = 4, DIMENSIONS = 3 };

/* What follows mass, position and velocity in the records of a section, in floats. */
typedef struct section {
    const char *name;
    uint8_t type;
    unsigned more;   /* floats; the last of them is the potential */
    unsigned eps;    /* which one of them is the softening */
    unsigned formed; /* which one is the time of formation; 0: none */
} section;

static const section sections[SECTIONS] = {
    /* rho, temp, hsmooth, metals, phi. Gas has no pressure here. */
    {"gas", OCT_TYPE_BODY, 5, 2, 0},
    /* eps, phi */
    {"dark", OCT_TYPE_BODY, 2, 0, 0},
    /* metals, tform, eps, phi */
    {"star", OCT_TYPE_STAR, 4, 2, 1},
};

typedef struct layout {
    bool big;
    double time;
    uint64_t counts[SECTIONS];
    size_t header;             /* bytes */
    size_t position, velocity; /* bytes of a number */
} layout;

static size_t record_bytes(const layout *l, const section *s)
{
    return NUMBER + 3 * (l->position + l->velocity) + NUMBER * (size_t)s->more;
}

/* Its counts must add up, in one of the two orders of bytes. */
static bool read_header(layout *l, const unsigned char *start, size_t count, bool big)
{
    if (count < BARE_HEADER)
        return false;
    uint64_t sum = 0;
    *l = (layout){.big = big, .time = oct_bytes_real(start, 8, big)};
    for (size_t k = 0; k < SECTIONS; k++) {
        l->counts[k] = oct_bytes_uint(start + 16 + NUMBER * k, NUMBER, big);
        sum += l->counts[k];
    }
    return isfinite(l->time) && sum == oct_bytes_uint(start + 8, NUMBER, big) && sum > 0 &&
           oct_bytes_uint(start + 12, NUMBER, big) == DIMENSIONS;
}

static uint64_t whole_bytes(const layout *l)
{
    uint64_t bytes = l->header;
    for (size_t k = 0; k < SECTIONS; k++)
        bytes += l->counts[k] * record_bytes(l, &sections[k]);
    return bytes;
}

/* The kind of records and of header with which the file has just the size it has. */
static oct_status find_layout(layout *l, const unsigned char *data, size_t bytes, const char *path)
{
    static const size_t headers[] = {HEADER, BARE_HEADER}, sizes[][2] = {{4, 4}, {8, 4}, {8, 8}};
    OCT_CHECK(read_header(l, data, bytes, true) || read_header(l, data, bytes, false),
              OCT_STATUS_INPUT, "'%s' is no Tipsy file: the counts of its header do not add up",
              path);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t h = 0; h < sizeof headers / sizeof headers[0]; h++) {
            l->header = headers[h];
            l->position = sizes[s][0];
            l->velocity = sizes[s][1];
            if (whole_bytes(l) == bytes)
                return OCT_STATUS_OK;
        }
    l->header = HEADER;
    l->position = l->velocity = NUMBER;
    return OCT_FAIL(OCT_STATUS_INPUT,
                    "'%s' is a Tipsy file of %" PRIu64 " gas, %" PRIu64 " dark and %" PRIu64
                    " star particles, which take %" PRIu64 " bytes, but it has %zu: it is cut off "
                    "or damaged",
                    path, l->counts[0], l->counts[1], l->counts[2], whole_bytes(l), bytes);
}

/* One record, of which 0 stands for a potential that is none. */
static void take_record(oct_bodies *out, size_t i, const layout *l, const section *s,
                        const unsigned char *record)
{
    const unsigned char *at = record + NUMBER;
    out->mass[i] = oct_bytes_real(record, NUMBER, l->big);
    for (size_t d = 0; d < 3; d++, at += l->position)
        out->position[3 * i + d] = oct_bytes_real(at, l->position, l->big);
    for (size_t d = 0; d < 3; d++, at += l->velocity)
        out->velocity[3 * i + d] = oct_bytes_real(at, l->velocity, l->big);
    double potential = oct_bytes_real(at + NUMBER * (s->more - 1), NUMBER, l->big);
    out->potential[i] = isfinite(potential) ? potential : 0;
    double softening = oct_bytes_real(at + NUMBER * s->eps, NUMBER, l->big);
    out->softening[i] = softening > 0 && isfinite(softening) ? softening : 0;
    /* A star that was formed before time began is a sink: a black hole. */
    bool sink = s->formed && oct_bytes_real(at + NUMBER * s->formed, NUMBER, l->big) < 0;
    out->type[i] = sink ? OCT_TYPE_BLACK_HOLE : s->type;
    out->id[i] = i + 1;
}

oct_status oct_tipsy_read(oct_bodies *out, oct_file_info *info, const char *path)
{
    char *data = NULL;
    size_t bytes, i = 0;
    layout l;
    oct_status status;
    OCT_TRY_DONE(oct_file_read(&data, &bytes, path, SIZE_MAX - 1));
    const unsigned char *at = (const unsigned char *)data;
    OCT_TRY_DONE(find_layout(&l, at, bytes, path));
    OCT_TRY_DONE(oct_bodies_resize(out, (size_t)(l.counts[0] + l.counts[1] + l.counts[2])));
    at += l.header;
    for (size_t k = 0; k < SECTIONS; k++)
        for (uint64_t c = 0; c < l.counts[k]; c++, at += record_bytes(&l, &sections[k]))
            take_record(out, i++, &l, &sections[k], at);
    *info = (oct_file_info){.time = l.time, .units = oct_units_unknown};
    snprintf(info->kind, sizeof info->kind, "%s", l.big ? "tipsy" : "tipsy-native");
done:
    free(data);
    if (status != OCT_STATUS_OK)
        oct_bodies_clear(out);
    return status;
}

bool oct_tipsy_begins(const oct_format_head *head, bool big)
{
    layout ignored;
    return read_header(&ignored, head->start, head->count, big);
}

static size_t section_of(uint8_t type)
{
    unsigned plain = type & OCT_TYPE_MASK;
    return plain >= OCT_TYPE_DISK && plain <= OCT_TYPE_BLACK_HOLE ? 2 : 1;
}

/* Refuses what floats cannot hold. */
static oct_status check_numbers(const oct_bodies *b, const char *path)
{
    for (size_t i = 0; i < b->n; i++) {
        double largest = fmax(b->mass[i], b->softening[i]);
        for (size_t d = 0; d < 3; d++)
            largest =
                fmax(largest, fmax(fabs(b->position[3 * i + d]), fabs(b->velocity[3 * i + d])));
        OCT_CHECK(largest <= FLT_MAX && (b->mass[i] == 0 || b->mass[i] >= FLT_MIN),
                  OCT_STATUS_INPUT,
                  "body %" PRIu64 " has numbers beyond the floats of Tipsy files, so '%s' is not "
                  "written: choose other units",
                  b->id[i], path);
    }
    return OCT_STATUS_OK;
}

static unsigned char *put_record(unsigned char *at, const oct_bodies *b, size_t i, bool big)
{
    const section *s = &sections[section_of(b->type[i])];
    at = oct_bytes_put_real(at, NUMBER, big, b->mass[i]);
    for (size_t d = 0; d < 3; d++)
        at = oct_bytes_put_real(at, NUMBER, big, b->position[3 * i + d]);
    for (size_t d = 0; d < 3; d++)
        at = oct_bytes_put_real(at, NUMBER, big, b->velocity[3 * i + d]);
    bool sink = (b->type[i] & OCT_TYPE_MASK) == OCT_TYPE_BLACK_HOLE;
    for (unsigned k = 0; k + 1 < s->more; k++)
        at = oct_bytes_put_real(at, NUMBER, big,
                                k == s->eps              ? b->softening[i]
                                : sink && k == s->formed ? -1
                                                         : 0);
    double potential = fabs(b->potential[i]) <= FLT_MAX ? b->potential[i] : 0;
    return oct_bytes_put_real(at, NUMBER, big, potential);
}

oct_status oct_tipsy_write(const oct_bodies *bodies, const oct_file_info *info, const char *path,
                           bool big)
{
    layout l = {.big = big, .header = HEADER, .position = NUMBER, .velocity = NUMBER};
    unsigned char *data = NULL;
    OCT_CHECK(bodies->n > 0 && bodies->n <= INT32_MAX, OCT_STATUS_INPUT,
              "'%s' cannot hold %zu bodies; a Tipsy file has 1 to %d", path, bodies->n, INT32_MAX);
    OCT_TRY(check_numbers(bodies, path));
    for (size_t i = 0; i < bodies->n; i++)
        l.counts[section_of(bodies->type[i])]++;
    size_t bytes = (size_t)whole_bytes(&l);
    OCT_TRY(oct_alloc(&data, bytes, 1, "bytes of a file"));
    unsigned char *at = oct_bytes_put_real(data, 8, big, info->time);
    at = oct_bytes_put_uint(at, NUMBER, big, bodies->n);
    at = oct_bytes_put_uint(at, NUMBER, big, DIMENSIONS);
    for (size_t k = 0; k < SECTIONS; k++)
        at = oct_bytes_put_uint(at, NUMBER, big, l.counts[k]);
    at = data + HEADER;
    for (size_t k = 0; k < SECTIONS; k++)
        for (size_t i = 0; i < bodies->n; i++)
            if (section_of(bodies->type[i]) == k)
                at = put_record(at, bodies, i, big);
    oct_status status = oct_file_write(path, data, bytes, true);
    free(data);
    return status;
}
