/* octant prepare: everything that the first run of a scene on a device does before its first step
 * is over, so that later ones need not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache.h"
#include "command.h"
#include "first_use.h"

static const oct_option options[] = {
    OCT_OPTION_SET,
    OCT_OPTION_DEVICE,
    OCT_OPTION_PRECISION,
    {.name = "alone", .doc = "start no second process, where a driver compiles on one core alone"},
    {.name = "assist", .doc = "be that second process, whose scene comes from standard input"},
    OCT_OPTION_JSON,
    {0}};

/* What was done, and how long it took. */
typedef struct preparation {
    oct_first_use use;
    oct_precision precision;
    double test_s, step_s;
} preparation;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A step of the scene compiles what no test has: what only so many bodies need, or the scene's own
 * forces. */
static oct_status take_step(preparation *p, oct_device *device, const oct_scene *scene,
                            oct_precision precision)
{
    oct_sim *sim = NULL;
    oct_status status = oct_sim_create(&sim, device, scene, precision);
    if (status == OCT_STATUS_OK)
        status = oct_sim_step(sim, 1);
    if (status == OCT_STATUS_OK)
        status = oct_sim_wait(sim);
    if (status == OCT_STATUS_OK)
        p->precision = oct_sim_precision(sim);
    oct_sim_free(sim);
    return status;
}

static oct_status prepare(preparation *p, oct_device *device, const oct_scene *scene,
                          oct_precision precision)
{
    double start = now();
    oct_status status = oct_first_use_trust(&p->use, device, scene, precision);
    p->test_s = now() - start;
    if (status == OCT_STATUS_OK)
        status = take_step(p, device, scene, precision);
    p->step_s = now() - start - p->test_s;
    return status;
}

static void print_json(const preparation *p, const oct_device_info *info)
{
    printf("{\"device\": ");
    oct_json_text(info->name);
    printf(", \"driver\": ");
    oct_json_text(info->driver);
    printf(", \"precision\": ");
    oct_json_text(oct_precision_name(p->precision));
    printf(", \"tests\": %zu, \"assisted\": %s, \"test_s\": ", p->use.tests,
           p->use.assisted ? "true" : "false");
    oct_json_number(p->test_s);
    printf(", \"step_s\": ");
    oct_json_number(p->step_s);
    printf("}\n");
}

static void print_text(const preparation *p, const oct_device_info *info)
{
    printf("%s, driver %s, %s precision\n", OCT_SHOW(info->name), OCT_SHOW(info->driver),
           oct_precision_name(p->precision));
    if (p->use.tests > 0)
        printf("%zu self-test%s passed in %.1f s%s\n", p->use.tests, p->use.tests == 1 ? "" : "s",
               p->test_s, p->use.assisted ? ", with a second process" : "");
    else
        printf("all self-tests of the scene had passed before\n");
    printf("first step after %.1f s\n", p->step_s);
}

/* The second process: nobody reads what it prints. */
static int assist(const oct_call *call, oct_precision precision)
{
    const oct_trust_watch watch = {.size = sizeof watch, .assists = true};
    oct_scene *scene = NULL;
    oct_device *device = NULL;
    char *text = oct_assistant_listen();
    if (!text)
        return oct_report_usage("--assist helps a process that hands its scene over, with a NUL "
                                "behind it, and keeps standard input open; nobody does");
    oct_status status = oct_scene_parse(&scene, text, strlen(text), "standard input");
    free(text);
    if (status == OCT_STATUS_OK)
        status = oct_call_device(&device, call);
    if (status == OCT_STATUS_OK)
        status = oct_scene_trust(device, scene, precision, &watch);
    oct_scene_free(scene);
    oct_device_free(device);
    return status == OCT_STATUS_OK ? 0 : oct_report_failure(status);
}

static int run(const oct_call *call)
{
    bool bad = false, helps = oct_call_option(call, "assist") != NULL;
    preparation p = {.use.alone = oct_call_option(call, "alone") != NULL};
    oct_scene *scene = NULL;
    oct_device *device = NULL;
    oct_plan plan = {.size = sizeof plan};
    oct_precision precision = oct_call_precision(call, &bad);
    if (bad)
        return 2;
    if (helps && call->n_arguments == 0)
        return assist(call, precision);
    if (call->n_arguments == 0)
        return oct_report_usage("`prepare` needs SCENE: try `%s`", call->command->example);
    if (helps)
        return oct_report_usage("--assist takes its scene from standard input: no other is named");
    oct_status status = oct_call_scene(&scene, call);
    if (status == OCT_STATUS_OK)
        status = oct_scene_plan(&plan, scene);
    if (status == OCT_STATUS_OK)
        status = oct_call_device(&device, call);
    if (status == OCT_STATUS_OK)
        status = prepare(&p, device, scene, precision);
    if (status == OCT_STATUS_OK && oct_call_option(call, "json"))
        print_json(&p, oct_device_describe(device));
    else if (status == OCT_STATUS_OK)
        print_text(&p, oct_device_describe(device));
    oct_scene_free(scene);
    oct_device_free(device);
    return status == OCT_STATUS_OK ? 0 : oct_report_failure(status);
}

const oct_command oct_cmd_prepare = {
    .name = "prepare",
    .arguments = "SCENE",
    .doc = "compile and self-test what a scene uses on a device, before its first run",
    .example = "octant prepare saturn-ring --device cpu",
    .options = options,
    .min_arguments = 0,
    .max_arguments = 1,
    .takes = OCT_TAKES_SCENES,
    .run = run,
};
