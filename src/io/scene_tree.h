/* What a scene is made of, for the files that make up the loader. */
#ifndef OCT_IO_SCENE_TREE_H
#define OCT_IO_SCENE_TREE_H

#include "core/module.h"
#include "io/scene_node.h"

struct oct_scene {
    oct_node *root;
    char *label;  /* its name in messages */
    char *folder; /* that its paths are relative to; NULL: the current one */
    oct_added added;
};

#endif
