/* Scenes as JSON, for forms. */
#ifndef OCT_VIEW_SCENES_H
#define OCT_VIEW_SCENES_H

#include "core/module.h"
#include "util/text.h"

/* All built-in scenes, and the tables of all fields: with those of modules that a program has
 * added, where `added` is not NULL. */
oct_status oct_scenes_write(char **out, const oct_added *added);
/* One scene: its name, title, text as resolved and values. */
oct_status oct_scenes_describe(char **out, const char *name, const char *title,
                               const char *resolved);

/* The values of a resolved scene, {"gravity.theta": "0.5", ...}: those that may be changed in a
 * simulation, or all where it is NULL. */
oct_status oct_scenes_values(oct_text *out, const char *resolved, const oct_sim *sim);

#endif
