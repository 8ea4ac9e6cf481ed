/* The registry: a module is one .c file in the folder of its family that defines one table named
 * after the file (src/force/direct.c: oct_force_direct); the build finds it. A program adds its own
 * to a scene. */
#ifndef OCT_CORE_MODULE_H
#define OCT_CORE_MODULE_H

#include "core/field.h"
#include "octant/module.h"

/* The registry, generated from the folders: NULL-terminated lists in alphabetical order. */
extern const oct_model *const oct_models[];
extern const oct_force *const oct_forces[];
extern const oct_integrator *const oct_integrators[];
extern const oct_boundary *const oct_boundaries[];
extern const oct_collision *const oct_collisions[];
extern const oct_diag *const oct_diags[];

/* Finds a module by name in one of these lists, cast to its head. */
const oct_module *oct_module_find(const void *list, const char *name);
/* For oct_diag.looks: no column needs accelerations. */
uint64_t oct_looks_nowhere(const struct oct_setup *setup);
/* The list of a family; NULL where there is no such family. */
const void *oct_module_list(oct_family family);

/* A family has at most so many modules, those of a program included. */
enum { OCT_MOST_MODULES = 128 };

/* Modules that a program has added. */
typedef struct oct_added {
    size_t n;
    struct oct_added_module {
        oct_family family;
        const oct_module *module;
    } * items;
} oct_added;

/* The added ones by index of those that belong to a list; NULL past the last. */
const oct_module *oct_added_at(const oct_added *added, const void *list, size_t index);
/* The measurements by index: the library's, then those that were added (NULL: none); NULL past the
 * last. */
const oct_diag *oct_added_diag(const oct_added *added, size_t index);
/* Whether a table can be added: what its family needs is there, and its names are free. */
oct_status oct_added_check(const oct_added *added, oct_family family, const void *table);
oct_status oct_added_add(oct_added *added, oct_family family, const void *table);
oct_status oct_added_copy(oct_added *out, const oct_added *added);
void oct_added_clear(oct_added *added);

#endif
