/* From a scene to a setup. */
#ifndef OCT_IO_SCENE_H
#define OCT_IO_SCENE_H

#include "core/setup.h"

/* Chooses the modules, fills in their fields and checks them; no body is made yet. */
oct_status oct_scene_setup(oct_setup **out, const oct_scene *scene);

#endif
