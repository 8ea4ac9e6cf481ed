/* libFuzzer target: bytes as a table of bodies and as a table of measurements. What was read and is
 * written again must be read as the same numbers. */
#include <stdlib.h>
#include <string.h>

#include "octant/octant.h"
#include "run/table.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(const void *a, const void *b, size_t bytes)
{
    if (memcmp(a, b, bytes) != 0)
        abort();
}

static void check_again(const oct_bodies *once, const oct_file_info *info)
{
    const char *path = scratch_path("again.csv");
    oct_bodies twice = {0};
    if (oct_bodies_write(once, info, path) != OCT_STATUS_OK)
        return; /* such as units of a file that no name is known for */
    if (oct_bodies_read(&twice, NULL, path, NULL) != OCT_STATUS_OK || twice.n != once->n)
        abort();
    check_same(once->id, twice.id, once->n * sizeof *once->id);
    check_same(once->mass, twice.mass, once->n * sizeof *once->mass);
    check_same(once->radius, twice.radius, once->n * sizeof *once->radius);
    check_same(once->position, twice.position, 3 * once->n * sizeof *once->position);
    check_same(once->velocity, twice.velocity, 3 * once->n * sizeof *once->velocity);
    oct_bodies_clear(&twice);
}

/* A refusal comes with a sentence and without results. */
static void check_refusal(oct_status status, bool empty)
{
    if (status != OCT_STATUS_OK && (!empty || oct_last_error()[0] == '\0'))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = scratch_write("bodies.csv", data, size);
    oct_bodies bodies = {0};
    oct_file_info info = {.size = sizeof info};
    oct_table table = {0};
    oct_status status = oct_bodies_read(&bodies, &info, path, NULL);
    check_refusal(status, bodies.n == 0);
    if (status == OCT_STATUS_OK)
        check_again(&bodies, &info);
    oct_bodies_clear(&bodies);
    /* The same in the units of a scene. */
    oct_units solar;
    if (oct_units_from_text(&solar, "solar") != OCT_STATUS_OK)
        abort();
    status = oct_bodies_read(&bodies, NULL, path, &solar);
    check_refusal(status, bodies.n == 0);
    oct_bodies_clear(&bodies);
    status = oct_table_read(&table, path);
    check_refusal(status, table.n_rows == 0 && !table.values);
    oct_table_clear(&table);
    return 0;
}
