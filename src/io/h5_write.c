/* Groups, data sets and attributes of files to write. */
#include "io/h5_parts.h"

#include <math.h>
#include <string.h>

oct_status oct_h5_add_group(const oct_h5 *h5, const char *group)
{
    oct_status status = OCT_STATUS_OK;
    hid_t list = H5I_INVALID_HID, id = H5I_INVALID_HID;
    herr_t result;
    bool filled;
    OCT_TRY(oct_h5_meet_group(&filled, h5, group));
    if (filled)
        return OCT_STATUS_OK;
    H5_DONE(list, group, H5Pcreate, H5P_GROUP_CREATE);
    H5_DONE(result, group, H5Pset_obj_track_times, list, false);
    H5_DONE(id, group, H5Gcreate2, h5->file, group, H5P_DEFAULT, list, H5P_DEFAULT);
done:
    close_if_open(id, H5Gclose);
    close_if_open(list, H5Pclose);
    return status;
}

oct_status oct_h5_add_data(const oct_h5 *h5, const char *object, hid_t type, const void *data,
                           size_t rows, size_t columns)
{
    enum { CHUNK_ROWS = 32768 }; /* three doubles each stay below the default cache of 1 MiB */
    oct_status status = OCT_STATUS_OK;
    hid_t list = H5I_INVALID_HID, space = H5I_INVALID_HID, set = H5I_INVALID_HID;
    herr_t result;
    hsize_t shape[2] = {rows, columns}, chunk[2] = {rows < CHUNK_ROWS ? rows : CHUNK_ROWS, columns};
    int rank = columns > 1 ? 2 : 1;
    bool filled;
    OCT_TRY(oct_h5_meet_data(&filled, h5, object, type, data, rows, columns));
    if (filled)
        return OCT_STATUS_OK;
    H5_DONE(list, object, H5Pcreate, H5P_DATASET_CREATE);
    H5_DONE(result, object, H5Pset_obj_track_times, list, false);
    if (rows > 0) {
        H5_DONE(result, object, H5Pset_chunk, list, rank, chunk);
        H5_DONE(result, object, H5Pset_fletcher32, list);
    }
    H5_DONE(space, object, H5Screate_simple, rank, shape, NULL);
    H5_DONE(set, object, H5Dcreate2, h5->file, object, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (rows > 0)
        H5_DONE(result, object, H5Dwrite, set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
done:
    close_if_open(set, H5Dclose);
    close_if_open(space, H5Sclose);
    close_if_open(list, H5Pclose);
    return status;
}

/* Lays the rows of a piece after those that come before it. */
static oct_status map_piece(const oct_h5 *h5, const char *object, hid_t list, hid_t space, int rank,
                            const hsize_t *first, const oct_h5_piece *piece, hsize_t columns)
{
    oct_status status = OCT_STATUS_OK;
    const hsize_t shape[2] = {piece->rows, columns};
    herr_t result;
    hid_t theirs = H5I_INVALID_HID;
    H5_DONE(theirs, object, H5Screate_simple, rank, shape, NULL);
    H5_DONE(result, object, H5Sselect_hyperslab, space, H5S_SELECT_SET, first, NULL, shape, NULL);
    H5_DONE(result, object, H5Pset_virtual, list, space, piece->file, object, theirs);
done:
    close_if_open(theirs, H5Sclose);
    return status;
}

oct_status oct_h5_add_virtual(const oct_h5 *h5, const char *object, hid_t type,
                              const oct_h5_piece *pieces, size_t n, size_t columns)
{
    oct_status status = OCT_STATUS_OK;
    hid_t list = H5I_INVALID_HID, space = H5I_INVALID_HID, set = H5I_INVALID_HID;
    herr_t result;
    /* What a missing file leaves is no number that could be mistaken for one. */
    const double nothing = NAN;
    hsize_t shape[2] = {0, columns}, first[2] = {0, 0};
    int rank = columns > 1 ? 2 : 1;
    for (size_t i = 0; i < n; i++)
        shape[0] += pieces[i].rows;
    H5_DONE(list, object, H5Pcreate, H5P_DATASET_CREATE);
    H5_DONE(result, object, H5Pset_obj_track_times, list, false);
    if (H5Tequal(type, H5T_NATIVE_DOUBLE) > 0)
        H5_DONE(result, object, H5Pset_fill_value, list, type, &nothing);
    H5_DONE(space, object, H5Screate_simple, rank, shape, NULL);
    for (size_t i = 0; i < n; i++) {
        if (pieces[i].rows > 0)
            OCT_TRY_DONE(map_piece(h5, object, list, space, rank, first, &pieces[i], columns));
        first[0] += pieces[i].rows;
    }
    H5_DONE(set, object, H5Dcreate2, h5->file, object, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
done:
    close_if_open(set, H5Dclose);
    close_if_open(space, H5Sclose);
    close_if_open(list, H5Pclose);
    return status;
}

/* Opens what an attribute is given to, unless it is open from the one before: to find it takes as
 * long as to write a number. */
static oct_status open_owner(hid_t *out, const oct_h5 *h5, const char *object)
{
    oct_status status = OCT_STATUS_OK;
    struct oct_h5_owner *owner = h5->owner;
    size_t bytes = strlen(object) + 1;
    if (owner->id < 0 || bytes > sizeof owner->object || strcmp(owner->object, object) != 0) {
        close_if_open(owner->id, H5Oclose);
        owner->object[0] = '\0';
        H5_DONE(owner->id, object, H5Oopen, h5->file, object, H5P_DEFAULT);
        if (bytes <= sizeof owner->object)
            memcpy(owner->object, object, bytes);
    }
    *out = owner->id;
done:
    return status;
}

/* Writes an attribute and closes the space that it takes over. */
static oct_status add_attribute(const oct_h5 *h5, const char *object, const char *name, hid_t type,
                                hid_t space, const void *values)
{
    oct_status status = OCT_STATUS_OK;
    hid_t owner = H5I_INVALID_HID, attribute = H5I_INVALID_HID;
    herr_t result;
    OCT_TRY_DONE(open_owner(&owner, h5, object));
    H5_DONE(attribute, name, H5Acreate2, owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5_DONE(result, name, H5Awrite, attribute, type, values);
done:
    oct_h5_keep_attribute(h5, attribute);
    close_if_open(space, H5Sclose);
    return status;
}

oct_status oct_h5_add_numbers(const oct_h5 *h5, const char *object, const char *name, hid_t type,
                              const void *values, size_t count)
{
    hsize_t length = count;
    bool filled;
    OCT_TRY(oct_h5_meet_attribute(&filled, h5, object, name, values, count * H5Tget_size(type)));
    if (filled)
        return OCT_STATUS_OK;
    hid_t space = H5Screate_simple(1, &length, NULL);
    if (space < 0)
        return oct_h5_fail(h5, "H5Screate_simple", name);
    return add_attribute(h5, object, name, type, space, values);
}

static oct_status add_one(const oct_h5 *h5, const char *object, const char *name, hid_t type,
                          const void *value)
{
    bool filled;
    OCT_TRY(oct_h5_meet_attribute(&filled, h5, object, name, value, H5Tget_size(type)));
    if (filled)
        return OCT_STATUS_OK;
    hid_t space = H5Screate(H5S_SCALAR);
    if (space < 0)
        return oct_h5_fail(h5, "H5Screate", name);
    return add_attribute(h5, object, name, type, space, value);
}

oct_status oct_h5_add_scalar(const oct_h5 *h5, const char *object, const char *name, double value)
{
    return add_one(h5, object, name, H5T_NATIVE_DOUBLE, &value);
}

oct_status oct_h5_add_whole(const oct_h5 *h5, const char *object, const char *name, int32_t value)
{
    return add_one(h5, object, name, H5T_NATIVE_INT32, &value);
}

oct_status oct_h5_add_triple(const oct_h5 *h5, const char *object, const char *name,
                             const double values[3])
{
    static const char *const parts[] = {"x", "y", "z"};
    oct_status status = OCT_STATUS_OK;
    hid_t type = H5I_INVALID_HID;
    herr_t result;
    H5_DONE(type, name, H5Tcreate, H5T_COMPOUND, 3 * sizeof *values);
    for (size_t i = 0; i < 3; i++)
        H5_DONE(result, name, H5Tinsert, type, parts[i], i * sizeof *values, H5T_NATIVE_DOUBLE);
    status = oct_h5_add_numbers(h5, object, name, type, values, 1);
done:
    close_if_open(type, H5Tclose);
    return status;
}

oct_status oct_h5_add_text(const oct_h5 *h5, const char *object, const char *name,
                           const char *value)
{
    oct_status status = OCT_STATUS_OK;
    hid_t type = H5I_INVALID_HID, space = H5I_INVALID_HID;
    herr_t result;
    size_t length = strlen(value);
    bool filled;
    OCT_TRY(oct_h5_meet_attribute(&filled, h5, object, name, value, length ? length : 1));
    if (filled)
        return OCT_STATUS_OK;
    H5_DONE(type, name, H5Tcopy, H5T_C_S1);
    H5_DONE(result, name, H5Tset_size, type, length ? length : 1);
    H5_DONE(result, name, H5Tset_strpad, type, H5T_STR_NULLPAD);
    H5_DONE(space, name, H5Screate, H5S_SCALAR);
    status = add_attribute(h5, object, name, type, space, value);
done:
    close_if_open(type, H5Tclose);
    return status;
}
