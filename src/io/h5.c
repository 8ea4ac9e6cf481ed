/* One lock around the library, files made in memory and written as a whole, errors with a path. */
#include "io/h5_parts.h"

#include "io/seal.h"
#include "util/file.h"
#include "util/trial.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The library is built without thread safety by the distributions and its state is global, while
 * different Octant objects may be used by different threads. */
static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;

static herr_t first_description(unsigned n, const H5E_error2_t *error, void *data)
{
    const char **text = data;
    (void)n;
    if (!*text && error->desc && error->desc[0])
        *text = error->desc;
    return 0;
}

/* The sentence of a failed call: what, where, and the innermost reason that HDF5 has recorded. */
oct_status oct_h5_fail(const oct_h5 *h5, const char *call, const char *object)
{
    const char *reason = NULL;
    hid_t stack = H5Eget_current_stack();
    if (stack >= 0)
        H5Ewalk2(stack, H5E_WALK_UPWARD, first_description, &reason);
    oct_status status =
        OCT_FAIL(h5->writing ? OCT_STATUS_IO : OCT_STATUS_INPUT, "'%s': HDF5 failed at %s (%s): %s",
                 h5->path, object, call, reason ? reason : "no reason given");
    if (stack >= 0)
        H5Eclose_stack(stack);
    return status;
}

static void h5_enter(oct_h5 *h5, const char *path, bool writing)
{
    pthread_mutex_lock(&library_lock);
    *h5 = (oct_h5){.file = H5I_INVALID_HID, .path = path, .writing = writing};
    H5Eget_auto2(H5E_DEFAULT, &h5->print, &h5->print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void h5_leave(oct_h5 *h5)
{
    H5Eset_auto2(H5E_DEFAULT, h5->print, h5->print_data);
    pthread_mutex_unlock(&library_lock);
}

/* Creates a file in memory, with room for a seal where it is to have one. HDF5 1.10 crashes at the
 * end of the process when a disk fills up under it; in memory its writes do not fail. */
static oct_status h5_create(oct_h5 *h5, const char *path, const char *name, hsize_t room)
{
    enum { GROWTH = 1 << 20 };
    oct_status status = OCT_STATUS_OK;
    hid_t create = H5I_INVALID_HID, access = H5I_INVALID_HID;
    herr_t result;
    h5_enter(h5, path, true);
    H5_DONE(create, "the file", H5Pcreate, H5P_FILE_CREATE);
    H5_DONE(access, "the file", H5Pcreate, H5P_FILE_ACCESS);
    H5_DONE(result, "the file", H5Pset_fapl_core, access, GROWTH, false);
    H5_DONE(result, "the file", H5Pset_fclose_degree, access, H5F_CLOSE_STRONG);
    H5_DONE(result, "the file", H5Pset_userblock, create, room);
    H5_DONE(result, "the file", H5Pset_obj_track_times, create, false);
    H5_DONE(h5->file, "the file", H5Fcreate, name, H5F_ACC_TRUNC, create, access);
done:
    close_if_open(create, H5Pclose);
    close_if_open(access, H5Pclose);
    if (status != OCT_STATUS_OK)
        h5_leave(h5);
    return status;
}

/* The bytes of the file, with room for a seal in front of what HDF5 hands out. */
static oct_status h5_image(char **out, size_t *bytes, const oct_h5 *h5, size_t room)
{
    oct_status status = OCT_STATUS_OK;
    ssize_t size;
    herr_t result;
    H5_DONE(result, "the file", H5Fflush, h5->file, H5F_SCOPE_LOCAL);
    H5_DONE(size, "the file", H5Fget_file_image, h5->file, NULL, 0);
    *bytes = room + (size_t)size;
    OCT_TRY_DONE(oct_alloc(out, *bytes, 1, "bytes of a file"));
    H5_DONE(size, "the file", H5Fget_file_image, h5->file, *out + room, (size_t)size);
done:
    return status;
}

/* Files are whole before anybody sees their name, so locks (which network file systems often lack)
 * are not needed; a strong close leaves no object behind on the way out of an error. */
static oct_status h5_open(oct_h5 *h5)
{
    oct_status status = OCT_STATUS_OK;
    hid_t access = H5I_INVALID_HID;
    herr_t result;
    H5_DONE(access, "the file", H5Pcreate, H5P_FILE_ACCESS);
    H5_DONE(result, "the file", H5Pset_fclose_degree, access, H5F_CLOSE_STRONG);
    H5_DONE(result, "the file", H5Pset_file_locking, access, false, true);
    H5_DONE(h5->file, "the file", H5Fopen, h5->path, H5F_ACC_RDONLY, access);
done:
    close_if_open(access, H5Pclose);
    return status;
}

static oct_status h5_close(oct_h5 *h5)
{
    if (H5Fclose(h5->file) < 0)
        return oct_h5_fail(h5, "H5Fclose", "the file");
    return OCT_STATUS_OK;
}

/* Seals the bytes of a file and writes them. */
static oct_status deliver(char *image, size_t bytes, const char *path, const char *kind,
                          const char *run)
{
    if (kind)
        oct_seal_add(image, bytes, kind, run);
    return oct_file_write(path, image, bytes, true);
}

/* Lets `write` put into the file what belongs there, and takes its bytes. */
static oct_status fill_file(char **image, size_t *bytes, oct_h5 *h5, size_t room, oct_h5_work write,
                            void *context)
{
    struct oct_h5_owner owner = {.id = H5I_INVALID_HID};
    h5->owner = &owner;
    oct_status status = write(h5, context);
    close_if_open(owner.id, H5Oclose);
    h5->owner = NULL;
    return status == OCT_STATUS_OK ? h5_image(image, bytes, h5, room) : status;
}

oct_status oct_h5_save(const char *path, const char *kind, const char *run, oct_h5_work write,
                       void *context)
{
    oct_h5 h5;
    char *image = NULL;
    size_t bytes = 0, room = kind ? OCT_SEAL_BYTES : 0;
    OCT_TRY(h5_create(&h5, path, path, room));
    oct_status status = fill_file(&image, &bytes, &h5, room, write, context);
    oct_status closed = h5_close(&h5);
    h5_leave(&h5);
    if (status == OCT_STATUS_OK)
        status = closed;
    if (status == OCT_STATUS_OK)
        status = deliver(image, bytes, path, kind, run);
    free(image);
    return status;
}

/* With the library locked. */
static void free_mold(oct_h5_mold *mold)
{
    for (size_t i = 0; i < mold->n; i++) {
        close_if_open(mold->parts[i]->id, mold->parts[i]->columns ? H5Dclose : H5Aclose);
        free(mold->parts[i]);
    }
    close_if_open(mold->file, H5Fclose);
    free(mold->parts);
    free(mold);
}

void oct_h5_mold_free(oct_h5_mold *mold)
{
    oct_h5 h5;
    if (!mold)
        return;
    h5_enter(&h5, "", true);
    free_mold(mold);
    h5_leave(&h5);
}

/* The bytes of the next file out of the one that is kept. */
static oct_status refill(char **image, size_t *bytes, oct_h5_mold *mold, const char *path,
                         size_t room, oct_h5_work write, void *context)
{
    oct_h5 h5;
    h5_enter(&h5, path, true);
    h5.file = mold->file;
    h5.mold = mold;
    mold->at = 0;
    mold->differs = false;
    oct_status status = fill_file(image, bytes, &h5, room, write, context);
    if (status == OCT_STATUS_OK && mold->at < mold->n)
        mold->differs = true;
    h5_leave(&h5);
    return status;
}

/* The bytes of a file, which is kept if it is small. */
static oct_status cast(oct_h5_mold **out, char **image, size_t *bytes, const char *path,
                       size_t room, oct_h5_work write, void *context)
{
    enum { MOST_BYTES = 1 << 22 };
    oct_h5 h5;
    oct_h5_mold *mold;
    char name[32]; /* no path: HDF5 opens no second file of a name */
    OCT_TRY(oct_alloc(&mold, 1, sizeof *mold, "a file to be filled again"));
    snprintf(name, sizeof name, "%p", (void *)mold);
    oct_status status = h5_create(&h5, path, name, room);
    if (status != OCT_STATUS_OK) {
        free(mold);
        return status;
    }
    mold->file = h5.file;
    h5.mold = mold;
    status = fill_file(image, bytes, &h5, room, write, context);
    mold->filling = true;
    if (status == OCT_STATUS_OK && *bytes <= MOST_BYTES)
        *out = mold;
    else
        free_mold(mold);
    h5_leave(&h5);
    return status;
}

oct_status oct_h5_save_again(oct_h5_mold **mold, const char *path, const char *kind,
                             const char *run, oct_h5_work write, void *context)
{
    char *image = NULL;
    size_t bytes = 0, room = kind ? OCT_SEAL_BYTES : 0;
    oct_status status = OCT_STATUS_OK;
    bool differs = !*mold;
    if (*mold) {
        status = refill(&image, &bytes, *mold, path, room, write, context);
        differs = (*mold)->differs;
    }
    if (status != OCT_STATUS_OK || differs) {
        oct_h5_mold_free(*mold);
        *mold = NULL;
    }
    if (differs) {
        free(image);
        image = NULL;
        status = cast(mold, &image, &bytes, path, room, write, context);
    }
    if (status == OCT_STATUS_OK)
        status = deliver(image, bytes, path, kind, run);
    free(image);
    return status;
}

typedef struct h5_reading {
    oct_h5 h5;
    oct_h5_work read;
    void *context;
} h5_reading;

static oct_status read_file(void *context)
{
    h5_reading *r = context;
    OCT_TRY(h5_open(&r->h5));
    oct_status status = r->read(&r->h5, r->context), closed = h5_close(&r->h5);
    return status != OCT_STATUS_OK ? status : closed;
}

/* HDF5 crashes on some files, and others leave it in a bad state: each is read in another process
 * first, and here only if that went well. A seal tells of damage, not of who made the file. */
static oct_status try_file(h5_reading *r)
{
    enum { SECONDS = 20, BYTES_PER_SECOND = 1 << 22 }; /* slow, for what is compressed */
    struct stat about;
    unsigned seconds = SECONDS;
    bool survived;
    if (stat(r->h5.path, &about) == 0)
        seconds += (unsigned)(about.st_size / BYTES_PER_SECOND);
    OCT_TRY(oct_trial(&survived, read_file, r, seconds));
    OCT_CHECK(survived, OCT_STATUS_INPUT, "'%s' is damaged: HDF5 breaks down reading it",
              r->h5.path);
    return OCT_STATUS_OK;
}

oct_status oct_h5_load(const char *path, oct_h5_work read, void *context)
{
    h5_reading r = {.read = read, .context = context};
    h5_enter(&r.h5, path, false);
    oct_status status = try_file(&r);
    if (status == OCT_STATUS_OK)
        status = read_file(&r);
    h5_leave(&r.h5);
    return status;
}

bool oct_h5_has(const oct_h5 *h5, const char *object)
{
    /* Links to other places or files are as good as absent: a file must speak for itself. */
    char path[128];
    size_t length = strlen(object);
    if (length >= sizeof path)
        return false;
    for (size_t end = 1; end <= length; end++) {
        if (object[end] != '/' && object[end] != '\0')
            continue;
        memcpy(path, object, end);
        path[end] = '\0';
        H5L_info_t about;
        if (H5Lexists(h5->file, path, H5P_DEFAULT) <= 0 ||
            H5Lget_info(h5->file, path, &about, H5P_DEFAULT) < 0 || about.type != H5L_TYPE_HARD)
            return false;
    }
    return true;
}

/* Conversion is left to HDF5 only from number formats that every machine has. */
static bool is_plain_number(hid_t type)
{
    const hid_t plain[] = {
        H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I64LE, H5T_STD_U64LE, H5T_STD_I32LE,
        H5T_STD_U32LE,  H5T_STD_I16LE,  H5T_STD_U16LE, H5T_STD_I8LE,  H5T_STD_U8LE,
        H5T_IEEE_F64BE, H5T_IEEE_F32BE, H5T_STD_I64BE, H5T_STD_U64BE, H5T_STD_I32BE,
        H5T_STD_U32BE,  H5T_STD_I16BE,  H5T_STD_U16BE,
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (H5Tequal(type, plain[i]) > 0)
            return true;
    return false;
}

/* Opens a data set whose bytes are in this file, of plain numbers, and takes its shape. */
static oct_status open_data(hid_t *out, hsize_t shape[2], const oct_h5 *h5, const char *object)
{
    /* What deflate can shrink at most; a file that claims more than that per stored byte lies. */
    enum { MOST_SHRUNK = 1100 };
    oct_status status = OCT_STATUS_OK;
    hid_t set = H5I_INVALID_HID, type = H5I_INVALID_HID, space = H5I_INVALID_HID,
          list = H5I_INVALID_HID;
    int rank, external;
    H5D_layout_t layout;
    OCT_CHECK(oct_h5_has(h5, object), OCT_STATUS_INPUT, "'%s' has no data set %s", h5->path,
              object);
    H5_DONE(set, object, H5Dopen2, h5->file, object, H5P_DEFAULT);
    H5_DONE(type, object, H5Dget_type, set);
    OCT_CHECK_DONE(is_plain_number(type), OCT_STATUS_INPUT, "'%s': %s does not hold plain numbers",
                   h5->path, object);
    H5_DONE(list, object, H5Dget_create_plist, set);
    H5_DONE(layout, object, H5Pget_layout, list);
    H5_DONE(external, object, H5Pget_external_count, list);
    OCT_CHECK_DONE(layout != H5D_VIRTUAL && external == 0, OCT_STATUS_INPUT,
                   "'%s': the numbers of %s are in another file", h5->path, object);
    H5_DONE(space, object, H5Dget_space, set);
    H5_DONE(rank, object, H5Sget_simple_extent_ndims, space);
    OCT_CHECK_DONE(rank == 1 || rank == 2, OCT_STATUS_INPUT,
                   "'%s': %s has %d dimensions, not 1 or 2", h5->path, object, rank);
    shape[1] = 1;
    H5_DONE(rank, object, H5Sget_simple_extent_dims, space, shape, NULL);
    hsize_t stored = H5Dget_storage_size(set), size = H5Tget_size(type);
    OCT_CHECK_DONE(shape[0] <= SIZE_MAX && shape[1] <= 4096 &&
                       (shape[0] == 0 || shape[1] <= UINT64_MAX / size / shape[0]) &&
                       shape[0] * shape[1] * size / MOST_SHRUNK <= stored,
                   OCT_STATUS_INPUT,
                   "'%s': %s claims %llu x %llu numbers, more than the file holds", h5->path,
                   object, (unsigned long long)shape[0], (unsigned long long)shape[1]);
    *out = set;
    set = H5I_INVALID_HID;
done:
    close_if_open(list, H5Pclose);
    close_if_open(space, H5Sclose);
    close_if_open(type, H5Tclose);
    close_if_open(set, H5Dclose);
    return status;
}

oct_status oct_h5_shape(size_t *rows, size_t *columns, const oct_h5 *h5, const char *object)
{
    hid_t set;
    hsize_t shape[2];
    OCT_TRY(open_data(&set, shape, h5, object));
    *rows = (size_t)shape[0];
    *columns = (size_t)shape[1];
    H5Dclose(set);
    return OCT_STATUS_OK;
}

oct_status oct_h5_get_data(void *out, const oct_h5 *h5, const char *object, hid_t type, size_t rows,
                           size_t columns)
{
    oct_status status = OCT_STATUS_OK;
    hid_t set;
    hsize_t shape[2];
    herr_t result;
    OCT_TRY(open_data(&set, shape, h5, object));
    OCT_CHECK_DONE(shape[0] == rows && shape[1] == columns, OCT_STATUS_INPUT,
                   "'%s': %s is %llu x %llu, not %zu x %zu as it should be", h5->path, object,
                   (unsigned long long)shape[0], (unsigned long long)shape[1], rows, columns);
    if (rows > 0)
        H5_DONE(result, object, H5Dread, set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
done:
    H5Dclose(set);
    return status;
}

oct_status oct_h5_get_rows(void *out, const oct_h5 *h5, const char *object, hid_t type,
                           oct_h5_rows rows, size_t columns)
{
    oct_status status = OCT_STATUS_OK;
    hid_t set, space = H5I_INVALID_HID, room = H5I_INVALID_HID;
    hsize_t shape[2];
    const hsize_t first[2] = {rows.first, 0}, count[2] = {rows.count, columns};
    int rank = columns > 1 ? 2 : 1;
    herr_t result;
    OCT_TRY(open_data(&set, shape, h5, object));
    OCT_CHECK_DONE(shape[0] >= rows.count && shape[0] - rows.count >= rows.first &&
                       shape[1] == columns,
                   OCT_STATUS_INPUT, "'%s': %s has no rows %zu to %zu", h5->path, object,
                   rows.first, rows.first + rows.count);
    H5_DONE(space, object, H5Dget_space, set);
    H5_DONE(result, object, H5Sselect_hyperslab, space, H5S_SELECT_SET, first, NULL, count, NULL);
    H5_DONE(room, object, H5Screate_simple, rank, count, NULL);
    H5_DONE(result, object, H5Dread, set, type, room, space, H5P_DEFAULT, out);
done:
    close_if_open(room, H5Sclose);
    close_if_open(space, H5Sclose);
    H5Dclose(set);
    return status;
}

/* Opens an attribute; invalid when there is none. */
static oct_status open_attribute(hid_t *out, const oct_h5 *h5, const char *object, const char *name)
{
    oct_status status = OCT_STATUS_OK;
    hid_t owner = H5I_INVALID_HID;
    htri_t exists;
    *out = H5I_INVALID_HID;
    if (!oct_h5_has(h5, object))
        return status;
    H5_DONE(owner, object, H5Oopen, h5->file, object, H5P_DEFAULT);
    H5_DONE(exists, name, H5Aexists, owner, name);
    if (exists)
        H5_DONE(*out, name, H5Aopen, owner, name, H5P_DEFAULT);
done:
    close_if_open(owner, H5Oclose);
    return status;
}

oct_status oct_h5_get_numbers(void *out, size_t *count, const oct_h5 *h5, const char *object,
                              const char *name, hid_t type, size_t room)
{
    oct_status status = OCT_STATUS_OK;
    hid_t attribute, stored = H5I_INVALID_HID, space = H5I_INVALID_HID;
    hssize_t points;
    herr_t result;
    *count = 0;
    OCT_TRY(open_attribute(&attribute, h5, object, name));
    if (attribute < 0)
        return status;
    H5_DONE(stored, name, H5Aget_type, attribute);
    OCT_CHECK_DONE(is_plain_number(stored), OCT_STATUS_INPUT,
                   "'%s': attribute %s of %s does not hold plain numbers", h5->path, name, object);
    H5_DONE(space, name, H5Aget_space, attribute);
    H5_DONE(points, name, H5Sget_simple_extent_npoints, space);
    OCT_CHECK_DONE((uint64_t)points <= room, OCT_STATUS_INPUT,
                   "'%s': attribute %s of %s has %lld numbers, %zu at most are expected", h5->path,
                   name, object, (long long)points, room);
    H5_DONE(result, name, H5Aread, attribute, type, out);
    *count = (size_t)points;
done:
    close_if_open(space, H5Sclose);
    close_if_open(stored, H5Tclose);
    close_if_open(attribute, H5Aclose);
    return status;
}

oct_status oct_h5_get_text(char *out, size_t bytes, const oct_h5 *h5, const char *object,
                           const char *name)
{
    enum { LONGEST = 65536 }; /* of an attribute */
    oct_status status = OCT_STATUS_OK;
    hid_t attribute, type = H5I_INVALID_HID, space = H5I_INVALID_HID;
    char *text = NULL;
    hssize_t points;
    herr_t result;
    out[0] = '\0';
    OCT_TRY(open_attribute(&attribute, h5, object, name));
    if (attribute < 0)
        return status;
    H5_DONE(type, name, H5Aget_type, attribute);
    H5_DONE(space, name, H5Aget_space, attribute);
    H5_DONE(points, name, H5Sget_simple_extent_npoints, space);
    size_t size = H5Tget_size(type);
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && points == 1 &&
        size <= LONGEST) {
        OCT_TRY_DONE(oct_alloc(&text, size + 1, 1, "characters of an attribute"));
        H5_DONE(result, name, H5Aread, attribute, type, text);
        snprintf(out, bytes, "%s", text);
    }
done:
    free(text);
    close_if_open(space, H5Sclose);
    close_if_open(type, H5Tclose);
    close_if_open(attribute, H5Aclose);
    return status;
}
