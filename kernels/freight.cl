/* Rows of several columns at once, on their way to other ranks: row i of each is row index[i] of
 * the domain. In `rows` those of one column are behind those of another, in words of 4 bytes; a
 * column of bytes, whose elements are `bytes_each` of them, is the last.
 *   freight_pack    takes rows off the columns
 *   freight_unpack  puts them there
 * `width` is the words of a row, a column of bytes being one: a work-item for each of a row. Any
 * work-group size. */
#include "precision.clh"

#define FREIGHT_COLUMNS()                                                                          \
    MOVE(0) MOVE(1) MOVE(2) MOVE(3) MOVE(4) MOVE(5) MOVE(6) MOVE(7)

kernel void freight_pack(global uint *rows, global const uint *index, uint count, uint width,
                         global const uint *column0, uint parts0, global const uint *column1,
                         uint parts1, global const uint *column2, uint parts2,
                         global const uint *column3, uint parts3, global const uint *column4,
                         uint parts4, global const uint *column5, uint parts5,
                         global const uint *column6, uint parts6, global const uint *column7,
                         uint parts7, global const uchar *bytes, uint bytes_each)
{
    size_t i = get_global_id(0) / width;
    uint part = (uint)(get_global_id(0) % width);
    if (i >= count)
        return;
    size_t row = index[i];
#define MOVE(k)                                                                                    \
    if (part < parts##k) {                                                                         \
        rows[i * parts##k + part] = column##k[row * parts##k + part];                              \
        return;                                                                                    \
    }                                                                                              \
    part -= parts##k;                                                                              \
    rows += (size_t)parts##k * count;
    FREIGHT_COLUMNS()
#undef MOVE
    for (uint b = 0; b < bytes_each; b++)
        ((global uchar *)rows)[i * bytes_each + b] = bytes[row * bytes_each + b];
}

kernel void freight_unpack(global const uint *rows, global const uint *index, uint count,
                           uint width, global uint *column0, uint parts0, global uint *column1,
                           uint parts1, global uint *column2, uint parts2, global uint *column3,
                           uint parts3, global uint *column4, uint parts4, global uint *column5,
                           uint parts5, global uint *column6, uint parts6, global uint *column7,
                           uint parts7, global uchar *bytes, uint bytes_each)
{
    size_t i = get_global_id(0) / width;
    uint part = (uint)(get_global_id(0) % width);
    if (i >= count)
        return;
    size_t row = index[i];
#define MOVE(k)                                                                                    \
    if (part < parts##k) {                                                                         \
        column##k[row * parts##k + part] = rows[i * parts##k + part];                              \
        return;                                                                                    \
    }                                                                                              \
    part -= parts##k;                                                                              \
    rows += (size_t)parts##k * count;
    FREIGHT_COLUMNS()
#undef MOVE
    for (uint b = 0; b < bytes_each; b++)
        bytes[row * bytes_each + b] = ((global const uchar *)rows)[i * bytes_each + b];
}
