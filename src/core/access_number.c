/* Numbers of a device as a caller's, and back: nothing is rounded that the types could hold. */
#include "core/access.h"

#include <math.h>
#include <string.h>

/* An integer of any of the types. */
typedef struct whole {
    bool below; /* 0 */
    uint64_t size;
} whole;

size_t oct_access_bytes(oct_element type)
{
    static const size_t bytes[] = {
        [OCT_ELEMENT_DOUBLE] = sizeof(double),   [OCT_ELEMENT_FLOAT] = sizeof(float),
        [OCT_ELEMENT_INT64] = sizeof(int64_t),   [OCT_ELEMENT_UINT64] = sizeof(uint64_t),
        [OCT_ELEMENT_UINT32] = sizeof(uint32_t), [OCT_ELEMENT_UINT8] = sizeof(uint8_t)};
    return (size_t)type < sizeof bytes / sizeof bytes[0] ? bytes[type] : 0;
}

/* The caller's type with the numbers of a device's. */
static oct_element same_as(const oct_access_column *column)
{
    switch (column->spec.type) {
    case OCT_COLUMN_LONG:
        return OCT_ELEMENT_INT64;
    case OCT_COLUMN_ULONG:
        return OCT_ELEMENT_UINT64;
    case OCT_COLUMN_UINT:
        return OCT_ELEMENT_UINT32;
    case OCT_COLUMN_BYTE:
        return OCT_ELEMENT_UINT8;
    default:
        return column->number == sizeof(float) ? OCT_ELEMENT_FLOAT : OCT_ELEMENT_DOUBLE;
    }
}

static double real_at(const void *data, oct_element type, size_t i)
{
    return type == OCT_ELEMENT_FLOAT ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static void put_real(void *data, oct_element type, size_t i, double x)
{
    if (type == OCT_ELEMENT_FLOAT)
        ((float *)data)[i] = (float)x;
    else
        ((double *)data)[i] = x;
}

/* False where a double is no integer. */
static bool whole_at(whole *out, const void *data, oct_element type, size_t i)
{
    const double past_last = 18446744073709551616.0; /* 2^64 */
    int64_t integer = type == OCT_ELEMENT_INT64 ? ((const int64_t *)data)[i] : 0;
    double real = type == OCT_ELEMENT_DOUBLE ? ((const double *)data)[i] : 0;
    *out = (whole){.below = integer < 0 || real < 0};
    switch (type) {
    case OCT_ELEMENT_UINT64:
        out->size = ((const uint64_t *)data)[i];
        return true;
    case OCT_ELEMENT_UINT32:
        out->size = ((const uint32_t *)data)[i];
        return true;
    case OCT_ELEMENT_UINT8:
        out->size = ((const uint8_t *)data)[i];
        return true;
    case OCT_ELEMENT_INT64:
        out->size = integer < 0 ? ~(uint64_t)integer + 1 : (uint64_t)integer;
        return true;
    default:
        if (!(fabs(real) < past_last) || real != trunc(real))
            return false;
        out->size = (uint64_t)fabs(real);
        return true;
    }
}

/* False where the type cannot hold it. */
static bool put_whole(void *data, oct_element type, size_t i, whole x)
{
    const uint64_t most = type == OCT_ELEMENT_UINT64   ? UINT64_MAX
                          : type == OCT_ELEMENT_UINT32 ? UINT32_MAX
                          : type == OCT_ELEMENT_UINT8  ? UINT8_MAX
                          : type == OCT_ELEMENT_INT64  ? INT64_MAX
                                                       : UINT64_C(1) << 53;
    bool has_sign = type == OCT_ELEMENT_INT64 || type == OCT_ELEMENT_DOUBLE;
    if (x.size > most || (x.below && !has_sign))
        return false;
    if (type == OCT_ELEMENT_UINT64)
        ((uint64_t *)data)[i] = x.size;
    else if (type == OCT_ELEMENT_UINT32)
        ((uint32_t *)data)[i] = (uint32_t)x.size;
    else if (type == OCT_ELEMENT_UINT8)
        ((uint8_t *)data)[i] = (uint8_t)x.size;
    else if (type == OCT_ELEMENT_INT64)
        ((int64_t *)data)[i] = x.below ? -(int64_t)x.size : (int64_t)x.size;
    else
        ((double *)data)[i] = x.below ? -(double)x.size : (double)x.size;
    return true;
}

static oct_status check_type(const oct_access_column *column, const char *name, oct_element type)
{
    bool real = column->spec.type == OCT_COLUMN_REAL;
    OCT_CHECK(oct_access_bytes(type) > 0, OCT_STATUS_INPUT, "there is no type of numbers %d",
              (int)type);
    OCT_CHECK(!real || type == OCT_ELEMENT_DOUBLE || type == OCT_ELEMENT_FLOAT, OCT_STATUS_INPUT,
              "column '%s' has real numbers: expected OCT_ELEMENT_DOUBLE or OCT_ELEMENT_FLOAT",
              name);
    OCT_CHECK(real || type != OCT_ELEMENT_FLOAT, OCT_STATUS_INPUT,
              "column '%s' has integers: expected an integer type or OCT_ELEMENT_DOUBLE", name);
    return OCT_STATUS_OK;
}

static const char *name_of(const oct_access_column *column)
{
    return column->spec.flags & OCT_COLUMN_USER ? column->spec.data_set : column->spec.name;
}

oct_status oct_access_give(void *out, oct_element type, const oct_access_column *column,
                           const void *packed, size_t count)
{
    oct_element theirs = same_as(column);
    OCT_TRY(check_type(column, name_of(column), type));
    for (size_t i = 0; i < count; i++) {
        whole x;
        if (column->spec.type == OCT_COLUMN_REAL)
            put_real(out, type, i, real_at(packed, theirs, i));
        else
            OCT_CHECK(whole_at(&x, packed, theirs, i) && put_whole(out, type, i, x),
                      OCT_STATUS_INPUT, "%s %s%llu is too large for the type of numbers asked for",
                      name_of(column), x.below ? "-" : "", (unsigned long long)x.size);
    }
    return OCT_STATUS_OK;
}

static oct_status take_real(void *packed, const oct_access_column *column, double x, size_t i)
{
    bool single = column->number == sizeof(float),
         positive = column->spec.flags & OCT_COLUMN_NOT_NEGATIVE;
    OCT_CHECK(isfinite(x) && (!positive || x >= 0) && (!single || isfinite((float)x)),
              OCT_STATUS_INPUT, "%s %g at %zu of the numbers given; expected a finite number%s%s",
              name_of(column), x, i, positive ? " not below 0" : "",
              single ? " that single precision can hold" : "");
    put_real(packed, same_as(column), i, x);
    return OCT_STATUS_OK;
}

/* Types are those that bodies begin with. */
static bool is_type(whole x)
{
    uint64_t type = x.size & OCT_TYPE_MASK;
    return type >= 1 && type <= OCT_TYPE_BLACK_HOLE &&
           (x.size == type || x.size == (type | OCT_TYPE_HELD));
}

oct_status oct_access_take(void *packed, const oct_access_column *column, const void *data,
                           oct_element type, size_t count)
{
    const uint64_t exact = UINT64_C(1) << OCT_COLUMN_EXACT;
    bool is_types = strcmp(name_of(column), "type") == 0;
    OCT_TRY(check_type(column, name_of(column), type));
    for (size_t i = 0; i < count; i++) {
        whole x;
        if (column->spec.type == OCT_COLUMN_REAL) {
            OCT_TRY(take_real(packed, column, real_at(data, type, i), i));
            continue;
        }
        bool good = whole_at(&x, data, type, i) && put_whole(packed, same_as(column), i, x) &&
                    x.size <= exact && (!is_types || is_type(x));
        OCT_CHECK(good, OCT_STATUS_INPUT, "%s at %zu of the numbers given is none; expected %s",
                  name_of(column), i,
                  is_types ? "1 to 5, and 16 more of a body that is held"
                           : "a whole number of at most 53 bits");
    }
    return OCT_STATUS_OK;
}
