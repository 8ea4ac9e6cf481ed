/* libFuzzer target for the readers of bodies: HDF5 files without a seal, and CSV text. (A seal
 * would keep every input from the readers.) */
#include "octant/octant.h"

#include <stdlib.h>

#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A refusal comes with a sentence and without bodies, success with bodies. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    oct_bodies bodies = {0};
    const char *path = scratch_write("bodies", data, size);
    oct_status status = oct_bodies_read(&bodies, NULL, path, NULL);
    if ((status == OCT_STATUS_OK) != (bodies.n > 0) ||
        (status != OCT_STATUS_OK && oct_last_error()[0] == '\0'))
        abort();
    oct_bodies_clear(&bodies);
    return 0;
}
