/* What kernels take, read from their source: names, types, and what may be written. The compiler's
 * own list (clGetKernelArgInfo) is not there for a program that comes from a cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cl.h"
#include "device/reader.h"
#include "util/text.h"

enum { LONGEST_CHAIN = 16, MOST_WORDS = 16 };

typedef struct alias {
    oct_word name, type;
} alias;

typedef struct reading {
    oct_reader reader;
    oct_signatures *out;
    size_t n_aliases;
    alias *aliases;
    const char *source;
    bool within;  /* what comes after the arguments of the kernel that was read last */
    size_t depth; /* of brackets in its body */
} reading;

static const struct {
    const char *name;
    size_t bytes;
    oct_number number;
} scalars[] = {
    {"char", 1, OCT_NUMBER_INT},    {"uchar", 1, OCT_NUMBER_UINT}, {"short", 2, OCT_NUMBER_INT},
    {"ushort", 2, OCT_NUMBER_UINT}, {"int", 4, OCT_NUMBER_INT},    {"uint", 4, OCT_NUMBER_UINT},
    {"long", 8, OCT_NUMBER_INT},    {"ulong", 8, OCT_NUMBER_UINT}, {"float", 4, OCT_NUMBER_REAL},
    {"double", 8, OCT_NUMBER_REAL}, {"half", 2, OCT_NUMBER_OTHER}};

/* "float4" is four of "float"; what has three takes the room of four. Unknown types have no size.
 */
static void resolve(oct_argument *out, oct_word type, const reading *r)
{
    for (int i = 0; i < LONGEST_CHAIN; i++) {
        size_t before = r->n_aliases;
        while (before > 0 && !oct_word_same(r->aliases[before - 1].name, type))
            before--;
        if (before == 0)
            break;
        type = r->aliases[before - 1].type;
    }
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
        size_t length = strlen(scalars[i].name);
        if (type.length < length || memcmp(type.start, scalars[i].name, length) != 0)
            continue;
        const oct_word lanes = {type.start + length, type.length - length};
        unsigned n = lanes.length == 0          ? 1
                     : oct_word_is(lanes, "2")  ? 2
                     : oct_word_is(lanes, "3")  ? 4
                     : oct_word_is(lanes, "4")  ? 4
                     : oct_word_is(lanes, "8")  ? 8
                     : oct_word_is(lanes, "16") ? 16
                                                : 0;
        if (n == 0)
            continue;
        out->bytes = n * scalars[i].bytes;
        out->number = n == 1 ? scalars[i].number : OCT_NUMBER_OTHER;
    }
}

static bool is_one_of(oct_word word, const char *const *list)
{
    for (; *list; list++)
        if (oct_word_is(word, *list))
            return true;
    return false;
}

/* The words of one argument, without the comma. */
static oct_status add_argument(reading *r, oct_signature *s, const oct_word *words, size_t n)
{
    static const char *const passed_over[] = {"volatile",  "__volatile", "restrict", "__restrict",
                                              "private",   "__private",  "global",   "__global",
                                              "constant",  "__constant", "local",    "__local",
                                              "read_only", "write_only", NULL};
    static const char *const of_buffers[] = {"global", "__global", "constant", "__constant", NULL};
    static const char *const never_written[] = {"const", "constant", "__constant", NULL};
    oct_argument argument = {.bytes = 0};
    oct_word type = {"", 0};
    size_t at = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        if (!argument.pointer && at < sizeof argument.declared)
            at += (size_t)snprintf(argument.declared + at, sizeof argument.declared - at, "%.*s ",
                                   (int)words[i].length, words[i].start);
        if (is_one_of(words[i], of_buffers))
            argument.buffer = true;
        if (oct_word_is(words[i], "*"))
            argument.pointer = true;
        else if (!argument.pointer && is_one_of(words[i], never_written))
            argument.read_only = true;
        if (!argument.pointer && !oct_word_is(words[i], "const") &&
            !is_one_of(words[i], passed_over))
            type = words[i];
    }
    const oct_word name = words[n - 1];
    resolve(&argument, type, r);
    snprintf(argument.name, sizeof argument.name, "%.*s", (int)name.length, name.start);
    snprintf(argument.type, sizeof argument.type, "%s%.*s%s",
             argument.pointer && argument.read_only ? "const " : "", (int)type.length, type.start,
             argument.pointer ? " *" : "");
    OCT_TRY(oct_realloc(&s->arguments, s->n + 1, sizeof *s->arguments, "arguments of a kernel"));
    s->arguments[s->n++] = argument;
    return OCT_STATUS_OK;
}

/* Where a word is in the source; 0 where a macro stands for it. */
static size_t place_of(const reading *r, oct_word word)
{
    return r->reader.n_open == 0 ? (size_t)(word.start - r->source) : 0;
}

/* What stands between the brackets of a kernel. */
static oct_status read_arguments(reading *r, oct_signature *s)
{
    oct_word words[MOST_WORDS], word;
    size_t n = 0, depth = 0;
    while (oct_reader_next(&word, &r->reader)) {
        bool ends = depth == 0 && (oct_word_is(word, ",") || oct_word_is(word, ")"));
        if (ends && n > 0)
            OCT_TRY(add_argument(r, s, words, n));
        if (ends && oct_word_is(word, ")")) {
            s->list_end = place_of(r, word);
            break;
        }
        depth += oct_word_is(word, "(");
        depth -= oct_word_is(word, ")") && depth > 0;
        if (ends)
            n = 0;
        else if (n < MOST_WORDS)
            words[n++] = word;
    }
    return r->reader.status;
}

/* After the word `kernel`: attributes, void, the name. */
static oct_status read_kernel(reading *r)
{
    oct_word word, name = {"", 0};
    size_t depth = 0;
    for (bool attribute = false; oct_reader_next(&word, &r->reader);) {
        if (oct_word_is(word, "(") && depth == 0 && !attribute)
            break;
        if (oct_word_is(word, ";") || oct_word_is(word, "{"))
            return OCT_STATUS_OK;
        depth += oct_word_is(word, "(");
        if (oct_word_is(word, ")") && depth > 0 && --depth == 0)
            attribute = false;
        else if (oct_word_is(word, "__attribute__"))
            attribute = true;
        else if (depth == 0) {
            name = word;
            attribute = false;
        }
    }
    oct_signatures *all = r->out;
    OCT_TRY(oct_realloc(&all->list, all->n + 1, sizeof *all->list, "kernels of a program"));
    oct_signature *s = &all->list[all->n++];
    *s = (oct_signature){.line = r->reader.line, .list = place_of(r, word)};
    s->list += s->list > 0;
    r->within = true;
    r->depth = 0;
    snprintf(s->name, sizeof s->name, "%.*s", (int)name.length, name.start);
    snprintf(s->file, sizeof s->file, "%.*s", (int)r->reader.file.length, r->reader.file.start);
    return read_arguments(r, s);
}

/* A word after the arguments of a kernel: brackets say where its body begins and ends. */
static oct_status read_body(reading *r, oct_word word)
{
    static const char *const sizes[] = {"get_num_groups", "get_global_size", NULL};
    oct_signatures *all = r->out;
    size_t place = place_of(r, word);
    if (oct_word_is(word, "{") && r->depth++ == 0)
        all->list[all->n - 1].body = place > 0 ? place + 1 : 0;
    else if (oct_word_is(word, "}") && r->depth > 0)
        r->within = --r->depth > 0;
    else if (oct_word_is(word, ";") && r->depth == 0)
        r->within = false;
    if (place == 0 || !is_one_of(word, sizes))
        return OCT_STATUS_OK;
    OCT_TRY(oct_realloc(&all->sizes, all->n_sizes + 1, sizeof *all->sizes, "sizes of launches"));
    all->sizes[all->n_sizes++] = place;
    return OCT_STATUS_OK;
}

/* After the word `typedef`: only a name for another name says how large it is. */
static oct_status read_typedef(reading *r)
{
    oct_word words[3], word;
    size_t n = 0;
    while (oct_reader_next(&word, &r->reader) && !oct_word_is(word, ";") && !oct_word_is(word, "{"))
        if (n < 3)
            words[n++] = word;
    if (n != 2 || !oct_word_is(word, ";"))
        return r->reader.status;
    OCT_TRY(oct_realloc(&r->aliases, r->n_aliases + 1, sizeof *r->aliases, "types of a kernel"));
    r->aliases[r->n_aliases++] = (alias){.name = words[1], .type = words[0]};
    return r->reader.status;
}

static oct_status read_text(reading *r, const char *text)
{
    oct_word word;
    r->source = text;
    oct_reader_begin(&r->reader, text);
    while (oct_reader_next(&word, &r->reader)) {
        if (oct_word_is(word, "kernel") || oct_word_is(word, "__kernel"))
            OCT_TRY(read_kernel(r));
        else if (oct_word_is(word, "typedef"))
            OCT_TRY(read_typedef(r));
        else if (r->within)
            OCT_TRY(read_body(r, word));
    }
    return r->reader.status;
}

/* -D NAME=VALUE and -DNAME as the lines that mean the same. */
static oct_status options_as_text(char **out, const char *options)
{
    oct_text text = {0};
    oct_text_add(&text, "#define __OPENCL_VERSION__ 120\n#define __OPENCL_C_VERSION__ 120\n");
    for (const char *c = options; (c = strstr(c, "-D")) != NULL;) {
        bool separate = c == options || c[-1] == ' ';
        c += 2 + strspn(c + 2, " ");
        size_t whole = strcspn(c, " "), name = strcspn(c, "= ");
        if (!separate)
            continue;
        oct_text_add(&text, "#define %.*s %.*s\n", (int)name, c,
                     name < whole ? (int)(whole - name - 1) : 1, name < whole ? c + name + 1 : "1");
        c += whole;
    }
    return oct_text_take(out, &text);
}

oct_status oct_signatures_read(oct_signatures *out, const char *source, const char *options)
{
    char *defined;
    reading r = {.out = out};
    *out = (oct_signatures){0};
    OCT_TRY(options_as_text(&defined, options));
    oct_status status = read_text(&r, defined);
    if (status == OCT_STATUS_OK)
        status = read_text(&r, source);
    oct_reader_clear(&r.reader);
    free(r.aliases);
    free(defined);
    if (status != OCT_STATUS_OK)
        oct_signatures_clear(out);
    return status;
}

void oct_signatures_clear(oct_signatures *signatures)
{
    for (size_t i = 0; i < signatures->n; i++)
        free(signatures->list[i].arguments);
    free(signatures->list);
    free(signatures->sizes);
    *signatures = (oct_signatures){0};
}
