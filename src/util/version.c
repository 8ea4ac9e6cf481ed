/* The version that the build was given. */
#include "octant/octant.h"

#define TEXT(x)          #x
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *oct_version(void)
{
    return VERSION(OCT_VERSION_MAJOR, OCT_VERSION_MINOR, OCT_VERSION_PATCH);
}
