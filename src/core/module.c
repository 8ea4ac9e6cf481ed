/* Modules are found by name in the lists that the build generates. */
#include "core/module.h"

#include <string.h>

const oct_module *oct_module_find(const void *list, const char *name)
{
    /* Every table starts with the same head, and all pointers to structs are alike in C. */
    for (const oct_module *const *module = list; *module; module++)
        if (strcmp((*module)->name, name) == 0)
            return *module;
    return NULL;
}
