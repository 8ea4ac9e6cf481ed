/* From a scene to a setup. */
#ifndef OCT_IO_SCENE_H
#define OCT_IO_SCENE_H

#include "core/setup.h"

/* Chooses the modules, fills in their fields and checks them; no body is made yet. */
oct_status oct_scene_setup(oct_setup **out, const oct_scene *scene);
/* The same of a scene that leaves to the program what its bodies are (no models) or when it ends
 * (no run; until is 0 then). */
oct_status oct_scene_setup_open(oct_setup **out, const oct_scene *scene);

/* Parses a scene that has these modules as well. */
oct_status oct_scene_parse_with(oct_scene **out, const char *text, const char *label,
                                const oct_added *added);
/* The modules that were added to a scene. */
const oct_added *oct_scene_added(const oct_scene *scene);

/* Takes a value that differs: the key as --set has it, and the value in either, NULL where it has
 * none. */
typedef oct_status oct_scene_difference(void *context, const char *key, const char *before,
                                        const char *after);
/* Compares two scenes as resolved, and stops at the first report that fails. */
oct_status oct_scene_differences(const char *before, const char *after,
                                 oct_scene_difference *report, void *context);

#endif
