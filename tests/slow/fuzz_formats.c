/* libFuzzer target: bytes as a Tipsy file or one of GADGET's. What was read and is written as Tipsy
 * must be read as the same numbers, as far as floats hold them, type after type. */
#include <stdlib.h>
#include <string.h>

#include "octant/octant.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_floats(const double *once, const double *twice, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((float)once[i] != (float)twice[i])
            abort();
}

/* Bodies that come out of a Tipsy file are in its order: the second time they stay as they are. */
static void check_again(const oct_bodies *bodies, const oct_file_info *info)
{
    oct_bodies once = {0}, twice = {0};
    const char *path = scratch_path("again.tipsy");
    if (oct_bodies_write(bodies, info, path) != OCT_STATUS_OK)
        return; /* such as numbers beyond floats */
    if (oct_bodies_read(&once, NULL, path, NULL) != OCT_STATUS_OK || once.n != bodies->n ||
        oct_bodies_write_as(&once, info, path, "tipsy-native") != OCT_STATUS_OK ||
        oct_bodies_read(&twice, NULL, path, NULL) != OCT_STATUS_OK || twice.n != once.n)
        abort();
    check_floats(once.mass, twice.mass, once.n);
    check_floats(once.position, twice.position, 3 * once.n);
    check_floats(once.velocity, twice.velocity, 3 * once.n);
    if (memcmp(once.type, twice.type, once.n) != 0)
        abort();
    oct_bodies_clear(&once);
    oct_bodies_clear(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = scratch_write("bodies.bin", data, size);
    oct_bodies bodies = {0};
    oct_file_info info = {.size = sizeof info};
    oct_status status = oct_bodies_read(&bodies, &info, path, oct_units_find("galactic"));
    if (status == OCT_STATUS_OK)
        check_again(&bodies, &info);
    else if (bodies.n != 0 || oct_last_error()[0] == '\0')
        abort();
    oct_bodies_clear(&bodies);
    return 0;
}
