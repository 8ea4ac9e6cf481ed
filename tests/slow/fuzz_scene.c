/* libFuzzer target: bytes as a scene. No bodies are made, so that large counts cost nothing. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "octant/octant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What resolves must resolve to itself when it is read again. */
static void check_resolved(const char *once)
{
    oct_scene *scene = NULL;
    char *twice = NULL;
    if (oct_scene_parse(&scene, once, strlen(once), "resolved") != OCT_STATUS_OK ||
        oct_scene_resolve(&twice, scene) != OCT_STATUS_OK || strcmp(once, twice) != 0)
        abort();
    oct_text_free(twice);
    oct_scene_free(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    oct_scene *scene = NULL;
    char *resolved = NULL;
    if (oct_scene_parse(&scene, (const char *)data, size, "fuzz") == OCT_STATUS_OK &&
        oct_scene_resolve(&resolved, scene) == OCT_STATUS_OK)
        check_resolved(resolved);
    oct_text_free(resolved);
    /* The same bytes as an assignment: to a scene that was refused, too. */
    char *assignment = malloc(size + 1);
    if (assignment && scene) {
        memcpy(assignment, data, size);
        assignment[size] = '\0';
        oct_scene_set(scene, assignment);
    }
    free(assignment);
    oct_scene_free(scene);
    return 0;
}
