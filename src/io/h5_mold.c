/* Records what a file is made of, and fills the numbers of the next one into the same places. */
#include "io/h5_parts.h"

#include <stdlib.h>
#include <string.h>

/* What a part is to be. */
typedef struct wanted {
    const char *object, *name;
    const void *value;
    size_t rows, columns, bytes;
    hid_t type;
} wanted;

static bool is_same(const oct_h5_part *part, const wanted *w)
{
    return part->rows == w->rows && part->columns == w->columns && part->bytes == w->bytes &&
           part->type == w->type && strcmp(part->text, w->object) == 0 &&
           strcmp(part->text + part->object, w->name) == 0;
}

static char *value_of(oct_h5_part *part)
{
    return part->text + part->object + part->name;
}

static oct_status record(oct_h5_mold *mold, const wanted *w)
{
    size_t object = strlen(w->object) + 1, name = strlen(w->name) + 1;
    oct_h5_part *part;
    OCT_TRY(oct_realloc(&mold->parts, mold->n + 1, sizeof *mold->parts, "parts of a file"));
    OCT_TRY(oct_alloc(&part, 1, sizeof *part + object + name + w->bytes, "a part of a file"));
    *part = (oct_h5_part){.object = object,
                          .name = name,
                          .rows = w->rows,
                          .columns = w->columns,
                          .bytes = w->bytes,
                          .type = w->type,
                          .id = H5I_INVALID_HID};
    memcpy(part->text, w->object, object);
    memcpy(part->text + object, w->name, name);
    if (w->bytes > 0)
        memcpy(value_of(part), w->value, w->bytes);
    mold->parts[mold->n++] = part;
    return OCT_STATUS_OK;
}

/* The part that is there; NULL where it is to be made. */
static oct_status meet(oct_h5_part **out, const oct_h5 *h5, const wanted *w)
{
    oct_h5_mold *mold = h5->mold;
    *out = NULL;
    if (!mold)
        return OCT_STATUS_OK;
    if (!mold->filling)
        return record(mold, w);
    mold->differs = mold->at == mold->n || !is_same(mold->parts[mold->at], w);
    if (mold->differs)
        return OCT_FAIL(OCT_STATUS_INTERNAL, "'%s' is laid out in another way", h5->path);
    *out = mold->parts[mold->at++];
    return OCT_STATUS_OK;
}

oct_status oct_h5_meet_group(bool *filled, const oct_h5 *h5, const char *group)
{
    oct_h5_part *part;
    OCT_TRY(meet(&part, h5, &(wanted){.object = group, .name = ""}));
    *filled = part != NULL;
    return OCT_STATUS_OK;
}

oct_status oct_h5_meet_data(bool *filled, const oct_h5 *h5, const char *object, hid_t type,
                            const void *data, size_t rows, size_t columns)
{
    oct_status status = OCT_STATUS_OK;
    oct_h5_part *part;
    herr_t result;
    OCT_TRY(meet(
        &part, h5,
        &(wanted){.object = object, .name = "", .rows = rows, .columns = columns, .type = type}));
    *filled = part != NULL;
    if (!part || rows == 0)
        return OCT_STATUS_OK;
    if (part->id < 0)
        H5_DONE(part->id, object, H5Dopen2, h5->file, object, H5P_DEFAULT);
    H5_DONE(result, object, H5Dwrite, part->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
done:
    return status;
}

oct_status oct_h5_meet_attribute(bool *filled, const oct_h5 *h5, const char *object,
                                 const char *name, const void *value, size_t bytes)
{
    oct_status status = OCT_STATUS_OK;
    oct_h5_part *part;
    hid_t type = H5I_INVALID_HID;
    herr_t result;
    OCT_TRY(
        meet(&part, h5, &(wanted){.object = object, .name = name, .value = value, .bytes = bytes}));
    *filled = part != NULL;
    if (!part || memcmp(value_of(part), value, bytes) == 0)
        return OCT_STATUS_OK;
    H5_DONE(type, name, H5Aget_type, part->id);
    H5_DONE(result, name, H5Awrite, part->id, type, value);
    memcpy(value_of(part), value, bytes);
done:
    close_if_open(type, H5Tclose);
    return status;
}

/* HDF5 1.10 does not find an attribute that is opened again beside the one that it has made. */
void oct_h5_keep_attribute(const oct_h5 *h5, hid_t attribute)
{
    if (h5->mold)
        h5->mold->parts[h5->mold->n - 1]->id = attribute;
    else
        close_if_open(attribute, H5Aclose);
}
