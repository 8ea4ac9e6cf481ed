/* Prints, parses and verifies the 512 bytes before the data of HDF5. */
#include "io/seal.h"

#include "util/file.h"
#include "util/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY /* the hash state on the stack */
#include <xxhash.h>

enum { LAYOUT = 1 };

static const char hdf5_signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};

typedef struct seal {
    char kind[16];
    unsigned layout;
    uint64_t high, low; /* XXH3-128 of kind, layout, run and all that follows */
    uint64_t bytes;     /* that follow */
    char run[OCT_IDENTITY_TEXT];
} seal;

static void seal_print(char out[OCT_SEAL_BYTES], const seal *s)
{
    memset(out, 0, OCT_SEAL_BYTES);
    snprintf(out, OCT_SEAL_BYTES,
             "octant %s %u\nxxh3 %016" PRIx64 "%016" PRIx64 "\nbytes %" PRIu64 "\n", s->kind,
             s->layout, s->high, s->low, s->bytes);
    if (*s->run)
        snprintf(out + strlen(out), OCT_SEAL_BYTES - strlen(out), "run %s\n", s->run);
}

/* False when a single byte of the block is not as seal_print would write it. */
static bool seal_parse(seal *s, const char block[OCT_SEAL_BYTES])
{
    char text[OCT_SEAL_BYTES + 1], again[OCT_SEAL_BYTES];
    memcpy(text, block, OCT_SEAL_BYTES);
    text[OCT_SEAL_BYTES] = '\0';
    int end = 0;
    if (sscanf(text, "octant %15[a-z] %9u\nxxh3 %16" SCNx64 "%16" SCNx64 "\nbytes %19" SCNu64 "%n",
               s->kind, &s->layout, &s->high, &s->low, &s->bytes, &end) != 5)
        return false;
    if (strncmp(text + end, "\nrun ", 5) == 0)
        (void)oct_identity_read(s->run, text + end + 5);
    seal_print(again, s);
    return memcmp(block, again, OCT_SEAL_BYTES) == 0;
}

static void hash_start(XXH3_state_t *hash, const seal *s)
{
    XXH3_INITSTATE(hash);
    XXH3_128bits_reset(hash);
    XXH3_128bits_update(hash, s->kind, strlen(s->kind));
    XXH3_128bits_update(hash, &(unsigned char){(unsigned char)s->layout}, 1);
    XXH3_128bits_update(hash, s->run, strlen(s->run));
}

static void hash_end(seal *s, const XXH3_state_t *hash)
{
    XXH128_hash_t value = XXH3_128bits_digest(hash);
    s->high = value.high64;
    s->low = value.low64;
}

/* Hashes the kind and what follows the seal. */
static oct_status hash_file(seal *s, FILE *file, const char *path)
{
    enum { PIECE = 1 << 18 };
    XXH3_state_t hash;
    char *piece = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&piece, PIECE, 1, "bytes of a file"));
    OCT_CHECK_DONE(fseek(file, OCT_SEAL_BYTES, SEEK_SET) == 0, OCT_STATUS_IO,
                   "seeking in '%s' failed: %s", path, strerror(errno));
    hash_start(&hash, s);
    s->bytes = 0;
    for (size_t count; (count = fread(piece, 1, PIECE, file)) > 0; s->bytes += count)
        XXH3_128bits_update(&hash, piece, count);
    OCT_CHECK_DONE(!ferror(file), OCT_STATUS_IO, "reading '%s' failed: %s", path, strerror(errno));
    hash_end(s, &hash);
done:
    free(piece);
    return status;
}

void oct_seal_add(char *data, size_t bytes, const char *kind, const char *run)
{
    seal s = {.layout = LAYOUT, .bytes = bytes - OCT_SEAL_BYTES};
    snprintf(s.kind, sizeof s.kind, "%s", kind);
    snprintf(s.run, sizeof s.run, "%s", run);
    XXH3_state_t hash;
    hash_start(&hash, &s);
    XXH3_128bits_update(&hash, data + OCT_SEAL_BYTES, s.bytes);
    hash_end(&s, &hash);
    seal_print(data, &s);
}

static oct_status seal_verify(seal *s, FILE *file, uint64_t bytes, const char *block,
                              const char *path)
{
    OCT_CHECK(bytes > OCT_SEAL_BYTES, OCT_STATUS_INPUT,
              "'%s' is truncated: it ends after %" PRIu64 " bytes, within its header", path, bytes);
    OCT_CHECK(seal_parse(s, block), OCT_STATUS_INPUT,
              "'%s' is damaged: its header is not as it was written", path);
    uint64_t present = bytes - OCT_SEAL_BYTES;
    OCT_CHECK(present >= s->bytes, OCT_STATUS_INPUT,
              "'%s' is truncated: %" PRIu64 " of %" PRIu64 " bytes are there", path, bytes,
              s->bytes + OCT_SEAL_BYTES);
    OCT_CHECK(present == s->bytes, OCT_STATUS_INPUT,
              "'%s' is damaged: %" PRIu64 " bytes have been appended to it", path,
              present - s->bytes);
    seal found = *s;
    OCT_TRY(hash_file(&found, file, path));
    OCT_CHECK(found.high == s->high && found.low == s->low && found.bytes == s->bytes,
              OCT_STATUS_INPUT, "'%s' is damaged: its checksum does not match its contents", path);
    OCT_CHECK(s->layout <= LAYOUT, OCT_STATUS_INPUT,
              "'%s' was written by a newer Octant (layout %u, this one reads %d)", path, s->layout,
              LAYOUT);
    return OCT_STATUS_OK;
}

oct_status oct_seal_check(char kind[16], const char *path)
{
    char head[OCT_SEAL_BYTES + sizeof hdf5_signature] = {0};
    FILE *file = NULL;
    uint64_t bytes;
    seal s = {0};
    OCT_TRY(oct_file_open(&file, &bytes, path));
    oct_status status = OCT_STATUS_OK;
    size_t count = fread(head, 1, sizeof head, file);
    OCT_CHECK_DONE(!ferror(file), OCT_STATUS_IO, "reading '%s' failed: %s", path, strerror(errno));
    OCT_CHECK_DONE(count > 0, OCT_STATUS_INPUT, "'%s' is empty", path);
    if (strncmp(head, "octant ", 7) == 0)
        OCT_TRY_DONE(seal_verify(&s, file, bytes, head, path));
    else if (memcmp(head, hdf5_signature, sizeof hdf5_signature) == 0)
        strcpy(s.kind, "hdf5");
    else
        OCT_CHECK_DONE(memcmp(head + OCT_SEAL_BYTES, hdf5_signature, sizeof hdf5_signature) != 0,
                       OCT_STATUS_INPUT,
                       "'%s' is damaged: its header is not one that Octant writes", path);
    memcpy(kind, s.kind, sizeof s.kind);
done:
    fclose(file);
    return status;
}

static oct_status seal_read(seal *s, bool *sealed, const char *path)
{
    char block[OCT_SEAL_BYTES] = {0};
    FILE *file = NULL;
    uint64_t bytes;
    OCT_TRY(oct_file_open(&file, &bytes, path));
    size_t count = fread(block, 1, sizeof block, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    OCT_CHECK(!failed, OCT_STATUS_IO, "reading '%s' failed", path);
    *sealed = count == sizeof block && seal_parse(s, block);
    return OCT_STATUS_OK;
}

oct_status oct_seal_run(char run[OCT_IDENTITY_TEXT], bool *sealed, const char *path)
{
    seal s = {0};
    OCT_TRY(seal_read(&s, sealed, path));
    snprintf(run, OCT_IDENTITY_TEXT, "%s", *sealed ? s.run : "");
    return OCT_STATUS_OK;
}

oct_status oct_seal_hash(char hash[OCT_SEAL_HASH], const char *path)
{
    seal s = {0};
    bool sealed;
    OCT_TRY(seal_read(&s, &sealed, path));
    OCT_CHECK(sealed, OCT_STATUS_INPUT, "'%s' is damaged: its header is not one that Octant writes",
              path);
    snprintf(hash, OCT_SEAL_HASH, "%016" PRIx64 "%016" PRIx64, s.high, s.low);
    return OCT_STATUS_OK;
}

oct_status oct_seal_offer_previous(oct_status status, const char *path)
{
    char *previous = NULL, *sentence = NULL, kind[16] = "";
    if (status != OCT_STATUS_INPUT && status != OCT_STATUS_MISSING)
        return status;
    if (oct_text_copy(&sentence, oct_last_error()) == OCT_STATUS_OK &&
        oct_file_previous(&previous, path) == OCT_STATUS_OK) {
        /* A sentence that has come through here before already names it. */
        bool intact = !strstr(sentence, previous) &&
                      oct_seal_check(kind, previous) == OCT_STATUS_OK &&
                      (strcmp(kind, "snapshot") == 0 || strcmp(kind, "checkpoint") == 0);
        if (intact)
            OCT_FAIL(status, "%s; '%s', the one before it, is intact", sentence, previous);
        else
            OCT_FAIL(status, "%s", sentence);
    }
    free(previous);
    free(sentence);
    return status;
}
