/* octant list: modules, keys, columns and built-in scenes. */
#include <stdio.h>
#include <string.h>

#include "command.h"

static const oct_option options[] = {
    {.name = "show", .value = "SCENE", .doc = "print the text of a built-in scene"},
    OCT_OPTION_JSON,
    {.name = "markdown", .doc = "print the reference as docs/scene-reference.md has it"},
    {0}};

static void print_text(char *text)
{
    size_t length = strlen(text);
    printf("%s%s", text, length && text[length - 1] == '\n' ? "" : "\n");
    oct_text_free(text);
}

static int list_modules(const char *format)
{
    char *text = NULL;
    oct_status status = oct_reference(&text, format);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    print_text(text);
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

static bool is_scene(const char *wanted)
{
    const char *name, *text;
    for (size_t i = 0; oct_scene_builtin(i, &name, &text); i++)
        if (strcmp(name, wanted) == 0)
            return true;
    return false;
}

/* All of them, or the one of that name. */
static int list_scenes(bool json, const char *wanted)
{
    const char *name, *text;
    printf("%s", json ? "[" : "");
    for (size_t i = 0; oct_scene_builtin(i, &name, &text); i++) {
        oct_plan plan = {.size = sizeof plan};
        if (wanted && strcmp(name, wanted) != 0)
            continue;
        oct_status status = scene_title(&plan, name);
        if (status != OCT_STATUS_OK)
            return oct_report_failure(status);
        if (json) {
            printf("%s\n  {\"name\": \"%s\", \"title\": ", i && !wanted ? "," : "", name);
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

/* What has a name: something in a scene, a built-in scene, or both. */
static int list_name(const char *format, const char *name)
{
    char *text = NULL;
    bool scene = is_scene(name);
    oct_status status = oct_reference_of(&text, format, name);
    if (status == OCT_STATUS_MISSING && scene)
        return list_scenes(strcmp(format, "json") == 0, name);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    print_text(text);
    if (strcmp(format, "text") == 0) {
        printf("\nNumbers may carry units: octant list units\n");
        if (scene)
            printf("There is a built-in scene of this name: octant list --show %s\n", name);
    }
    return 0;
}

static int run(const oct_call *call)
{
    bool json = oct_call_option(call, "json") != NULL;
    const char *scene = oct_call_option(call, "show");
    const char *what = call->n_arguments ? call->arguments[0] : "modules";
    const char *format = json ? "json" : oct_call_option(call, "markdown") ? "markdown" : "text";
    if (scene)
        return show_scene(scene);
    if (strcmp(what, "scenes") == 0)
        return list_scenes(json, NULL);
    return strcmp(what, "modules") == 0 ? list_modules(format) : list_name(format, what);
}

static bool topic_at(size_t index, const char **name, const char **doc)
{
    static const char *const topics[][2] = {
        {"modules", "all of them, which is the default"},
        {"scenes", "the built-in scenes"},
        {"NAME", "of a section, a module, a key, one of its choices, a column or a scene"}};
    if (index >= sizeof topics / sizeof topics[0])
        return false;
    *name = topics[index][0];
    *doc = topics[index][1];
    return true;
}

const oct_command oct_cmd_list = {
    .name = "list",
    .arguments = "[modules | scenes | NAME]",
    .doc = "list the modules with the keys they take in a scene, one of them, or the scenes",
    .example = "octant list ring",
    .options = options,
    .max_arguments = 1,
    .takes = OCT_TAKES_NAMES,
    .topics = "arguments",
    .topic = topic_at,
    .run = run,
};
