/* libFuzzer target: lines as values of --set, one after the other, to a built-in scene. One that is
 * refused leaves the scene as it was, and what resolves resolves to itself. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "octant/octant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* NULL where a value that was set is not one that a scene can have. */
static char *resolve(const oct_scene *scene)
{
    char *text = NULL;
    return oct_scene_resolve(&text, scene) == OCT_STATUS_OK ? text : NULL;
}

static void check_resolved(const char *once)
{
    oct_scene *scene = NULL;
    if (oct_scene_parse(&scene, once, strlen(once), "resolved") != OCT_STATUS_OK)
        abort();
    char *twice = resolve(scene);
    if (!twice || strcmp(once, twice) != 0)
        abort();
    oct_text_free(twice);
    oct_scene_free(scene);
}

static void set(oct_scene *scene, const char *assignment)
{
    char *before = resolve(scene);
    oct_status status = oct_scene_set(scene, assignment);
    char *after = resolve(scene);
    if (status != OCT_STATUS_OK && (oct_last_error()[0] == '\0' || !before != !after ||
                                    (before && strcmp(before, after) != 0)))
        abort();
    if (after)
        check_resolved(after);
    oct_text_free(before);
    oct_text_free(after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST_LINES = 8 };
    oct_scene *scene = NULL;
    char *lines = calloc(size + 1, 1);
    if (!lines || oct_scene_load(&scene, "saturn-ring") != OCT_STATUS_OK)
        abort();
    memcpy(lines, data, size);
    char *line = lines;
    for (int i = 0; i < MOST_LINES && line; i++) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        set(scene, line);
        line = end ? end + 1 : NULL;
    }
    oct_scene_free(scene);
    free(lines);
    return 0;
}
