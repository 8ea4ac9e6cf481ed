#include <stdio.h>
#include <string.h>

#include "command.h"

static const oct_option options[] = {
    {.name = "show", .value = "SCENE", .doc = "print the text of a built-in scene"},
    OCT_OPTION_JSON,
    {.name = "markdown", .doc = "print the reference as docs/scene-reference.md has it"},
    {0}};

static int list_modules(const char *format)
{
    char *text = NULL;
    oct_status status = oct_reference(&text, format);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    size_t length = strlen(text);
    printf("%s%s", text, length && text[length - 1] == '\n' ? "" : "\n");
    oct_text_free(text);
    return 0;
}

static oct_status scene_title(oct_plan *out, const char *name)
{
    oct_scene *scene = NULL;
    oct_status status = oct_scene_load(&scene, name);
    if (status == OCT_STATUS_OK)
        status = oct_scene_plan(out, scene);
    oct_scene_free(scene);
    return status;
}

static int list_scenes(bool json)
{
    const char *name, *text;
    printf("%s", json ? "[" : "");
    for (size_t i = 0; oct_scene_builtin(i, &name, &text); i++) {
        oct_plan plan;
        oct_status status = scene_title(&plan, name);
        if (status != OCT_STATUS_OK)
            return oct_report_failure(status);
        if (json) {
            printf("%s\n  {\"name\": \"%s\", \"title\": ", i ? "," : "", name);
            oct_json_text(plan.title);
            printf(", \"text\": ");
            oct_json_text(text);
            printf("}");
        } else {
            printf("%-20s  %s\n", name, plan.title);
        }
    }
    printf("%s", json ? "\n]\n" : "");
    return 0;
}

static int show_scene(const char *wanted)
{
    enum { SCENES_MAX = 64 };
    const char *names[SCENES_MAX], *text;
    size_t n = 0;
    for (; n < SCENES_MAX && oct_scene_builtin(n, &names[n], &text); n++) {
        if (strcmp(names[n], wanted) == 0) {
            printf("%s", text);
            return 0;
        }
    }
    const char *nearest = oct_text_nearest(wanted, names, n);
    return oct_report_usage("there is no built-in scene `%s`; %s%s%s", wanted,
                            nearest ? "did you mean `" : "`octant list scenes` names them",
                            nearest ? nearest : "", nearest ? "`?" : "");
}

static int run(const oct_call *call)
{
    bool json = oct_call_option(call, "json") != NULL;
    const char *scene = oct_call_option(call, "show");
    const char *what = call->n_arguments ? call->arguments[0] : "modules";
    if (scene)
        return show_scene(scene);
    if (strcmp(what, "scenes") == 0)
        return list_scenes(json);
    if (strcmp(what, "modules") == 0)
        return list_modules(json                                ? "json"
                            : oct_call_option(call, "markdown") ? "markdown"
                                                                : "text");
    return oct_report_usage("`list` knows modules and scenes, not `%s`", what);
}

const oct_command oct_cmd_list = {
    .name = "list",
    .arguments = "[modules|scenes]",
    .doc = "list the modules with the keys they take in a scene, or the built-in scenes",
    .example = "octant list --show plummer > my-scene.yaml",
    .options = options,
    .max_arguments = 1,
    .run = run,
};
