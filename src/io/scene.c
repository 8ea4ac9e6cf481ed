/* Finds a scene, built in or in a file, and parses it. */
#include "io/scene.h"

#include "io/scene_bind.h"
#include "io/scene_tree.h"
#include "util/embed.h"
#include "util/file.h"
#include "util/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 16 << 20, MOST_SCENES = 64 };

bool oct_scene_builtin(size_t index, const char **name, const char **text)
{
    for (const oct_embedded_file *file = oct_scene_files; file->name; file++) {
        if (index-- > 0)
            continue;
        *name = file->name;
        *text = file->text;
        return true;
    }
    return false;
}

void oct_scene_free(oct_scene *scene)
{
    if (!scene)
        return;
    oct_node_free(scene->root);
    free(scene->label);
    free(scene->folder);
    oct_added_clear(&scene->added);
    free(scene);
}

/* A key of a section has one meaning, whoever reads it. */
static oct_status check_fields(const oct_scene *scene, oct_family family, const oct_module *module)
{
    for (const oct_section *s = oct_sections; s->name; s++) {
        size_t n = 0;
        oct_field there[OCT_SECTION_FIELDS];
        if (!s->modules || s->modules != oct_module_list(family) || (s->takes && !s->takes(module)))
            continue;
        oct_section_fields(there, s, &scene->added);
        for (const oct_field *f = there; f->type != OCT_FIELD_END; f++)
            n++;
        for (const oct_field *f = module->fields; f && f->type != OCT_FIELD_END; f++, n++)
            OCT_CHECK(f->name && !oct_field_in(there, f->name) && !oct_field_in(f + 1, f->name) &&
                          !(s->selector && strcmp(s->selector, f->name) == 0),
                      OCT_STATUS_INPUT, "module '%s': %s has a key '%s' already", module->name,
                      s->name, f->name ? f->name : "");
        OCT_CHECK(n < OCT_SECTION_FIELDS, OCT_STATUS_INPUT,
                  "module '%s' brings more keys than %s can have, %d", module->name, s->name,
                  OCT_SECTION_FIELDS - 1);
    }
    return OCT_STATUS_OK;
}

oct_status oct_scene_add_module(oct_scene *scene, oct_family family, const void *table,
                                unsigned version)
{
    OCT_CHECK(version == OCT_MODULE_VERSION, OCT_STATUS_INPUT,
              "the module was compiled for version %u of the tables, and the library has %d: "
              "compile it anew",
              version, OCT_MODULE_VERSION);
    OCT_TRY(oct_added_check(&scene->added, family, table));
    OCT_TRY(check_fields(scene, family, table));
    return oct_added_add(&scene->added, family, table);
}

const oct_added *oct_scene_added(const oct_scene *scene)
{
    return &scene->added;
}

oct_status oct_scene_parse_with(oct_scene **out, const char *text, const char *label,
                                const oct_added *added)
{
    oct_scene *scene;
    OCT_TRY(oct_scene_parse(&scene, text, strlen(text), label));
    oct_status status = oct_added_copy(&scene->added, added);
    if (status == OCT_STATUS_OK)
        *out = scene;
    else
        oct_scene_free(scene);
    return status;
}

oct_status oct_scene_create(oct_scene **out)
{
    return oct_scene_parse(out, "{}", 2, "the scene");
}

oct_status oct_scene_parse(oct_scene **out, const char *text, size_t bytes, const char *label)
{
    oct_scene *scene = NULL;
    OCT_CHECK(bytes <= MOST_BYTES, OCT_STATUS_INPUT,
              "%s: the scene has %zu bytes; expected at most %d", label, bytes, MOST_BYTES);
    OCT_TRY(oct_alloc(&scene, 1, sizeof *scene, "scene"));
    oct_status status = oct_text_copy(&scene->label, label);
    if (status == OCT_STATUS_OK)
        status = oct_node_read(&scene->root, text, bytes, label, NULL);
    if (status == OCT_STATUS_OK)
        *out = scene;
    else
        oct_scene_free(scene);
    return status;
}

static oct_status fail_missing(const char *name)
{
    const char *names[MOST_SCENES], *text;
    size_t n = 0;
    while (n < MOST_SCENES && oct_scene_builtin(n, &names[n], &text))
        n++;
    char shortened[OCT_SHORT_BYTES];
    const char *nearest = oct_text_nearest(oct_node_short(shortened, name), names, n);
    if (nearest)
        return OCT_FAIL(OCT_STATUS_MISSING,
                        "there is no scene file '%s' and no built-in scene of that name; did you "
                        "mean '%s'?",
                        shortened, nearest);
    oct_text list = {0};
    for (size_t i = 0; i < n; i++)
        oct_text_add(&list, "%s%s", i ? ", " : "", names[i]);
    oct_status status =
        OCT_FAIL(OCT_STATUS_MISSING,
                 "there is no scene file '%s'; expected a file or one of the built-in scenes %s",
                 shortened, list.data ? list.data : "");
    oct_text_clear(&list);
    return status;
}

/* The folder that a path lies in, NULL for the current one. */
static oct_status folder_of(char **out, const char *path)
{
    const char *slash = strrchr(path, '/');
    *out = NULL;
    if (!slash)
        return OCT_STATUS_OK;
    OCT_TRY(oct_text_copy(out, path));
    (*out)[slash == path ? 1 : slash - path] = '\0';
    return OCT_STATUS_OK;
}

oct_status oct_scene_load(oct_scene **out, const char *name)
{
    const oct_embedded_file *builtin = oct_embedded_find(oct_scene_files, name);
    if (builtin)
        return oct_scene_parse(out, builtin->text, builtin->length, name);
    if (access(name, F_OK) != 0)
        return fail_missing(name);
    char *text = NULL;
    size_t bytes;
    OCT_TRY(oct_file_read(&text, &bytes, name, MOST_BYTES));
    oct_scene *scene = NULL;
    oct_status status = oct_scene_parse(&scene, text, bytes, name);
    free(text);
    OCT_TRY(status);
    status = folder_of(&scene->folder, name);
    if (status == OCT_STATUS_OK)
        *out = scene;
    else
        oct_scene_free(scene);
    return status;
}

oct_status oct_scene_resolve(char **out, const oct_scene *scene)
{
    oct_setup *setup = NULL;
    OCT_TRY(oct_scene_setup_open(&setup, scene));
    *out = setup->resolved;
    setup->resolved = NULL;
    oct_setup_free(setup);
    return OCT_STATUS_OK;
}
