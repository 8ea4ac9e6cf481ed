/* Kernel files become one text: includes are put in place once each, and #line directives keep
 * the compiler's messages pointing at the real file. */
/* realpath is an XSI function. */
#define _XOPEN_SOURCE 700

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cl.h"
#include "util/embed.h"
#include "util/file.h"
#include "util/text.h"

enum { MOST_FILES = 32, DEEPEST = 16 };

typedef struct assembly {
    oct_text text;
    const oct_build *build;
    const char *seen[MOST_FILES];
    char *paths[MOST_FILES]; /* owned: those of files that the user's include */
    size_t n_seen, n_paths;
} assembly;

static oct_status add_file(assembly *a, const char *label, const char *text, int depth);

/* A file that one of the user's includes, relative to it: its text is then part of what programs
 * are known by in the cache. *found is false where there is none. */
static oct_status add_neighbour(assembly *a, bool *found, const char *from, const char *name,
                                int depth)
{
    char path[4096], *text = NULL;
    const char *slash = strrchr(from, '/');
    *found = false;
    /* Labels of the user's files are absolute paths. */
    if (from[0] != '/' || a->n_paths == MOST_FILES)
        return OCT_STATUS_OK;
    snprintf(path, sizeof path, "%.*s%s", name[0] == '/' ? 0 : (int)(slash - from) + 1, from, name);
    char *real = realpath(path, NULL);
    if (!real)
        return OCT_STATUS_OK;
    *found = true;
    a->paths[a->n_paths++] = real;
    OCT_TRY(oct_file_read(&text, NULL, real, 1 << 20));
    oct_status status = add_file(a, real, text, depth);
    free(text);
    return status;
}

static oct_status add_include(assembly *a, const char *from, const char *name, size_t length,
                              int depth)
{
    char wanted[128];
    OCT_CHECK(length < sizeof wanted, OCT_STATUS_INTERNAL, "an include's name is too long");
    memcpy(wanted, name, length);
    wanted[length] = '\0';
    for (const oct_include *i = a->build->includes; i && i->name; i++)
        if (strcmp(i->name, wanted) == 0 && i->text)
            return add_file(a, i->label, i->text, depth);
        else if (strcmp(i->name, wanted) == 0)
            return add_include(a, from, i->label, strlen(i->label), depth);
    bool found;
    OCT_TRY(add_neighbour(a, &found, from, wanted, depth));
    if (found)
        return OCT_STATUS_OK;
    /* Library headers name their own neighbours relative to themselves. */
    for (const oct_embedded_file *f = oct_kernel_files; f->name; f++) {
        size_t full = strlen(f->name);
        bool tail = full > length && f->name[full - length - 1] == '/' &&
                    strcmp(f->name + full - length, wanted) == 0;
        if (strcmp(f->name, wanted) == 0 || tail)
            return add_file(a, f->name, f->text, depth);
    }
    /* Library headers also name those of other compilers, in branches that OpenCL never takes. */
    oct_text_add(&a->text, "#include \"%s\"\n", wanted);
    return OCT_STATUS_OK;
}

static const char *include_name(const char *line, size_t length, size_t *name_length)
{
    const char *end = line + length, *c = line;
    while (c < end && (*c == ' ' || *c == '\t'))
        c++;
    if (c == end || *c != '#')
        return NULL;
    for (c++; c < end && (*c == ' ' || *c == '\t');)
        c++;
    if ((size_t)(end - c) < 8 || strncmp(c, "include", 7) != 0)
        return NULL;
    for (c += 7; c < end && *c != '"' && *c != '<';)
        c++;
    if (c == end)
        return NULL;
    char closing = *c == '<' ? '>' : '"';
    const char *stop = memchr(c + 1, closing, (size_t)(end - c - 1));
    if (!stop)
        return NULL;
    for (const char *rest = stop + 1; rest < end; rest++)
        if (*rest != ' ' && *rest != '\t' && *rest != '\r')
            return NULL;
    *name_length = (size_t)(stop - c - 1);
    return c + 1;
}

/* A directive that says where the next line is from. No path may end the text it stands in. */
static void add_place(assembly *a, unsigned line, const char *label)
{
    oct_text_add(&a->text, "#line %u \"", line);
    for (const char *c = label; *c; c++)
        oct_text_add_bytes(&a->text, *c == '"' || *c == '\\' ? "_" : c, 1);
    oct_text_add(&a->text, "\"\n");
}

static oct_status add_file(assembly *a, const char *label, const char *text, int depth)
{
    OCT_CHECK(depth < DEEPEST && a->n_seen < MOST_FILES, OCT_STATUS_INTERNAL,
              "kernel file '%s' includes too many others", a->build->file);
    for (size_t i = 0; i < a->n_seen; i++)
        if (strcmp(a->seen[i], label) == 0)
            return OCT_STATUS_OK;
    a->seen[a->n_seen++] = label;
    add_place(a, 1, label);
    unsigned number = 1;
    for (const char *line = text; *line; number++) {
        const char *newline = strchr(line, '\n');
        size_t length = newline ? (size_t)(newline - line) : strlen(line), name_length;
        const char *name = include_name(line, length, &name_length);
        if (name) {
            OCT_TRY(add_include(a, label, name, name_length, depth + 1));
            /* What is missing at the end of a file is missing in the last one it includes. */
            if (newline && newline[1])
                add_place(a, number + 1, label);
        } else {
            oct_text_add_bytes(&a->text, line, length);
            oct_text_add_bytes(&a->text, "\n", 1);
        }
        line += length + (newline ? 1 : 0);
    }
    return OCT_STATUS_OK;
}

oct_status oct_source_assemble(char **out, const oct_build *build)
{
    assembly a = {.build = build};
    const oct_embedded_file *file = oct_embedded_find(oct_kernel_files, build->file);
    OCT_CHECK(build->text || file, OCT_STATUS_INTERNAL, "there is no kernel file '%s'",
              build->file);
    oct_status status = build->text ? add_file(&a, build->file, build->text, 0)
                                    : add_file(&a, file->name, file->text, 0);
    for (size_t i = 0; i < a.n_paths; i++)
        free(a.paths[i]);
    if (status != OCT_STATUS_OK) {
        oct_text_clear(&a.text);
        return status;
    }
    return oct_text_take(out, &a.text);
}

void oct_source_locate(char *label, size_t bytes, unsigned *line, const char *source,
                       unsigned assembled_line)
{
    unsigned here = 0;
    snprintf(label, bytes, "?");
    for (unsigned i = 1; i <= assembled_line && source; i++, here++) {
        char name[1024];
        unsigned next;
        if (sscanf(source, "#line %u \"%1023[^\"]\"", &next, name) == 2) {
            snprintf(label, bytes, "%s", name);
            here = next - 1;
        }
        source = strchr(source, '\n');
        source = source ? source + 1 : NULL;
    }
    *line = here - 1;
}
