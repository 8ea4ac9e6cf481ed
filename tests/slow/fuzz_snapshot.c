/* libFuzzer target for the readers of bodies: HDF5 files without a seal, and CSV text. (A seal
 * would keep every input from the readers.) */
#include "octant/octant.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/octant-fuzz-XXXXXX";

static void forget(void)
{
    unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        abort();
    close(descriptor);
    atexit(forget);
    return 0;
}

/* A refusal comes with a sentence and without bodies, success with bodies. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    oct_bodies bodies = {0};
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
    oct_status status = oct_bodies_read(&bodies, NULL, path, NULL);
    if ((status == OCT_STATUS_OK) != (bodies.n > 0) ||
        (status != OCT_STATUS_OK && oct_last_error()[0] == '\0'))
        abort();
    oct_bodies_clear(&bodies);
    return 0;
}
