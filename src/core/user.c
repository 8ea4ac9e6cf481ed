/* Builds the user's file into a kernel, and says of the user's own line what is wrong in it. */
#include "core/user.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/text.h"

/* A constant buffer has 64 KB on every device. */
enum { MOST_NUMBERS = 4096 };

const char *oct_user_label(const oct_user_code *code)
{
    return code->path[0] ? code->path : code->code->label;
}

oct_status oct_user_check(const char *path_key, const char *path, const char *code_key,
                          const oct_code *code)
{
    OCT_CHECK(path[0] || code->text[0], OCT_STATUS_INPUT,
              "there is no function; expected %s, the name of a file, or %s, its text", path_key,
              code_key);
    OCT_CHECK(!path[0] || !code->text[0], OCT_STATUS_INPUT,
              "%s and %s are both given; expected one of them", path_key, code_key);
    return OCT_STATUS_OK;
}

/* Lists of three are real3, which are as large and as aligned as four numbers. */
static bool is_vector(const oct_parameter *p)
{
    return p->list && p->n == 3;
}

static size_t whole_vectors(size_t numbers)
{
    return (numbers + 3) / 4 * 4;
}

/* The place of a parameter that follows `used` numbers, and where it ends. */
static size_t place_of(size_t *end, size_t used, const oct_parameter *p)
{
    size_t place = is_vector(p) ? whole_vectors(used) : used;
    *end = place + (is_vector(p) ? 4 : p->n);
    return place;
}

void oct_user_memory(oct_needs *needs, const oct_parameters *parameters)
{
    size_t used = 0;
    for (size_t i = 0; i < parameters->n; i++)
        (void)place_of(&used, used, &parameters->items[i]);
    if (parameters->n > 0)
        oct_needs_add(needs, oct_real_size(needs->precision), whole_vectors(used));
}

/* The struct that stands in the place of kernels/user_parameters.clh. */
static oct_status declare(char **out, const oct_parameters *parameters)
{
    oct_text text = {0};
    oct_text_add(&text, "typedef struct {\n");
    for (size_t i = 0; i < parameters->n; i++) {
        const oct_parameter *p = &parameters->items[i];
        oct_text_add(&text, "    %s %s", is_vector(p) ? "real3" : "real", p->name);
        if (p->list && !is_vector(p))
            oct_text_add(&text, "[%zu]", p->n);
        oct_text_add(&text, ";\n");
    }
    oct_text_add(&text, "} octant_parameters;\n"
                        "#define WITH_PARAMETERS(numbers) , (constant octant_parameters *)numbers\n"
                        "#define TAKES_PARAMETERS , constant octant_parameters *parameters\n");
    return oct_text_take(out, &text);
}

static oct_status check_range(const oct_domain *domain, const oct_parameter *p)
{
    for (size_t i = 0; i < p->n; i++)
        OCT_CHECK(domain->precision != OCT_PRECISION_SINGLE || isfinite((float)p->values[i]),
                  OCT_STATUS_INPUT,
                  "parameter '%s' is %g, which is more than single precision can hold", p->name,
                  p->values[i]);
    return OCT_STATUS_OK;
}

/* Puts the numbers where the struct has them. */
static oct_status upload(oct_buffer **out, oct_domain *domain, const oct_parameters *parameters)
{
    double wide[MOST_NUMBERS] = {0};
    float narrow[MOST_NUMBERS];
    size_t used = 0;
    for (size_t i = 0; i < parameters->n; i++) {
        const oct_parameter *p = &parameters->items[i];
        size_t end, place = place_of(&end, used, p);
        OCT_CHECK(end <= MOST_NUMBERS, OCT_STATUS_INPUT,
                  "the parameters have more than %d numbers together", MOST_NUMBERS);
        OCT_TRY(check_range(domain, p));
        memcpy(wide + place, p->values, p->n * sizeof *wide);
        used = end;
    }
    used = whole_vectors(used); /* a struct with vectors ends like one */
    bool single = domain->precision == OCT_PRECISION_SINGLE;
    for (size_t i = 0; i < used; i++)
        narrow[i] = (float)wide[i];
    OCT_TRY(oct_buffer_create(out, domain->device, "parameters", oct_real_size(domain->precision),
                              used));
    return oct_buffer_write(*out, single ? (const void *)narrow : wide, 0, used);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* What follows a comment that begins here; the same place where none does. */
static const char *skip_comment(const char *c)
{
    bool block = strncmp(c, "/*", 2) == 0;
    if (!block && strncmp(c, "//", 2) != 0)
        return c;
    const char *end = block ? strstr(c + 2, "*/") : strchr(c, '\n');
    return end ? end + (block ? 2 : 0) : c + strlen(c);
}

/* The line of the first mention of a name outside comments; 0: there is none. */
static unsigned find_name(const char *text, const char *name)
{
    size_t length = strlen(name);
    unsigned line = 1;
    const char *comment = text; /* where it ends */
    for (const char *c = text; *c; c++) {
        comment = c < comment ? comment : skip_comment(c);
        if (c == comment && strncmp(c, name, length) == 0 && !is_word(c[length]) &&
            (c == text || !is_word(c[-1])))
            return line;
        line += *c == '\n';
    }
    return 0;
}

/* The user's file compiles, but our call of the function in it does not. */
static oct_status fail_call(const oct_user_code *code, const char *text)
{
    unsigned line = find_name(text, code->name);
    bool given = code->parameters->n > 0;
    const char *more = given ? ", constant octant_parameters *parameters" : "";
    const char *why = !given && find_name(text, "octant_parameters")
                          ? ", since the scene gives it no parameters"
                          : "";
    if (line == 0)
        return OCT_FAIL(OCT_STATUS_INPUT, "'%s' has no function %s; expected %s %s(%s%s)",
                        oct_user_label(code), code->name, code->type, code->name, code->arguments,
                        more);
    return OCT_FAIL(OCT_STATUS_INPUT, "%s:%u: %s has another form; expected %s %s(%s%s)%s",
                    oct_user_label(code), line, code->name, code->type, code->name, code->arguments,
                    more, why);
}

static oct_status compile(oct_program **out, oct_domain *domain, const oct_user_code *code,
                          const oct_include *includes, const char *file, const char *options)
{
    char about[4200];
    snprintf(about, sizeof about, "the %s in '%s' is not valid OpenCL C", code->what,
             oct_user_label(code));
    const oct_build build = {.file = file,
                             .precision = domain->precision,
                             .options = options,
                             .includes = includes,
                             .about = about};
    return oct_program_create(out, domain->device, &build);
}

/* Whether the compiler's last words are about a place in a file. */
static bool blames(const char *file)
{
    const char *found = oct_last_error();
    while ((found = strstr(found, file)) != NULL) {
        found += strlen(file);
        if (found[0] == ':' && isdigit((unsigned char)found[1]))
            return true;
    }
    return false;
}

static oct_status build_around(oct_program **out, oct_domain *domain, const oct_user_code *code,
                               const char *file, const char *options, const char *text,
                               const char *declared)
{
    const oct_include parameters = {"user_parameters.clh", "the scene's parameters", declared};
    const oct_include types = {"user_types.clh", "the scene's columns", code->types};
    oct_include includes[4] = {{.name = "user.clh", .label = oct_user_label(code), .text = text}};
    size_t n = 1;
    if (declared)
        includes[n++] = parameters;
    if (code->types)
        includes[n++] = types;
    oct_program *alone = NULL;
    oct_status status = compile(out, domain, code, includes, file, options);
    if (status != OCT_STATUS_INPUT || (blames(oct_user_label(code)) && !blames(file)))
        return status;
    OCT_TRY(compile(&alone, domain, code, includes, "user_check.cl", NULL));
    oct_program_free(alone);
    return fail_call(code, text);
}

static oct_status read_source(char **out, const oct_user_code *code)
{
    return code->path[0] ? oct_file_read(out, NULL, code->path, 1 << 20)
                         : oct_text_copy(out, code->code->text);
}

oct_status oct_user_mentions(bool *out, const oct_user_code *code, const char *word)
{
    char *text;
    OCT_TRY(read_source(&text, code));
    *out = find_name(text, word) > 0;
    free(text);
    return OCT_STATUS_OK;
}

oct_status oct_user_build(oct_program **out, oct_buffer **numbers, oct_domain *domain,
                          const oct_user_code *code, const char *file, const char *options)
{
    char *text = NULL, *declared = NULL;
    bool given = code->parameters->n > 0;
    oct_status status;
    OCT_TRY_DONE(read_source(&text, code));
    if (given)
        OCT_TRY_DONE(declare(&declared, code->parameters));
    OCT_TRY_DONE(build_around(out, domain, code, file, options, text, declared));
    if (given)
        status = upload(numbers, domain, code->parameters);
done:
    free(text);
    free(declared);
    return status;
}
