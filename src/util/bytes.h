/* Numbers as bytes of files, in either order, whatever that of the machine is. */
#ifndef OCT_UTIL_BYTES_H
#define OCT_UTIL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An unsigned number of 4 or 8 bytes; `big`: the most significant byte comes first. */
uint64_t oct_bytes_uint(const unsigned char *bytes, size_t size, bool big);
/* A float or a double of the IEEE, of 4 or 8 bytes. */
double oct_bytes_real(const unsigned char *bytes, size_t size, bool big);

/* The same into bytes; what follows them is returned. */
unsigned char *oct_bytes_put_uint(unsigned char *bytes, size_t size, bool big, uint64_t value);
unsigned char *oct_bytes_put_real(unsigned char *bytes, size_t size, bool big, double value);

#endif
