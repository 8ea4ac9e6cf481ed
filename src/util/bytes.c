/* Bytes put together by shifts, so that no code depends on the machine's own order. */
#include "util/bytes.h"

#include <string.h>

uint64_t oct_bytes_uint(const unsigned char *bytes, size_t size, bool big)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | bytes[big ? i : size - 1 - i];
    return value;
}

double oct_bytes_real(const unsigned char *bytes, size_t size, bool big)
{
    uint64_t bits = oct_bytes_uint(bytes, size, big);
    uint32_t low = (uint32_t)bits;
    double wide;
    float narrow;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return size == sizeof wide ? wide : (double)narrow;
}

unsigned char *oct_bytes_put_uint(unsigned char *bytes, size_t size, bool big, uint64_t value)
{
    for (size_t i = 0; i < size; i++)
        bytes[big ? size - 1 - i : i] = (unsigned char)(value >> 8 * i);
    return bytes + size;
}

unsigned char *oct_bytes_put_real(unsigned char *bytes, size_t size, bool big, double value)
{
    uint64_t wide;
    float number = (float)value;
    uint32_t narrow;
    memcpy(&wide, &value, sizeof wide);
    memcpy(&narrow, &number, sizeof narrow);
    return oct_bytes_put_uint(bytes, size, big, size == sizeof wide ? wide : narrow);
}
