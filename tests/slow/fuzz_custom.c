/* libFuzzer target for the user's own functions: their parameters, their file and what a compiler
 * says of it, divided by lines of %%. No compiler is asked: this program's clBuildProgram takes the
 * place of the loader's and refuses, with the log of the input. What would have been compiled must
 * have no more in its parameters than names and numbers of elements. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/user.h"
#include "device/cl.h"
#include "io/scene.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static oct_device *device;
static const char *said; /* by the compiler */
static bool blameless;   /* the user's file alone compiles, */
static int builds;       /* which is what is asked second */

/* "    real3 name[12];" */
static void check_member(const char *line, const char *end)
{
    const char *c = line + strlen("    real");
    if (end - line < 11 || strncmp(line, "    real", 8) != 0)
        abort();
    c += *c == '3';
    if (*c++ != ' ' || !(isalpha((unsigned char)*c) || *c == '_'))
        abort();
    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    if (*c == '[')
        for (c++; isdigit((unsigned char)*c); c++)
            continue;
    c += *c == ']';
    if (*c != ';' || c + 1 != end)
        abort();
}

static void check_struct(const char *source)
{
    static const char end_of_ours[] =
        "} octant_parameters;\n#define WITH_PARAMETERS(numbers) , (constant";
    const char *line = strstr(source, "typedef struct {\n");
    const char *last = strstr(source, "} octant_parameters;");
    /* Where the scene gives none, a file of ours stands in its place. */
    if (!line || !last || last < line || strncmp(last, end_of_ours, strlen(end_of_ours)) != 0)
        return;
    line = strchr(line, '\n') + 1;
    for (const char *end; line < last && (end = strchr(line, '\n')); line = end + 1)
        check_member(line, end);
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                     const size_t *lengths, cl_int *code)
{
    static int program;
    (void)context;
    (void)count;
    (void)lengths;
    check_struct(strings[0]);
    *code = CL_SUCCESS;
    return (cl_program)(void *)&program;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void (*notify)(cl_program, void *), void *context)
{
    (void)program;
    (void)count;
    (void)devices;
    (void)options;
    (void)notify;
    (void)context;
    return builds++ == 1 && blameless ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id id, cl_program_build_info what,
                             size_t bytes, void *value, size_t *used)
{
    size_t wanted = strlen(said) + 1;
    (void)program;
    (void)id;
    (void)what;
    if (used)
        *used = wanted;
    if (value)
        memcpy(value, said, bytes < wanted ? bytes : wanted);
    return CL_SUCCESS;
}

cl_int clReleaseProgram(cl_program program)
{
    (void)program;
    return CL_SUCCESS;
}

static void finish(void)
{
    oct_device_free(device);
    device = NULL;
}

/* A device keeps every program; now and then another one begins with none. */
static void open_device(void)
{
    enum { OFTEN = 1000 };
    static unsigned runs;
    if (runs++ % OFTEN != 0)
        return;
    if (runs == 1 && atexit(finish) != 0)
        abort();
    finish();
    if (oct_device_open(&device, NULL) != OCT_STATUS_OK)
        abort();
}

/* The parameters as a scene has them; false where they are refused. */
static oct_setup *read_parameters(const char *text, const char *file)
{
    char *scene_text = malloc(strlen(text) + strlen(file) + 512);
    oct_scene *scene = NULL;
    oct_setup *setup = NULL;
    if (!scene_text)
        abort();
    int length = sprintf(scene_text,
                         "units: si\nmodels: [body: {mass: 1}]\ngravity: {method: none}\n"
                         "integrator: {dt: 1}\nrun: {until: 1}\n"
                         "forces: [custom: {file: %s, parameters: %s}]\n",
                         file, text);
    if (oct_scene_parse(&scene, scene_text, (size_t)length, "fuzz") != OCT_STATUS_OK ||
        oct_scene_setup(&setup, scene) != OCT_STATUS_OK)
        setup = NULL;
    oct_scene_free(scene);
    free(scene_text);
    return setup;
}

/* Cuts the text at a line of %%; what follows it, or "". */
static char *cut(char *text)
{
    char *mark = strstr(text, "\n%%\n");
    if (!mark)
        return text + strlen(text);
    *mark = '\0';
    return mark + 4;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scratch_keep_handlers();
    open_device();
    char *text = calloc(size + 1, 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    char *code = cut(text), *log = cut(code);
    const char *path = scratch_write("force.cl", code, strlen(code));
    oct_setup *setup = read_parameters(text, path);
    said = log;
    for (int pass = 0; setup && pass < 2; pass++) {
        oct_sim sim = {.precision = OCT_PRECISION_DOUBLE, .setup = setup};
        oct_domain domain = {.sim = &sim,
                             .setup = setup,
                             .device = device,
                             .precision = OCT_PRECISION_DOUBLE,
                             .n = 1};
        const oct_choice *custom = &setup->forces[0];
        blameless = pass > 0;
        builds = 0;
        const oct_force *force = (const oct_force *)custom->module;
        oct_status status = force->init(custom->state, &domain);
        if (status == OCT_STATUS_OK || oct_last_error()[0] == '\0')
            abort();
    }
    oct_setup_free(setup);
    free(text);
    return 0;
}
