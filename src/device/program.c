/* Programs: assembled, compiled or taken from a cache, and their messages put right. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/batch_parts.h"
#include "util/text.h"

/* The shape of the code depends on these alone; numbers are arguments. Denormals are flushed:
 * forces that small do not matter, and keeping them costs a fifth of the rate. */
static oct_status full_options(char **out, oct_device *device, const oct_build *build,
                               const char *source)
{
    static const char root[] = "OCT_NATIVE_RSQRT";
    oct_native native;
    bool asks = build->precision != OCT_PRECISION_DOUBLE && strstr(source, root);
    if (asks)
        OCT_TRY(oct_native_rsqrt(&native, device));
    bool gpu = strcmp(device->info.kind, "gpu") == 0;
    bool nvidia = oct_device_is_nvidia(&device->info);
    oct_text text = {0};
    oct_text_add(&text, "-cl-std=CL1.2 -D OCT_PRECISION=%d", (int)build->precision);
    if (build->precision != OCT_PRECISION_DOUBLE)
        oct_text_add(&text, " -cl-denorms-are-zero");
    if (device->info.fp64)
        oct_text_add(&text, " -D OCT_FP64");
    if (oct_device_is_cpu(&device->info))
        oct_text_add(&text, " -D OCT_CPU");
    if (gpu)
        oct_text_add(&text, " -D OCT_GPU");
    if (nvidia)
        oct_text_add(&text, " -D OCT_NVIDIA");
    if (asks)
        oct_text_add(&text, " -D %s=%d", root, (int)native);
    if (build->options)
        oct_text_add(&text, " %s", build->options);
    return oct_text_take(out, &text);
}

static oct_status cache_key(char out[40], const oct_device *device, const char *source,
                            const char *options)
{
    oct_text text = {0};
    char *all;
    oct_text_add(&text, "%s%s\n%s", device->mate ? "batch " : "", options, source);
    OCT_TRY(oct_text_take(&all, &text));
    char fingerprint[33];
    oct_status status = oct_device_fingerprint(fingerprint, device, all);
    free(all);
    if (status == OCT_STATUS_OK)
        snprintf(out, 40, "%s.bin", fingerprint);
    return status;
}

static cl_program from_cache(oct_device *device, const char *key, const char *options)
{
    unsigned char *binary;
    size_t bytes;
    oct_cache_read(&binary, &bytes, key);
    if (!binary)
        return NULL;
    cl_int code, loaded;
    cl_program program = clCreateProgramWithBinary(device->context, 1, &device->id, &bytes,
                                                   (const unsigned char **)&binary, &loaded, &code);
    free(binary);
    if (code != CL_SUCCESS || loaded != CL_SUCCESS)
        return NULL;
    if (clBuildProgram(program, 1, &device->id, options, NULL, NULL) == CL_SUCCESS)
        return program;
    clReleaseProgram(program);
    return NULL;
}

static void to_cache(cl_program program, const char *key)
{
    size_t bytes = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) !=
            CL_SUCCESS ||
        bytes == 0)
        return;
    unsigned char *binary = malloc(bytes);
    if (binary &&
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS)
        oct_cache_write(binary, bytes, key);
    free(binary);
}

/* NVIDIA's compiler does not heed #line: what it calls <kernel>:95 is put right here. */
static void add_located(oct_text *out, const char *log, const char *source)
{
    static const char mark[] = "<kernel>:";
    for (const char *found; (found = strstr(log, mark)) != NULL;) {
        char label[1024], *end;
        unsigned line;
        oct_text_add_bytes(out, log, (size_t)(found - log));
        unsigned long number = strtoul(found + strlen(mark), &end, 10);
        oct_source_locate(label, sizeof label, &line, source, (unsigned)number);
        oct_text_add(out, "%s:%u", label, line);
        log = end;
    }
    oct_text_add(out, "%s", log);
}

/* Whether a line of a log says no more than that there is a failure. */
static bool is_chatter(const char *line, size_t length)
{
    static const char *const endings[] = {"failed to build the program",                /* PoCL */
                                          "Compilation started", "Compilation failed"}; /* Intel */
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t end = strlen(endings[i]);
        if (length >= end && strncmp(line + length - end, endings[i], end) == 0)
            return true;
    }
    return length == 0;
}

/* Leaves out what is chatter, and the last line's end. */
static void trim_log(oct_text *log)
{
    size_t kept = 0;
    for (size_t i = 0; i < log->length;) {
        size_t length = strcspn(log->data + i, "\n"), whole = length + (log->data[i + length] != 0);
        if (!is_chatter(log->data + i, length)) {
            memmove(log->data + kept, log->data + i, whole);
            kept += whole;
        }
        i += whole;
    }
    while (kept > 0 && strchr("\n ", log->data[kept - 1]))
        kept--;
    log->length = kept;
    if (log->data)
        log->data[kept] = '\0';
}

/* Notes point to what an error is about, which may be a line of ours: nothing a user can mend. */
static void cut_notes(oct_text *log)
{
    char *note = log->length > 0 ? strstr(log->data, ": note: ") : NULL;
    if (!note)
        return;
    while (note > log->data && note[-1] != '\n')
        note--;
    *note = '\0';
    log->length = (size_t)(note - log->data);
}

static oct_status build_failure(cl_program program, cl_int code, const oct_device *device,
                                const oct_build *build, const char *source)
{
    size_t bytes = 0;
    char *log = NULL;
    oct_text text = {0};
    if (clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) ==
            CL_SUCCESS &&
        bytes > 0 && (log = calloc(bytes + 1, 1)) != NULL)
        clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    add_located(&text, log ? log : "", source);
    if (build->about)
        cut_notes(&text);
    trim_log(&text);
    const char *said = text.data ? text.data : "";
    oct_status status =
        build->about && code == CL_BUILD_PROGRAM_FAILURE
            ? OCT_FAIL(OCT_STATUS_INPUT, "%s: %.3000s", build->about, said)
            : OCT_FAIL(OCT_STATUS_DEVICE,
                       "compiling %s for device '%s' failed with %s (%d): %.3000s", build->file,
                       device->info.name, oct_cl_name(code), (int)code, said);
    oct_text_clear(&text);
    free(log);
    return status;
}

static oct_status compile(cl_program *out, oct_device *device, const char *source,
                          const char *options, const oct_build *build)
{
    cl_int code;
    cl_program program = clCreateProgramWithSource(device->context, 1, &source, NULL, &code);
    OCT_CL_CREATED(code, "clCreateProgramWithSource", "kernel file '%s'", build->file);
    code = clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        oct_status status = build_failure(program, code, device, build, source);
        clReleaseProgram(program);
        return status;
    }
    *out = program;
    return OCT_STATUS_OK;
}

/* PoCL keeps compiled kernels itself, and hands out a binary only after it has compiled each of
 * them once more, for groups of any size, which no launch uses: half of the time of a first use. */
static bool caches_itself(const oct_device *device)
{
    return oct_device_is_pocl(device);
}

/* PoCL holds one lock around its compiler, and 5.0 aborts where two threads launch new kernels. */
bool oct_device_compiles_together(const oct_device *device)
{
    return !oct_device_is_pocl(device);
}

/* Compiles, or takes what an earlier run has compiled. */
static oct_status build_text(cl_program *out, oct_device *device, const char *source,
                             const char *options, const oct_build *build)
{
    char key[40];
    if (caches_itself(device))
        return compile(out, device, source, options, build);
    OCT_TRY(cache_key(key, device, source, options));
    *out = from_cache(device, key, options);
    if (*out)
        return OCT_STATUS_OK;
    OCT_TRY(compile(out, device, source, options, build));
    to_cache(*out, key);
    return OCT_STATUS_OK;
}

/* Builds the text of a program, or for members of a batch the one that follows from it. */
static oct_status build_anew(oct_built *out, oct_device *device, const char *source,
                             const char *options, const oct_build *build)
{
    char *text = NULL;
    OCT_TRY(oct_signatures_read(&out->signatures, source, options));
    /* PoCL 5.0 gives values of one work-item to another where a group leaves before a barrier. */
    out->same_sizes = oct_device_is_pocl(device);
    oct_status status = device->mate
                            ? oct_batch_source(&text, &out->same_sizes, source, &out->signatures)
                            : OCT_STATUS_OK;
    if (status == OCT_STATUS_OK)
        status = build_text(&out->program, device, text ? text : source, options, build);
    free(text);
    if (status != OCT_STATUS_OK)
        oct_signatures_clear(&out->signatures);
    return status;
}

static oct_status build_once(oct_built *out, oct_device *device, const char *source,
                             const char *options, const oct_build *build)
{
    char key[40];
    OCT_TRY(cache_key(key, device, source, options));
    OCT_TRY(oct_built_programs_take(out, device->programs, key));
    if (out->program)
        return OCT_STATUS_OK;
    oct_status status = build_anew(out, device, source, options, build);
    oct_built_programs_give(device->programs, out);
    return status;
}

oct_status oct_program_create(oct_program **out, oct_device *device, const oct_build *build)
{
    oct_status status;
    char *source = NULL, *options = NULL;
    oct_program *program = NULL;
    *out = NULL;
    OCT_TRY_DONE(oct_source_assemble(&source, build));
    OCT_TRY_DONE(full_options(&options, device, build, source));
    OCT_TRY_DONE(oct_alloc(&program, 1, sizeof *program, "program"));
    program->device = device;
    snprintf(program->file, sizeof program->file, "%s", build->file);
    OCT_TRY_DONE(build_once(&program->built, device, source, options, build));
    *out = program;
    program = NULL;
done:
    free(source);
    free(options);
    free(program);
    return status;
}

void oct_program_free(oct_program *program)
{
    free(program);
}
