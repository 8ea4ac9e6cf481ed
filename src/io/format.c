/* Which kind of file it is. */
#include "io/format.h"

#include "io/seal.h"
#include "util/file.h"
#include "util/text.h"

#include <errno.h>
#include <string.h>

static oct_status read_head(oct_format_head *head, const char *path)
{
    FILE *file;
    uint64_t bytes;
    OCT_TRY(oct_seal_check(head->sealed, path));
    OCT_TRY(oct_file_open(&file, &bytes, path));
    head->count = fread(head->start, 1, sizeof head->start, file);
    bool failed = ferror(file) != 0;
    int code = errno;
    fclose(file);
    OCT_CHECK(!failed, OCT_STATUS_IO, "reading '%s' failed: %s", path, strerror(code));
    return OCT_STATUS_OK;
}

/* Whether the path has one of the endings, which stand between blanks. */
static bool ends_so(const char *path, const char *endings)
{
    while (endings && *endings) {
        size_t length = strcspn(endings, " "), whole = strlen(path);
        if (whole > length && strncmp(path + whole - length, endings, length) == 0)
            return true;
        endings += length + strspn(endings + length, " ");
    }
    return false;
}

oct_status oct_format_of(const oct_format **out, const char *path)
{
    oct_format_head head = {0};
    const oct_format *text = NULL;
    OCT_TRY(read_head(&head, path));
    for (const oct_format *const *f = oct_formats; *f; f++) {
        if ((*f)->text)
            text = *f;
        else if ((*f)->recognise && (*f)->recognise(&head)) {
            *out = *f;
            return OCT_STATUS_OK;
        }
    }
    OCT_CHECK(!oct_file_ends(path, ".hdf5") && !oct_file_ends(path, ".h5"), OCT_STATUS_INPUT,
              "'%s' is not an HDF5 file: it does not begin as one", path);
    *out = text;
    return OCT_STATUS_OK;
}

/* ".hdf5, .h5 or .csv": the endings that mean a kind. */
static void list_endings(oct_text *out)
{
    bool first = true;
    for (const oct_format *const *f = oct_formats; *f; f++)
        for (const char *e = (*f)->about.written ? (*f)->about.endings : NULL; e && *e;) {
            size_t length = strcspn(e, " ");
            oct_text_add(out, "%s%.*s", first ? "" : ", ", (int)length, e);
            e += length + strspn(e + length, " ");
            first = false;
        }
}

static oct_status fail_unknown(const char *name, const char *path)
{
    oct_text list = {0};
    oct_status status;
    if (name) {
        for (const oct_format *const *f = oct_formats; *f; f++)
            if ((*f)->about.written)
                oct_text_add(&list, "%s%s", list.data ? ", " : "", (*f)->about.name);
        status = OCT_FAIL(OCT_STATUS_INPUT,
                          "there is no kind of file '%.40s' that Octant writes; expected one of %s",
                          name, list.data ? list.data : "those it knows");
    } else {
        list_endings(&list);
        status = OCT_FAIL(OCT_STATUS_INPUT,
                          "cannot tell what kind of file '%s' should be: its name must end in one "
                          "of %s",
                          path, list.data ? list.data : "those of files of bodies");
    }
    oct_text_clear(&list);
    return status;
}

oct_status oct_format_for(const oct_format **out, const char *name, const char *path)
{
    for (const oct_format *const *f = oct_formats; *f; f++)
        if ((*f)->about.written &&
            (name ? strcmp(name, (*f)->about.name) == 0 : ends_so(path, (*f)->about.endings))) {
            *out = *f;
            return OCT_STATUS_OK;
        }
    return fail_unknown(name, path);
}

const oct_file_kind *oct_file_kind_at(size_t index)
{
    for (const oct_format *const *f = oct_formats; *f; f++)
        if (index-- == 0)
            return &(*f)->about;
    return NULL;
}

oct_status oct_file_kind_for(const oct_file_kind **out, const char *name, const char *path)
{
    const oct_format *format;
    OCT_TRY(oct_format_for(&format, name, path));
    *out = &format->about;
    return OCT_STATUS_OK;
}
